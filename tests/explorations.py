"""Explorations made by hand: the notebook app (tests/apps/notebook) as a run of sixty steps would have left it.

Positions and texts are the app's real ones, read with esprima; only the run is invented.
"""

from __future__ import annotations

import struct
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import esprima

from explorer.exploration import Exploration, Instrumentation
from graph.collapse import collapse
from graph.records import (
    Action,
    ActionKind,
    Fault,
    Field,
    Finding,
    Handler,
    Message,
    PageHandler,
    Request,
    Snapshot,
    Step,
    Target,
    Timer,
    Trace,
    TraceHead,
)
from instrument.probes import FailedScript, Mined, Position, Probe, ProbeKind, ProbeMap, SourceFile

NOTEBOOK = Path(__file__).parent / "apps" / "notebook"
SCRIPTS = ("app.js", "store.js", "vendor/emitter.js")

# --- probes ------------------------------------------------------------------------------------------------


@dataclass
class _Builder:
    """Collects the probes of several files under running ids."""

    probes: list[Probe] = field(default_factory=list)
    body: defaultdict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    calls: defaultdict[int, list[str]] = field(default_factory=lambda: defaultdict(list))

    def add(self, kind: ProbeKind, file: str, place: Position, function: str) -> int:
        self.probes.append(Probe(len(self.probes), kind, file, place, function))
        return len(self.probes) - 1


def probe_map(sources: Mapping[str, str]) -> ProbeMap:
    """Probes of these scripts (path -> text), one counter slot a probe; paths with `vendor/` are vendor code."""
    builder = _Builder()
    files = tuple(
        _source_file(path, text, index, builder) for index, (path, text) in enumerate(sources.items())
    )
    return ProbeMap(
        files=files,
        probes=tuple(builder.probes),
        counters={file.path: tuple((item,) for item in _ids(file)) for file in files},
        own=frozenset(item for file in files if file.file_class == "own" for item in _ids(file)),
        body={function: frozenset(statements) for function, statements in builder.body.items()},
        mined={function: Mined(calls=tuple(names)) for function, names in builder.calls.items()},
    )


def _ids(file: SourceFile) -> tuple[int, ...]:
    return (*file.statements, *file.functions, *file.branches)


def _source_file(path: str, text: str, index: int, builder: _Builder) -> SourceFile:
    found: dict[str, list[int]] = {"statement": [], "function": [], "branch": []}
    groups: list[tuple[str, Position, tuple[int, ...]]] = []
    tree = esprima.parseScript(text, loc=True)
    for node, function, name in _walk(tree, -1 - index, "", builder, path, found):
        if node.type == "IfStatement":
            arms = tuple(
                builder.add("branch", path, _place(arm or node), name)
                for arm in (node.consequent, node.alternate)
            )
            found["branch"].extend(arms)
            groups.append(("if", _place(node), arms))
        elif node.type == "CallExpression":
            callee = node.callee
            called = callee.name or (callee.property and callee.property.name)
            if called:
                builder.calls[function].append(called)
    vendor = path.startswith("vendor/")
    return SourceFile(
        path=path,
        file_class="vendor" if vendor else "own",
        class_reason="a licence banner names a published library" if vendor else "no sign of a library",
        text=text,
        statements=tuple(found["statement"]),
        functions=tuple(found["function"]),
        branches=tuple(found["branch"]),
        branch_groups=tuple(groups),
    )


def _walk(
    node: Any, function: int, name: str, builder: _Builder, path: str, found: dict[str, list[int]]
) -> Iterator[tuple[Any, int, str]]:
    """Every node with the function around it; statements and functions get their probes on the way."""
    yield node, function, name
    for key, child in _children(node):
        inner, inner_name = function, name
        if child.type.endswith(("Statement", "Declaration")) and child.type not in (
            "BlockStatement",
            "FunctionDeclaration",
            "ClassDeclaration",
        ):
            item = builder.add("statement", path, _place(child), name)
            found["statement"].append(item)
            if function >= 0:
                builder.body[function].add(item)
        if child.type in ("FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"):
            inner_name = _function_name(child, node, key)
            inner = builder.add("function", path, _place(child), inner_name)
            found["function"].append(inner)
            if child.type == "ArrowFunctionExpression" and child.body.type != "BlockStatement":
                item = builder.add("statement", path, _place(child.body), inner_name)
                found["statement"].append(item)
                builder.body[inner].add(item)
        yield from _walk(child, inner, inner_name, builder, path, found)


def _function_name(node: Any, parent: Any, key: str) -> str:
    if node.id:
        return str(node.id.name)
    if parent.type == "MethodDefinition" and key == "value":
        return str(parent.key.name)
    return ""


def _children(node: Any) -> Iterator[tuple[str, Any]]:
    for key, value in vars(node).items():
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, esprima.nodes.Node) and item.type:
                yield key, item


def _place(node: Any) -> Position:
    start, end = node.loc.start, node.loc.end
    return Position(start.line, start.column, end.line, end.column)


# --- the run -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Row:
    """One line of the script that the invented run follows."""

    kind: ActionKind
    name: str
    after: str
    runs: tuple[str, ...] = ()
    """Functions, by name or by line ("app.js:84"), of which this step hits everything."""
    value: str = ""


_STATES: Mapping[str, tuple[str, str]] = {
    "s0": ("/", "Notebook"),
    "s1": ("/", "Notebook (1)"),
    "s2": ("/", "Notebook (1)"),
    "s3": ("/", "Notebook (2)"),
    "s4": ("/#open", "Notebook"),
    "s5": ("/", "Notebook (3)"),
    "s6": ("/", "Notebook (3)"),
    "s7": ("/", "Notebook (4)"),
    "s8": ("/?view=list", "Notebook (4)"),
    "s9": ("/", "Notebook (5)"),
    "s10": ("/", "Notebook (2)"),
    "s11": ("/about.html", "About"),
}

_HINT = "export starts exportNotes (app.js:68): its statements never ran"
"""Given at steps 10 and 11, and followed at the first."""

_SCRIPT: tuple[_Row, ...] = (
    _Row("click", "Add", "s0", ("app.js:94",)),
    _Row("fill", "Title", "s2", (), "Buy milk"),
    _Row("click", "Add", "s1", ("add", "save", "row", "emit")),
    _Row("click", "Buy milk", "s3", ("toggle", "find", "app.js:21", "store.js:48")),
    _Row("click", "Open", "s4", ("app.js:108", "app.js:9")),
    _Row("click", "All", "s1", ("app.js:104",)),
    _Row("press", "", "s1", ("onKey",), "Escape"),
    _Row("hover", "Delete", "s1"),
    _Row("fill-form", "Add", "s5", (), ""),
    _Row("click", "Export", "s5", ("exportNotes",)),
    _Row("click", "Delete", "s6", ("app.js:25", "confirmRemoval", "remove", "store.js:43")),
    _Row("reload", "", "s7", ("load",)),
)


def exploration(*, steps: int = 60, states: int = 12) -> Exploration:
    """A realistic run: `states` states (at least 12) over `steps` steps, with findings of several kinds."""
    probes = probe_map({path: (NOTEBOOK / path).read_text() for path in SCRIPTS})
    run = _Run(probes, states)
    trace = Trace(
        head=TraceHead(
            1, "tests/apps/notebook", 7, steps, "built-in", "built-in", "exact", _own_statements(probes)
        ),
        steps=tuple(run.step(index) for index in range(steps + 1)),
        stop="budget",
        stop_reason=f"all {steps} actions were spent",
    )
    return Exploration(
        target="tests/apps/notebook",
        build_kind="static",
        build_reason="index.html stands in the folder and no package.json asks for a build",
        instrumentation=Instrumentation(
            mode="istanbul",
            reason="every script was parsed and carries counters",
            scripts=3,
            failed=(FailedScript("legacy/widget.jsx", "JSX is not JavaScript: Unexpected token (3:11)"),),
            unmeasured=(
                FailedScript("blob worker of app.js:12", "a worker that was made from text at run time"),
            ),
            notes=("console, errors, outline and screenshot were equal with and without counters",),
        ),
        probes=probes,
        hits=frozenset(run.covered),
        trace=trace,
        graph=collapse(trace),
        findings=tuple(run.findings),
        blocked=(
            Request(
                "GET", "https://fonts.example.com/inter.css", None, "not allowed out", True, "stylesheet"
            ),
        ),
        root=str(NOTEBOOK),
        command="explore-app tests/apps/notebook --budget 60 --seed 7",
        started="2026-11-30T21:00:00+00:00",
        seconds=11.4,
        versions={"explore-app": "0.1.0", "python": "3.11.2", "browser": "Chromium 156.0", "node": "22.1.0"},
        timings_ms={"median_step": 118.0, "engine_share": 6.5, "instrument": 41.0, "open": 320.0},
    )


def _own_statements(probes: ProbeMap) -> int:
    return sum(1 for probe in probes.probes if probe.kind == "statement" and probe.id in probes.own)


class _Run:
    """Plays the script over and over, and keeps what has run."""

    def __init__(self, probes: ProbeMap, states: int) -> None:
        self.probes = probes
        self.states = {**_STATES, **{f"s{index}": (f"/#{index}", "Notebook") for index in range(12, states)}}
        self.covered: set[int] = set()
        self.visited: set[str] = set()
        self.findings: list[Finding] = []
        self.at = ""

    def step(self, index: int) -> Step:
        row = self._row(index)
        new_hits = self._hits(row.runs if row else ("render",), load=row is None) - self.covered
        self.covered |= new_hits
        after = row.after if row else "s0"
        before, self.at = self.at, after
        new = after not in self.visited
        self.visited.add(after)
        url, title = self.states[after]
        step = Step(
            index=index,
            action=self._action(row, followed=index == 10) if row else None,
            before=before,
            after=after,
            url=url,
            title=title,
            gain=sum(
                1
                for item in new_hits
                if self.probes.probes[item].kind == "statement" and item in self.probes.own
            ),
            hits=tuple(sorted(new_hits)),
            new_state=new,
            replayed=index in (33, 34),
            snapshot=self._snapshot(url, title) if new else None,
            screenshot=f"screenshots/{after}.png" if new else "",
            hint=_HINT if index in (10, 11) else "",
            ms=(("act", 12.0), ("settle", 40.0), ("observe", 9.0)),
        )
        return self._with_faults(step)

    def _row(self, index: int) -> _Row | None:
        if index == 0:
            return None
        row = _SCRIPT[(index - 1) % len(_SCRIPT)]
        later = [state for state in self.states if state not in self.visited]
        # New states turn up late in the run too, as they do in a real one.
        if index > len(_SCRIPT) and later and index % 3 == 0:
            return replace(row, after=later[0], runs=())
        return row if index <= len(_SCRIPT) else replace(row, runs=())

    def _hits(self, runs: Sequence[str], *, load: bool) -> set[int]:
        wanted = set()
        for probe in self.probes.probes:
            function = probe.function or f"{probe.file}:{probe.position.line}"
            inside = probe.kind != "branch" or probe.position.line % 2
            if inside and (
                function in runs or (load and not probe.function and probe.id not in self._nested)
            ):
                wanted.add(probe.id)
        for number, body in self.probes.body.items():
            probe = self.probes.probes[number]
            if f"{probe.file}:{probe.position.line}" in runs:
                wanted |= {number, *body}
        return wanted

    @property
    def _nested(self) -> frozenset[int]:
        functions = (probe.id for probe in self.probes.probes if probe.kind == "function")
        return frozenset().union(functions, *self.probes.body.values())

    def _action(self, row: _Row, *, followed: bool) -> Action:
        target = next((item for item in self._targets() if item.name == row.name), None)
        reason = "its handler holds unexecuted statements" if row.runs else "untried in this state"
        if followed:
            reason = f"hint: {_HINT}"
        if target is None:
            return Action(row.kind, reason, value=row.value)
        return Action(
            row.kind,
            reason,
            target.ref,
            target.locator,
            target.role,
            target.name,
            target.family,
            target.ordinal,
            row.value,
        )

    def _snapshot(self, url: str, title: str) -> Snapshot:
        return Snapshot(
            url=url,
            title=title,
            html=f"<h1>{title}</h1><p>{url}</p>" + "<li>a note</li>" * len(self.visited),
            digest=title,
            targets=self._targets(),
            page_handlers=(PageHandler("keydown", self._function("onKey")),),
            timers=(Timer(2000, None),),
        )

    def _targets(self) -> tuple[Target, ...]:
        rows = [
            ("Title", "textbox", "input", None, "", ""),
            ("Add", "button", "button", None, "submit", "app.js:94"),
            ("All", "button", "button", None, "click", "app.js:104"),
            ("Open", "button", "button", None, "click", "app.js:108"),
            ("Export", "button", "button", None, "click", "exportNotes"),
            ("Buy milk", "button", "button", None, "dblclick", "app.js:22"),
            ("Delete", "button", "button", None, "click", "app.js:25"),
        ]
        return tuple(
            Target(
                ref=f"e{number}",
                tag=tag,
                role=role,
                name=name,
                family=f"{tag}#{name}",
                ordinal=0,
                locator=f"#{name}",
                box=(20, 40 * number, 120, 30),
                handlers=(Handler(event, self._function(function)),) if event else (),
                field=Field("text", label=name) if tag == "input" else None,
            )
            for number, (name, role, tag, _, event, function) in enumerate(rows)
        )

    def _function(self, wanted: str) -> int | None:
        for probe in self.probes.probes:
            place = f"{probe.file}:{probe.position.line}"
            if probe.kind == "function" and wanted in (probe.function, place):
                return probe.id
        return None

    def _with_faults(self, step: Step) -> Step:
        if step.index == 1:
            text = "Notebook: a note needs a title"
            found = self._find("console-error", text, step, "app.js:101:4")
            return replace(step, findings=found, messages=(Message("error", text, "app.js", 101),))
        if step.index == 10:
            text = "TypeError: Cannot read properties of undefined (reading 'length')"
            found = self._find("exception", text, step, "app.js:69:83")
            return replace(
                step, findings=found, faults=(Fault(text, f"{text}\n    at exportNotes (app.js:69:83)"),)
            )
        if step.index == 25:
            found = self._find("http-error", "GET /api/notes answered 404", step, "")
            return replace(
                step, findings=found, requests=(Request("GET", "/api/notes", 404, resource="fetch"),)
            )
        if step.index == 41:
            return replace(
                step, findings=self._find("dead-control", 'button "Open" changes nothing', step, "")
            )
        return step

    def _find(self, kind: Any, title: str, step: Step, source: str) -> tuple[Finding, ...]:
        finding = Finding(
            kind=kind,
            identity=f"{kind}:{title}",
            title=title,
            detail=f"{title}\n    at app.js",
            step=step.index,
            state=step.after,
            path=tuple(range(step.index + 1)),
            source=source,
            count=1 + step.index % 3,
        )
        self.findings.append(finding)
        return (finding,)


# --- pictures ----------------------------------------------------------------------------------------------


def write_screenshots(run: Exploration, folder: Path) -> Exploration:
    """Paints a small PNG for each state into `folder` and returns the run with that folder."""
    for number, step in enumerate(step for step in run.trace.steps if step.screenshot):
        path = folder / step.screenshot
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(png(number))
    return replace(run, folder=str(folder))


def png(number: int, *, width: int = 320, height: int = 180) -> bytes:
    """A picture of a page: a heading bar, `number` rows, a colour of its own."""
    tint = (90 + 37 * number % 150, 90 + 71 * number % 150, 200 - 23 * number % 120)
    rows = bytearray()
    for y in range(height):
        bar = y < 28
        entry = 40 < y < 40 + 18 * (number % 7 + 1) and (y - 40) % 18 < 12
        line = bytes(tint) * 20 + (
            bytes((40, 44, 52)) if bar else bytes(tint) if entry else b"\xff\xff\xff"
        ) * (width - 40)
        rows += b"\0" + line + (b"\xff\xff\xff" if not bar else bytes(tint)) * 20
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(bytes(rows))), (b"IEND", b""))
    body = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + body


# --- an app that attacks its report --------------------------------------------------------------------------

ATTACK = (
    "</script></style></title><script>window.pwned=1</script><img src=x onerror=window.pwned=1>"
    "\"' onclick=window.pwned=1 \u2028\u2029\ud800\u202eevil\u2066\0\x1b &lt;b&gt; <!-- {{7*7}} javascript:alert(1)"
)
"""Text that ends elements and attributes, hides, turns its direction and has no UTF-8 form."""


def attacked() -> Exploration:
    """The run of an app whose every text is an attack."""
    run = exploration()
    names = {file.path: f"{number}{ATTACK}" for number, file in enumerate(run.probes.files)}
    steps = tuple(_attacked_step(step) for step in run.trace.steps)
    trace = replace(run.trace, steps=steps, stop_reason=ATTACK)
    return replace(
        run,
        target=ATTACK,
        build_reason=ATTACK,
        command=ATTACK,
        instrumentation=replace(run.instrumentation, reason=ATTACK, failed=(FailedScript(ATTACK, ATTACK),)),
        probes=replace(
            run.probes,
            files=tuple(
                replace(file, path=names[file.path], class_reason=ATTACK, text=f"{file.text}\n// {ATTACK}")
                for file in run.probes.files
            ),
            probes=tuple(
                replace(probe, file=names[probe.file], function=probe.function and ATTACK)
                for probe in run.probes.probes
            ),
        ),
        trace=trace,
        graph=collapse(trace),
        findings=tuple(_attacked_finding(finding) for finding in run.findings),
        blocked=(Request(ATTACK, ATTACK, None, ATTACK, True),),
        versions={ATTACK: ATTACK},
        notes=(ATTACK,),
    )


def _attacked_step(step: Step) -> Step:
    action = step.action and replace(step.action, name=ATTACK, role=ATTACK, value=ATTACK, reason=ATTACK)
    snapshot = step.snapshot and replace(
        step.snapshot,
        targets=tuple(replace(target, name=ATTACK, role=ATTACK) for target in step.snapshot.targets),
    )
    found = tuple(_attacked_finding(finding) for finding in step.findings)
    return replace(
        step,
        action=action,
        url=f"/{ATTACK}",
        title=ATTACK,
        snapshot=snapshot,
        findings=found,
        hint=step.hint and ATTACK,
    )


def _attacked_finding(finding: Finding) -> Finding:
    return replace(finding, title=ATTACK, detail=ATTACK, source=f"0{ATTACK}:3:1")
