"""V8's ranges laid over counter slots: ranges made by hand, places made by hand and by the worker."""

from __future__ import annotations

from pathlib import Path

import pytest

from instrument.places import TOP, Places
from instrument.v8ranges import Flattener
from tests.bundling import bundle_of, write_app
from tests.ranges import places, ran


def test_the_innermost_range_decides() -> None:
    found = Flattener(places([(5, TOP), (20, TOP), (30, TOP), (60, TOP)]))
    assert found.hits([ran((0, 100, 1), (15, 50, 0), (25, 40, 3))]) == [0, 2, 3]


def test_a_block_within_what_did_not_run_may_have_run_as_after_a_pause() -> None:
    found = Flattener(places([(5, 0), (20, 0)], functions=[(2, 90)]))
    assert found.hits([ran((2, 90, 0), (15, 90, 1))]) == [1]
    assert found.hits([ran((2, 90, 1), (15, 90, 0))]) == [0, 2]


def test_ranges_of_one_beginning_nest_by_their_ends() -> None:
    found = Flattener(places([(10, TOP), (40, TOP)]))
    assert found.hits([ran((0, 100, 1), (10, 30, 0), (10, 60, 2))]) == [1]


def test_an_outer_function_says_nothing_of_the_functions_in_it() -> None:
    found = Flattener(places([(5, TOP), (25, 0)], functions=[(20, 40)]))
    assert found.hits([ran((0, 100, 1))]) == [0], "V8 told nothing of the inner function: it is no more"
    assert found.hits([ran((20, 40, 2), name="inner")]) == [1, 2]


def test_a_function_that_begins_where_its_statement_does() -> None:
    """`const f = () => 1`: the initial value is a statement of the script, and the function has not run."""
    found = Flattener(places([(10, TOP), (16, 0)], functions=[(10, 17)]))
    assert found.hits([ran((0, 100, 1)), ran((10, 17, 0), block=False)]) == [0]


def test_a_function_that_ends_with_the_one_around_it() -> None:
    found = Flattener(places([(16, 0), (22, 1)], functions=[(10, 23), (16, 23)]))
    assert found.hits([ran((10, 23, 1)), ran((16, 23, 0))]) == [0, 2]
    assert found.hits([ran((16, 23, 1))]) == [1, 3]


def test_a_function_whose_beginning_v8_sees_elsewhere_is_known_by_its_end() -> None:
    found = Flattener(places([(25, 0)], functions=[(20, 40)]))
    assert found.hits([ran((13, 40, 1), name="decorated")]) == [0, 1]
    assert found.hits([ran((13, 41, 1), name="other")]) == []


def test_arms_by_their_own_ranges_and_the_one_that_is_not_written_by_what_is_left() -> None:
    # if (a) {...} at 10, its block at 20; the else is not written.
    found = Flattener(places([(10, TOP), (22, TOP)], arms=[(20, -1, TOP, 30), (10, 20, TOP, 10)]))
    assert found.hits([ran((0, 100, 1))]) == [0, 1, 2]
    assert found.hits([ran((0, 100, 1), (20, 30, 0))]) == [0, 3]
    assert found.hits([ran((0, 100, 5), (20, 30, 2))]) == [0, 1, 2, 3]
    assert found.hits([ran((0, 100, 0))]) == []


def test_what_no_range_tells_is_never_hit() -> None:
    assert Flattener(places([], arms=[(-1, -1, TOP, 10)])).hits([ran((0, 100, 9))]) == []


def test_a_function_counted_as_a_whole_leaves_out_what_branches_guard() -> None:
    one = places([(5, 0), (22, 0)], functions=[(2, 90)], arms=[(20, -1, 0, 30), (5, 20, 0, 5)])
    assert Flattener(one).hits([ran((2, 90, 4), block=False)]) == [0, 2]
    assert Flattener(one).hits([ran((2, 90, 0), block=False)]) == []


def test_what_stands_behind_an_exception_did_not_run() -> None:
    found = Flattener(places([(5, 0), (20, 0), (30, 0)], functions=[(2, 90)]))
    report = [ran((2, 90, 1))]
    assert found.hits(report, [22]) == [0, 1, 3]
    assert found.hits([ran((2, 90, 2))], [22]) == [0, 1, 2, 3], "the second time it came through"
    assert found.hits([ran((2, 90, 2))], [7, 22]) == [0, 1, 3], "the further of two"
    assert found.hits([ran((2, 90, 1)), ran((50, 60, 1))], [55]) == [0, 1, 2, 3], "another function threw"


def test_offsets_of_positions_count_utf16_units() -> None:
    found = Flattener(places([], text="a😀b\r\ncd\n"))
    assert (found.offset(0, 3), found.offset(1, 1), found.offset(2, 0)) == (3, 7, 9)
    assert found.offset(7, 0) == -1


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Places:
    text = "class A { a = 1; m() { f(); } static s = 2; static { f(); } b = () => 3; static async n() {} }\nfunction f() {}\n"
    folder = write_app(
        tmp_path_factory.mktemp("classes"), {"index.html": "<script src=a.js></script>", "a.js": text}
    )
    return bundle_of(folder, v8=True).places["a.js"]


def test_fields_run_with_the_initializer_and_not_with_the_class(classes: Places) -> None:
    found, text = Flattener(classes), classes.text
    begin = ran((0, len(text), 1))
    assert found.hits([begin]) == []
    fields = ran((text.index("a ="), text.index(" 3;") + 2, 1), name="<instance_members_initializer>")
    assert [_text(classes, slot) for slot in found.hits([begin, fields])] == ["1", "() => 3"]
    statics = ran((text.index("static s"), text.index(" b =") - 0, 1), name="<static_initializer>")
    assert [_text(classes, slot) for slot in found.hits([begin, statics])] == ["2", "f();"]


def test_methods_begin_where_v8_says_behind_static(classes: Places) -> None:
    starts = [classes.text[start:][:9] for start, _, kind in classes.homes.tolist() if kind == 0]
    assert starts == ["m() { f()", "() => 3; ", "async n()", "function "]


def _text(found: Places, slot: int) -> str:
    start, _, _, end = found.slots[slot].tolist()
    return found.text[start:end]


def test_places_of_an_inline_script_are_of_what_the_browser_makes_of_it(tmp_path: Path) -> None:
    page = "<p>ä😀</p>\r\n<script>\r\nlet a = '😀';\r\nb(a);\r\n</script><button onclick='b(&quot;x&quot;)'>"
    found = bundle_of(write_app(tmp_path, {"index.html": page.encode("utf-8-sig")}), v8=True).places
    script = found["index.html#0"]
    assert script.text == "\nlet a = '😀';\nb(a);\n"
    assert script.at == (1, 8)
    assert script.slots[:, 0].tolist() == [9, 15]
    assert script.length == 21
    handler = found["index.html#1"]
    assert handler.text == 'b("x")'
    assert handler.slots[:, [0, 2]].tolist() == [[0, TOP]]


def test_a_byte_order_mark_is_no_part_of_a_script(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "index.html": "<script src=a.js></script>",
        "a.js": b"\xef\xbb\xbfone();\r\ntwo();",
    }
    found = bundle_of(write_app(tmp_path, files), v8=True).places["a.js"]
    assert (found.text, found.slots[:, 0].tolist()) == ("one();\r\ntwo();", [0, 8])


def test_what_counters_would_break_can_be_measured_without_them(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"index.html": "<script src=a.js></script>", "a.js": "if (a)\v{ b(); }"}
    app = write_app(tmp_path, files)
    assert bundle_of(app).mode == "none"
    assert len(bundle_of(app, v8=True).places["a.js"].slots) == 4
