"""First stage of judging: a run folder becomes exhibits with ids that can be cited.

S12 is step 12 of the trace, N3 the third state that was seen, E7 the seventh transition, P2 the second picture: the
numbers come from the trace, so they are the same for the same run, in whatever order exhibits are shown. Read are
trace.jsonl, findings.json, run.json's model names and the pictures: what a user could have seen. Source never is, nor
anything that speaks of it (coverage, the tester's reasons, hints, stacks).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from graph.collapse import collapse, names_of
from graph.pagetext import difference, page_lines
from graph.records import Finding, Request, Snapshot, Step, Trace
from graph.tracefile import read_trace
from graph.wording import describe
from instrument.errors import UsageError
from instrument.wording import in_short, plural
from judge.records import Evidence, Exhibit
from judge.scrub import scrubber

if TYPE_CHECKING:
    import networkx

    Graph = networkx.MultiDiGraph[str]

TRACE = "trace.jsonl"
FINDINGS = "findings.json"
RUN = "run.json"

MOST_LINES = 80
"""Lines of a page that its exhibit shows; the rest is counted, and can be searched and paged by the alignment judge."""
MOST_MESSAGES = 4
"""Console messages, requests and the like of one step, each kind."""
MOST_FAULTS = 40
"""Faults in the summary; every one is with its step too."""
MOST_HOSTS = 5
_LONGEST = 300
_STACK = re.compile(r"\n\s+at .*|\n[^\n]*@[^\n]*:\d+:\d+.*", re.DOTALL)

Scrub = Callable[[str], str]


@dataclass(frozen=True)
class Case:
    """What a judge gets: the run as it was recorded, and the exhibits made of it. A model is shown the exhibits only."""

    trace: Trace
    graph: Graph
    findings: tuple[Finding, ...]
    """Faults of the run, each once, without positions in the source."""
    evidence: Evidence


def read_case(folder: str | Path) -> Case:
    """Reads a run folder. Raises UsageError where it is none, or its trace cannot be read."""
    place = Path(folder).expanduser().absolute()
    if not place.is_dir():
        raise UsageError(f"There is no folder {place}: name one that explore-app wrote.")
    if not (place / TRACE).is_file():
        raise UsageError(f"{place} is no run folder (it has no {TRACE}): name one that explore-app wrote.")
    trace = read_trace(place / TRACE)
    graph, findings = collapse(trace), _findings(place, trace)
    evidence = gather(trace, graph, findings=findings, scrub=scrubber(_places(place, trace.head.target)))
    return Case(
        trace,
        graph,
        findings,
        replace(
            evidence,
            exhibits=tuple(
                each for each in evidence.exhibits if not each.file or (place / each.file).is_file()
            ),
            folder=str(place),
            families=_models(place, trace),
        ),
    )


def _places(folder: Path, target: str) -> list[str]:
    """Folders whose names must not get into evidence."""
    app = [str(Path(target).expanduser().absolute())] if target and "://" not in target else []
    return [str(folder), str(Path.home()), *app]


def gather(
    trace: Trace, graph: Graph, *, findings: Sequence[Finding] = (), scrub: Scrub | None = None
) -> Evidence:
    """The evidence of a trace and its graph; pure.

    findings: faults of the whole run, each once; empty takes those that the steps carry.
    """
    scrub = scrub or scrubber()
    names = names_of(graph)
    snapshots = {step.after: step.snapshot for step in reversed(trace.steps) if step.snapshot is not None}
    faults = tuple(findings) or tuple(each for step in trace.steps for each in step.findings)
    pictures = {step.screenshot: step for step in reversed(trace.steps) if step.screenshot}
    shots = {name: f"P{number}" for number, name in enumerate(reversed(pictures), start=1)}
    writer = _Writer(names, shots, snapshots, scrub)
    return Evidence(
        exhibits=(
            *writer.nodes(graph, trace),
            *writer.edges(graph),
            *(writer.step(step, faults) for step in trace.steps),
            *(writer.picture(pictures[name]) for name in shots),
        ),
        head=_head(trace, graph, faults, scrub),
        limits=_limits(trace),
        pages={names[state]: scrub(page.html) for state, page in snapshots.items() if state in names},
    )


def transitions(graph: Graph) -> list[tuple[str, str, dict[str, Any]]]:
    """(source, target, attributes) of the graph's edges in the order in which they were first made: E1, E2, ..."""
    return sorted(graph.edges(data=True), key=lambda edge: (edge[2]["steps"], edge[0], edge[1]))


class _Writer:
    """Writes exhibits; knows what the states and pictures are called."""

    def __init__(
        self,
        names: Mapping[str, str],
        shots: Mapping[str, str],
        snapshots: Mapping[str, Snapshot],
        scrub: Scrub,
    ) -> None:
        self._names, self._shots, self._scrub = names, shots, scrub
        self._lines = {state: _scrubbed(page_lines(page.html), scrub) for state, page in snapshots.items()}

    def nodes(self, graph: Graph, trace: Trace) -> Iterable[Exhibit]:
        """The states, each by what its page shows: in full, or by how it differs from the one it was reached from."""
        came_from = {step.after: step.before for step in reversed(trace.steps) if step.new_state}
        near: dict[str, list[str]] = {}
        for state, values in graph.nodes(data=True):
            if values["near"]:
                near.setdefault(values["near"], []).append(self._names[state])
        for state, values in graph.nodes(data=True):
            alike = [name for name in near.get(values["near"], []) if name != self._names[state]]
            yield self._node(state, values, came_from.get(state, ""), alike)

    def _node(self, state: str, values: Mapping[str, Any], before: str, alike: Sequence[str]) -> Exhibit:
        lines = self._lines.get(state, ())
        told = [
            f'page "{_cut(values["title"])}" at {_cut(values["url"])}',
            f"first seen at S{values['first_step']}, {plural(values['visits'], 'visit')}",
        ]
        if alike:
            told.append(f"nearly the same as {', '.join(alike[:8])}")
        if values["basis"] == "canvas":
            told.append("a canvas shows most of it: see its picture")
        return Exhibit(
            id=self._names[state],
            kind="node",
            text=self._scrub("\n".join(told)) + "\n" + "\n".join(self._shown(state, before)),
            state=state,
            quotable="\n".join(lines),
            weight=int(values["visits"]),
        )

    def _shown(self, state: str, before: str) -> list[str]:
        lines, earlier = self._lines.get(state), self._lines.get(before)
        if lines is None:
            return ["its page was not recorded"]
        if earlier and before != state:
            changes = difference(earlier, lines, most=MOST_LINES)
            # Worth it only where most stayed: a page is easier to read than a list of what came and went.
            if len(changes) * 3 < len(lines):
                return [
                    f"shows what {self._names[before]} shows, but:",
                    *(f"  {change}" for change in changes),
                ]
        left = len(lines) - MOST_LINES
        more = [f"  … and {left} more lines"] if left > 0 else []
        return (
            ["shows:", *(f"  {line}" for line in lines[:MOST_LINES]), *more] if lines else ["shows no text"]
        )

    def edges(self, graph: Graph) -> Iterable[Exhibit]:
        """The transitions, in the order in which they were first made."""
        for number, (source, target, values) in enumerate(transitions(graph), start=1):
            steps = ", ".join(f"S{index}" for index in values["steps"][:8])
            more = f" and {values['count'] - 8} more" if values["count"] > 8 else ""
            way = f"{self._names[source]} -> {self._names[target]}"
            yield Exhibit(
                id=f"E{number}",
                kind="edge",
                text=self._scrub(f"{way} by {values['action']} (at {steps}{more})"),
                weight=10 * int(values["findings"] > 0) + int(source != target),
            )

    def step(self, step: Step, faults: Sequence[Finding]) -> Exhibit:
        """What was done, and all that came of it that a user could notice or a browser's console shows."""
        found = [fault for fault in faults if fault.step == step.index]
        come = [*_fate(step), *_effects(step), *(f"  fault: {_fault(fault)}" for fault in found)]
        if not come and step.action is not None:
            come = ["  nothing that shows came of it" if not step.changes and not _moved(step) else ""]
        told = [self._done(step), *(f"  {change}" for change in step.changes), *filter(None, come)]
        return Exhibit(
            id=f"S{step.index}",
            kind="step",
            text=self._scrub("\n".join(told)),
            state=step.after,
            weight=_weight(step, bool(found)),
        )

    def _done(self, step: Step) -> str:
        after = self._names.get(step.after, "nowhere")
        shot = f", picture {self._shots[step.screenshot]}" if step.screenshot in self._shots else ""
        new = f" (new state{shot})" if step.new_state else ""
        if step.action is None:
            return f"{'loaded again' if step.index else 'loaded'}: {after}{new}"
        again = " (made again after a loss)" if step.replayed else ""
        way = f"in {self._names.get(step.before, 'nowhere')}"
        stayed = "stayed there" if step.before == step.after else f"to {after}{new}"
        return f"{describe(step.action)}{again} {way}, {stayed}"

    def picture(self, step: Step) -> Exhibit:
        """A picture and what can be quoted from it: the page's own text."""
        name = self._names.get(step.after, "nowhere")
        return Exhibit(
            id=self._shots[step.screenshot],
            kind="screenshot",
            text=self._scrub(f'picture of {name}, "{_cut(step.title)}", after S{step.index}'),
            file=step.screenshot,
            state=step.after,
            quotable="\n".join(self._lines.get(step.after, ())),
        )


def _scrubbed(lines: Sequence[str], scrub: Scrub) -> tuple[str, ...]:
    """All lines at once: one pass of each pattern, where a page may have thousands of lines."""
    return tuple(scrub("\n".join(lines)).split("\n")) if lines else ()


def _moved(step: Step) -> bool:
    return step.before != step.after


def _fate(step: Step) -> Iterable[str]:
    """Whether the action could be made and the page survived it."""
    if not step.performed:
        yield f"  could not be done: {_cut(step.failure)}"
    if step.liveness != "alive":
        yield f"  the page {_LOST.get(step.liveness, step.liveness)}"


_LOST = {
    "hung": "hung: it answered no more",
    "crashed": "crashed",
    "closed": "closed itself",
    "browser-lost": "was lost with its browser",
}


def _effects(step: Step) -> Iterable[str]:
    """What came of a step besides what the page shows."""
    yield from _bounded(f"  exception: {_cut(_STACK.sub('', fault.text))}" for fault in step.faults)
    yield from _bounded(
        f"  console {message.level}: {_cut(_STACK.sub('', message.text))}"
        for message in step.messages
        if message.level in ("error", "warning")
    )
    yield from _bounded(f"  {_request(request)}" for request in step.requests)
    yield from _bounded(
        f'  {dialog.type} dialog "{_cut(dialog.text)}", {"accepted" if dialog.accepted else "dismissed"}'
        for dialog in step.dialogs
    )
    yield from _bounded(f"  downloaded {_cut(name)}" for name in step.downloads)
    yield from _bounded(f"  opened a new tab at {_cut(url)}" for url in step.popups)
    effects = step.effects
    for number, what in (
        (effects.storage, "writes to storage"),
        (effects.requests, "requests"),
        (effects.media, "sounds, prints, clipboard writes or the like"),
    ):
        if number:
            yield f"  {what}: {number}"
    if effects.mutations and not step.changes and step.before == step.after:
        yield "  the page changed, but not in what it says"


def _bounded(lines: Iterable[str]) -> Iterable[str]:
    listed = list(lines)
    yield from listed[:MOST_MESSAGES]
    if len(listed) > MOST_MESSAGES:
        yield f"  … and {len(listed) - MOST_MESSAGES} more of the kind"


def _request(request: Request) -> str:
    if request.blocked:
        return (
            f"request to another host kept in by the tester's browser: {request.method} {_cut(request.url)}"
        )
    answer = f"{request.status}" if request.status is not None else "no answer"
    return f"request failed: {request.method} {_cut(request.url)} ({answer} {_cut(request.reason)})"


def _fault(fault: Finding) -> str:
    return f"{fault.kind}: {_cut(_STACK.sub('', fault.title))}"


def _weight(step: Step, fault: bool) -> int:
    """How much a step tells: faults before states before changes."""
    return (
        16 * (fault or step.liveness != "alive")
        + 8 * (step.new_state or step.index == 0)
        + 4 * bool(step.faults or step.dialogs or step.downloads or step.popups)
        + 2 * bool(step.changes or _moved(step))
        + 1 * (not step.replayed)
    )


def _head(trace: Trace, graph: Graph, faults: Sequence[Finding], scrub: Scrub) -> str:
    actions = sum(step.action is not None and not step.replayed for step in trace.steps)
    titles = list(dict.fromkeys(step.title for step in trace.steps if step.title))
    told = [
        f'A web app titled "{_cut(titles[0]) if titles else ""}" was used by a tester for '
        f"{plural(actions, 'action')}, which led to {plural(graph.number_of_nodes(), 'state')} "
        f"by {plural(graph.number_of_edges(), 'transition')}.",
        f"The tester stopped because {_ending(trace)}. What it did not try is unknown.",
    ]
    if faults:
        told.append(f"Faults that were seen, each at its first step ({len(faults)}):")
        told += [f"- S{fault.step}: {_fault(fault)}" for fault in faults[:MOST_FAULTS]]
        if len(faults) > MOST_FAULTS:
            told.append(f"- … and {len(faults) - MOST_FAULTS} more, with their steps")
    else:
        told.append("No faults were seen.")
    return scrub("\n".join(told))


def _limits(trace: Trace) -> str:
    """Which other hosts the app could not reach: what it lacks for that is not its fault."""
    asked = Counter(
        urlsplit(request.url).hostname or ""
        for step in trace.steps
        for request in step.requests
        if request.blocked and request.resource != "document"
    )
    hosts = [host for host, _ in asked.most_common() if host]
    if not hosts:
        return ""
    named = ", ".join(hosts[:MOST_HOSTS]) + (
        f" and {len(hosts) - MOST_HOSTS} more" if len(hosts) > MOST_HOSTS else ""
    )
    return (
        f"The tester's browser kept the app from reaching other hosts ({named}). Pictures, fonts, styles and data that come "
        "from there are missing for that reason: do not hold it against the app."
    )


def _ending(trace: Trace) -> str:
    if trace.stop == "budget":
        return "its actions were spent"
    return _cut(trace.stop_reason or trace.stop or "it was cut off")


def _cut(text: str) -> str:
    return in_short(text, _LONGEST)


# --- other files of the run folder --------------------------------------------------------------------------


def _findings(folder: Path, trace: Trace) -> tuple[Finding, ...]:
    """findings.json without its positions in the source; the steps' own where a run was cut off before it had one."""
    path = folder / FINDINGS
    if not path.is_file():
        return tuple(each for step in trace.steps for each in step.findings)
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
        return tuple(
            Finding(kind=row["kind"], identity=row["identity"], title=row["title"], step=int(row["step"]))
            for row in rows
        )
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise UsageError(
            f"{path} holds no findings ({error}): write it anew with explore-app report {folder}."
        ) from error


def _models(folder: Path, trace: Trace) -> tuple[str, ...]:
    """Names of the models that took part in the run: what its trace and its run.json say of tester and hint."""
    said = [trace.head.tester, trace.head.hint]
    path = folder / RUN
    if path.is_file():
        try:
            summary = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise UsageError(
                f"{path} cannot be read ({error}): write it anew with explore-app report {folder}."
            ) from error
        models = summary.get("models") if isinstance(summary, dict) else None
        if isinstance(models, Mapping):
            said += [name for row in models.values() for name in _names_in(row)]
    return tuple(dict.fromkeys(name for name in said if name))


def _names_in(row: object) -> Iterable[str]:
    """Models of one role's row: {"models": [names]}."""
    names = row.get("models") if isinstance(row, Mapping) else None
    return [str(name) for name in names] if isinstance(names, list) else []
