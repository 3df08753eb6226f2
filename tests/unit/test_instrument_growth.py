"""instrument.growth: a map that only grows, script by script, and says the same as one that is made at once."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from instrument.asking import Asking
from instrument.bundle import Bundle
from instrument.cache import ResultCache
from instrument.classify import Verdict
from instrument.growth import Growth
from instrument.node import WorkerPool
from instrument.probes import ProbeMap, SourceFile
from instrument.shapes import Unit, read_unit
from tests.bundling import bundle_of, write_app

OWN = Verdict("own", "of the user")
VENDOR = Verdict("vendor", "a library")
CODE = """export function add(a, b = 1) {
  if (a) return a + b;
  const twice = () => { first(); return second(); };
  return a ? twice() : null;
}
add(1);
"""
PAGE = """<script>function late() { return 1; } late();</script>
<button onclick="late(); late()">a</button><button onclick="late(); late()">b</button>
"""


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    files = {"index.html": PAGE + '<script src="a.js"></script><script src="b.js"></script>'}
    files |= {"a.js": CODE.replace("export ", ""), "b.js": "if (window.x) { one(); } else two();"}
    return bundle_of(write_app(tmp_path_factory.mktemp("app"), files))


def units(*messages: dict[str, Any]) -> list[Unit]:
    """What the worker makes of scripts and pages: {key, code} or {key, html}."""

    async def run() -> list[Unit]:
        found = []
        async with WorkerPool(size=1) as pool:
            asking = Asking(pool, ResultCache(None))
            for message in messages:
                text = message.get("code") or message["html"]
                path = message.pop("path", message["key"])
                answer = await asking.ask(
                    message.pop("key"), "html" if "html" in message else "script", text, mine=True, **message
                )
                rows = answer.get("units") or [answer["unit"]]
                found += [read_unit({**row, "key": row["key"]}, path=path, text=text) for row in rows]
        return found

    return asyncio.run(run())


def mapped(code: str, sources: Mapping[str, str | None], mappings: str = "AAAA") -> dict[str, Any]:
    """A script with a map whose first position leads to the first source."""
    table = {"version": 3, "sources": list(sources), "sourcesContent": list(sources.values()), "names": []}
    return {"code": code, "map": json.dumps({**table, "mappings": mappings}), "mapUrl": "x.js.map"}


def file_of(probes: ProbeMap, path: str) -> SourceFile:
    return next(source for source in probes.files if source.path == path)


def grown(bundle: Bundle) -> Growth:
    """The bundle's units, added one path at a time."""
    growth = Growth()
    for path in dict.fromkeys(unit.served.path for unit in bundle.units):
        source = file_of(bundle.probes, path)
        verdict = Verdict(source.file_class, source.class_reason)
        growth.add([unit for unit in bundle.units if unit.served.path == path], verdict)
    return growth


def same(one: ProbeMap, other: ProbeMap) -> None:
    assert one.files == other.files
    assert one.probes == other.probes
    assert dict(one.counters) == dict(other.counters)
    assert (one.own, one.body, one.mined) == (other.own, other.body, other.mined)


def meaning(probes: ProbeMap) -> object:
    """What a map says, whatever numbers its probes have."""

    def said(chosen: Iterable[int]) -> Any:
        return sorted(
            (found.kind, found.file, found.position, found.function)
            for found in map(probes.probes.__getitem__, chosen)
        )

    return (
        {
            source.path: (source.file_class, source.text, said(source.statements), said(source.branches))
            for source in probes.files
        },
        {key: [said(slot) for slot in table] for key, table in probes.counters.items()},
        sorted((said([function]), said(body)) for function, body in probes.body.items()),
        said(probes.own),
        sorted(map(str, probes.mined.values())),
    )


def test_grown_script_by_script_it_is_the_map_that_is_made_at_once(bundle: Bundle) -> None:
    assert meaning(grown(bundle).probes()) == meaning(bundle.probes)


def test_ids_stay_and_the_map_is_the_same_object_until_it_grows(bundle: Bundle) -> None:
    growth = Growth()
    first, second = units({"key": "a.js", "code": CODE}, {"key": "b.js", "code": "go(); if (x) y();"})
    growth.add([first], OWN)
    before = growth.probes()
    assert growth.probes() is before
    growth.add([second], OWN)
    after = growth.probes()
    assert list(after.probes)[: len(before.probes)] == list(before.probes)
    assert after.counters["a.js"] == before.counters["a.js"]
    assert len(after.own) == len(before.own) + 5
    assert len(before.probes) == len(before.own), "what was told does not change"


def test_ids_do_not_depend_on_who_comes_first(bundle: Bundle) -> None:
    def grown(order: Iterable[Unit]) -> ProbeMap:
        growth = Growth()
        for unit in order:
            growth.add([unit], OWN)
            assert unit.key in growth
        return growth.probes()

    forth, back = grown(bundle.units), grown(reversed(bundle.units))
    assert list(forth.probes) == list(back.probes)
    assert dict(forth.counters) == dict(back.counters)
    assert [source.path for source in forth.files] == [source.path for source in back.files]


def test_a_script_that_comes_by_a_second_address_gains_counters_only() -> None:
    growth = Growth()
    first, second = units({"key": "a.js", "code": CODE}, {"key": "a.js~2", "path": "a.js", "code": CODE})
    growth.add([first], OWN)
    before = growth.probes()
    growth.add([second], OWN)
    after = growth.probes()
    assert len(after.probes) == len(before.probes) and len(after.files) == 1
    assert after.counters["a.js~2"] == after.counters["a.js"]


def test_a_source_of_two_chunks_is_one_file() -> None:
    growth = Growth()
    source = {"src/a.ts": "go(1);\nstay(2);\n"}
    first, second = units(
        {"key": "one.js", **mapped("go(1);\nstay(2);", source, "AAAA;AACA")},
        {"key": "two.js", **mapped("\ngo(1);stay(2);", source, ";AAAA,MACA")},
    )
    growth.add([first], OWN)
    growth.add([second], OWN)
    probes = growth.probes()
    assert [source.path for source in probes.files] == ["src/a.ts"]
    assert file_of(probes, "src/a.ts").mapped_from == ("one.js", "two.js")
    hits = [probes.resolve(key, range(10)) for key in ("one.js", "two.js")]
    assert hits[0] == hits[1] == frozenset(probes.own)


def test_a_text_that_changed_is_another_file() -> None:
    growth = Growth()
    first, second = units(
        {"key": "a.js", "code": "one();"}, {"key": "a.js~2", "path": "a.js", "code": "two();"}
    )
    growth.add([first], OWN)
    growth.add([second], OWN)
    assert [source.path for source in growth.probes().files] == ["a.js", "a.js?2"]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_an_empty_duplicate_never_masks_the_real_one(order: tuple[int, int]) -> None:
    growth = Growth()
    made = units(
        {"key": "a.js", "code": "/* nothing */"}, {"key": "a.js~2", "path": "a.js", "code": "two();"}
    )
    for at in order:
        growth.add([made[at]], OWN)
    probes = growth.probes()
    assert [(source.path, source.text, len(source.statements)) for source in probes.files] == [
        ("a.js", "two();", 1)
    ]


def test_equal_inline_code_of_two_pages_counts_once() -> None:
    growth = Growth()
    first = units({"key": "one.html", "html": PAGE})
    second = units({"key": "two.html", "html": f"<p>another</p>{PAGE}<script>more();</script>"})
    growth.add(first, OWN)
    before = growth.probes()
    growth.add(second, OWN)
    after = growth.probes()
    assert len(after.probes) == len(before.probes) + 1
    for number in range(3):
        assert after.counters[f"two.html#{number}"] == after.counters[f"one.html#{number}"]
    assert after.counters["one.html#1"] != after.counters["one.html#2"], "two buttons are two handlers"


def test_a_component_without_a_syntax_tree_grows_by_the_places_that_are_new() -> None:
    growth = Growth()
    source = {"src/App.vue": "<script>go()</script>\n<p @click='stay()'/>\n<p @click='leave()'/>"}
    first, second = units(
        {"key": "one.js", **mapped("go();\nstay();", source, "AAAQ;AACG")},
        {"key": "two.js", **mapped("stay();\nleave();", source, "AACW;AACA")},
    )
    growth.add([first], OWN)
    before = growth.probes()
    growth.add([second], OWN)
    after = growth.probes()
    assert [len(probes.own) for probes in (before, after)] == [2, 3]
    assert after.resolve("two.js", [0]) == after.resolve("one.js", [1])
    lines = [after.probes[probe].position.line for probe in file_of(after, "src/App.vue").statements]
    assert lines == [1, 2, 3]


def test_a_run_is_continued_with_the_ids_that_it_had(bundle: Bundle) -> None:
    kept = grown(bundle).probes()
    growth = Growth(kept)
    same(growth.probes(), kept)
    for path in ("b.js", "a.js", "index.html"):
        growth.add([unit for unit in bundle.units if unit.served.path == path], OWN)
    after = growth.probes()
    assert list(after.probes) == list(kept.probes)
    assert dict(after.counters) == dict(kept.counters)
    growth.add(units({"key": "c.js", "code": "new_one();"}), OWN)
    assert list(growth.probes().probes)[: len(kept.probes)] == list(kept.probes)


def test_libraries_stand_in_only_while_nothing_is_the_users_own() -> None:
    growth = Growth()
    library, app = units({"key": "lib.js", "code": "lib();"}, {"key": "app.js", "code": "app();"})
    growth.add([library], replace(VENDOR, certain=False))
    assert growth.probes().own == {0}
    growth.add([app], OWN)
    assert growth.probes().own == {1}


def test_hits_of_a_script_are_known_as_soon_as_it_was_added(tmp_path: Path) -> None:
    growth = Growth()
    assert "a.js" not in growth and growth.probes().resolve("a.js", [0]) == frozenset()
    growth.add(units({"key": "a.js", "code": "one();"}), OWN)
    assert "a.js" in growth and growth.probes().resolve("a.js", [0]) == {0}


def test_code_units_of_pages_tell_equal_code_by_its_digest() -> None:
    inline, handler = units({"key": "p.html", "html": '<script>go()</script><a onclick="go()">x</a>'})
    again = units({"key": "q.html", "html": "<p><script>go()</script>"})[0]
    assert base64.b16decode(inline.digest.upper())
    assert inline.digest == again.digest != handler.digest
