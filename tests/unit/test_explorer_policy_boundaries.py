"""Forms that are sent empty, partly filled and beyond their limits: when, in which order, and when no more."""

from dataclasses import replace

from explorer.policy import View
from explorer.policy.boundaries import Boundaries, Sending, courses
from explorer.policy.forms import fields_of
from explorer.policy.guided import GuidedTester
from graph.records import Field, Target
from tests.views import button, done, of, text, view


def form(*fields: Target, tried: int = 1, function: int | None = 0, name: str = "Save") -> View:
    """A form that was sent validly, with its view on a plateau of one action."""
    v = view(*fields, button(name, function, form="f"), stuck=1)
    done(v, of(v, name), times=tried)
    return v


def sent(boundaries: Boundaries, v: View) -> Sending:
    sending = boundaries.next(v)
    assert sending is not None
    return sending


def values(sending: Sending) -> dict[str, str]:
    """Values by the name of the field."""
    return {key.family.split("|")[1].split("#")[0]: value for key, value in sending.fills}


def test_form_is_emptied_and_sent_once_where_its_handler_holds_code_that_never_ran() -> None:
    v, boundaries = form(text("title", "f", value="x"), text("note", "f")), Boundaries()
    sending = sent(boundaries, v)
    assert values(sending) == {"title": ""} and sending.send.key == of(v, "Save").key
    assert sending.reason == "sends the form with nothing in it: its handler has 3 unexecuted statements"
    assert boundaries.next(v) is None, "nothing came of it: not again"


def test_it_goes_on_field_by_field_while_something_comes_of_it() -> None:
    v, boundaries = form(text("title", "f"), text("email", "f"), text("note", "f")), Boundaries()
    sent(boundaries, v)
    gained = replace(v, stuck=0)
    second = sent(boundaries, gained)
    assert "without “email”" in second.reason
    assert set(values(second)) == {"title", "note"} and all(values(second).values())
    assert "without “note”" in sent(boundaries, gained).reason
    assert boundaries.next(gained) is None


def test_limits_are_broken_one_after_the_other() -> None:
    pieces = replace(text("pieces", "f"), field=Field("number", name="pieces", max="10", form="f"))
    v, boundaries = form(text("title", "f", maxlength=5), pieces), Boundaries()
    sent(boundaries, v)
    first = sent(boundaries, v)
    assert values(first)["title"] == "xxxxxx" and "beyond" in first.reason
    second = sent(boundaries, replace(v, stuck=0))
    assert values(second)["pieces"] == "11" and values(second)["title"] == "Test "
    assert boundaries.next(v) is None


def test_required_texts_are_spaces_first_where_the_browser_looks_at_them() -> None:
    v = form(text("title", "f", required=True))
    send = of(v, "Save")
    by_script = [
        variant.values[0][1]
        for variants in courses(send, fields_of(send, v.candidates))
        for variant in variants
    ]
    assert by_script == [""], "a click handler sees the fields before the browser looks at them"
    assert send.target is not None
    bare = replace(send, target=replace(send.target, handlers=()))
    by_browser = [
        variant.values[0][1]
        for variants in courses(bare, fields_of(bare, v.candidates))
        for variant in variants
    ]
    assert by_browser == ["   ", ""]


def test_forms_that_are_not_worth_it_are_left_alone() -> None:
    never_sent = form(text("title", "f"), tried=0)
    unknown = form(text("title", "f"), function=None)
    gaining = replace(form(text("title", "f")), stuck=0)
    all_ran = form(text("title", "f"))
    all_ran.guide.add({0, 3, 4, 5})
    lost = form(text("title", "f"))
    lost.memory.lost(of(lost, "Save").key)
    cancel = form(text("title", "f"), name="Cancel")
    for v in (never_sent, unknown, gaining, all_ran, lost, cancel):
        assert Boundaries().next(v) is None


def test_what_the_handler_calls_counts_a_little_later() -> None:
    v = form(text("title", "f"))
    v.guide.callees = {0: (1,)}
    v.guide.add({0, 3, 4, 5})
    assert Boundaries().next(v) is None
    assert "what its handler calls never ran" in sent(Boundaries(), replace(v, stuck=2)).reason


def test_enter_in_a_field_without_a_form_sends_it_too() -> None:
    typing = replace(text("title", value="x"), handlers=button("x", 0).handlers)
    typing = replace(typing, handlers=tuple(replace(h, event="keydown") for h in typing.handlers))
    v = view(typing, stuck=1)
    enter = next(c for c in v.candidates if c.kind == "press" and c.value == "Enter")
    done(v, enter)
    sending = sent(Boundaries(), v)
    assert values(sending) == {"title": ""} and sending.send.key == enter.key


def test_guided_tester_carries_it_out_as_a_plan() -> None:
    v, tester = form(text("title", "f", value="x")), GuidedTester()
    actions = []
    for _ in range(2):
        choice = tester.choose(v)
        actions.append(choice.action)  # type: ignore[union-attr]
    assert [(a.kind, a.name, a.value) for a in actions] == [("fill", "title", ""), ("click", "Save", "")]
    assert actions[0].reason.startswith("emptied before it sends the form")


def test_forms_that_take_more_actions_than_is_left_in_them_wait() -> None:
    fields = [text(f"field{n}", "f", value="x") for n in range(12)]
    v = form(*fields)
    assert Boundaries().next(v) is None, "13 actions for three statements"
    cleared = form(*(text(f"field{n}", "f") for n in range(12)))
    assert not sent(Boundaries(), cleared).fills
    assert Boundaries().next(replace(form(text("title", "f", value="x")), remaining=1)) is None


def test_what_the_handler_calls_is_worth_one_form_sent_once() -> None:
    v = form(text("title", "f", maxlength=5), text("note", "f"))
    v.guide.callees = {0: (1,)}
    v.guide.add({0, 3, 4, 5})
    later, boundaries = replace(v, stuck=2), Boundaries()
    assert sent(boundaries, later)
    assert boundaries.next(later) is None
