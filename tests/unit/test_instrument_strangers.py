"""Scripts that no file told of: outlined by V8's own stops, moved to where their text stands, keyed."""

from __future__ import annotations

from instrument.places import TOP
from instrument.strangers import (
    Stranger,
    digest_of,
    is_counted,
    key_of,
    moved,
    outlined_unit,
    relocated,
)
from instrument.v8ranges import Flattener
from tests.ranges import ran

TEXT = "let a = '😀';\nfunction f(x) { if (x) return 1; return 2; }\nf(() => a);\n"
"""In UTF-16 units the function is from 14 to 58; its statements are at 30 and 47."""
_OUTLINE = (
    ((8, False), (59, False), (69, True)),
    ((30, False), (37, False), (47, False), (57, True)),
    ((67, False), (68, True)),
)


def _stranger(text: str = TEXT, **more: object) -> Stranger:
    return Stranger("7", text, "odd.js", functions=((14, 58),), **more)  # type: ignore[arg-type]


def test_an_outline_becomes_statements_and_functions() -> None:
    unit = outlined_unit(_stranger(), "odd.js", _OUTLINE)
    assert unit.places is not None
    assert unit.sizes == (6, 2, 0, 0)
    assert unit.places.slots[:6, [0, 2]].tolist() == [[8, TOP], [30, 0], [37, 0], [47, 0], [59, TOP], [67, 1]]
    assert unit.places.homes[:, :2].tolist() == [[14, 58], [67, 68]], (
        "the first as V8 told, the other by its stops"
    )
    assert unit.served.statements[1].tolist() == [2, 16, 2, 23]
    assert unit.served.owner.tolist() == [-1, 0, 0, 0, -1, 1]


def test_v8s_ranges_are_laid_over_an_outline_as_over_a_tree() -> None:
    unit = outlined_unit(_stranger(), "odd.js", _OUTLINE)
    assert unit.places is not None
    found = Flattener(unit.places)
    length = unit.places.length
    assert length == len(TEXT) + 1
    assert found.hits([ran((0, length, 1)), ran((14, 58, 1), (37, 46, 0), name="f")]) == [0, 1, 3, 4, 6]


def test_a_source_is_moved_to_where_its_text_stands() -> None:
    part = "one();\ntwo();"
    unit = outlined_unit(_stranger(part), "made", (((0, False), (7, False), (13, True)),))
    page = f"<p>😀</p>\n<b>😀</b><script>{part}</script>"
    shape = moved(unit.served, "page.html", page, page.index(part))
    assert shape.path == "page.html"
    assert shape.statements.tolist() == [[2, 17, 2, 23], [3, 0, 3, 6]]
    settled, places = relocated(unit, {"other.html": "", "page.html": page})
    assert settled.served.statements.tolist() == shape.statements.tolist()
    assert places == [("page.html", page.index(part))]
    assert relocated(unit, {"other.html": ""})[1] == []


def test_keys_are_the_files_own_or_say_that_the_code_was_made() -> None:
    taken = {"odd.js", "index.html#v8-1", "(made at run time)/1"}.__contains__
    assert key_of(Stranger("1", "", "new.js"), taken) == "new.js"
    assert key_of(Stranger("1", "", "odd.js"), taken) == "odd.js#v8-1"
    assert key_of(Stranger("1", "", "index.html", at=(3, 8)), taken) == "index.html#v8-2"
    assert key_of(Stranger("1", "", ""), taken) == "(made at run time)/2"
    assert key_of(Stranger("1", "", "", name="cell.js"), taken) == "(made at run time)/cell.js"


def test_texts_with_counters_are_told_and_checksums_are_v8s() -> None:
    assert is_counted("function f(){__cv0123456789()[3]++;}")
    assert not is_counted("function f(){}")
    assert digest_of("a\ud800b") == digest_of("a\ufffdb")
