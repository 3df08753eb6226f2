"""The way that was walked to a finding, and the shorter one that may lead there as well."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from explorer.deadcontrols import identity_of
from explorer.paths import composed, shortest_ways, with_walked_paths
from graph.records import Action, ActionKind, ControlClick, Finding, Step

FAULT = Finding("exception", "x", "x")


def step(index: int, before: str, after: str, kind: ActionKind | None = "click", **more: Any) -> Step:
    action = Action(kind, "") if kind else None
    return Step(index, action, before, after, "/", "", 0, (), **more)


WALK = [
    step(0, "", "a", None),
    step(1, "a", "b"),
    step(2, "b", "c"),
    step(3, "c", "a"),
    step(4, "a", "c"),
    step(5, "c", "d"),
    step(6, "d", "d"),
]


def shown(at: int, walk: list[Step], *, again: tuple[int, ...] = ()) -> list[Step]:
    """The walk with a fault first seen at one step and seen again at others."""
    first = replace(FAULT, step=at)
    return [
        replace(each, findings=(first,))
        if each.index == at
        else replace(each, again=(("x", 1),))
        if each.index in again
        else each
        for each in walk
    ]


def path(at: int, walk: list[Step], *, again: tuple[int, ...] = ()) -> tuple[int, ...]:
    [found] = with_walked_paths([replace(FAULT, step=at, path=(99,))], shown(at, walk, again=again))
    return found.path


def test_a_path_is_what_was_walked_since_the_load_though_states_came_back() -> None:
    assert path(6, WALK) == (0, 1, 2, 3, 4, 5, 6)


def test_only_what_provably_did_nothing_is_left_out() -> None:
    walk = [replace(each, inert=each.index in (2, 3, 6)) for each in WALK]
    assert path(6, walk) == (0, 1, 4, 5, 6), "the step that showed it stays"
    failed = [replace(each, performed=each.index != 2) for each in WALK]
    assert path(6, failed) == (0, 1, 2, 3, 4, 5, 6), "a gesture that failed may have done a part of it"


def test_what_only_took_the_focus_is_left_out_before_what_takes_it_too() -> None:
    at = {2: {"inert": True, "focused": True}, 3: {"inert": True, "focused": True}, 4: {"inert": True}}
    walk = [replace(each, **at.get(each.index, {})) for each in WALK]  # type: ignore[arg-type]
    assert path(5, walk) == (0, 1, 3, 5), "a key goes where the focus is"
    assert path(5, [replace(each, focused=each.index in (2, 3, 5)) for each in walk]) == (0, 1, 5)


def test_a_load_begins_anew_and_steps_made_again_count() -> None:
    again = [step(7, "d", "a", None), step(8, "a", "c", replayed=True), step(9, "c", "d")]
    assert path(9, [*WALK, *again]) == (7, 8, 9)
    assert path(7, [*WALK, *again]) == (7,)


def test_of_several_walks_to_the_same_fault_the_shortest_is_taken_and_of_equal_ones_the_earliest() -> None:
    walk = [*WALK, step(7, "d", "a", None), step(8, "a", "d"), step(9, "d", "a", None), step(10, "a", "d")]
    assert path(6, walk, again=(8, 10)) == (7, 8)
    assert path(2, walk, again=(6,)) == (0, 1, 2)


def test_a_dead_control_is_got_to_by_the_nearest_click_that_did_nothing() -> None:
    click = ControlClick("button|Share", 'button "Share"', "#share", handled=False, silent=True)
    dead = Finding("dead-control", identity_of("button|Share"), "x", step=6, path=(0, 6))
    walk = [
        replace(each, click=click, inert=True)
        if each.index in (4, 6)
        else replace(each, click=replace(click, silent=False))
        if each.index == 1
        else each
        for each in WALK
    ]
    assert [found.path for found in with_walked_paths([dead], walk)] == [(0, 1, 2, 3, 4)]


def test_what_no_step_explains_stays() -> None:
    odd = Finding("exception", "y", "y", step=99, path=(1, 99))
    assert with_walked_paths([odd], WALK) == (odd,)


# --- ways that may work as well


def test_the_composed_way_is_the_shortest_through_the_states() -> None:
    assert composed(replace(FAULT, step=6, path=(0, 1, 2, 3, 4, 5, 6)), WALK) == (0, 4, 5, 6)


@pytest.mark.parametrize("fault", [(0, (0,)), (4, (0, 4)), (99, (1, 99))])
def test_a_composed_way_that_is_no_shorter_is_none(fault: tuple[int, tuple[int, ...]]) -> None:
    at, known = fault
    assert composed(replace(FAULT, step=at, path=known), WALK) == ()


def test_of_equal_ways_the_earliest_is_taken() -> None:
    ways = shortest_ways([*WALK, step(7, "a", "c"), step(8, "", "d", None)])
    assert ways == {"a": (0,), "d": (8,), "b": (0, 1), "c": (0, 4)}


def test_steps_that_depend_on_history_or_were_not_made_lead_nowhere() -> None:
    for broken in (
        step(1, "a", "b", "back"),
        step(1, "a", "b", performed=False),
        step(1, "a", "b", liveness="hung"),
    ):
        assert shortest_ways([WALK[0], broken]) == {"a": (0,)}
