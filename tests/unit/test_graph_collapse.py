"""From trace to graph: nodes, edges, and what is counted on them."""

from __future__ import annotations

from typing import Any

import networkx
import pytest

from graph.collapse import collapse, start_of
from graph.normalize import Normalizer
from graph.records import Action, Finding, Snapshot, Step, Target, Trace, TraceHead
from graph.wording import describe, gesture


def target(locator: str, *, disabled: bool = False) -> Target:
    return Target("e1", "button", "button", locator, "f", 0, locator, (0, 0, 1, 1), disabled=disabled)


def snapshot(html: str, *locators: str, canvas: str = "") -> Snapshot:
    return Snapshot("/p", "Page", html, html, tuple(target(locator) for locator in locators), canvas=canvas)


def click(locator: str, *, reason: str = "") -> Action:
    return Action("click", reason, locator=locator, role="button", name=locator)


def step(index: int, action: Action | None, before: str, after: str, **more: Any) -> Step:
    return Step(index, action, before, after, "/p", f"Title {after}", more.pop("gain", 0), (), **more)


def trace(*steps: Step, abstraction: str = "list") -> Trace:
    return Trace(TraceHead(1, "./dist", 0, 100, "guided", "built-in", abstraction, 10), steps, "budget")


def test_edges_from_different_states_into_one_are_both_kept() -> None:
    graph = collapse(
        trace(
            step(0, None, "", "A"),
            step(1, click("x"), "A", "C"),
            step(2, click("y"), "C", "B"),
            step(3, click("x"), "B", "C"),
        )
    )

    assert {(source, target) for source, target in graph.edges()} == {("A", "C"), ("C", "B"), ("B", "C")}
    assert start_of(graph) == "A"


def test_the_same_gesture_is_one_edge_with_all_its_steps() -> None:
    graph = collapse(
        trace(
            step(0, None, "", "A"),
            step(1, click("x", reason="new"), "A", "B", gain=3, findings=(Finding("exception", "e", "e"),)),
            step(2, None, "B", "A", replayed=True),
            step(3, click("x", reason="again"), "A", "B", gain=1, replayed=True),
        )
    )

    [(_, _, edge)] = graph.edges(data=True)
    assert edge == {
        "action": 'click button "x"',
        "kind": "click",
        "name": "x",
        "value": "",
        "gain": 4,
        "findings": 1,
        "steps": (1, 3),
        "count": 2,
        "replayed": 1,
    }


def test_different_gestures_between_the_same_states_stay_apart() -> None:
    fill = Action("fill", "", locator="x", value="a")
    graph = collapse(
        trace(
            step(0, None, "", "A"),
            step(1, click("x"), "A", "A"),
            step(2, click("y"), "A", "A"),
            step(3, fill, "A", "A"),
            step(4, Action("fill", "", locator="x", value="b"), "A", "A"),
        )
    )

    assert graph.number_of_edges("A", "A") == 4


def test_one_gesture_that_leads_to_two_states_is_two_edges() -> None:
    graph = collapse(
        trace(
            step(0, None, "", "A"),
            step(1, click("x"), "A", "B"),
            step(2, click("y"), "B", "A"),
            step(3, click("x"), "A", "C"),
        )
    )

    assert sorted(graph.successors("A")) == ["B", "C"]


def test_nodes_carry_what_was_seen_there() -> None:
    graph = collapse(
        trace(
            step(
                0,
                None,
                "",
                "A",
                gain=5,
                new_state=True,
                snapshot=snapshot("<p>a</p>", "x", "y", "z"),
                screenshot="0.jpg",
            ),
            step(1, click("x"), "A", "A", gain=2),
            step(2, Action("fill-form", "", fields=(("y", "1"),)), "A", "B", gain=1),
        )
    )

    node = graph.nodes["A"]
    assert len(node.pop("outline")) == 16
    assert node == {
        "url": "/p",
        "title": "Title A",
        "first_step": 0,
        "screenshot": "0.jpg",
        "visits": 2,
        "basis": "outline",
        "targets": 3,
        "untried": 1,
        "gain": 7,
        "near": "",
        "name": "N1",
    }
    assert graph.nodes["B"]["outline"] == ""


def test_what_could_not_be_performed_or_is_disabled_is_not_counted_as_tried_or_untried() -> None:
    page = Snapshot("/", "", "<p>", "d", (target("x"), target("off", disabled=True)))
    graph = collapse(
        trace(step(0, None, "", "A", snapshot=page), step(1, click("x"), "A", "A", performed=False))
    )

    assert graph.nodes["A"]["untried"] == 1


def test_canvas_states_say_so() -> None:
    graph = collapse(trace(step(0, None, "", "A", snapshot=snapshot("<canvas></canvas>", canvas="c1"))))

    assert graph.nodes["A"]["basis"] == "canvas"


def test_near_duplicates_are_marked_not_merged() -> None:
    rows = "".join(f"<div class=c{chr(97 + number)}>x</div>" for number in range(26))
    steps = [
        step(0, None, "", "A", snapshot=snapshot(f"<main>{rows}</main>")),
        step(1, click("x"), "A", "B", snapshot=snapshot(f"<main>{rows}<p>Error</p></main>")),
        step(2, click("y"), "B", "C", snapshot=snapshot("<form><input></form>")),
    ]
    graph = collapse(trace(*steps))

    assert [graph.nodes[state]["near"] for state in "ABC"] == ["near-1", "near-1", ""]
    assert graph.number_of_nodes() == 3


def test_the_runs_own_outlines_are_taken_where_they_are_given() -> None:
    steps = [step(0, None, "", "A", snapshot=snapshot("<p>x</p>"))]
    plain = collapse(trace(*steps))
    given = collapse(trace(*steps), outline_of=lambda _: ("other", "canvas"))

    assert networkx.utils.graphs_equal(collapse(trace(*steps), outline_of=Normalizer().outline), plain)
    assert (given.nodes["A"]["basis"], plain.nodes["A"]["basis"]) == ("canvas", "outline")
    assert given.nodes["A"]["outline"] != plain.nodes["A"]["outline"]


def test_a_lost_page_has_no_edge_to_nowhere() -> None:
    graph = collapse(trace(step(0, None, "", "A"), step(1, click("x"), "A", "", liveness="crashed")))

    assert list(graph.nodes) == ["A"]
    assert graph.number_of_edges() == 0


def test_an_empty_trace_is_an_empty_graph() -> None:
    graph = collapse(trace())

    assert graph.number_of_nodes() == 0
    assert start_of(graph) == ""


def test_the_same_trace_gives_the_same_graph() -> None:
    steps = [step(0, None, "", "A"), step(1, click("x"), "A", "B"), step(2, click("y"), "A", "B")]

    assert networkx.utils.graphs_equal(collapse(trace(*steps)), collapse(trace(*steps)))


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (Action("click", "", role="button", name="Save"), 'click button "Save"'),
        (Action("fill", "", role="textbox", name="Name", value="Ada"), 'fill "Ada" into textbox "Name"'),
        (Action("press", "", value="Escape"), 'press "Escape"'),
        (Action("press", "", role="textbox", name="Name", value="Enter"), 'press "Enter" on textbox "Name"'),
        (
            Action("fill-form", "", role="button", name="Send", fields=(("#a", "1"), ("#b", "2"))),
            'fill-form button "Send" with "1", "2"',
        ),
        (Action("scroll", "", value="0,600"), 'scroll "0,600"'),
        (Action("reload", ""), "reload"),
        (Action("click", "", role="link", name="x" * 100), f'click link "{"x" * 59}…"'),
    ],
)
def test_actions_in_words(action: Action, words: str) -> None:
    assert describe(action) == words


def test_the_reason_is_no_part_of_the_gesture() -> None:
    assert gesture(click("x", reason="a")) == gesture(click("x", reason="b"))
    assert gesture(click("x")) != gesture(click("y"))
