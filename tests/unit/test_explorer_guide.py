"""The guide: unexecuted statements per function and what a function leads to."""

from explorer.guide import Guide, callees
from explorer.lexicon import Lexicon, keyboard
from instrument.probes import Mined, Position, Probe, ProbeMap, SourceFile


def small_app() -> ProbeMap:
    """app.js: save() {2 statements, calls check()}, check() {1}, save has an inner function {1}; vendor lib() {1}."""
    where = {
        "save": Position(1, 0, 10, 0),
        "inner": Position(2, 0, 4, 0),
        "check": Position(11, 0, 14, 0),
        "lib": Position(1, 0, 2, 0),
    }
    functions = [
        Probe(0, "function", "app.js", where["save"], "save"),
        Probe(1, "function", "app.js", where["inner"], ""),
        Probe(2, "function", "app.js", where["check"], "check"),
        Probe(3, "function", "lib.js", where["lib"], "lib"),
    ]
    statements = [
        Probe(4, "statement", "app.js", Position(5, 0, 5, 9), "save"),
        Probe(5, "statement", "app.js", Position(6, 0, 6, 9), "save"),
        Probe(6, "statement", "app.js", Position(3, 0, 3, 9), ""),
        Probe(7, "statement", "app.js", Position(12, 0, 12, 9), "check"),
        Probe(8, "statement", "lib.js", Position(1, 5, 1, 9), "lib"),
        Probe(9, "branch", "app.js", Position(12, 0, 12, 9), "check"),
    ]
    files = (
        SourceFile("app.js", "own", "no sign of a library", "", (4, 5, 6, 7), (0, 1, 2), (9,)),
        SourceFile("lib.js", "vendor", "a library", "", (8,), (3,)),
    )
    return ProbeMap(
        files=files,
        probes=(*functions, *statements),
        counters={},
        own=frozenset({0, 1, 2, 4, 5, 6, 7, 9}),
        body={0: frozenset({4, 5}), 1: frozenset({6}), 2: frozenset({7}), 3: frozenset({8})},
        mined={
            0: Mined(literals=("open",), keys=("Enter", "n"), calls=("check",)),
            2: Mined(literals=("secret", "42"), keys=("n",)),
            3: Mined(literals=("lib word",), keys=("q",)),
        },
    )


def test_gain_counts_own_statements_once() -> None:
    guide = Guide(small_app())
    new = guide.add({4, 9, 8, 0})
    assert new == {4, 9, 8, 0} and guide.gain(new) == 1
    assert guide.add({4, 5}) == {5}


def test_unexecuted_goes_down_as_statements_run() -> None:
    guide = Guide(small_app())
    assert guide.unexecuted(0) == 2
    guide.add({0, 4})
    assert guide.unexecuted(0) == 1
    guide.add({5})
    assert guide.unexecuted(0) == 0


def test_reach_adds_callees_and_inner_functions_with_less_weight() -> None:
    guide = Guide(small_app())
    assert callees(small_app())[0] == (1, 2)
    assert guide.reach(0) == 2 + 0.3 * 2
    guide.add({4, 5, 6})
    assert abs(guide.reach(0) - 0.3) < 1e-9
    guide.add({7})
    assert guide.reach(0) == 0


def test_fully_covered_asks_for_every_own_probe_only() -> None:
    guide = Guide(small_app())
    guide.add({0, 1, 2, 4, 5, 6, 7})
    assert not guide.fully_covered()
    guide.add({9})
    assert guide.fully_covered()


def test_words_come_from_the_handler_first_and_never_from_code_that_ran_or_vendor_code() -> None:
    guide = Guide(small_app())
    lexicon = Lexicon(guide)
    assert lexicon.words([0]) == ("open", "secret", "42")
    guide.add({2, 7})
    assert lexicon.words([0]) == ("open",)


def test_keyboard_holds_own_keys_everywhere_and_all_keys_per_function() -> None:
    keys = keyboard(small_app())
    assert keys.everywhere == ("Enter", "n")
    assert keys.keys([2]) == ("n", "Enter")
    assert keys.keys([3]) == ("q", "Enter", "n")


def test_code_left_sums_up_own_functions_and_follows_what_runs() -> None:
    guide = Guide(small_app())
    handlers = frozenset({0, 2, 3})
    before = guide.code_left(handlers)
    assert before == (guide.unexecuted(0) + guide.unexecuted(2), guide.reach(0) + guide.reach(2))
    assert guide.code_left(frozenset({3})) is None
    guide.add({7, 4})
    assert guide.code_left(handlers) == (2, guide.reach(0) + guide.reach(2))
    assert guide.code_left(handlers) != before


def test_own_statements_are_the_denominator() -> None:
    assert Guide(small_app()).own_statements == {4, 5, 6, 7}


def grown_app() -> ProbeMap:
    """The same app after late.js came: later() {1 statement, says "tomorrow"}."""
    app = small_app()
    fresh = (
        Probe(10, "statement", "late.js", Position(2, 0, 2, 9), "later"),
        Probe(11, "function", "late.js", Position(1, 0, 3, 0), "later"),
    )
    return ProbeMap(
        files=(*app.files, SourceFile("late.js", "own", "", "", (10,), (11,))),
        probes=(*app.probes, *fresh),
        counters={},
        own=app.own | {10, 11},
        body={**app.body, 11: frozenset({10})},
        mined={**app.mined, 11: Mined(literals=("tomorrow",), keys=("t",))},
    )


def test_a_guide_takes_a_map_that_has_grown_and_keeps_what_ran() -> None:
    guide = Guide(small_app())
    words = Lexicon(guide)
    guide.add({0, 4})
    assert "tomorrow" not in words.words(())
    guide.learn(grown_app())
    assert (guide.unexecuted(0), guide.unexecuted(11)) == (1, 1)
    assert guide.covered == {0, 4} and guide.gain({10}) == 1
    assert guide.own_statements == {4, 5, 6, 7, 10}
    assert "tomorrow" in words.words(())
    assert guide.add({4, 10, 11}) == {10, 11}
    assert guide.unexecuted(11) == 0
