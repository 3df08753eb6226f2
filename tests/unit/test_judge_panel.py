"""Deliberation: who is asked what, how goes become a score, and what happens when goes are missing."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pydantic import ValidationError

from judge.aspects import AESTHETICS, USABILITY
from judge.evidence import Case
from judge.panel import deliberate, score_at_once
from judge.panelreply import PanelReply
from judge.records import Score
from judge.request import ModelReply, ModelRequest
from tests.cases import Asked, asked, case, claims, flat, judgement, panel
from tests.scriptedmodel import ScriptedModel


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Case:
    return case(tmp_path_factory.mktemp("run"))


def score(
    notes: Case, brain: Callable[[Any], object], dimension: Any = "usability"
) -> tuple[Score, ScriptedModel]:
    model = ScriptedModel(brain)
    return asyncio.run(deliberate(model, notes.evidence, dimension)), model


def totals(*each: float) -> Callable[[Any], object]:
    """A panel whose judge gives these totals, go by go."""
    return panel(judge=lambda told: judgement(told, each[told.sample]))


def test_exact_score_of_known_goes(notes: Case) -> None:
    found, _ = score(notes, totals(1, 2, 3, 4, 5))
    assert (found.value, found.status, found.base) == (60.0, "scored", 3.0)
    assert [sample.total for sample in found.samples] == [1, 2, 3, 4, 5]
    assert found.judge == "scripted" and found.protocol == "deliberation"


def test_exact_score_of_seeded_judges(notes: Case) -> None:
    random = Random(11)
    for _ in range(20):
        bases = [random.randint(0, 50) / 10 for _ in range(5)]
        amounts = [{name: random.randint(-10, 10) / 10 for name in USABILITY.names} for _ in range(5)]

        def judge(
            told: Asked, bases: list[float] = bases, amounts: list[dict[str, float]] = amounts
        ) -> dict[str, Any]:
            return judgement(told, bases[told.sample], amounts[told.sample])

        sums = sorted(
            min(5, max(0, math.fsum([b, *a.values()]))) for b, a in zip(bases, amounts, strict=True)
        )
        found, _ = score(notes, panel(judge=judge))
        assert found.value == pytest.approx(20 * sum(sums[1:4]) / 3, abs=0.006)


def test_seven_requests_with_one_prefix_and_the_first_ones_alone(notes: Case) -> None:
    found, model = score(notes, panel())
    roles = [request.role for request in model.requests]
    assert roles == ["advocate", "critic", *["judge"] * 5]
    assert len({(request.system, request.blocks, request.schema) for request in model.requests}) == 1
    assert [request.sample for request in model.requests[2:]] == [0, 1, 2, 3, 4]
    assert len({request.question for request in model.requests[2:]}) == 1
    assert found.value == 60.0


def test_first_go_is_awaited_before_the_others_start(notes: Case) -> None:
    under_way, most = 0, []

    class Counting(ScriptedModel):
        async def ask(self, request: ModelRequest) -> ModelReply:
            nonlocal under_way
            under_way += 1
            most.append((request.role, request.sample, under_way))
            await asyncio.sleep(0)
            under_way -= 1
            return await super().ask(request)

    asyncio.run(deliberate(Counting(panel()), notes.evidence, "usability"))
    assert [number for role, sample, number in most if role != "judge" or sample == 0] == [1, 1, 1]
    assert max(number for *_, number in most) == 4


def test_sides_are_asked_for_claims_and_the_judge_sees_what_stands(notes: Case) -> None:
    brain = panel(
        advocate=lambda told: claims(("Adding works", ["S2"], "Milk"), ("It is fast", [], "")),
        critic=lambda told: claims(("Export fails", ["S5", "S99"], ""), ("It says bread", ["S2"], "Bread")),
    )
    found, model = score(notes, brain)
    heard = asked(model.requests[-1]).claims
    assert "Adding works [S2]" in heard and "Export fails [S5]" in heard
    for gone in ("fast", "bread", "S99"):
        assert gone not in heard
    assert [(each.by, each.reason) for each in found.dropped] == [
        ("advocate", "it cites no exhibit"),
        ("critic", "only S99: there is no such exhibit"),
        ("critic", "its quote does not stand in S2"),
    ]
    assert [opinion.by for opinion in found.opinions] == ["advocate", "critic"]


def test_briefs_name_the_seven_aspects_and_riders_of_the_dimension(notes: Case) -> None:
    for dimension, rubric, other in (
        ("usability", USABILITY, AESTHETICS),
        ("aesthetics", AESTHETICS, USABILITY),
    ):
        _, model = score(notes, panel(), dimension)
        for request in model.requests:
            assert all(f"{name}: " in request.question for name in rubric.names)
            assert all(rider in request.question for rider in rubric.riders)
            assert not any(f"{name}: " in request.question for name in other.names)


def test_adjustments_are_clamped_and_said(notes: Case) -> None:
    found, _ = score(notes, panel(judge=lambda told: judgement(told, 9, {"stability": -3, "feedback": 0.5})))
    sample = found.samples[0]
    assert (sample.base, sample.note) == (5.0, "the base 9 was clamped to 5")
    given = {each.aspect: each for each in sample.adjustments}
    assert given["stability"].amount == -1.0 and given["stability"].note == "-3 was clamped to -1"
    assert found.value == 90.0


def test_adjustment_without_evidence_counts_as_nothing(notes: Case) -> None:
    def judge(told: Asked) -> dict[str, Any]:
        answer = judgement(told, 3, {"stability": 1.0, "feedback": -1.0})
        for each in answer["adjustments"]:
            each["citations"] = {"stability": [], "feedback": ["S99"]}.get(each["aspect"], ["S1"])
        return answer

    found, _ = score(notes, panel(judge=judge))
    assert found.value == 60.0
    assert len(found.dropped) == 10
    assert {each.reason for each in found.dropped} == {"it cites no exhibit", "S99: there is no such exhibit"}


def test_aspects_are_known_however_they_are_spelt(notes: Case) -> None:
    def judge(told: Asked) -> dict[str, Any]:
        answer = judgement(told, 3, {"controls-and-input": 0.5})
        for each, spelt in zip(answer["adjustments"], (str.upper, str.title, str.lower) * 3, strict=False):
            each["aspect"] = spelt(each["aspect"].replace("-", " " if each["amount"] else "_"))
        return answer

    found, _ = score(notes, panel(judge=judge))
    assert found.value == 70.0 and tuple(each.aspect for each in found.aspects) == USABILITY.names


def test_base_that_cites_what_is_not_there_is_no_valid_go(notes: Case) -> None:
    found, _ = score(notes, panel(judge=lambda told: judgement(told, 4, cites=["S99"])))
    assert (found.value, found.status) == (None, "insufficient")
    assert "5 invalid (its base cites S99: there is no such exhibit)" in found.reason


def test_judges_own_observations_are_checked_too(notes: Case) -> None:
    def judge(told: Asked) -> dict[str, Any]:
        said = claims(("The list grows", ["S2"], "Milk"), ("It sings", ["S2"], "la la"))
        return {**judgement(told, 3), "claims": said["claims"]}

    found, _ = score(notes, panel(judge=judge))
    assert [each.text for each in found.samples[0].observations] == ["The list grows"]
    assert [each.by for each in found.dropped] == ["judge"] * 5


@pytest.mark.parametrize(("valid", "value"), [(5, 60.0), (4, 50.0), (3, 40.0), (2, None), (0, None)])
def test_three_valid_goes_are_needed(notes: Case, valid: int, value: float | None) -> None:
    def judge(told: Asked) -> object:
        return (
            judgement(told, told.sample + 1)
            if told.sample < valid
            else ModelReply("refused", reason="it declined")
        )

    found, _ = score(notes, panel(judge=judge))  # type: ignore[arg-type]
    assert found.value == value
    assert found.status == ("scored" if value is not None else "insufficient")
    if valid < 5:
        told = f"{5 - valid} refused (it declined)"
        assert told in (found.reason or " ".join(found.notes))


def test_aspects_are_the_mean_of_the_goes_that_count_in_the_words_of_the_middle_one(notes: Case) -> None:
    def judge(told: Asked) -> dict[str, Any]:
        answer = judgement(told, told.sample, {"stability": told.sample / 10})
        for each in answer["adjustments"]:
            each["reason"] = f"go {told.sample}"
        return answer

    found, _ = score(notes, panel(judge=judge))
    given = {each.aspect: each for each in found.aspects}
    assert tuple(given) == USABILITY.names
    assert given["stability"].adjustment == pytest.approx((0.1 + 0.2 + 0.3) / 3, abs=1e-4)
    assert given["stability"].reason == "go 2"


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("refused", "insufficient"),
        ("invalid", "insufficient"),
        ("unavailable", "undetermined"),
        ("over-limit", "undetermined"),
    ],
)
def test_without_one_side_there_is_no_score(notes: Case, status: Any, expected: str) -> None:
    found, model = score(notes, panel(critic=lambda told: ModelReply(status, reason="so it is")))  # type: ignore[arg-type,return-value]
    assert (found.value, found.status) == (None, expected)
    assert "the critic gave no opinion" in found.reason and "so it is" in found.reason
    assert len(model.requests) == 2


def test_goes_that_nobody_answered_leave_it_undetermined(notes: Case) -> None:
    found, _ = score(notes, panel(judge=lambda told: ModelReply("unavailable", reason="no route")))  # type: ignore[arg-type,return-value]
    assert (found.value, found.status) == (None, "undetermined")


def test_side_that_judges_and_judge_that_claims_are_invalid(notes: Case) -> None:
    found, _ = score(notes, panel(advocate=flat(5)))
    assert found.status == "insufficient" and "it judged where it was asked for claims" in found.reason
    found, _ = score(notes, panel(judge=lambda told: claims(("nice", ["S1"], ""))))
    assert (
        found.status == "insufficient" and "it made claims where it was asked for a judgement" in found.reason
    )


def test_no_evidence_asks_nobody(tmp_path: Path) -> None:
    from judge.records import Evidence

    model = ScriptedModel(panel())
    for dimension in ("aesthetics", "usability"):
        found = asyncio.run(deliberate(model, Evidence(()), dimension))
        assert (found.value, found.status) == (None, "insufficient") and found.reason
    assert model.requests == []


def test_single_round_is_the_judges_brief_without_claims_once(notes: Case) -> None:
    model = ScriptedModel(panel(judge=lambda told: judgement(told, 4, {"stability": -0.5})))
    found = asyncio.run(score_at_once(model, notes.evidence, "usability"))
    assert (found.value, found.protocol) == (70.0, "single-round")
    assert len(model.requests) == 1 and "<claims" not in model.requests[0].question
    assert len(found.aspects) == 7 and found.opinions == ()


def test_single_round_that_fails_has_no_score(notes: Case) -> None:
    model = ScriptedModel(lambda request: ModelReply("refused", reason="it declined"))
    found = asyncio.run(score_at_once(model, notes.evidence, "usability"))
    assert (found.value, found.status) == (None, "insufficient") and "it declined" in found.reason


def answer(notes: Case, **changes: Any) -> dict[str, Any]:
    told = Asked("judge", "usability", {"S1": ""}, "", "", 0)
    return {**judgement(told, 3), **changes}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"base": None}, "needs a base"),
        ({"base": math.nan}, "finite"),
        ({"base_citations": []}, "cite at least one exhibit"),
        ({"adjustments": []}, "one for each of the seven aspects"),
    ],
)
def test_what_is_no_judgement_is_refused_in_words_that_help(
    notes: Case, changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValidationError, match=words):
        PanelReply.model_validate(answer(notes, **changes))
    PanelReply.model_validate(answer(notes))


def test_texts_that_no_file_can_hold_are_made_whole(notes: Case, tmp_path: Path) -> None:
    from judge.records import Scores
    from judge.scorefile import load_scores, save_scores

    def judge(told: Asked) -> dict[str, Any]:
        return {**judgement(told, 3), "base_reason": "half a \ud83d sign\x00"}

    found, _ = score(notes, panel(advocate=lambda told: claims(("odd \ud800", ["S1"], "")), judge=judge))
    assert found.samples[0].base_reason == "half a \ufffd sign\ufffd"
    save_scores(Scores(judge="m", scores=(found,)), tmp_path)
    assert load_scores(tmp_path) == Scores(judge="m", scores=(found,))
