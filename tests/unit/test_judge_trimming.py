"""The arithmetic of a score: clipping, trimming, ties; on chosen cases and on seeded random ones."""

from __future__ import annotations

import math
from random import Random

import pytest

from judge.trimming import FEWEST, HIGHEST, clamped, kept_of, middle_of, single_score, total_of, trimmed_score


def cases(number: int, *, fewest: int = FEWEST, most: int = 5) -> list[list[float]]:
    random = Random(4)
    # Halves make ties frequent.
    return [[random.randint(0, 10) / 2 for _ in range(random.randint(fewest, most))] for _ in range(number)]


def test_published_formula_for_five_goes() -> None:
    assert trimmed_score([1, 2, 3, 4, 5]) == 60.0
    assert trimmed_score([0, 3.5, 4, 4.5, 5]) == 80.0
    for totals in cases(300, fewest=5):
        assert trimmed_score(totals) == pytest.approx(
            20 * (sum(totals) - max(totals) - min(totals)) / 3, abs=0.006
        )


def test_four_goes_leave_two_and_three_leave_the_median() -> None:
    assert trimmed_score([0, 2, 3, 5]) == 50.0
    assert trimmed_score([0, 4, 5]) == 80.0


@pytest.mark.parametrize("totals", [[], [3.0], [3.0, 4.0]])
def test_fewer_than_three_are_no_score(totals: list[float]) -> None:
    with pytest.raises(ValueError, match="too few"):
        trimmed_score(totals)


def test_order_does_not_matter_and_bounds_hold() -> None:
    random = Random(5)
    for totals in cases(300):
        shuffled = random.sample(totals, len(totals))
        assert trimmed_score(shuffled) == trimmed_score(totals)
        assert 20 * min(totals) - 0.01 <= trimmed_score(totals) <= 20 * max(totals) + 0.01


def test_one_wild_go_moves_a_score_no_further_than_its_neighbours() -> None:
    for wild in (0.0, 5.0):
        assert 60.0 <= trimmed_score([3, 3, 3.5, 4, wild]) <= 70.0 + 1e-9
    assert trimmed_score([3, 3, 3, 3, 5]) == trimmed_score([3, 3, 3, 3, 0]) == 60.0


def test_a_better_go_never_makes_a_worse_score() -> None:
    random = Random(6)
    for totals in cases(300):
        better = list(totals)
        better[random.randrange(len(better))] = HIGHEST
        assert trimmed_score(better) >= trimmed_score(totals)


def test_ties_drop_exactly_two_and_always_the_same() -> None:
    assert kept_of([4, 4, 4, 4, 4]) == (1, 2, 3)
    for totals in cases(300):
        kept = kept_of(totals)
        assert len(kept) == len(totals) - 2 and len(set(kept)) == len(kept)
        dropped = [totals[number] for number in range(len(totals)) if number not in kept]
        assert sorted(dropped) == [min(totals), max(totals)]


def test_middle_go_is_the_median() -> None:
    for totals in cases(300):
        middle = totals[middle_of(totals)]
        assert sum(total < middle for total in totals) <= len(totals) / 2
        assert sum(total > middle for total in totals) <= len(totals) / 2


def test_sum_is_clipped_to_the_scale() -> None:
    assert total_of(4.5, [1.0] * 7) == 5.0
    assert total_of(0.5, [-1.0] * 7) == 0.0
    # Clipped once, at the end: a detour beyond the scale costs nothing.
    assert total_of(4.5, [1.0, 1.0, -1.0, -1.0]) == 4.5
    random = Random(7)
    for _ in range(300):
        amounts = [random.uniform(-1, 1) for _ in range(7)]
        base = random.uniform(0, 5)
        total = total_of(base, amounts)
        assert 0 <= total <= 5
        if 0 <= base + sum(amounts) <= 5:
            assert total == pytest.approx(base + sum(amounts))
        assert total == total_of(base, random.sample(amounts, 7))


def test_clamping() -> None:
    assert (clamped(7, 0, 5), clamped(-1, 0, 5), clamped(2.5, 0, 5)) == (5, 0, 2.5)
    with pytest.raises(ValueError, match="not a number"):
        clamped(math.nan, 0, 5)


def test_single_go() -> None:
    assert single_score(3.3) == 66.0
