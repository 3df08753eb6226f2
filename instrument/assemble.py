"""From the worker's units to the ProbeMap: shapes are gathered into files, local ids become probe ids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

import numpy as np

from instrument.classify import Verdict
from instrument.collector import collector_paused
from instrument.merge import merge_points
from instrument.probes import BranchGroup, Mined, Position, ProbeMap, SourceFile, own_probes
from instrument.probetable import ProbeTable
from instrument.shapes import Ints, Shape, Unit


@dataclass
class _File:
    """One source file while its shapes are gathered."""

    path: str
    verdict: Verdict
    text: str
    shapes: list[Shape] = field(default_factory=list)
    mapped_from: dict[str, None] = field(default_factory=dict)


@dataclass(frozen=True)
class _Numbered:
    """One file with its probes' ids; `ids` holds for each of its shapes the probe of each local id."""

    source: SourceFile
    ids: tuple[Ints, ...]
    names: Mapping[int, str]
    body: Mapping[int, frozenset[int]]
    mined: Mapping[int, Mined]
    columns: tuple[Ints, Ints, Ints]
    """Kind, owner, position."""


def assemble(units: Sequence[Unit], verdicts: Mapping[str, Verdict]) -> ProbeMap:
    """The ProbeMap of all units. `verdicts` classes each served file by path; sources of a map bring their own."""
    with collector_paused():
        return _assemble(units, verdicts)


def _assemble(units: Sequence[Unit], verdicts: Mapping[str, Verdict]) -> ProbeMap:
    files: dict[str, _File] = {}
    homes = [
        [_gather_source(files, shape, unit) for shape in unit.files]
        or [_gather_served(files, unit, verdicts)]
        for unit in units
    ]
    numbered: dict[str, _Numbered] = {}
    start = 0
    for index, file in enumerate(files.values()):
        numbered[file.path] = _number(file, index, start)
        start += len(numbered[file.path].columns[0])
    counters = {
        unit.key: counters_of(unit, [numbered[path].ids[at] for path, at in home])
        for unit, home in zip(units, homes, strict=True)
    }
    return _probe_map(list(numbered.values()), counters)


def _gather_served(files: dict[str, _File], unit: Unit, verdicts: Mapping[str, Verdict]) -> tuple[str, int]:
    path = unit.served.path
    file = files.setdefault(path, _File(path, verdicts[path], unit.served.text))
    return path, _place(file, unit.served)


def _gather_source(files: dict[str, _File], shape: Shape, unit: Unit) -> tuple[str, int]:
    """Equal sources of several bundles are one; different ones of the same name get a number."""
    served = unit.served.path
    verdict = (
        Verdict("vendor", shape.vendor)
        if shape.vendor
        else Verdict("own", f"named by the source map of {served}")
    )
    path, number = shape.path, 1
    while path in files and files[path].text != shape.text:
        number += 1
        path = f"{shape.path}?{number}"
    file = files.setdefault(path, _File(path, verdict, shape.text))
    file.mapped_from[served] = None
    return path, _place(file, shape)


def _place(file: _File, shape: Shape) -> int:
    """Index of the shape among the file's: of an equal one if it is there, as when a source is also served."""
    for at, known in enumerate(file.shapes):
        if _equal(known, shape):
            return at
    file.shapes.append(shape)
    return len(file.shapes) - 1


def _equal(one: Shape, other: Shape) -> bool:
    return (
        one.parsed != "points" != other.parsed
        and one.sizes == other.sizes
        and sum(one.sizes) > 0
        and np.array_equal(one.statements, other.statements)
        and np.array_equal(one.decl, other.decl)
    )


def _number(file: _File, index: int, start: int) -> _Numbered:
    parts, homes = _parts(file.shapes)
    ids, owners, kinds, positions = _identify(parts, start)
    names = {
        function: name
        for part, local in zip(parts, ids, strict=True)
        for function, name in zip(_functions(part, local).tolist(), part.names, strict=True)
    }
    source = SourceFile(
        path=file.path,
        file_class=file.verdict.file_class,
        class_reason=file.verdict.reason,
        text=file.text,
        statements=_range(start, kinds, 0),
        functions=_range(start, kinds, 1),
        branches=_range(start, kinds, 2),
        bodies=tuple(Position(*row) for part in parts for row in part.loc.tolist()),
        branch_groups=tuple(
            group for part, local in zip(parts, ids, strict=True) for group in _groups(part, local)
        ),
        mapped_from=tuple(file.mapped_from),
    )
    return _Numbered(
        source=source,
        ids=tuple(ids[part] if translate is None else ids[part][translate] for part, translate in homes),
        names=names,
        body=_bodies(parts, ids),
        mined=_mined(parts, ids, -1 - index),
        columns=(kinds, owners, positions),
    )


def _parts(shapes: Sequence[Shape]) -> tuple[list[Shape], list[tuple[int, Ints | None]]]:
    """Shapes to number, and for each given shape which of them it is in and where its local ids are there.

    Shapes that are mere points overlap (two bundles of one source), so they are merged into one.
    """
    loose = [shape for shape in shapes if shape.parsed == "points"]
    if len(loose) < 2:
        return list(shapes), [(at, None) for at in range(len(shapes))]
    parts = [shape for shape in shapes if shape.parsed != "points"]
    merged, translations = merge_points(loose)
    queue = iter(translations)
    exact = iter(range(len(parts)))
    homes: list[tuple[int, Ints | None]] = [
        (len(parts), next(queue)) if shape.parsed == "points" else (next(exact), None) for shape in shapes
    ]
    return [*parts, merged], homes


def _identify(parts: Sequence[Shape], start: int) -> tuple[list[Ints], Ints, Ints, Ints]:
    """Probe ids of each part's local ids, and the columns owner, kind and position of all."""
    totals = [sum(part.sizes[kind] for part in parts) for kind in range(3)]
    bases = [start, start + totals[0], start + totals[0] + totals[1]]
    ids: list[Ints] = []
    owners: list[list[Ints]] = [[], [], []]
    for part in parts:
        ranges = [
            np.arange(base, base + size, dtype=np.int32) for base, size in zip(bases, part.sizes, strict=True)
        ]
        ids.append(np.concatenate(ranges))
        owners[0].append(np.where(part.owner >= 0, part.owner + bases[1], -1))
        owners[1].append(ranges[1])
        arms = np.repeat(part.branch_owner, part.branch_sizes)
        owners[2].append(np.where(arms >= 0, arms + bases[1], -1))
        bases = [base + size for base, size in zip(bases, part.sizes, strict=True)]
    kinds = np.repeat(np.arange(3, dtype=np.int32), totals)
    functions = [np.concatenate([part.decl[:, :2], part.loc[:, 2:]], axis=1) for part in parts]
    positions = np.concatenate(
        [*(part.statements for part in parts), *functions, *(part.arms for part in parts)]
    )
    return (
        ids,
        np.concatenate([column for kind in owners for column in kind]).astype(np.int32),
        kinds,
        positions,
    )


def _functions(part: Shape, ids: Ints) -> Ints:
    first = part.sizes[0]
    return ids[first : first + part.sizes[1]]


def _range(start: int, kinds: Ints, kind: int) -> tuple[int, ...]:
    low, high = np.searchsorted(kinds, [kind, kind + 1]).tolist()
    return tuple(range(start + low, start + high))


def _groups(part: Shape, ids: Ints) -> Iterator[BranchGroup]:
    arms = ids[part.sizes[0] + part.sizes[1] :].tolist()
    ends = list(accumulate(part.branch_sizes.tolist(), initial=0))
    rows = zip(part.branch_types, part.branch_loc.tolist(), pairwise(ends), strict=True)
    for kind, position, (low, high) in rows:
        yield kind, Position(*position), tuple(arms[low:high])


def _bodies(parts: Sequence[Shape], ids: Sequence[Ints]) -> dict[int, frozenset[int]]:
    found: dict[int, frozenset[int]] = {}
    for part, local in zip(parts, ids, strict=True):
        functions = _functions(part, local).tolist()
        order = np.argsort(part.owner, kind="stable")
        bounds = np.searchsorted(part.owner[order], np.arange(len(functions) + 1)).tolist()
        statements = local[: part.sizes[0]][order].tolist()
        for function, (low, high) in zip(functions, pairwise(bounds), strict=True):
            found[function] = frozenset(statements[low:high])
    return found


def _mined(parts: Sequence[Shape], ids: Sequence[Ints], top_level: int) -> dict[int, Mined]:
    found: dict[int, Mined] = {}
    for part, local in zip(parts, ids, strict=True):
        functions = _functions(part, local).tolist()
        for index, *lists in part.mined:
            key = functions[index] if index >= 0 else top_level
            values = [tuple(entry) for entry in lists]
            if (known := found.get(key)) is not None:
                before = (known.literals, known.keys, known.calls, known.patterns, known.storage)
                values = [tuple(dict.fromkeys(old + new)) for old, new in zip(before, values, strict=True)]
            found[key] = Mined(*values)
    return found


def counters_of(unit: Unit, ids: Sequence[Ints]) -> tuple[tuple[int, ...], ...]:
    """For each counter slot the probes that it stands for.

    `ids`: for each of the unit's files (for what was served, where it has none) the probe of each local id.
    """
    found = list(_all_counters(unit, ids))
    for slot, by in unit.shared.tolist():
        found[by] = tuple(dict.fromkeys((*found[by], *found[slot])))
        found[slot] = ()
    return tuple(found)


def _all_counters(unit: Unit, ids: Sequence[Ints]) -> tuple[tuple[int, ...], ...]:
    """The same as if each slot were written by the page."""
    if unit.files:
        found: list[tuple[int, ...]] = [()] * sum(unit.sizes)
        for file, local in enumerate(ids):
            rows = unit.table[unit.table[:, 1] == file]
            for slot, probe in zip(rows[:, 0].tolist(), local[rows[:, 2]].tolist(), strict=True):
                if probe not in found[slot]:
                    found[slot] = (*found[slot], probe)
        return tuple(found)
    return _own_counters(unit, ids[0])


def _own_counters(unit: Unit, ids: Ints) -> tuple[tuple[int, ...], ...]:
    statements, functions, arms, extra = unit.sizes
    shape = unit.served
    first, second, _ = shape.sizes
    slots = np.concatenate([ids[:statements], ids[first : first + functions], ids[first + second :]])
    assert len(slots) == statements + functions + arms
    table: list[tuple[int, ...]] = [(probe,) for probe in slots.tolist()]
    if second > functions:
        # The function around a handler attribute's code runs when any of its own statements does.
        around = int(ids[first + second - 1])
        for at in np.flatnonzero(shape.owner == second - 1).tolist():
            table[at] = (*table[at], around)
    return (*table, *[()] * extra)


def _probe_map(files: Sequence[_Numbered], counters: Mapping[str, tuple[tuple[int, ...], ...]]) -> ProbeMap:
    sources = tuple(file.source for file in files)
    empty = np.empty(0, np.int32)
    file_column = [np.full(len(file.columns[0]), at, np.int32) for at, file in enumerate(files)]
    kinds, owners = (np.concatenate([empty, *(file.columns[at] for file in files)]) for at in (0, 1))
    positions = np.concatenate([empty.reshape(0, 4), *(file.columns[2] for file in files)])
    names = {function: name for file in files for function, name in file.names.items()}
    table = ProbeTable(
        [source.path for source in sources],
        names,
        (kinds, np.concatenate([empty, *file_column]), owners, positions),
    )
    own = own_probes(sources)
    return ProbeMap(
        files=sources,
        probes=table,
        counters=counters,
        own=own,
        body={function: body for file in files for function, body in file.body.items()},
        mined={key: mined for file in files for key, mined in file.mined.items()},
    )
