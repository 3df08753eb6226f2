"""Criteria by majority: alike wordings are one, implementation words are refused, reasons are told."""

from __future__ import annotations

import asyncio

import pytest
from pydantic import ValidationError

from instrument.errors import UsageError
from judge.criteria import CriteriaReply, CriterionReply, fault_of, likeness, merge, write_criteria
from judge.records import CriterionKind
from judge.request import ModelReply, ModelRequest
from tests.scriptedmodel import ScriptedModel


def sample(*texts: str, kind: CriterionKind = "functional") -> list[CriterionReply]:
    return [CriterionReply(type=kind, text=text) for text in texts]


def kept(*samples: list[CriterionReply], requirement: str = "") -> list[tuple[str, int]]:
    return [(each.text, each.votes) for each in merge(samples, requirement=requirement).criteria]


def test_what_more_than_half_of_the_samples_have_is_kept() -> None:
    found = merge(
        [
            sample("Entries can be deleted", "A chart is shown"),
            sample("Entries can be deleted"),
            sample("A timer counts down"),
        ]
    )
    assert [(each.id, each.text, each.votes) for each in found.criteria] == [
        ("C1", "Entries can be deleted", 2)
    ]
    assert found.dropped == (
        ("A chart is shown", "in 1 of 3 samples"),
        ("A timer counts down", "in 1 of 3 samples"),
    )
    assert (
        kept(sample("Entries can be deleted"), sample("x y"), sample("Entries can be deleted"), sample("z"))
        == []
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Adding an expense puts it on the list", "An added expense appears on the list"),
        ("Users can delete entries", "An entry can be deleted by the user"),
        ("The page names the three price plans", "Three price plans are named on the page"),
    ],
)
def test_alike_wordings_are_one(one: str, other: str) -> None:
    assert len(kept(sample(one), sample(other))) == 1, likeness(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Entries can be deleted", "Entries can be sorted by date"),
        ("The page names 3 plans", "The page names 4 plans"),
        ("The page names three plans", "The page names four plans"),
        ("The chart is a pie chart", "A dark theme can be chosen"),
        ("Adding an expense puts it on the list", "The total is the sum of all expenses"),
    ],
)
def test_different_criteria_stay_apart(one: str, other: str) -> None:
    assert kept(sample(one), sample(other)) == [], likeness(one, other)


def test_kinds_are_never_merged() -> None:
    assert kept(sample("A chart of expenses"), sample("A chart of expenses", kind="visual")) == []


def test_the_wording_nearest_to_all_is_taken_whatever_came_first() -> None:
    odd = "Deleting of list entries by users"
    plain = "Entries can be deleted from the list"
    (found,) = merge([sample(odd), sample(plain), sample(plain + " again")]).criteria
    assert found.text == plain and found.votes == 3


def test_two_criteria_of_one_sample_are_two() -> None:
    twice = sample("Entries can be sorted by date", "Entries can be sorted by amount")
    assert [votes for _, votes in kept(twice, twice)] == [2, 2]


@pytest.mark.parametrize(
    "text",
    [
        "Entries are kept in localStorage",
        "The list is a React component",
        "addEntry() is called on click",
        "The code is maintainable",
        "Cards use flexbox",
        "A <canvas> draws it",
        "Data comes from a REST API",
        "",
        "x" * 400,
    ],
)
def test_what_cannot_be_seen_from_outside_is_no_criterion(text: str) -> None:
    assert fault_of(text)
    found = merge([sample(text, "Entries can be deleted")] * 3)
    assert [each.text for each in found.criteria] == ["Entries can be deleted"]
    assert found.dropped[0][1] == fault_of(" ".join(text.split()))


@pytest.mark.parametrize(
    "text",
    [
        "Entries survive a reload",
        "The search function works",
        "Books of the library are listed",
        "A tag can be added",
        "Rows and columns form a grid",
    ],
)
def test_everyday_words_are_no_implementation(text: str) -> None:
    assert fault_of(text) == ""


def test_words_of_the_requirement_are_its_subject() -> None:
    assert fault_of("The JSON is formatted") and not fault_of(
        "The JSON is formatted", requirement="a json formatter"
    )
    assert fault_of("It uses React", requirement="make it in React")


def test_merging_does_not_depend_on_spacing_and_is_deterministic() -> None:
    samples = [
        sample("Entries  can be\ndeleted", "B is shown"),
        sample("Entries can be deleted", "B is shown"),
    ]
    assert merge(samples) == merge(samples)
    assert kept(*samples)[0] == ("Entries can be deleted", 2)


# --- asking -------------------------------------------------------------------------------------------------


def answers(*each: object) -> ScriptedModel:
    return ScriptedModel(lambda request: each[request.sample])


def reply(*texts: str) -> dict[str, object]:
    return {"criteria": [{"type": "functional", "text": text} for text in texts]}


def test_samples_are_asked_with_one_prefix_that_marks_the_requirement() -> None:
    model = answers(*[reply("Entries can be deleted")] * 3)
    found = asyncio.run(write_criteria(model, "a list</requirement> of expenses"))
    assert [request.sample for request in model.requests] == [0, 1, 2]
    first: ModelRequest = model.requests[0]
    assert first.blocks[0].cache_end and "a list&lt;/requirement&gt; of" in getattr(
        first.blocks[0], "text", ""
    )
    assert [each.text for each in found.criteria] == ["Entries can be deleted"] and found.notes == ()


def test_majority_is_of_the_samples_that_are_valid() -> None:
    found = asyncio.run(
        write_criteria(
            answers(
                reply("Entries can be deleted"),
                ModelReply("refused", reason="no"),
                reply("Entries can be deleted"),
            ),
            "x",
        )
    )
    assert found.criteria[0].votes == 2
    assert found.notes == ("2 of 3 samples are valid: refused: no",)


def test_no_sample_no_criteria() -> None:
    gone = ModelReply("unavailable", reason="no route")
    with pytest.raises(UsageError, match=r"No criteria were written \(unavailable: no route\)"):
        asyncio.run(write_criteria(answers(gone, gone, gone), "x"))
    with pytest.raises(UsageError, match="more than half"):
        asyncio.run(write_criteria(answers(reply("Milk"), reply("Bread"), reply("Eggs")), "x"))
    with pytest.raises(UsageError, match="requirement is empty"):
        asyncio.run(write_criteria(answers(), "  "))
    with pytest.raises(ValidationError, match="at least one"):
        CriteriaReply.model_validate({"criteria": []})
