"""The shortest seen way to a finding."""

from __future__ import annotations

from explorer.paths import shortest_ways, with_shortest_paths
from graph.records import Action, ActionKind, Finding, Step


def step(index: int, before: str, after: str, kind: ActionKind | None = "click", **more: object) -> Step:
    action = Action(kind, "") if kind else None
    return Step(index, action, before, after, "/", "", 0, (), **more)  # type: ignore[arg-type]


WALK = [
    step(0, "", "a", None),
    step(1, "a", "b"),
    step(2, "b", "c"),
    step(3, "c", "a"),
    step(4, "a", "c"),
    step(5, "c", "d"),
    step(6, "d", "d"),
]


def test_the_path_is_the_shortest_one_through_the_states_then_the_culprit() -> None:
    finding = Finding("exception", "x", "x", step=6, state="d", path=(0, 1, 2, 3, 4, 5, 6))

    assert [item.path for item in with_shortest_paths([finding], WALK)] == [(0, 4, 5, 6)]


def test_of_equal_ways_the_earliest_is_taken_and_nothing_is_made_longer() -> None:
    ways = shortest_ways([*WALK, step(7, "a", "c"), step(8, "", "d", None)])

    assert ways == {"a": (0,), "d": (8,), "b": (0, 1), "c": (0, 4)}
    kept = Finding("exception", "x", "x", step=4, path=(0, 4))
    assert with_shortest_paths([kept], WALK) == (kept,)


def test_steps_that_depend_on_history_or_were_not_made_lead_nowhere() -> None:
    for broken in (
        step(1, "a", "b", "back"),
        step(1, "a", "b", performed=False),
        step(1, "a", "b", liveness="hung"),
    ):
        assert shortest_ways([WALK[0], broken]) == {"a": (0,)}


def test_what_a_load_showed_and_what_no_step_explains_stays() -> None:
    loaded = Finding("exception", "x", "x", step=0, path=(0,))
    odd = Finding("exception", "y", "y", step=99, path=(1, 99))

    assert with_shortest_paths([loaded, odd], WALK) == (loaded, odd)
