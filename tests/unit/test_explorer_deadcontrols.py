"""Dead controls: what is accused after two clicks, and all that must never be."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from explorer.deadcontrols import DeadControls, looks_live, silent
from graph.records import (
    Action,
    Dialog,
    Effects,
    Fault,
    Field,
    Finding,
    Handler,
    Message,
    Observation,
    Request,
    Snapshot,
    StateId,
    Target,
    Timer,
)

HANDLER = Handler("click", 5)


def button(**more: Any) -> Target:
    base = Target("e1", "button", "button", "Share", "main>button|Share", 0, "#share", (0, 0, 80, 30))
    return replace(base, **more)


def page(*targets: Target, html: str = "<body><button>Share</button></body>", **more: Any) -> Snapshot:
    return Snapshot(more.pop("url", "/"), "App", html, more.pop("digest", html), targets, **more)


def accused(
    target: Target,
    *,
    clicks: int = 2,
    before: Snapshot | None = None,
    states: str = "AAAA",
    after: Snapshot | None = None,
    **more: Any,
) -> tuple[Finding, ...]:
    """Findings after some clicks on a target, each answered by the same observation."""
    before = before or page(target)
    controls = DeadControls()
    action = Action("click", "", ref=target.ref, locator=target.locator)
    for step in range(1, clicks + 1):
        observation = Observation(
            after or before, more.get("hits", frozenset()), **{k: v for k, v in more.items() if k != "hits"}
        )
        controls.look(before, action, observation, step=step, state=StateId(states[step - 1]), path=(0, step))
    return controls.findings()


def test_a_button_without_handler_that_does_nothing_twice_is_dead() -> None:
    [finding] = accused(button())

    assert (finding.kind, finding.title) == ("dead-control", 'button "Share" does nothing')
    assert (finding.step, finding.path, finding.count) == (1, (0, 1), 2)
    assert "steps 1, 2" in finding.detail and "#share" in finding.detail


def test_one_click_is_not_enough() -> None:
    assert accused(button(), clicks=1) == ()


@pytest.mark.parametrize("href", ["", "#", "#!", "javascript:void(0)", "javascript:;"])
def test_a_link_to_nowhere_is_dead(href: str) -> None:
    link = button(tag="a", role="link", name="Terms", href=href)

    assert [finding.title for finding in accused(link)] == ['link "Terms" does nothing']
    moved = page(link, url="/#")
    followed = Effects(navigations=int(href.startswith("#")))
    assert accused(link, after=moved, effects=followed)[0].title == 'link "Terms" does nothing'


def test_a_thing_with_a_hand_as_cursor_and_no_handler_is_dead() -> None:
    card = button(tag="div", role="", pointer=True, locator="main:nth-child(1) > div:nth-child(2)")

    assert len(accused(card)) == 1
    assert accused(replace(card, pointer=False)) == ()
    assert accused(replace(card, handlers=(HANDLER,)), clicks=4) == ()
    assert accused(replace(card, locator="body > button:nth-child(1) > span:nth-child(1)")) == ()


def test_a_button_whose_handler_ran_needs_three_states() -> None:
    undo = button(name="Undo", handlers=(HANDLER,))

    assert accused(undo, clicks=4, states="AAAA") == ()
    assert accused(undo, clicks=2, states="AB") == ()
    assert "a handler is bound" in accused(undo, clicks=3, states="ABC")[0].detail


@pytest.mark.parametrize(
    "target",
    [
        pytest.param(button(disabled=True), id="disabled"),
        pytest.param(button(covered=True), id="covered"),
        pytest.param(button(draggable=True), id="draggable"),
        pytest.param(button(hover_reveals=True), id="menu that opens on hover"),
        pytest.param(button(container=True), id="container"),
        pytest.param(button(role="tab", selected=True), id="selected tab"),
        pytest.param(
            button(tag="input", role="radio", checked=True, field=Field("radio")), id="checked radio"
        ),
        pytest.param(button(tag="input", role="textbox", field=Field("text")), id="text field"),
        pytest.param(button(tag="select", role="combobox", field=Field("select")), id="select"),
        pytest.param(button(tag="button", field=Field("reset"), form="f"), id="reset"),
        pytest.param(button(tag="a", role="link", href="https://example.org/"), id="link to another site"),
        pytest.param(button(tag="a", role="link", href="mailto:a@b.c"), id="mail link"),
        pytest.param(button(tag="a", role="link", href="index.html"), id="link with an address"),
        pytest.param(button(tag="label", role=""), id="label"),
        pytest.param(button(tag="li", role="listitem"), id="list item"),
    ],
)
def test_what_is_never_accused(target: Target) -> None:
    assert not looks_live(target, page(target))
    assert accused(target, clicks=4, states="ABCD") == ()


def test_submitting_an_invalid_form_is_the_browsers_business() -> None:
    field = button(
        ref="e2", tag="input", locator="#mail", field=Field("email", form="f1", required=True, valid=False)
    )
    submit = button(form="f1", field=Field("submit", form="f1"))

    assert accused(submit, before=page(submit, field)) == ()
    valid = replace(field, field=Field("email", form="f1"))
    assert len(accused(submit, before=page(submit, valid))) == 1


@pytest.mark.parametrize(
    "html",
    [
        "<nav><button class='tab active'>Share</button></nav>",
        "<nav><button aria-current=page>Share</button></nav>",
        "<ul><li class=selected><button>Share</button></li></ul>",
        "<nav><button class=nav-item--active aria-label=Share><i></i></button></nav>",
    ],
)
def test_the_choice_that_is_shown_already_is_not_accused(html: str) -> None:
    target = button()

    assert accused(target, before=page(target, html=html)) == ()


def test_an_active_panel_does_not_excuse_the_buttons_in_it() -> None:
    html = "<div class='panel active'><button>Share</button><p>x</p></div>"
    target = button()

    assert len(accused(target, before=page(target, html=html))) == 1


BEFORE = page(button(), button(ref="e9", tag="input", locator="#q", field=Field("search")))


@pytest.mark.parametrize(
    "happened",
    [
        pytest.param({"hits": frozenset({1})}, id="code ran"),
        pytest.param({"messages": (Message("log", "x"),)}, id="message"),
        pytest.param({"faults": (Fault("x"),)}, id="fault"),
        pytest.param({"requests": (Request("GET", "/x", 500),)}, id="failed request"),
        pytest.param({"dialogs": (Dialog("alert", "x", True),)}, id="dialog"),
        pytest.param({"downloads": ("a.csv",)}, id="download"),
        pytest.param({"popups": ("/x",)}, id="new tab"),
        pytest.param({"effects": Effects(requests=1)}, id="request"),
        pytest.param({"effects": Effects(storage=1)}, id="storage"),
        pytest.param({"effects": Effects(navigations=1)}, id="navigation"),
        pytest.param({"effects": Effects(media=1)}, id="sound"),
        pytest.param({"after": replace(BEFORE, url="/b")}, id="address"),
        pytest.param({"after": replace(BEFORE, title="b")}, id="title"),
        pytest.param({"after": replace(BEFORE, scroll=(0, 90))}, id="scroll"),
        pytest.param({"after": replace(BEFORE, canvas="c")}, id="canvas"),
        pytest.param({"after": replace(BEFORE, focus="e9")}, id="focus of a field"),
        pytest.param({"after": replace(BEFORE, timers=(Timer(500),))}, id="timer"),
        pytest.param({"after": page(button(), html="<body><p>Shared 3</p></body>")}, id="text"),
        pytest.param(
            {"after": page(button(), html="<body><button class=on>Share</button></body>")}, id="class"
        ),
        pytest.param(
            {"after": page(button(), html="<body><button style='color:red'>Share</button>")}, id="style"
        ),
    ],
)
def test_any_effect_clears_a_control(happened: dict[str, Any]) -> None:
    assert accused(button(), before=BEFORE, clicks=3, **happened) == ()


def test_focus_hover_and_clocks_are_no_effect() -> None:
    before = page(button(), html="<body><button class=b>Share</button><i>12:30:01</i></body>")
    after = page(
        button(),
        html="<body><button class='b focus-visible'>Share</button><i>12:30:02</i></body>",
        focus="e1",
    )

    assert silent(before, Observation(after, frozenset(), effects=Effects(mutations=4)))
    assert len(accused(button(), before=before, after=after)) == 1


@pytest.mark.parametrize("lost", [{"performed": False}, {"liveness": "hung"}])
def test_clicks_that_were_not_made_do_not_count(lost: dict[str, Any]) -> None:
    assert accused(button(), clicks=3, **lost) == ()


def test_one_click_that_worked_clears_all_that_look_the_same() -> None:
    first, second = button(), button(ref="e2", locator="#other", ordinal=1)
    before = page(first, second)
    controls = DeadControls()

    def click(target: Target, step: int, *, works: bool) -> None:
        observation = Observation(before, frozenset(), effects=Effects(storage=int(works)))
        action = Action("click", "", ref=target.ref, locator=target.locator)
        controls.look(before, action, observation, step=step, state=StateId("A"))

    click(first, 1, works=False)
    click(first, 2, works=False)
    assert len(controls.findings()) == 1
    click(second, 3, works=True)
    assert controls.findings() == ()
    click(first, 4, works=False)
    assert controls.findings() == ()


def test_scrolling_to_a_control_to_click_it_says_nothing() -> None:
    below = button(offscreen=True)
    before = page(below)

    assert accused(below, before=before, after=replace(before, scroll=(0, 400)), clicks=3) == ()
    controls = DeadControls()
    action = Action("click", "", locator="#share")
    moved = replace(before, scroll=(0, 400))
    controls.look(before, action, Observation(moved, frozenset()), step=1, state=StateId("A"))
    near = replace(moved, targets=(button(),))
    for step in (2, 3):
        controls.look(near, action, Observation(near, frozenset()), step=step, state=StateId("A"))
    assert [finding.count for finding in controls.findings()] == [2]


def test_suspects_are_those_that_need_another_click() -> None:
    before = page(button())
    controls = DeadControls()
    action = Action("click", "", locator="#share")

    controls.look(before, action, Observation(before, frozenset()), step=1, state=StateId("A"))
    assert controls.suspects() == (("A", "#share"),)
    controls.look(before, action, Observation(before, frozenset()), step=2, state=StateId("A"))
    assert controls.suspects() == ()


def test_other_gestures_and_unknown_targets_are_left_alone() -> None:
    before = page(button())
    controls = DeadControls()
    for action in (
        Action("hover", "", locator="#share"),
        Action("click", "", locator="#gone"),
        Action("press", ""),
    ):
        for step in (1, 2):
            controls.look(before, action, Observation(before, frozenset()), step=step, state=StateId("A"))

    assert controls.findings() == ()
    assert controls.suspects() == ()
