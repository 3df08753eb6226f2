"""From the judge's goes to a score: base and adjustments, clipped; best and worst dropped; times 20. Pure.

WebCraftBench, appendix A.2: five goes, 20 * (sum - max - min) / 3. The rest is ours, and documented in docs/judging.md:
an adjustment is at most 1 either way, and with three or four valid goes the best and the worst are dropped as well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

SAMPLES = 5
"""Goes of the judge."""
FEWEST = 3
"""Valid goes without which there is no score."""
HIGHEST = 5.0
"""Top of the scale that a go is on; 0 is its bottom."""
MOST_ADJUSTED = 1.0
"""Most that one aspect may add to the base or take from it: a fifth of the scale."""
_PER_POINT = 20.0


def clamped(number: float, lowest: float, highest: float) -> float:
    """The number, or the nearest bound. Raises ValueError for what is no number."""
    if math.isnan(number):
        raise ValueError("not a number")
    return min(max(number, lowest), highest)


def total_of(base: float, adjustments: Sequence[float]) -> float:
    """Base and adjustments, clipped to [0, 5]."""
    return clamped(math.fsum((base, *adjustments)), 0.0, HIGHEST)


def kept_of(totals: Sequence[float]) -> tuple[int, ...]:
    """Positions of the goes that count, in order of their totals: all but one best and one worst.

    Of equal totals the earlier go is the smaller, so the choice is always the same. Raises ValueError for fewer than three.
    """
    if len(totals) < FEWEST:
        raise ValueError(f"{len(totals)} goes are too few; at least {FEWEST} are needed")
    order = sorted(range(len(totals)), key=lambda number: (totals[number], number))
    return tuple(order[1:-1])


def middle_of(totals: Sequence[float]) -> int:
    """Position of the go whose total is the (lower) median: it speaks for the others."""
    kept = kept_of(totals)
    return kept[(len(kept) - 1) // 2]


def trimmed_score(totals: Sequence[float]) -> float:
    """0 to 100: 20 times the mean of all totals but one best and one worst; rounded to 2 places."""
    kept = [totals[number] for number in kept_of(totals)]
    return round(_PER_POINT * math.fsum(kept) / len(kept), 2)


def single_score(total: float) -> float:
    """0 to 100 of one go."""
    return round(_PER_POINT * total, 2)
