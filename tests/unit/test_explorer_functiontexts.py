"""Functions without counters are found by their texts."""

from __future__ import annotations

from dataclasses import replace

from explorer.functiontexts import FunctionTexts, fingerprint
from instrument.places import Places
from instrument.v8scripts import KnownScripts
from tests.ranges import places

_TEXT = "😀; function one() { return 1; } const two = () => 2; const too = () => 2;"


def _place(text: str, of: str) -> tuple[int, int]:
    """Offsets in UTF-16 units."""
    start = len(text[: text.index(of)].encode("utf-16-le")) // 2
    return start, start + len(of)


def _known() -> KnownScripts:
    functions = [_place(_TEXT, "function one() { return 1; }"), _place(_TEXT, "() => 2")]
    third = _TEXT.rindex("() => 2") + 1
    made: Places = places([(0, -1)], functions=[*functions, (third, third + 7)], text=_TEXT)
    return KnownScripts({"a.js": made})


def test_a_fingerprint_is_the_length_and_a_hash_of_both_ends() -> None:
    one, other = ("a" * 60 + middle + "b" * 60 for middle in ("x", "y"))
    assert fingerprint(one.encode("utf-16-le")) == fingerprint(other.encode("utf-16-le"))
    assert fingerprint(b"") == "0.811c9dc5"
    assert fingerprint("() => 2".encode("utf-16-le")).startswith("7.")


def test_a_function_is_found_by_its_text() -> None:
    found = FunctionTexts(_known())
    one = fingerprint("function one() { return 1; }".encode("utf-16-le"))
    assert found.find(one) == ("a.js", 1)
    assert found.find(fingerprint("function six() { return 1; }".encode("utf-16-le"))) is None


def test_of_equal_functions_the_first_is_taken() -> None:
    assert FunctionTexts(_known()).find(fingerprint("() => 2".encode("utf-16-le"))) == ("a.js", 2)


def test_of_equal_functions_one_whose_script_runs_comes_first() -> None:
    made = replace(_known().places["a.js"], digest="d", text=_TEXT)
    known = KnownScripts({"copy.js": _known().places["a.js"], "runs.js": made})
    found = FunctionTexts(known)
    two = fingerprint("() => 2".encode("utf-16-le"))
    assert found.find(two) == ("copy.js", 2)
    assert known.find("d", path="runs.js", at=(0, 0)) == "runs.js"
    assert found.find(two) == ("runs.js", 2)


def test_scripts_that_come_later_are_looked_at_too() -> None:
    known = KnownScripts({})
    found = FunctionTexts(known)
    two = fingerprint("() => 2".encode("utf-16-le"))
    assert found.find(two) is None
    known.add("late.js", _known().places["a.js"])
    assert found.find(two) == ("late.js", 2)


def test_handler_attributes_of_pages_are_found_by_their_whole_text() -> None:
    handler = replace(places([(0, -1)], text="go()"), length=4)
    found = FunctionTexts(KnownScripts({"index.html#0": handler}))
    assert found.attribute("go()") == ("index.html#0", 0)
    assert found.attribute("stop()") is None
