"""Probes in columns: an app may have half a million, so each is made an object only when it is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple, overload

import numpy as np

from instrument.probes import Position, Probe, ProbeKind, ProbeMap
from instrument.shapes import Ints

KINDS: tuple[ProbeKind, ...] = ("statement", "function", "branch")


class Columns(NamedTuple):
    """All probes as plain lists, an entry a probe; what JSON can hold."""

    kinds: list[int]
    """Index in KINDS."""
    files: list[int]
    """Index in the probe map's files."""
    positions: list[int]
    """Four numbers a probe: line, column, end line, end column."""
    functions: list[int]
    """Index in `names`."""
    names: list[str]
    """Names of functions, each once, in the order in which probes need them."""


class ProbeTable(Sequence[Probe]):
    """A sequence of Probes whose index is the probe's id; equal to any sequence of equal probes."""

    def __init__(self, paths: Sequence[str], names: Mapping[int, str], columns: Sequence[Ints]) -> None:
        """Columns: kind, file, owner (key in `names`; one that is not there has the name ""), position (rows of four)."""
        self._paths = paths
        self._names = names
        self._arrays = tuple(np.ascontiguousarray(column, np.int32) for column in columns)
        # Views without a copy: to index one gives a plain int, several times faster than from an array.
        self._kinds, self._files, self._owners, self._places = (
            array.reshape(-1).data for array in self._arrays
        )

    def __len__(self) -> int:
        return len(self._kinds)

    @overload
    def __getitem__(self, index: int) -> Probe: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Probe, ...]: ...
    def __getitem__(self, index: int | slice) -> Probe | tuple[Probe, ...]:
        if isinstance(index, slice):
            return tuple(self[at] for at in range(*index.indices(len(self))))
        at = index + len(self) if index < 0 else index
        if not 0 <= at < len(self):
            raise IndexError(f"there is no probe {index}")
        place = self._places[4 * at : 4 * at + 4]
        return self._probe(at, self._kinds[at], self._files[at], self._owners[at], place)

    def __iter__(self) -> Iterator[Probe]:
        rows = zip(*(array.tolist() for array in self._arrays), strict=True)
        for at, (kind, file, owner, position) in enumerate(rows):
            yield self._probe(at, kind, file, owner, position)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(
            mine == theirs for mine, theirs in zip(self, other, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]  # as a list: equal to sequences that cannot be hashed alike

    def kinds(self) -> Ints:
        """Index in KINDS of each probe."""
        return self._arrays[0]

    def positions(self, probes: Sequence[int]) -> list[list[int]]:
        """Line, column, end line, end column of each of these probes."""
        found: list[list[int]] = self._arrays[3][np.asarray(probes, np.intp)].tolist()
        return found

    def columns(self) -> Columns:
        """All of it as lists."""
        kinds, files, owners, places = self._arrays
        keys, firsts, inverse = np.unique(owners, return_index=True, return_inverse=True)
        order = np.argsort(firsts, kind="stable")
        numbers: dict[str, int] = {}
        number_of = np.empty(len(keys), np.int32)
        for at, key in zip(order.tolist(), keys[order].tolist(), strict=True):
            number_of[at] = numbers.setdefault(self._names.get(key, ""), len(numbers))
        return Columns(
            kinds=kinds.tolist(),
            files=files.tolist(),
            positions=places.reshape(-1).tolist(),
            functions=number_of[inverse.reshape(-1)].tolist(),
            names=list(numbers),
        )

    def _probe(self, at: int, kind: int, file: int, owner: int, position: Sequence[int]) -> Probe:
        return Probe(at, KINDS[kind], self._paths[file], Position(*position), self._names.get(owner, ""))


def table_of(columns: Columns, paths: Sequence[str]) -> ProbeTable:
    """The probes that columns tell of; raises ValueError or IndexError where they do not fit together."""
    size = len(columns.kinds)
    arrays = [np.asarray(column, np.int32) for column in columns[:4]]
    kinds, files, places, owners = arrays
    if any(len(array) != size for array in (files, owners)) or len(places) != 4 * size:
        raise ValueError("columns of unequal length")
    for array, most in ((kinds, len(KINDS)), (files, len(paths)), (owners, len(columns.names))):
        if size and not (int(array.min()) >= 0 and int(array.max()) < most):
            raise IndexError("a column names what is not there")
    return ProbeTable(paths, dict(enumerate(columns.names)), (kinds, files, owners, places.reshape(-1, 4)))


def columns_of(probes: Sequence[Probe], paths: Sequence[str]) -> Columns:
    """Any probes as columns; `paths` are those of the probe map's files."""
    if isinstance(probes, ProbeTable):
        return probes.columns()
    files = {path: at for at, path in enumerate(paths)}
    names: dict[str, int] = {}
    return Columns(
        kinds=[KINDS.index(probe.kind) for probe in probes],
        files=[files[probe.file] for probe in probes],
        positions=list(chain.from_iterable(probe.position for probe in probes)),
        functions=[names.setdefault(probe.function, len(names)) for probe in probes],
        names=list(names),
    )


def positions_of(probes: Sequence[Probe], chosen: Sequence[int]) -> Sequence[Sequence[int]]:
    """Line, column, end line, end column of each chosen probe, without making objects of them."""
    if isinstance(probes, ProbeTable):
        return probes.positions(chosen)
    return [probes[probe].position for probe in chosen]


def of_kind(probes: Sequence[Probe], chosen: Iterable[int], kind: ProbeKind) -> frozenset[int]:
    """Those of the chosen probes that are of a kind, without making objects of them."""
    if isinstance(probes, ProbeTable):
        listed = np.fromiter(chosen, np.int32)
        return frozenset(listed[probes.kinds()[listed] == KINDS.index(kind)].tolist())
    return frozenset(probe for probe in chosen if probes[probe].kind == kind)


def own_statements(probes: ProbeMap) -> frozenset[int]:
    """Statements of the app's own code: the headline's denominator."""
    return of_kind(probes.probes, probes.own, "statement")
