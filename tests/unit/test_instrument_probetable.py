"""Probes in columns: what comes out is what objects would say, in every way of asking."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from instrument.probes import Position, Probe
from instrument.probetable import Columns, ProbeTable, columns_of, of_kind, positions_of, table_of

PATHS = ("a.js", "b.js")
OBJECTS = (
    Probe(0, "statement", "a.js", Position(1, 0, 1, 9), ""),
    Probe(1, "statement", "a.js", Position(2, 2, 2, 9), "second"),
    Probe(2, "function", "a.js", Position(2, 0, 3, 1), "second"),
    Probe(3, "statement", "b.js", Position(1, 4, 1, 5), "first"),
    Probe(4, "function", "b.js", Position(1, 0, 1, 6), "first"),
    Probe(5, "branch", "b.js", Position(0, 0, 0, 0), "second"),
)


def table() -> ProbeTable:
    """The same probes as OBJECTS; functions 2 and 9 have the same name, and -1 has none."""
    names = {2: "second", 4: "first", 9: "second"}
    columns = (
        [0, 0, 1, 0, 1, 2],
        [0, 0, 0, 1, 1, 1],
        [-1, 2, 2, 4, 4, 9],
        [tuple(probe.position) for probe in OBJECTS],
    )
    return ProbeTable(PATHS, names, [np.asarray(column, np.int32) for column in columns])


def test_a_table_is_a_sequence_of_its_probes() -> None:
    probes = table()
    assert list(probes) == list(OBJECTS) == [probes[at] for at in range(len(probes))]
    assert probes[-1] == OBJECTS[-1]
    assert probes[1:4] == OBJECTS[1:4]
    assert type(probes[3].position.line) is int
    assert probes == OBJECTS
    assert OBJECTS == probes  # noqa: SIM300 - the other way round is another path
    assert probes != OBJECTS[:-1]
    assert probes != (*OBJECTS[:-1], OBJECTS[0])
    with pytest.raises(IndexError):
        probes[6]


def test_columns_of_arrays_are_those_of_objects() -> None:
    assert columns_of(table(), PATHS) == columns_of(OBJECTS, PATHS)
    assert columns_of(table(), PATHS).names == ["", "second", "first"]


@pytest.mark.parametrize("probes", [table(), OBJECTS], ids=["arrays", "objects"])
def test_columns_come_back_as_the_same_probes(probes: Sequence[Probe]) -> None:
    assert table_of(columns_of(probes, PATHS), PATHS) == OBJECTS


def test_no_probes_at_all() -> None:
    empty = table_of(columns_of((), ()), ())
    assert list(empty) == []
    assert columns_of(empty, ()) == columns_of((), ())
    assert empty.positions([]) == []


@pytest.mark.parametrize("probes", [table(), OBJECTS], ids=["arrays", "objects"])
def test_positions_and_statements_of_chosen_probes(probes: Sequence[Probe]) -> None:
    assert [tuple(place) for place in positions_of(probes, [4, 0])] == [(1, 0, 1, 6), (1, 0, 1, 9)]
    assert of_kind(probes, [5, 3, 2, 0], "statement") == {0, 3}
    assert of_kind(probes, [5, 3, 2, 0], "branch") == {5}
    assert of_kind(probes, [], "function") == frozenset()


@pytest.mark.parametrize(
    "columns",
    [
        Columns([0], [0], [1, 0, 1], [0], [""]),
        Columns([0], [2], [1, 0, 1, 1], [0], [""]),
        Columns([3], [0], [1, 0, 1, 1], [0], [""]),
        Columns([0], [0], [1, 0, 1, 1], [1], [""]),
        Columns([0, 0], [0], [1, 0, 1, 1], [0], [""]),
    ],
)
def test_columns_that_do_not_fit_are_refused(columns: Columns) -> None:
    with pytest.raises((ValueError, IndexError)):
        table_of(columns, PATHS)
