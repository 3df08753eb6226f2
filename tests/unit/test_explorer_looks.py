"""Measured looks over a whole run: each rule once, in the report and in run.json."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bs4 import BeautifulSoup

from explorer.exploration import Exploration
from explorer.looks import WORDS, broken_rules
from explorer.report import render_report
from explorer.summary import run_json
from graph.records import Flaw, Looks
from tests.explorations import ATTACK, exploration


def flaw(rule: str, element: str = "p “x”", detail: str = "contrast 2.0") -> Flaw:
    return Flaw(rule, element, "p", detail)


def looked(*looks: Looks) -> Exploration:
    """A run whose first new states look like this."""
    run = exploration()
    left = list(looks)
    steps = [
        replace(step, looks=left.pop(0)) if step.new_state and left else step for step in run.trace.steps
    ]
    assert not left
    return replace(run, trace=replace(run.trace, steps=tuple(steps)))


RUN = looked(
    Looks((flaw("low-contrast"), flaw("low-contrast", "a “y”")), (("low-contrast", 7), ("tiny-text", 1))),
    Looks((flaw("low-contrast"),), (("low-contrast", 2),), checks=("rules", "axe 4.12.1")),
    Looks((flaw("axe:list", "ul", "Lists must be lists (serious impact)"),), (("axe:list", 1),)),
)


def section(run: Exploration) -> Any:
    return BeautifulSoup(render_report(run), "lxml").find(id="looks")


def test_rules_are_gathered_over_states_the_commonest_first() -> None:
    rules = broken_rules(RUN.trace.steps)
    assert [(rule.name, rule.worst, rule.states) for rule in rules] == [
        ("low-contrast", 7, 2),
        ("axe:list", 1, 1),
        ("tiny-text", 1, 1),
    ]
    assert [example.element for _, example in rules[0].examples] == ["p “x”", "a “y”"]
    assert rules[1].words == "Lists must be lists (serious impact)"
    assert rules[0].words == WORDS["low-contrast"]


def test_the_report_lists_them_with_examples_that_lead_to_states() -> None:
    root = section(RUN)
    text = " ".join(root.get_text(" ").split())
    assert "3 states measured, the first ones by axe 4.12.1 too" in text
    assert "texts with too little contrast low-contrast 7 in one of 2 states" in text
    assert root.select_one("tbody a.chip")["href"].startswith("#state-")
    assert run_json(RUN)["looks"] == {"low-contrast": 7, "axe:list": 1, "tiny-text": 1}


def test_what_breaks_nothing_is_said_and_what_was_not_measured_is_not() -> None:
    assert "No rule is broken." in section(looked(Looks(texts=3))).get_text()
    root = BeautifulSoup(render_report(exploration()), "lxml")
    assert root.find(id="looks") is None
    assert not root.select('nav a[href="#looks"]')


def test_no_text_of_an_app_becomes_markup() -> None:
    root = section(looked(Looks((flaw("low-contrast", ATTACK, ATTACK),), (("low-contrast", 1),))))
    assert not root.select("script, img, iframe, svg")
