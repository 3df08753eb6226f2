"""What provably did nothing, and all that may have done something."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from explorer.inert import did_nothing, took_focus
from graph.records import (
    Action,
    ActionKind,
    Dialog,
    Effects,
    Fault,
    Field,
    Handler,
    Message,
    Observation,
    PageHandler,
    Request,
    Snapshot,
    Target,
    Timer,
)

BUTTON = Target(
    "e1", "button", "button", "Share", "main>button", 0, "#share", (0, 0, 80, 30), (Handler("click", 5),)
)
PAGE = Snapshot("/", "App", "<button>", "d1", (BUTTON,), timers=(Timer(500, 3),))


def nothing(
    kind: ActionKind = "click", *, before: Snapshot = PAGE, after: Snapshot | None = None, **more: Any
) -> bool:
    action = Action(kind, "", locator=more.pop("locator", "#share"))
    observation = Observation(after or before, **{"hits": frozenset(), "ran": False, **more})
    return did_nothing(before, action, observation)


@pytest.mark.parametrize(
    "kind", ["click", "double-click", "right-click", "hover", "scroll", "wheel", "drag", "press"]
)
def test_a_gesture_that_nothing_came_of_did_nothing(kind: ActionKind) -> None:
    assert nothing(kind)


def test_a_timer_that_is_nearer_now_is_no_change() -> None:
    assert nothing(after=replace(PAGE, timers=(Timer(400, 3),)))


def test_a_gesture_that_could_not_be_made_did_nothing_whatever_it_was() -> None:
    assert nothing("fill", performed=False, failure="it is gone", locator="")
    assert not nothing("fill", performed=False, after=replace(PAGE, digest="d2"), locator="")


@pytest.mark.parametrize(
    "kind", ["fill", "fill-form", "type", "check", "select", "upload", "slide", "submit"]
)
def test_a_field_that_was_filled_in_stays_on_the_way(kind: ActionKind) -> None:
    assert not nothing(kind)


@pytest.mark.parametrize(
    "kind", ["advance-time", "network", "storage", "resize", "back", "forward", "reload"]
)
def test_what_changes_the_world_around_the_page_stays(kind: ActionKind) -> None:
    assert not nothing(kind) and not nothing(kind, performed=False)


@pytest.mark.parametrize(
    "seen",
    [
        {"ran": True},
        {"hits": frozenset({1})},
        {"liveness": "hung"},
        {"effects": Effects(mutations=1)},
        {"effects": Effects(storage=1)},
        {"effects": Effects(media=1)},
        {"messages": (Message("log", "hm"),)},
        {"faults": (Fault("boom"),)},
        {"requests": (Request("GET", "/x", 404),)},
        {"dialogs": (Dialog("alert", "hm", True),)},
        {"downloads": ("a.txt",)},
        {"popups": ("/new",)},
        {"overlay": "Error"},
    ],
)
def test_what_set_anything_off_did_something(seen: dict[str, Any]) -> None:
    assert not nothing(**seen)


@pytest.mark.parametrize(
    "change",
    [
        {"digest": "d2"},
        {"url": "/#x"},
        {"title": "Other"},
        {"viewport": (390, 844)},
        {"scroll": (0, 10)},
        {"canvas": "c2"},
        {"focus": "e9"},
        {"timers": ()},
        {"page_handlers": (PageHandler("keydown", 1),)},
        {"targets": (replace(BUTTON, field=Field("text", value="x")),)},
    ],
)
def test_a_page_that_is_another_was_changed(change: dict[str, Any]) -> None:
    assert not nothing(after=replace(PAGE, **change))


def test_code_without_counters_may_have_run_unseen() -> None:
    unseen = replace(PAGE, targets=(replace(BUTTON, handlers=(Handler("click", None),)),))
    assert not nothing(before=unseen)
    assert not nothing(before=replace(PAGE, page_handlers=(PageHandler("click", None),)))
    assert not nothing(locator="#gone"), "what it was made on is not known"
    assert nothing(before=unseen, locator="")


def test_the_focus_may_come_to_what_was_acted_on() -> None:
    there = replace(PAGE, focus="e1")
    assert nothing(after=there) and took_focus(Action("click", "", locator="#share"), there)
    assert not nothing(before=there, after=PAGE), "it left, to who knows where"
    assert not took_focus(Action("click", "", locator="#share"), PAGE)
    assert not took_focus(Action("press", ""), there)


def test_a_key_in_a_field_may_have_moved_the_cursor() -> None:
    assert not nothing("press", before=replace(PAGE, focus="e1"))
