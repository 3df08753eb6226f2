"""A ProbeMap that grows while an app is being explored: probes are appended, and what has an id keeps it.

Scripts of a running server are seen one by one. A source that comes again (in a second chunk, with another query, on
another page) is found again by its path, its text and the positions in it, and only its counters are new.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from threading import Lock

import numpy as np

from instrument.assemble import counters_of
from instrument.classify import Verdict, keep_some_own
from instrument.probes import BranchGroup, Mined, Position, ProbeMap, SourceFile, own_probes
from instrument.probetable import ProbeTable, columns_of
from instrument.shapes import Ints, Shape, Unit

_STATEMENT, _FUNCTION, _BRANCH = range(3)
_Key = tuple[int | str, ...]


@dataclass
class _File:
    """One source file as far as it is known."""

    index: int
    path: str
    text: str
    verdict: Verdict
    ids: tuple[list[int], list[int], list[int]] = field(default_factory=lambda: ([], [], []))
    """Probes by kind."""
    bodies: dict[int, Position] = field(default_factory=dict)
    groups: dict[_Key, BranchGroup] = field(default_factory=dict)
    mapped_from: dict[str, None] = field(default_factory=dict)
    known: dict[_Key, int] = field(default_factory=dict)
    """Probe by kind, place and number among those of the same place; and by kind and beginning."""
    additions: int = 0
    source: SourceFile | None = None
    """As last told; None where it has changed since."""

    @property
    def empty(self) -> bool:
        return not any(self.ids)

    def takes(self, text: str) -> bool:
        """Whether a text is this file's: the same, or one of the two is not known."""
        return self.text == text or not text or not self.text


class Growth:
    """Gathers units into one map. May be told from one thread and asked from another."""

    def __init__(self, known: ProbeMap | None = None) -> None:
        """`known`: the map of an earlier run, which this one continues."""
        self._lock = Lock()
        self._files: dict[str, _File] = {}
        self._kinds: list[int] = []
        self._homes: list[int] = []
        self._owners: list[int] = []
        self._places: list[Position] = []
        self._names: dict[int, str] = {}
        self._body: dict[int, set[int]] = {}
        self._mined: dict[int, Mined] = {}
        self._counters: dict[str, tuple[tuple[int, ...], ...]] = {}
        self._inline: dict[tuple[str, int], str] = {}
        self._told: ProbeMap | None = None
        self._waiting: list[tuple[list[Unit], Verdict]] = []
        """Taken in when somebody asks for the map, in the order of their keys: which script comes first over the
        wire differs from run to run, and ids must not."""
        self._awaited: set[str] = set()
        if known is not None:
            self._restore(known)

    def __contains__(self, key: str) -> bool:
        """Whether a script of that key is counted."""
        return key in self._counters or key in self._awaited

    def add(self, units: Iterable[Unit], verdict: Verdict) -> None:
        """Takes one script, or all scripts of one page; `verdict` is of the served file, maps class their own."""
        with self._lock:
            given = list(units)
            if given:
                self._waiting.append((given, verdict))
                self._awaited.update(unit.key for unit in given)
                self._told = None

    def _take_in(self, units: Iterable[Unit], verdict: Verdict) -> None:
        nth: Counter[str] = Counter()
        for unit in units:
            same = (unit.digest, nth[unit.digest])
            nth[unit.digest] += 1
            if unit.digest and same in self._inline:
                self._counters[unit.key] = self._counters[self._inline[same]]
            else:
                self._counters[unit.key] = counters_of(unit, self._homes_of(unit, verdict))
                if unit.digest:
                    self._inline[same] = unit.key

    def probes(self) -> ProbeMap:
        """The map as it stands; the same object until something is added."""
        with self._lock:
            if self._told is None:
                waiting, self._waiting = sorted(self._waiting, key=lambda each: each[0][0].key), []
                for units, verdict in waiting:
                    self._take_in(units, verdict)
                self._awaited.clear()
                self._told = self._map()
            return self._told

    # --- taking in

    def _homes_of(self, unit: Unit, verdict: Verdict) -> list[Ints]:
        if not unit.files:
            file = self._file(unit.served.path, unit.served, verdict)
            return [self._ids(file, unit.served)]
        found = []
        for shape in unit.files:
            told = f"named by the source map of {unit.served.path}"
            file = self._file(
                shape.path, shape, Verdict("vendor", shape.vendor) if shape.vendor else Verdict("own", told)
            )
            if unit.served.path not in file.mapped_from:
                file.mapped_from[unit.served.path] = None
                file.source = None
            found.append(self._ids(file, shape))
        return found

    def _file(self, path: str, shape: Shape, verdict: Verdict) -> _File:
        """The file of a text: the one known by that path, or `path?2` where that one's text is another."""
        name, number = path, 1
        while name in self._files and not self._takes(self._files[name], shape, verdict):
            number += 1
            name = f"{path}?{number}"
        file = self._files.get(name)
        if file is None:
            file = self._files[name] = _File(len(self._files), name, shape.text, verdict)
        elif file.empty or not file.text:
            # What came first under this name was a shell: the real one takes its place.
            file.text = shape.text or file.text
            if file.empty and any(shape.sizes):
                file.verdict = verdict
            file.source = None
        return file

    @staticmethod
    def _takes(file: _File, shape: Shape, verdict: Verdict) -> bool:
        if file.empty or not any(shape.sizes):
            return True
        return file.verdict.file_class == verdict.file_class and file.takes(shape.text)

    def _ids(self, file: _File, shape: Shape) -> Ints:
        """The probe of each local id; those that are not known yet are appended."""
        before = len(self._kinds)
        loose = shape.parsed == "points"
        ends = np.concatenate([shape.decl[:, :2], shape.loc[:, 2:]], axis=1)
        statements = self._found(file, _STATEMENT, shape.statements, loose)
        functions = self._found(file, _FUNCTION, ends, loose)
        arms = self._arms(file, shape)
        self._own(shape, statements, functions, arms, before)
        for function, loc in zip(functions, shape.loc.tolist(), strict=True):
            file.bodies.setdefault(function, Position(*loc))
        self._take_mined(file, shape, functions)
        if len(self._kinds) > before:
            file.additions += 1
            file.source = None
        return np.array([*statements, *functions, *arms], np.int32)

    def _found(self, file: _File, kind: int, places: Ints, loose: bool) -> list[int]:
        nth: Counter[_Key] = Counter()
        found = []
        for row in places.tolist():
            key: _Key = (kind, *row[:2]) if loose else (kind, *row)
            if not loose:
                nth[key] += 1
                key = (*key, nth[key])
            probe = file.known.get(key)
            if probe is None:
                probe = self._append(file, kind, Position(*row))
                file.known[key] = probe
                file.known.setdefault((kind, *row[:2]), probe)
            found.append(probe)
        return found

    def _arms(self, file: _File, shape: Shape) -> list[int]:
        """By their branch: an arm that is not written has no place of its own."""
        nth: Counter[_Key] = Counter()
        found: list[int] = []
        rows = shape.arms.tolist()
        bounds = pairwise(accumulate(shape.branch_sizes.tolist(), initial=0))
        for kind, loc, (low, high) in zip(shape.branch_types, shape.branch_loc.tolist(), bounds, strict=True):
            key = _branch_key(kind, loc, high - low, nth)
            if key not in file.groups:
                arms = tuple(self._append(file, _BRANCH, Position(*row)) for row in rows[low:high])
                file.groups[key] = (kind, Position(*loc), arms)
            found += file.groups[key][2]
        return found

    def _append(self, file: _File, kind: int, place: Position) -> int:
        probe = len(self._kinds)
        self._kinds.append(kind)
        self._homes.append(file.index)
        self._owners.append(-1)
        self._places.append(place)
        file.ids[kind].append(probe)
        return probe

    def _own(
        self, shape: Shape, statements: list[int], functions: list[int], arms: list[int], first: int
    ) -> None:
        """Says of each new probe which function it is in."""
        around = np.repeat(shape.branch_owner, shape.branch_sizes).tolist()
        for probes, owners in ((statements, shape.owner.tolist()), (arms, around)):
            for probe, owner in zip(probes, owners, strict=True):
                if probe >= first and owner >= 0:
                    self._owners[probe] = functions[owner]
        for function, name in zip(functions, shape.names, strict=True):
            if function >= first:
                self._owners[function] = function
                self._names[function] = name
                self._body[function] = set()
        for probe, owner in zip(statements, shape.owner.tolist(), strict=True):
            if probe >= first and owner >= 0:
                self._body[functions[owner]].add(probe)

    def _take_mined(self, file: _File, shape: Shape, functions: list[int]) -> None:
        for index, *lists in shape.mined:
            key = functions[index] if index >= 0 else -1 - file.index
            values = [tuple(entry) for entry in lists]
            if known := self._mined.get(key):
                before = (known.literals, known.keys, known.calls, known.patterns, known.storage)
                values = [tuple(dict.fromkeys(old + new)) for old, new in zip(before, values, strict=True)]
            self._mined[key] = Mined(*values)

    # --- telling

    def _map(self) -> ProbeMap:
        sources = tuple(self._source(file) for file in self._final().values())
        places = np.array(self._places, np.int32).reshape(-1, 4)
        own = own_probes(sources)
        columns = (self._kinds, self._homes, self._owners)
        return ProbeMap(
            files=sources,
            probes=ProbeTable(
                [source.path for source in sources],
                dict(self._names),
                (*(np.array(column, np.int32) for column in columns), places),
            ),
            counters=dict(self._counters),
            own=own,
            body={function: frozenset(body) for function, body in self._body.items()},
            mined=dict(self._mined),
        )

    def _final(self) -> dict[str, tuple[_File, Verdict]]:
        """Verdicts as they are now: while there is no code of the user's own, libraries stand in for it."""
        verdicts = {path: file.verdict for path, file in self._files.items()}
        counts = {path: len(file.ids[_STATEMENT]) for path, file in self._files.items()}
        final = keep_some_own(verdicts, counts)
        return {path: (file, final[path]) for path, file in self._files.items()}

    def _source(self, entry: tuple[_File, Verdict]) -> SourceFile:
        file, verdict = entry
        if file.source is None or file.source.class_reason != verdict.reason:
            ids = file.ids
            if file.additions > 1:
                ids = (self._sorted(ids[0]), self._sorted(ids[1]), self._sorted(ids[2]))
            file.source = SourceFile(
                path=file.path,
                file_class=verdict.file_class,
                class_reason=verdict.reason,
                text=file.text,
                statements=tuple(ids[_STATEMENT]),
                functions=tuple(ids[_FUNCTION]),
                branches=tuple(ids[_BRANCH]),
                bodies=tuple(file.bodies[function] for function in ids[_FUNCTION]),
                branch_groups=tuple(file.groups.values()),
                mapped_from=tuple(file.mapped_from),
            )
        return file.source

    def _sorted(self, probes: list[int]) -> list[int]:
        return sorted(probes, key=lambda probe: self._places[probe])

    # --- going on

    def _restore(self, known: ProbeMap) -> None:
        columns = columns_of(known.probes, [source.path for source in known.files])
        places = np.array(columns.positions, np.int32).reshape(-1, 4).tolist()
        self._kinds, self._homes = list(columns.kinds), list(columns.files)
        self._places = [Position(*row) for row in places]
        # A function's id is its own owner; of the others only the name is told, under numbers that no probe has.
        self._owners = [-2 - name for name in columns.functions]
        self._names = {-2 - at: name for at, name in enumerate(columns.names)}
        self._body = {function: set(body) for function, body in known.body.items()}
        self._mined = dict(known.mined)
        self._counters = {key: tuple(table) for key, table in known.counters.items()}
        for index, source in enumerate(known.files):
            self._files[source.path] = self._restored(index, source)

    def _restored(self, index: int, source: SourceFile) -> _File:
        ids = (list(source.statements), list(source.functions), list(source.branches))
        verdict = Verdict(source.file_class, source.class_reason)
        file = _File(index, source.path, source.text, verdict, ids, additions=1)
        bodies = source.bodies or tuple(self._places[function] for function in source.functions)
        file.bodies = dict(zip(source.functions, bodies, strict=True))
        file.mapped_from = dict.fromkeys(source.mapped_from)
        nth: Counter[_Key] = Counter()
        for key, group in _keyed(source.branch_groups, nth):
            file.groups[key] = group
        for probe in (*source.statements, *source.functions):
            place = (self._kinds[probe], *self._places[probe])
            nth[place] += 1
            file.known[(*place, nth[place])] = probe
            file.known.setdefault(place[:3], probe)
        return file


def _keyed(groups: Iterable[BranchGroup], nth: Counter[_Key]) -> Iterator[tuple[_Key, BranchGroup]]:
    for kind, place, arms in groups:
        yield _branch_key(kind, list(place), len(arms), nth), (kind, place, arms)


def _branch_key(kind: str, loc: list[int], size: int, nth: Counter[_Key]) -> _Key:
    """Where a branch begins, of what type and size it is, and which of those at that place."""
    key: _Key = (kind, *loc[:2], size)
    nth[key] += 1
    return (*key, nth[key])
