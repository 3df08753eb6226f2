"""Testers: what each chooses in a view made by hand."""

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from explorer.actions import Candidate, Key
from explorer.hints import BuiltInHint, Hint
from explorer.policy import Choice, Done, View
from explorer.policy.forms import fields_of
from explorer.policy.guided import LETTERS, QUIET_COVERED, QUIET_END, GuidedTester
from explorer.policy.registry import TESTERS
from explorer.policy.worth import worth
from graph.records import Action, Handler, Target, Timer
from instrument.probes import Mined
from tests.views import HERE, THERE, button, done, of, text, view


def chosen(tester: GuidedTester, v: View) -> Choice:
    choice = tester.choose(v)
    assert isinstance(choice, Choice)
    return choice


def test_unexecuted_handler_comes_before_executed_and_unknown_ones() -> None:
    for seed in range(10):
        v = view(button("ran", 0), button("new", 1), button("unknown"), random=Random(seed))
        v.guide.add({0, 3, 4, 5})
        assert chosen(GuidedTester(), v).action.name == "new"


def test_untried_comes_before_tried() -> None:
    for seed in range(10):
        v = view(button("a"), button("b"), random=Random(seed))
        done(v, of(v, "a"), times=2)
        assert chosen(GuidedTester(), v).action.name == "b"


def test_destructive_controls_wait() -> None:
    for seed in range(10):
        v = view(button("Delete all"), button("Rename"), random=Random(seed))
        assert chosen(GuidedTester(), v).action.name == "Rename"


def test_form_is_filled_validly_before_it_is_sent_and_later_with_one_field_off() -> None:
    send = button("Save", 0, form="f")
    v = view(text("title", "f"), text("email", "f"), send)
    tester = GuidedTester()
    for field in ("title", "email"):
        done(v, of(v, field, "fill"), times=5)
        done(v, of(v, field, "press"), times=5)
    for other in v.candidates:
        if other.target is None:
            done(v, other, times=9)
    actions = [chosen(tester, v).action for _ in range(3)]
    assert [(a.kind, a.name) for a in actions] == [("fill", "title"), ("fill", "email"), ("click", "Save")]
    assert "@" in actions[1].value and actions[0].value
    again = [chosen(tester, v).action for _ in range(2)]
    assert [a.kind for a in again] == ["fill", "click"]
    assert again[0].reason.startswith("one field off")


def test_field_gets_valid_and_other_values_in_turn() -> None:
    v = view(text("title"))
    tester, fill = GuidedTester(), of(view(text("title")), "title", "fill")
    values = [tester._choice(v, fill, "").action.value for _ in range(6)]
    assert values[0] == values[2] == values[4]
    assert len({values[1], values[3], values[5]} - {values[0]}) == 3


def test_walks_back_to_where_something_is_untried() -> None:
    v = view(button("go", 0))
    for candidate in v.candidates:
        done(v, candidate, after=THERE if candidate.kind == "click" else HERE, times=3)
    beyond = replace(of(v, "go"), key=Key("click", "main>button|secret#0"))
    v.memory.arrive(THERE, [beyond], step=1)
    choice = chosen(GuidedTester(), v)
    assert choice.action.name == "go" and "untried" in choice.action.reason


def test_plateau_hint_is_followed_through_known_states() -> None:
    v = view(button("go"), button("other"))
    for candidate in v.candidates:
        done(
            v,
            candidate,
            after=THERE
            if candidate.kind == "click" and candidate.target and candidate.target.name == "go"
            else HERE,
        )
    hidden = of(view(button("secret", 2)), "secret")
    v.memory.arrive(THERE, [hidden], step=1)
    v.guide.add({0, 1})
    hint = BuiltInHint().hint(HERE, v.memory, v.guide)
    assert "secret" in hint.text and "f2" in hint.text
    tester = GuidedTester()
    first = chosen(tester, replace(v, hint=hint, stuck=3))
    assert first.action.name == "go" and "on the way to" in first.action.reason
    arrived = replace(v, state=THERE, snapshot=v.snapshot, candidates=(hidden,))
    second = chosen(tester, arrived)
    assert second.action.name == "secret" and second.action.reason.startswith("hint:")


def test_hint_says_why_there_is_none() -> None:
    v = view(button("a", 0))
    everything = range(len(v.guide.probes.probes))
    v.guide.add(everything)
    assert "all of the app's code" in BuiltInHint().hint(HERE, v.memory, v.guide).text
    w = view(button("a"))
    hint = BuiltInHint().hint(HERE, w.memory, w.guide)
    assert not hint.suggestions and "no element that was seen" in hint.text
    assert "f0 (app.js:1, 3 statements)" in hint.text and "more" not in hint.text


def test_complete_only_when_nothing_is_left_and_nothing_has_come_for_long() -> None:
    v = view(button("a", 0))
    for candidate in v.candidates:
        done(v, candidate, times=5)
    assert isinstance(GuidedTester().choose(replace(v, stuck=QUIET_END - 1)), Choice)
    assert isinstance(GuidedTester().choose(replace(v, stuck=QUIET_END)), Done)
    v.guide.add(range(len(v.guide.probes.probes)))
    assert isinstance(GuidedTester().choose(replace(v, stuck=QUIET_COVERED - 1)), Choice)
    assert isinstance(GuidedTester().choose(replace(v, stuck=QUIET_COVERED)), Done)


def test_what_lost_the_page_here_is_not_chosen() -> None:
    v = view(button("hang", 0), button("fine"))
    v.memory.lost(of(v, "hang").key)
    names = {chosen(GuidedTester(), replace(v, random=Random(seed))).action.name for seed in range(20)}
    assert "hang" not in names


@pytest.mark.parametrize("name", list(TESTERS))
def test_same_random_numbers_same_choices(name: str) -> None:
    def run() -> list[Action]:
        v, tester, actions = (
            view(text("q", "f"), button("Go", 0, form="f"), button("b", 1)),
            TESTERS[name](),
            [],
        )
        for _ in range(30):
            choice = tester.choose(v)
            if isinstance(choice, Done):
                break
            actions.append(choice.action)
            done(v, choice.candidate)
        return actions

    assert run() == run()


@pytest.mark.parametrize("name", ["random", "monkey"])
def test_comparison_testers_are_random(name: str) -> None:
    v, tester = view(button("a"), button("b"), button("c")), TESTERS[name]()
    choices = [tester.choose(v) for _ in range(60)]
    assert len(Counter(c.action.name + c.action.value for c in choices if isinstance(c, Choice))) >= 3


def test_comparison_testers_see_no_bare_listeners() -> None:
    plain = Target(
        "e1",
        "div",
        "",
        "quiet",
        "div|",
        0,
        "#q",
        (0, 0, 50, 50),
        (Handler("click", 0), Handler("dblclick", 1)),
    )
    v = view(plain, button("seen"))
    for seed in range(20):
        choice = TESTERS["random"]().choose(replace(v, random=Random(seed)))
        assert isinstance(choice, Choice) and choice.action.name in ("seen", "")


def test_breadth_first_tries_each_control_once_in_a_state() -> None:
    v, tester = view(button("a"), button("b"), text("t")), TESTERS["breadth-first"]()
    names = []
    for _ in range(3):
        choice = tester.choose(v)
        assert isinstance(choice, Choice)
        names.append(choice.action.name)
        done(v, choice.candidate)
    assert names == ["t", "a", "b"]


def test_control_that_did_nothing_is_clicked_once_more_on_a_plateau() -> None:
    v = view(button("dead"), button("alive"))
    for candidate in v.candidates:
        done(v, candidate, times=4)
    suspects = frozenset({(HERE, "#dead")})
    tester = GuidedTester()
    choices = [chosen(tester, replace(v, stuck=4, suspects=suspects)).action for _ in range(6)]
    assert choices[0].name == "dead"
    assert sum("once more" in action.reason for action in choices) == 2


def test_action_that_plans_never_get_to_is_given_up() -> None:
    v = view(button("go"))
    for candidate in v.candidates:
        done(v, candidate, after=THERE if candidate.kind == "click" else HERE, times=3)
    v.memory.arrive(THERE, [of(view(button("secret", 2)), "secret")], step=1)
    tester, planned = GuidedTester(), 0
    for _ in range(12):
        choice = chosen(tester, replace(v, stuck=4))
        planned += "on the way" in choice.action.reason
        tester._plan.clear()
    assert 1 <= planned <= 3


def test_cancel_sends_no_form() -> None:
    v = view(text("title", "f"), button("Cancel", 0, form="f"))
    assert fields_of(of(v, "Cancel"), v.candidates) == []
    w = view(text("title", "f"), button("Save", 0, form="f"))
    assert [c.kind for c in fields_of(of(w, "Save"), w.candidates)] == ["fill"]


def test_special_gestures_that_bring_nothing_sink_until_one_does() -> None:
    v = view(button("a", 0, handlers=(Handler("contextmenu", 0),)))
    gesture = of(v, "a", "right-click")
    before = worth(v, HERE, gesture)
    v.memory.kind_tries["right-click"] += 6
    silent = worth(v, HERE, gesture)
    v.memory.kind_gains["right-click"] += 3
    assert silent < before / 2 and worth(v, HERE, gesture) > silent * 1.5


def test_keys_come_right_after_a_surface_was_clicked() -> None:
    surface = button("grid", tag="canvas", role="", handlers=(Handler("mousedown", 1),))
    v = view(surface)
    typing = Candidate(Key("type", "page"), "type")
    before = worth(v, HERE, typing)
    done(v, of(v, "grid"))
    assert worth(v, HERE, typing) > before


def test_link_to_a_page_that_was_not_seen_comes_first() -> None:
    def link(name: str, href: str) -> Target:
        return button(name, tag="a", role="link", href=href)

    links = [
        link("old", "/old.html"),
        link("new", "new.html?x=1"),
        link("here", "#top"),
        link("route", "#/new"),
    ]
    v = view(*links)
    v.memory.pages |= {"/", "/old.html"}
    values = {c.target.name: worth(v, HERE, c) for c in v.candidates if c.kind == "click" and c.target}
    assert values["new"] == values["route"] > values["here"] > values["old"]


def test_time_is_given_to_a_canvas_in_growing_pieces() -> None:
    v = view(button("a"))
    playing = replace(v, snapshot=replace(v.snapshot, canvas="x"))
    wait = next(c for c in v.candidates if c.kind == "advance-time")
    values = []
    for _ in range(5):
        values.append(int(GuidedTester()._choice(playing, wait, "").action.value))
        done(v, wait)
    assert values == [2000, 4000, 8000, 10000, 10000]
    assert GuidedTester()._choice(v, wait, "").action.value == wait.value
    assert worth(playing, HERE, wait) > worth(v, HERE, wait)


def test_filter_that_may_hide_what_is_left_is_emptied_once_on_a_plateau() -> None:
    v = view(text("filter", value="a"), button("b", 1))
    tester = GuidedTester()
    actions = [chosen(tester, replace(v, stuck=5)).action for _ in range(4)]
    assert (actions[0].kind, actions[0].name, actions[0].value) == ("fill", "filter", "")
    assert sum("may hide" in action.reason for action in actions) == 1
    assert "may hide" not in chosen(GuidedTester(), replace(v, stuck=1)).action.reason


def test_long_plateau_starts_again_whatever_its_length_exactly() -> None:
    v = view(button("a", 1))
    for candidate in v.candidates:
        done(v, candidate)
    tester = GuidedTester()
    assert chosen(tester, replace(v, stuck=13)).action.kind == "reload"
    assert (
        chosen(tester, replace(v, stuck=14)).action.kind != "reload"
        or "starting" not in chosen(tester, replace(v, stuck=14)).action.reason
    )
    assert "starting from the load" in chosen(tester, replace(v, stuck=26)).action.reason


def test_countdown_is_given_more_time_each_time() -> None:
    v = view(button("a"))
    ticking = replace(v, snapshot=replace(v.snapshot, timers=(Timer(1000, 1, repeats=True),)))
    wait = next(c for c in v.candidates if c.kind == "advance-time")
    values = []
    for _ in range(4):
        values.append(int(GuidedTester()._choice(ticking, wait, "").action.value))
        done(v, wait)
    assert values == [2000, 4000, 8000, 16000]


def test_texts_that_a_hint_has_for_fields_are_typed_sent_and_remembered() -> None:
    v = view(text("code", "f"), button("Enter", 0, form="f"), text("other"))
    fill = of(v, "code", "fill")
    v.memory.values[fill.key] = ("7316", "")
    tester = GuidedTester()
    hinted = replace(v, hint=Hint("model m", "read the page", values=((fill.key, ("7316", "")),)), stuck=3)
    first = chosen(tester, hinted).action
    assert (first.kind, first.name, first.value) == ("fill", "code", "7316")
    assert first.reason.startswith("hint:")
    second = chosen(tester, v).action
    assert (second.kind, second.name) == ("click", "Enter")
    values = [tester._choice(v, fill, "").action.value for _ in range(4)]
    assert {"7316", ""} <= set(values)


def suggesting(value: str = "", **changes: Any) -> Target:
    return replace(text("stone", value=value, **changes), role="combobox")


def test_field_that_suggests_is_given_letters_until_it_offers_something_and_that_is_taken() -> None:
    tester, v = GuidedTester(), view(suggesting(), button("b", 1))
    done(v, of(v, "stone", "fill"))
    letters = [chosen(tester, v).action for _ in range(2)]
    assert [(action.kind, action.value) for action in letters] == [("fill", "a"), ("fill", "s")]
    offering = replace(v, candidates=view(suggesting("s"), button("Spinel", 2, role="option")).candidates)
    assert chosen(tester, offering).action.name == "Spinel"
    assert len({chosen(tester, v).action.value for _ in range(9)} & set("tome")) == 0, "no letters after that"


def test_letters_end_and_are_given_to_fields_that_suggest_alone() -> None:
    tester, v = GuidedTester(), view(suggesting(), button("b", 1))
    done(v, of(v, "stone", "fill"))
    given = [chosen(tester, v).action.reason for _ in range(12)]
    assert sum("letter" in reason for reason in given) == len(LETTERS)
    plain = view(text("stone"), button("b", 1))
    done(plain, of(plain, "stone", "fill"))
    assert "letter" not in chosen(GuidedTester(), plain).action.reason


def test_what_was_chosen_from_suggestions_is_sent_as_it_is() -> None:
    v = view(suggesting("Topaz", form="f"), text("note", "f"), button("Send", 0, form="f"))
    planned = GuidedTester()._valid_fields(v, of(v, "Send"))
    assert [step.key.family for step in planned] == ["main>input|note#0"]


def counting(number: str, *, left: bool = True) -> View:
    v = view(button("egg", 0), button("b"))
    v.guide.probes = replace(v.guide.probes, mined={0: Mined(literals=("x", number))})
    v.guide.add({0, 3, 4} if left else {0, 3, 4, 5})
    for candidate in v.candidates:
        done(v, candidate)
    hint = BuiltInHint().hint(HERE, v.memory, v.guide)
    return replace(v, hint=hint, stuck=3)


def test_click_is_repeated_where_its_code_counts_once_for_a_control() -> None:
    tester, v = GuidedTester(), counting("5")
    assert [chosen(tester, replace(v, hint=None) if n else v).action.name for n in range(6)] == ["egg"] * 6
    assert not tester._plan
    chosen(tester, v)
    assert len(tester._plan) == 0, "not a second time"


def test_more_than_two_is_true_at_the_fourth_click() -> None:
    tester, v = GuidedTester(), counting("2")
    chosen(tester, v)
    assert len(tester._plan) == 3


@pytest.mark.parametrize("v", [counting("1"), counting("500"), counting("5", left=False)])
def test_click_is_not_repeated_where_nothing_is_counted(v: View) -> None:
    tester = GuidedTester()
    chosen(tester, v)
    assert not tester._plan


def test_repeating_ends_as_soon_as_something_came_of_it() -> None:
    tester, v = GuidedTester(), counting("5")
    chosen(tester, v)
    assert len(tester._plan) == 5 and "may be counting" in tester._plan[0].reason
    chosen(tester, replace(v, hint=None, stuck=0))
    assert not tester._plan


def on_page(v: View) -> View:
    """The view, whose page the memory knows too: what is tried there is known to have changed nothing."""
    v.memory.page = v.snapshot
    return v


def test_what_brought_nothing_sinks_until_the_page_or_a_field_changes() -> None:
    v = on_page(view(button("ran", 0), text("title", value="a")))
    v.guide.add({0, 3, 4, 5})
    candidate = of(v, "ran")
    other = replace(candidate, key=Key("click", "main>button|other#0"))
    for known in (candidate, other):
        v.memory.tries[known.key] = v.memory.tries_in[HERE, known.key] = 1
    assert worth(v, HERE, candidate) == worth(v, HERE, other)
    v.memory._note_gain(HERE, candidate.key, candidate.action(""), 0)
    assert worth(v, HERE, candidate) < 0.6 * worth(v, HERE, other)
    for changed in (replace(v.snapshot, digest="other"), view(text("title", value="b")).snapshot):
        v.memory.page = changed
        assert worth(v, HERE, candidate) == worth(v, HERE, other)


def test_a_second_try_is_free_where_the_handler_holds_code_that_never_ran() -> None:
    v = on_page(view(button("new", 0)))
    candidate = of(v, "new")
    before = worth(v, HERE, candidate)
    v.memory._note_gain(HERE, candidate.key, candidate.action(""), 0)
    assert worth(v, HERE, candidate) == before
    v.memory._note_gain(HERE, candidate.key, candidate.action(""), 0)
    assert worth(v, HERE, candidate) < before


def test_what_has_no_handler_sinks_as_soon_as_it_is_known_for_dead() -> None:
    v = on_page(view(button("Settings"), button("link", href="#x")))
    for name in ("Settings", "link"):
        done(v, of(v, name), times=2)
        v.memory.tries.clear()
        v.memory.tries_in.clear()
    v.memory.place_failures.clear()
    assert worth(v, THERE, of(v, "Settings")) < 0.3 * worth(v, THERE, of(v, "link"))
    done(v, of(v, "Settings"), after=THERE)
    v.memory.place_failures.clear()
    v.memory.tries.clear()
    assert worth(v, THERE, of(v, "Settings")) > 0.9 * worth(v, THERE, of(v, "link")), "it led somewhere"


def test_waiting_again_is_worth_little_unless_it_is_clearly_longer() -> None:
    v = view(button("a"))
    wait = replace(next(c for c in v.candidates if c.kind == "advance-time"), value="29000")
    fresh = worth(v, HERE, wait)
    v.memory.waited[HERE] = 28500
    assert worth(v, HERE, wait) < 0.3 * fresh
    v.memory.waited[HERE] = 2000
    assert worth(v, HERE, wait) == fresh
    ticking = replace(v, snapshot=replace(v.snapshot, timers=(Timer(29000, 1, repeats=True),)))
    times = []
    for _ in range(5):
        times.append(int(GuidedTester()._choice(ticking, wait, "").action.value))
        done(v, wait)
    assert times == [29000, 58000, 116000, 232000, 300000]


def test_hint_does_not_name_the_same_element_again_and_again() -> None:
    v = on_page(view(button("export", 0), button("add", 1)))
    v.guide.callees = {0: (2,)}
    v.guide.add({0, 3, 4, 5})  # all of export's own code ran, what it calls did not
    v.guide._reach.clear()
    done(v, of(v, "export"))
    named = [
        s.candidate.target.name
        for s in BuiltInHint().hint(HERE, v.memory, v.guide).suggestions
        if s.candidate.target
    ]
    assert named == ["add"], "not again on a page on which nothing changed"
    v.memory.page = replace(v.snapshot, digest="changed")
    hint = BuiltInHint().hint(HERE, v.memory, v.guide)
    assert len(hint.suggestions) == 2
    done(v, of(v, "export"))
    v.memory.page = replace(v.snapshot, digest="changed again")
    assert len(BuiltInHint().hint(HERE, v.memory, v.guide).suggestions) == 1, "twice in vain is enough"
    for n in range(4):
        v.memory.page = replace(v.snapshot, digest=f"{n}")
        done(v, of(v, "add"))
    left = BuiltInHint().hint(HERE, v.memory, v.guide)
    assert not left.suggestions and "2 functions" in left.text and "without gain" in left.text
    done(v, of(v, "export"), gain=1)
    assert len(BuiltInHint().hint(HERE, v.memory, v.guide).suggestions) == 1, "a gain is new evidence"


def test_control_with_a_handler_is_tried_once_more_in_another_state_only() -> None:
    v = view(button("undo", 0), button("b"))
    for candidate in v.candidates:
        done(v, candidate, times=4)
    suspects = frozenset({(HERE, "#undo")})
    again = [chosen(GuidedTester(), replace(v, stuck=4, suspects=suspects)).action.reason for _ in range(3)]
    assert not any("once more" in reason for reason in again)
    elsewhere = replace(v, state=THERE, stuck=4, suspects=suspects)
    elsewhere.memory.arrive(THERE, v.candidates, step=1)
    assert "once more" in chosen(GuidedTester(), elsewhere).action.reason
