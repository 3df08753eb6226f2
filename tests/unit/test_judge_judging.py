"""Judging a case from end to end: which dimensions, who takes over, and what is said about it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from judge.evidence import Case
from judge.judging import JudgeSettings, ModelJudge, judge_case
from judge.records import BUILT_IN, Criterion, Deliberated, Score, Scores, Verdict
from judge.request import ModelReply, ModelRequest
from tests.cases import case, panel
from tests.scriptedmodel import ScriptedModel

CRITERIA = (
    Criterion(id="C1", kind="functional", text="Adding an entry shows it"),
    Criterion(id="C2", kind="content", text="Three plans are named"),
)
GONE = ModelReply("unavailable", reason="the key was revoked", lasting=True)
TIRED = ModelReply("unavailable", reason="overloaded")


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Case:
    return case(tmp_path_factory.mktemp("run"))


class StandIn:
    """A built-in judge with fixed scores."""

    name = BUILT_IN
    lost = ""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def score(self, case: Case, dimension: Deliberated) -> Score:
        self.asked.append(dimension)
        return Score(dimension=dimension, value=42.0, status="scored", judge=self.name, protocol="heuristic")

    async def verdicts(self, case: Case, criteria: Sequence[Criterion]) -> tuple[Verdict, ...]:
        self.asked += [criterion.id for criterion in criteria]
        return tuple(
            Verdict(criterion=each, met=None, reason="takes a model", judge=self.name) for each in criteria
        )


def everything(request: ModelRequest) -> object:
    """A panel that gives 60 and an alignment judge that reads the first page and finds all there."""
    if request.role != "alignment":
        return panel()(request)
    looked = "<result" in request.question
    return {
        "action": "verdict" if looked else "read",
        "pattern": "",
        "where": "N1",
        "page": 1,
        "met": True,
        "evidence": ["N1"],
        "quote": "",
        "analysis": "there",
        "confidence": 1,
    }


def until(number: int, then: ModelReply = GONE) -> Callable[[ModelRequest], object]:
    """Answers that many requests, and no more."""
    left = number

    def brain(request: ModelRequest) -> object:
        nonlocal left
        left -= 1
        return everything(request) if left >= 0 else then

    return brain


def judged(
    notes: Case, brain: Any, *, fallback: bool = True, **settings: Any
) -> tuple[Scores, StandIn, ScriptedModel]:
    model, stand_in, chosen = ScriptedModel(brain), StandIn(), JudgeSettings(**settings)
    criteria = () if settings.get("dimensions") == ("usability",) else CRITERIA
    scores = asyncio.run(
        judge_case(
            notes,
            ModelJudge(model, settings=chosen),
            criteria=criteria,
            fallback=stand_in if fallback else None,
            settings=chosen,
        )
    )
    return scores, stand_in, model


def values(scores: Scores) -> dict[str, float | None]:
    return {score.dimension: score.value for score in scores.scores}


def test_all_five_scores_come_of_one_judge(notes: Case) -> None:
    scores, stand_in, model = judged(notes, everything)
    assert values(scores) == {
        "aesthetics": 60.0,
        "usability": 60.0,
        "functional": 100.0,
        "content": 100.0,
        "visual": None,
    }
    assert scores.judge == "scripted" and scores.protocol == "deliberation" and scores.notes == ()
    assert stand_in.asked == []
    assert len(model.requests) == 7 + 7 + 4


def test_only_the_dimensions_that_were_asked_for(notes: Case) -> None:
    scores, _, model = judged(notes, everything, dimensions=("usability",))
    assert values(scores) == {"usability": 60.0} and len(model.requests) == 7
    scores, _, model = judged(notes, everything, dimensions=("content", "aesthetics"))
    assert values(scores) == {"aesthetics": 60.0, "content": 100.0}
    assert [verdict.criterion.id for verdict in scores.verdicts] == ["C2"]


def test_without_criteria_alignment_is_not_told_of(notes: Case) -> None:
    scores = asyncio.run(judge_case(notes, ModelJudge(ScriptedModel(everything))))
    assert list(values(scores)) == ["aesthetics", "usability"]


def test_single_round_asks_once_each(notes: Case) -> None:
    scores, _, model = judged(notes, everything, single_round=True, dimensions=("aesthetics", "usability"))
    assert scores.protocol == "single-round" and len(model.requests) == 2
    assert {score.protocol for score in scores.scores} == {"single-round"}


@pytest.mark.parametrize("answered", range(19))
def test_key_that_is_removed_at_any_request_leaves_a_whole_result(notes: Case, answered: int) -> None:
    scores, _, _ = judged(notes, until(answered))
    assert len(scores.scores) == 5
    by = {score.dimension: score.judge for score in scores.scores}
    # Three valid goes of the judge are a score: 2 sides and 3 goes.
    assert by["aesthetics"] == ("scripted" if answered >= 5 else BUILT_IN)
    assert by["usability"] == ("scripted" if answered >= 12 else BUILT_IN)
    fell_back = [note for note in scores.notes if "the key was revoked" in note]
    assert len(fell_back) == (answered < 5) + (answered < 12) + (answered < 18)
    for score in scores.scores:
        assert score.value is not None or score.reason
        assert score.judge != "scripted" or score.value in (60.0, 100.0, None)


def test_without_a_stand_in_it_is_undetermined_and_said(notes: Case) -> None:
    scores, _, _ = judged(notes, until(0), fallback=False)
    assert set(values(scores).values()) == {None}
    assert {score.status for score in scores.scores} == {"undetermined"}
    assert len(scores.notes) == 3 and all("cannot be asked any more" in note for note in scores.notes)


def test_passing_trouble_falls_back_as_well_and_a_refusal_does_not(notes: Case) -> None:
    scores, stand_in, _ = judged(notes, lambda request: TIRED)
    assert stand_in.asked == ["aesthetics", "usability", "C1", "C2"]
    assert len(scores.notes) == 3 and all("overloaded" in note for note in scores.notes)
    scores, stand_in, _ = judged(notes, lambda request: ModelReply("refused", reason="it declined"))
    assert stand_in.asked == [] and scores.notes == ()
    assert [score.status for score in scores.scores[:2]] == ["insufficient", "insufficient"]
    assert [verdict.met for verdict in scores.verdicts] == [None, None]


def test_limit_that_is_spent_falls_back_too(notes: Case) -> None:
    spent = ModelReply(
        "over-limit", reason="the limit of 3 model calls (--max-calls) is reached", lasting=True
    )
    scores, stand_in, _ = judged(notes, until(3, spent), dimensions=("usability",))
    assert values(scores) == {"usability": 42.0} and stand_in.asked == ["usability"]
    assert scores.scores[0].judge == BUILT_IN and "--max-calls" in scores.notes[0]


def test_scores_survive_their_file(notes: Case, tmp_path: Path) -> None:
    from judge.scorefile import load_scores, save_scores

    scores, _, _ = judged(notes, everything)
    save_scores(scores, tmp_path)
    assert load_scores(tmp_path) == scores
