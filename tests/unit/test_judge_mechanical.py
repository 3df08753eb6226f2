"""Criteria that can be checked without judgement are; all others are undetermined, never guessed."""

import pytest

from judge.mechanical import check
from judge.records import Criterion, Verdict
from tests.judged import busy, button, page, run, step

STATES = [
    *busy(1),
    step(2, "a", "b", new_state=True, snapshot=page("<h1>Total  due</h1><p>42 items</p>", title="Cart")),
    step(
        3, "b", "c", new_state=True, snapshot=page(targets=[button("Add item"), button("Home", role="link")])
    ),
]


def checked(text: str) -> Verdict:
    return check(Criterion(id="c1", kind="content", text=text), run(STATES))


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ('The page shows the text "total due".', "N2"),
        ("The app displays “42 items”", "N2"),
        ("It contains the heading 'Total due'", "N2"),
        ('The page is titled "Cart"', "N2"),
        ('There is a button labelled "Add"', "N3"),
        ("The page has a link “home”", "N3"),
    ],
)
def test_what_is_there_is_met_with_the_state_that_shows_it(text: str, node: str) -> None:
    verdict = checked(text)
    assert verdict.met is True
    assert verdict.citations == (node,)
    assert verdict.judge == "heuristic"


@pytest.mark.parametrize(
    "text", ['The page shows "Total paid"', 'There is a button "Home"', 'The page is titled "Car"']
)
def test_what_is_nowhere_is_not_met_and_says_how_much_was_looked_at(text: str) -> None:
    verdict = checked(text)
    assert verdict.met is False
    assert verdict.citations == ()
    assert "3 recorded states" in verdict.analysis
    assert verdict.confidence == 0.5


@pytest.mark.parametrize(
    "text",
    [
        'Clicking "Add item" shows "Total due"',
        "The page shows a list of items",
        'The page shows "Total due" in red',
        "The app works",
    ],
)
def test_what_takes_judgement_is_undetermined(text: str) -> None:
    verdict = checked(text)
    assert verdict.met is None
    assert "no model" in verdict.reason
