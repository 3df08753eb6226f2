"""The memory of a run's faults: each once, with its count and the steps that lead to it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from explorer.oracles import Oracles
from graph.records import Action, Fault, Observation, Request, Snapshot, StateId, Step, Target

SHARE = Target("e1", "button", "button", "Share", "f|Share", 0, "#share", (0, 0, 9, 9))
PAGE = Snapshot("/", "", "<body><button>Share</button></body>", "d", (SHARE,))
CLICK = Action("click", "", ref="e1", locator="#share")
BOOM = (Fault("boom 1", "boom\n at f (/a.js:1:2)"),)


def look(oracles: Oracles, step: int, action: Action | None = CLICK, **more: Any) -> list[str]:
    observation = Observation(PAGE, frozenset(), **more)
    found = oracles.look(PAGE, action, observation, step=step, state=StateId(f"s{step}"))
    return [finding.kind for finding in found.findings]


def test_a_fault_is_told_once_and_counted() -> None:
    oracles = Oracles()
    look(oracles, 0, None)

    assert look(oracles, 1, faults=BOOM) == ["exception"]
    assert look(oracles, 2, faults=BOOM * 2) == []
    [finding] = [item for item in oracles.all() if item.kind == "exception"]
    assert (finding.step, finding.state, finding.count, finding.path) == (1, "s1", 3, (0, 1))


def test_the_path_begins_at_the_last_load() -> None:
    oracles = Oracles()
    look(oracles, 0, None)
    look(oracles, 1, popups=("/x",))
    look(oracles, 2, None)
    look(oracles, 3)
    look(oracles, 4, faults=BOOM)

    assert [finding.path for finding in oracles.all()] == [(2, 3, 4)]


def test_dead_controls_are_among_all_until_they_work() -> None:
    oracles = Oracles()
    look(oracles, 0, None)
    look(oracles, 1)
    look(oracles, 2)
    [dead] = oracles.all()
    assert (dead.kind, dead.path, dead.count) == ("dead-control", (0, 1), 2)

    look(oracles, 3, popups=("/x",))
    assert oracles.all() == ()


def test_all_is_in_the_order_of_first_steps() -> None:
    oracles = Oracles()
    look(oracles, 0, None)
    look(oracles, 1)
    look(oracles, 2, faults=BOOM)
    look(oracles, 3)
    look(oracles, 4, requests=(Request("GET", "/x", 404),))

    assert [finding.step for finding in oracles.all()] == [2, 4]


def test_hosts_that_were_kept_out_stay_known() -> None:
    oracles = Oracles()
    look(
        oracles,
        0,
        None,
        requests=(Request("GET", "https://cdn.example/a.png", None, "kept in", blocked=True),),
    )

    assert look(oracles, 1, broken_images=("https://cdn.example/a.png",)) == []


def test_a_broken_image_counts_when_it_appears_not_while_it_stays() -> None:
    oracles = Oracles()
    for step, images in enumerate([("/a.png",), ("/a.png",), (), ("/a.png",)]):
        look(oracles, step, CLICK if step else None, broken_images=images)

    assert [finding.count for finding in oracles.all() if finding.kind == "broken-image"] == [2]


def test_the_failed_request_of_an_image_that_stays_broken_is_no_finding() -> None:
    oracles = Oracles()
    look(oracles, 0, None, broken_images=("/a.png",))

    assert look(oracles, 1, broken_images=("/a.png",), requests=(Request("GET", "/a.png", 404),)) == []


def test_sources_are_mapped() -> None:
    oracles = Oracles(lambda path, line, column: f"src/App.tsx:{line}:{column}")
    look(oracles, 0, None, faults=BOOM)

    assert oracles.all()[0].source == "src/App.tsx:1:2"


def test_what_is_known_at_the_end_comes_back_from_the_steps() -> None:
    first = Oracles()
    shown: list[dict[str, Any]] = [{}, {}, {"faults": BOOM}, {}, {"faults": BOOM * 2}]
    steps = []
    for index, more in enumerate(shown):
        action = CLICK if index else None
        verdict = first.look(
            PAGE, action, Observation(PAGE, frozenset(), **more), step=index, state=StateId(f"s{index}")
        )
        step = Step(index, action, "", f"s{index}", "/", "", 0, ())
        steps.append(replace(step, findings=verdict.findings, again=verdict.again, click=verdict.click))

    second = Oracles()
    second.resume(steps)
    assert second.all() == first.all()
    assert [(item.kind, item.step, item.count) for item in second.all()] == [("exception", 2, 3)]
    assert look(second, 5, faults=BOOM) == [], "known faults are told no more"

    third = Oracles()
    third.resume(steps[:2])
    assert third.suspects() == (("s1", "#share"),)
    third.resume([replace(steps[1], index=2)])
    assert [(item.kind, item.step, item.count) for item in third.all()] == [("dead-control", 1, 2)]
