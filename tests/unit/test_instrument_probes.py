"""instrument.probes and instrument.assemble: from counters to probes and their functions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from instrument.bundle import Bundle
from instrument.probes import Position, Probe, ProbeMap
from tests.bundling import bundle_of, write_app

CODE = """function outer(a = 1) {
  const inner = () => { first(); return second(); };
  if (a) inner();
}
outer();
"""


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    return bundle_of(write_app(tmp_path_factory.mktemp("app"), {"index.html": "<p>", "a.js": CODE}))


def by_text(bundle: Bundle, line: int, column: int, kind: str = "statement") -> Probe:
    """The probe of a kind that begins at a place."""
    return next(
        probe for probe in bundle.probes.probes if probe.kind == kind and probe.position[:2] == (line, column)
    )


def test_probes_are_a_sequence(bundle: Bundle) -> None:
    probes = bundle.probes.probes
    everything = list(probes)
    assert [probe.id for probe in everything] == list(range(len(probes)))
    assert probes[-1] == everything[-1]
    assert probes[1:3] == tuple(everything[1:3])
    assert [probes[at] for at in range(len(probes))] == everything
    with pytest.raises(IndexError):
        probes[len(probes)]


def test_each_probe_knows_its_function(bundle: Bundle) -> None:
    assert by_text(bundle, 5, 0).function == ""
    assert by_text(bundle, 3, 2).function == "outer"
    assert by_text(bundle, 2, 24).function == "(anonymous_1)"
    assert by_text(bundle, 1, 9, "function").function == "outer"
    assert by_text(bundle, 3, 2, "branch").function == "outer"


def test_bodies_leave_nested_functions_out(bundle: Bundle) -> None:
    probes = bundle.probes
    outer, inner = (by_text(bundle, *place, "function").id for place in ((1, 9), (2, 16)))
    assert probes.body[outer] == {by_text(bundle, *place).id for place in ((2, 16), (3, 2), (3, 9))}
    assert probes.body[inner] == {by_text(bundle, *place).id for place in ((2, 24), (2, 33))}


def test_every_probe_can_be_hit_and_all_counters_are_known(bundle: Bundle) -> None:
    table = bundle.probes.counters["a.js"]
    assert bundle.probes.resolve("a.js", range(len(table))) == set(range(len(bundle.probes.probes)))
    assert bundle.probes.resolve("a.js", [-1, 10_000]) == frozenset()
    assert bundle.probes.resolve("b.js", [0]) == frozenset()


def test_functions_of_counters(bundle: Bundle) -> None:
    probes = bundle.probes
    outer, inner = (by_text(bundle, *place, "function").id for place in ((1, 9), (2, 16)))
    functions = {probes.function_of("a.js", slot) for slot in range(len(probes.counters["a.js"]))}
    assert functions == {None, outer, inner}
    assert probes.function_around(by_text(bundle, 3, 2, "branch").id) == outer
    assert probes.function_around(by_text(bundle, 2, 24).id) == inner
    assert probes.function_around(by_text(bundle, 5, 0).id) is None
    assert probes.function_of("gone.js", 0) is None


def test_its_repr_is_short(bundle: Bundle) -> None:
    assert len(repr(bundle)) < 300


def test_overlapping_points_of_two_bundles_are_merged(tmp_path: Path) -> None:
    """The same library in two bundles: positions that both have are one probe."""

    def built(mappings: str) -> str:
        source = "../node_modules/lib/x.js"
        return json.dumps(
            {
                "version": 3,
                "sources": [source],
                "sourcesContent": ["a();b();c();"],
                "names": [],
                "mappings": mappings,
            }
        )

    # a.js maps its two statements to columns 0 and 4 of the library, b.js to columns 4 and 8.
    files = {
        "a.js": "a();b();",
        "a.js.map": built("AAAA,IAAI"),
        "b.js": "b();c();",
        "b.js.map": built("AAAI,IAAI"),
    }
    bundle = bundle_of(write_app(tmp_path, {"index.html": "<script>own()</script>", **files}))
    probes = bundle.probes
    library = next(source for source in probes.files if source.file_class == "vendor")
    assert [probes.probes[probe].position.column for probe in library.statements] == [0, 4, 8]
    assert library.mapped_from == ("a.js", "b.js")
    assert probes.resolve("a.js", [1]) == probes.resolve("b.js", [0]) == {library.statements[1]}


def test_a_functions_own_counter_names_it_even_if_it_shows_more() -> None:
    place = Position(1, 0, 9, 0)
    probes = (
        Probe(0, "statement", "a.js", place, "outer"),
        Probe(1, "function", "a.js", Position(2, 0, 3, 0), "inner"),
        Probe(2, "function", "a.js", place, "outer"),
    )
    found = ProbeMap(files=(), probes=probes, counters={"a.js": ((0, 1), (0,))}, body={2: frozenset({0})})
    assert found.function_of("a.js", 0) == 1
    assert found.function_of("a.js", 1) == 2
