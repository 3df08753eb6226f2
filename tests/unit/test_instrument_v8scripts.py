"""Scripts that V8 tells of are found by their checksum, and equal ones by where they stand."""

from __future__ import annotations

from dataclasses import replace

from instrument.v8scripts import KnownScripts
from tests.ranges import places

_ONE = replace(places([]), digest="d")


def test_a_text_that_is_there_once_is_found_wherever_it_stands() -> None:
    known = KnownScripts({"a.js": _ONE})
    assert known.find("d", path="copy/of/a.js", at=(9, 9)) == "a.js"
    assert known.find("e", path="a.js", at=(0, 0)) is None


def test_equal_texts_are_told_apart_by_page_and_position() -> None:
    known = KnownScripts(
        {
            "index.html#0": replace(_ONE, at=(3, 8)),
            "index.html#1": replace(_ONE, at=(5, 8)),
            "other.html#0": replace(_ONE, at=(3, 8)),
        }
    )
    assert known.find("d", path="index.html", at=(3, 8)) == "index.html#0"
    assert known.find("d", path="index.html", at=(5, 40)) == "index.html#1"
    assert known.find("d", path="other.html", at=(3, 8)) == "other.html#0"
    assert known.find("d", path="elsewhere.html", at=(0, 0)) == "index.html#0"


def test_scripts_may_come_later() -> None:
    known = KnownScripts({})
    known.add("late.js", _ONE)
    assert known.find("d", path="late.js", at=(0, 0)) == "late.js"
