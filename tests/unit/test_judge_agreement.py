"""Scores against people's votes and against another judge: golden values, and what must hold for any data."""

import math
from collections.abc import Sequence

import pytest

from judge.agreement import (
    Level,
    Vote,
    agreement,
    bradley_terry,
    correlations,
    krippendorff_alpha,
    share,
    swap,
    wilson,
)

# The example of Krippendorff, Computing Krippendorff's Alpha-Reliability (2011): four observers, twelve units.
OBSERVERS = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3),
    (None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None),
)
UNITS = [[value for value in unit if value is not None] for unit in zip(*OBSERVERS, strict=True)]


@pytest.mark.parametrize(
    ("level", "expected"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_krippendorffs_published_example(level: Level, expected: float) -> None:
    assert krippendorff_alpha(UNITS, level=level) == pytest.approx(expected, abs=0.0005)


def test_alpha_of_full_agreement_and_of_nothing() -> None:
    assert krippendorff_alpha([[1, 1], [2, 2, 2]]) == 1
    assert krippendorff_alpha([[1, 1], [1, 1]]) == 1
    assert krippendorff_alpha([[1], []]) is None
    assert (krippendorff_alpha([[1, 2], [2, 1]]) or 0) < 0


def test_wilsons_interval_has_the_published_values() -> None:
    assert wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=0.0001)
    assert wilson(0, 10) == pytest.approx((0, 0.2775), abs=0.0001)
    assert share([]).share is None


def test_votes_are_counted_by_margin_and_ties_apart() -> None:
    scores = {"a": 80.0, "b": 60.0, "c": 58.0, "d": 58.0}
    votes = [
        Vote("a", "b", "a"),  # wide, agrees
        Vote("b", "c", "c"),  # close, disagrees
        Vote("c", "d", "d"),  # equal scores: half
        Vote("a", "c", ""),  # a person's tie
        Vote("a", "nobody", "a"),
    ]
    found = agreement(scores, votes)
    assert (found.overall.agreeing, found.overall.total) == (1.5, 3)
    assert found.by_margin["wide"].share == 1
    assert (found.by_margin["close"].agreeing, found.by_margin["close"].total) == (0.5, 2)
    assert found.by_margin["clear"].share is None
    assert (found.ties, found.unknown) == (1, 1)
    assert found.overall.low < 0.5 < found.overall.high


def test_perfect_scores_agree_with_the_people_wholly() -> None:
    order = ["a", "b", "c", "d"]
    votes = [Vote(x, y, x) for i, x in enumerate(order) for y in order[i + 1 :]]
    found = agreement({name: 90.0 - 10 * i for i, name in enumerate(order)}, votes)
    assert found.overall.share == 1
    assert found.spearman == pytest.approx(1)
    assert found.kendall == pytest.approx(1)
    turned = agreement({name: 10.0 * i for i, name in enumerate(order)}, votes)
    assert turned.overall.share == 0
    assert turned.spearman == pytest.approx(-1)


def test_alpha_is_of_voters_that_saw_the_same_pair_in_either_order() -> None:
    votes = [Vote("a", "b", "a"), Vote("b", "a", "a"), Vote("c", "d", "d"), Vote("d", "c", "d")]
    assert agreement(dict.fromkeys("abcd", 1.0), votes).alpha == 1


def test_bradley_terry_strengths_meet_their_own_equations() -> None:
    votes = [Vote("a", "b", "a")] * 3 + [Vote("a", "b", "b"), Vote("b", "c", "b"), Vote("c", "a", "")]
    strengths = bradley_terry(votes)
    assert strengths["a"] > strengths["b"] > strengths["c"]
    assert math.prod(strengths.values()) == pytest.approx(1)
    assert bradley_terry([Vote("a", "b", "a"), Vote("a", "b", "b")]) == pytest.approx({"a": 1, "b": 1})
    # Names and order of the votes carry no weight.
    assert bradley_terry(list(reversed(votes))) == pytest.approx(strengths)


@pytest.mark.parametrize("values", [([1.0, 2.0], [2.0, 1.0]), ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0])])
def test_no_correlation_is_made_up(values: tuple[Sequence[float], Sequence[float]]) -> None:
    assert correlations(*values) == (None, None)


def test_swapped_judges_keep_the_order_though_levels_differ() -> None:
    first = {"a": 60.0, "b": 50.0, "c": 40.0, "only": 3.0}
    second = {"a": 90.0, "b": 80.0, "c": 80.0}
    found = swap(first, second)
    assert found.items == 3
    assert (found.kept.agreeing, found.kept.total) == (2.5, 3)
    assert found.means == pytest.approx((50, 250 / 3))
    assert swap(first, {}).kept.share is None
