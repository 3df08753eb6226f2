"""The report's scores: every aspect with its reason and citations that lead somewhere, claims, what was dropped, criteria."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bs4 import BeautifulSoup

from explorer.report import render_report
from explorer.summary import run_json
from judge.records import (
    AspectScore,
    Claim,
    Criterion,
    Dropped,
    Opinion,
    Sample,
    Score,
    Scores,
    Verdict,
)
from tests.explorations import ATTACK, exploration

DROPPED = Dropped(by="critic", text="it is slow", reason="S999 does not exist", citations=("S999",))
SCORES = Scores(
    judge="some-model",
    warnings=("The judge is of the tester's own family.",),
    notes=("usability fell back",),
    scores=(
        Score(
            dimension="aesthetics",
            value=61.5,
            status="scored",
            judge="some-model",
            base=3.0,
            aspects=(
                AspectScore(
                    aspect="first-impression",
                    adjustment=0.25,
                    reason="calm and clear",
                    citations=("P1", "S2", "N3", "E1", "S999"),
                ),
            ),
            samples=(
                Sample(number=1, status="ok", total=3.25),
                Sample(number=2, status="refused", reason="declined"),
            ),
            opinions=(
                Opinion(by="advocate", claims=(Claim(text="it is tidy", citations=("P1",), quote="Notes"),)),
                Opinion(by="critic", status="refused", reason="declined"),
            ),
            dropped=(DROPPED,),
        ),
        Score(dimension="usability", value=None, status="insufficient", reason="2 valid goes of 5"),
        Score(
            dimension="functional",
            value=50.0,
            status="scored",
            judge="some-model",
            met=1,
            determined=2,
            undetermined=1,
        ),
    ),
    verdicts=(
        Verdict(
            criterion=Criterion(id="c1", kind="functional", text="A note can be added"),
            met=True,
            citations=("S2",),
            analysis="it appears",
            confidence=0.9,
        ),
        Verdict(
            criterion=Criterion(id="c2", kind="content", text="Shows prices"), met=None, reason="no model"
        ),
        Verdict(criterion=Criterion(id="c3", kind="visual", text="Is blue"), met=False, analysis="it is red"),
    ),
)


def section(scores: Scores | None = SCORES) -> Any:
    root = BeautifulSoup(render_report(replace(exploration(), scores=scores)), "lxml")
    return root.find(id="scores")


def told(scores: Scores = SCORES) -> str:
    return " ".join(section(scores).get_text(" ").split())


def test_a_run_that_was_not_judged_has_no_scores() -> None:
    root = BeautifulSoup(render_report(exploration()), "lxml")
    assert root.find(id="scores") is None
    assert not root.select('nav a[href="#scores"]')
    assert run_json(exploration())["scores"] is None


def test_each_dimension_has_its_value_or_the_reason_why_not() -> None:
    root = section()
    tiles = [" ".join(tile.get_text(" ").split()) for tile in root.select(".tile")]
    assert tiles == [
        "Aesthetics 61.5 of 100 · some-model",
        "Usability – insufficient: 2 valid goes of 5",
        "Functional 50.0 1 of 2 criteria met, 1 undetermined",
    ]


def test_citations_lead_to_what_they_name() -> None:
    root = BeautifulSoup(render_report(replace(exploration(), scores=SCORES)), "lxml")
    row = root.select_one("#scores tbody tr")
    assert row is not None
    links = {chip.get_text(): chip.get("href") for chip in row.select(".chip")}
    assert links["S2"] == "#step-2"
    assert links["N3"] == "#state-2"
    assert links["P1"] == "#state-0"
    assert links["S999"] is None  # leads nowhere, and does not pretend to
    ids = {element["id"] for element in root.select("[id]")}
    drawn = {f"state-{number}" for number in range(12)}
    for place in links.values():
        assert place is None or str(place)[1:] in ids | drawn


def test_arithmetic_claims_and_what_was_dropped_are_shown() -> None:
    text = told()
    assert "base 3.00 of 5 · totals 3.25 · 1 go without a total (declined) · score 61.5" in text
    assert "first impression +0.25 calm and clear" in text
    assert "The advocate: 1 claim" in text
    assert "no opinion (refused: declined)" in text
    assert "1 claim dropped" in text
    assert "dropped: S999 does not exist" in text
    assert "own family" in text
    assert "usability fell back" in text


def test_criteria_are_met_or_not_or_undetermined() -> None:
    root = section()
    rows = [
        [cell.get_text(" ").strip() for cell in row.select("th, td")]
        for row in root.select("tbody")[-1].select("tr")
    ]
    assert [row[1] for row in rows] == ["yes", "undetermined", "no"]
    assert rows[0][2].startswith("it appears · confidence 90%")
    assert rows[1][2].startswith("no model")


def test_the_built_in_judge_is_called_heuristic_everywhere() -> None:
    score = Score(dimension="usability", value=70.0, status="scored", judge="heuristic", protocol="heuristic")
    text = told(Scores(judge="heuristic", protocol="heuristic", scores=(score,)))
    assert "the built-in judge (heuristic)" in text
    assert "of 100 · heuristic" in text


def test_no_text_of_a_model_becomes_markup() -> None:
    aspect = AspectScore(aspect=ATTACK, adjustment=0, reason=ATTACK, citations=(ATTACK,))
    score = SCORES.scores[0].model_copy(update={"aspects": (aspect,), "notes": (ATTACK,)})
    root = section(SCORES.model_copy(update={"scores": (score,), "warnings": (ATTACK,)}))
    assert not root.select("script, img, iframe, svg")
    assert ATTACK[:5] in root.get_text()


def test_run_json_has_the_scores_in_short() -> None:
    row = run_json(replace(exploration(), scores=SCORES))["scores"]
    assert row["aesthetics"] == {"value": 61.5, "status": "scored"}
    assert row["usability"] == {"value": None, "status": "insufficient"}
    assert row["judge"] == "some-model"
