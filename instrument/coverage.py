"""Numbers of coverage, and the files that other tools read: coverage-final.json (Istanbul) and lcov.info."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

from instrument.probes import Position, ProbeMap, SourceFile
from instrument.probetable import positions_of
from instrument.shapes import Unit


@dataclass(frozen=True, slots=True)
class Count:
    """How many of how many; two of them add up."""

    covered: int = 0
    total: int = 0

    @property
    def pct(self) -> float:
        """Percent, two decimals, rounded down so that 100 means all; 100 for nothing, as Istanbul has it."""
        return int(10_000 * self.covered / self.total) / 100 if self.total else 100.0

    def __add__(self, other: Count) -> Count:
        return Count(self.covered + other.covered, self.total + other.total)

    def as_json(self) -> dict[str, float | None]:
        """`{covered, total, pct}`; pct null where there is nothing to cover, which is neither all nor nothing."""
        return {"covered": self.covered, "total": self.total, "pct": self.pct if self.total else None}


@dataclass(frozen=True, slots=True)
class Numbers:
    """Coverage of a file or of many; two of them add up."""

    statements: Count = Count()
    functions: Count = Count()
    branches: Count = Count()

    def __add__(self, other: Numbers) -> Numbers:
        return Numbers(
            self.statements + other.statements,
            self.functions + other.functions,
            self.branches + other.branches,
        )

    def as_counts(self) -> dict[str, Count]:
        """`{statements, functions, branches}`, in this order."""
        return {"statements": self.statements, "functions": self.functions, "branches": self.branches}

    def as_json(self) -> dict[str, dict[str, float | None]]:
        """`{statements, functions, branches: {covered, total, pct}}`."""
        return {kind: count.as_json() for kind, count in self.as_counts().items()}


@dataclass(frozen=True, slots=True)
class Summary:
    """Coverage of an app: the headline `own`, `vendor` apart, and each file."""

    own: Numbers
    vendor: Numbers
    files: Mapping[str, Numbers]
    """By path, own and vendor, in the order of the probe map."""
    touched: Numbers
    """Own files of which anything ran: what the headline would be without code that was never loaded."""


def summary(probes: ProbeMap, hits: Collection[int]) -> Summary:
    """Numbers of a run; `hits` are probe ids."""
    covered = hits if isinstance(hits, (set, frozenset)) else frozenset(hits)
    files = {source.path: _numbers(source, covered) for source in probes.files}
    groups: dict[str, Numbers] = {"own": Numbers(), "vendor": Numbers()}
    touched = Numbers()
    for source in probes.files:
        found = files[source.path]
        groups[source.file_class] += found
        if source.file_class == "own" and (found.statements.covered or found.functions.covered):
            touched += found
    return Summary(groups["own"], groups["vendor"], files, touched)


def _numbers(source: SourceFile, hits: Collection[int]) -> Numbers:
    return Numbers(*(_count(ids, hits) for ids in (source.statements, source.functions, source.branches)))


def _count(ids: Collection[int], hits: Collection[int]) -> Count:
    return Count(sum(1 for probe in ids if probe in hits), len(ids))


def coverage_final(
    probes: ProbeMap,
    hits: Collection[int] | Mapping[int, int],
    *,
    root: Path | str = "",
    places: Mapping[str, str] | None = None,
    vendor: bool = False,
) -> dict[str, Any]:
    """Istanbul's coverage object, `{path: {path, statementMap, fnMap, branchMap, s, f, b}}`.

    `hits`: probe ids, or a count for each. Paths are those of `places` (path -> path on disk), or else absolute
    below `root` where one is given. Library files are left out unless `vendor`. The format is that of
    istanbul-lib-coverage 3.
    """
    counts = hits if isinstance(hits, Mapping) else dict.fromkeys(hits, 1)
    found = {}
    for source in _chosen(probes, vendor):
        path = _path(source, root, places)
        found[path] = {"path": path, **_istanbul_file(probes, source, counts)}
    return found


def _chosen(probes: ProbeMap, vendor: bool) -> Iterator[SourceFile]:
    for source in probes.files:
        if (vendor or source.file_class == "own") and (source.statements or source.functions):
            yield source


def _path(source: SourceFile, root: Path | str, places: Mapping[str, str] | None) -> str:
    if places and source.path in places:
        return places[source.path]
    return str(Path(root).absolute() / source.path) if root else source.path


def _istanbul_file(probes: ProbeMap, source: SourceFile, counts: Mapping[int, int]) -> dict[str, Any]:
    functions = [(probes.probes[probe].function, probes.probes[probe].position) for probe in source.functions]
    bodies = source.bodies or tuple(position for _, position in functions)
    arms = positions_of(probes.probes, [arm for _, _, arms in source.branch_groups for arm in arms])
    ends = accumulate((len(arms) for _, _, arms in source.branch_groups), initial=0)
    return {
        "statementMap": _numbered(map(_place, positions_of(probes.probes, source.statements))),
        "fnMap": _numbered(
            _function(name, position, body) for (name, position), body in zip(functions, bodies, strict=True)
        ),
        "branchMap": _numbered(
            _branch(kind, position, arms[low:high])
            for (kind, position, _), (low, high) in zip(source.branch_groups, pairwise(ends), strict=True)
        ),
        "s": _numbered(counts.get(probe, 0) for probe in source.statements),
        "f": _numbered(counts.get(probe, 0) for probe in source.functions),
        "b": _numbered([counts.get(arm, 0) for arm in arms] for _, _, arms in source.branch_groups),
    }


def _numbered(values: Iterable[Any]) -> dict[str, Any]:
    return {str(at): value for at, value in enumerate(values)}


def _place(position: Sequence[int]) -> dict[str, dict[str, int]]:
    line, column, end_line, end_column = position
    if line == 0:
        return {"start": {}, "end": {}}
    return {"start": {"line": line, "column": column}, "end": {"line": end_line, "column": end_column}}


def _function(name: str, position: Position, body: Position) -> dict[str, Any]:
    width = 1 if name.startswith("(") else max(1, len(name))
    decl = Position(position.line, position.column, position.line, position.column + width)
    return {"name": name, "decl": _place(decl), "loc": _place(body), "line": position.line}


def _branch(kind: str, position: Position, arms: Iterable[Sequence[int]]) -> dict[str, Any]:
    return {
        "loc": _place(position),
        "type": kind,
        "locations": [_place(arm) for arm in arms],
        "line": position.line,
    }


_SEPARATORS = re.compile(r"[,\s]")
"""What ends a name in lcov.info; a method may be called anything."""


def lcov(
    probes: ProbeMap,
    hits: Collection[int] | Mapping[int, int],
    *,
    root: Path | str = "",
    places: Mapping[str, str] | None = None,
    vendor: bool = False,
) -> str:
    """lcov.info, as geninfo(1) describes it: functions, branches and lines of each file; paths as above."""
    counts = hits if isinstance(hits, Mapping) else dict.fromkeys(hits, 1)
    return "".join(
        f"{line}\n"
        for source in _chosen(probes, vendor)
        for line in _record(probes, source, counts, path=_path(source, root, places))
    )


def _record(probes: ProbeMap, source: SourceFile, counts: Mapping[int, int], *, path: str) -> Iterator[str]:
    yield "TN:"
    yield f"SF:{' '.join(path.splitlines())}"
    yield from _function_lines(probes, source, counts)
    yield from _branch_lines(source, counts)
    lines: dict[int, int] = {}
    positions = positions_of(probes.probes, source.statements)
    for probe, (line, *_) in zip(source.statements, positions, strict=True):
        lines[line] = max(lines.get(line, 0), counts.get(probe, 0))
    yield from (f"DA:{line},{count}" for line, count in sorted(lines.items()))
    yield f"LF:{len(lines)}"
    yield f"LH:{sum(1 for count in lines.values() if count)}"
    yield "end_of_record"


def _function_lines(probes: ProbeMap, source: SourceFile, counts: Mapping[int, int]) -> Iterator[str]:
    """Names must differ within a file, so a second function of a name carries its place."""
    names: dict[str, int] = {}
    for function in source.functions:
        probe = probes.probes[function]
        name = _SEPARATORS.sub("_", probe.function) or "(anonymous)"
        if name in names:
            name = f"{name}@{probe.position.line}:{probe.position.column}"
        names[name] = function
        yield f"FN:{probe.position.line},{name}"
    for name, function in names.items():
        yield f"FNDA:{counts.get(function, 0)},{name}"
    yield f"FNF:{len(names)}"
    yield f"FNH:{sum(1 for function in names.values() if counts.get(function, 0))}"


def _branch_lines(source: SourceFile, counts: Mapping[int, int]) -> Iterator[str]:
    total = hit = 0
    for block, (_, position, arms) in enumerate(source.branch_groups):
        taken = [counts.get(arm, 0) for arm in arms]
        reached = any(taken)
        for at, count in enumerate(taken):
            yield f"BRDA:{position.line},{block},{at},{count if reached else '-'}"
        total += len(taken)
        hit += sum(1 for count in taken if count)
    yield f"BRF:{total}"
    yield f"BRH:{hit}"


def istanbul_maps(units: Iterable[Unit]) -> dict[str, Any]:
    """Static maps of the served scripts by script key, slot for slot as their counters are.

    `shared` are pairs of a slot that is not counted itself and the slot that counts for it.
    """
    return {unit.key: _served_maps(unit) for unit in units}


def _served_maps(unit: Unit) -> dict[str, Any]:
    shape = unit.served
    functions = unit.sizes[1]
    ends = list(accumulate(shape.branch_sizes.tolist(), initial=0))
    arms = [Position(*row) for row in shape.arms.tolist()]
    rows = zip(shape.branch_types, shape.branch_loc.tolist(), pairwise(ends), strict=True)
    heads = zip(shape.names, shape.decl.tolist(), shape.loc.tolist(), strict=True)
    return {
        "path": shape.path,
        "statementMap": _numbered(_place(Position(*row)) for row in shape.statements.tolist()),
        "fnMap": _numbered(
            {"name": name, "decl": _place(Position(*decl)), "loc": _place(Position(*loc)), "line": decl[0]}
            for (name, decl, loc), _ in zip(heads, range(functions), strict=False)
        ),
        "branchMap": _numbered(
            _branch(kind, Position(*position), arms[low:high]) for kind, position, (low, high) in rows
        ),
        "shared": unit.shared.tolist(),
    }
