"""How far scores can be trusted: against people's votes, and against another judge's scores. Pure arithmetic.

Sources: Wilson (1927) for intervals; Krippendorff, Content Analysis (2011 computation) for alpha; Hunter, MM algorithms
for generalized Bradley-Terry models (Annals of Statistics 2004) for strengths. Rank correlations are scipy's.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Literal

MARGINS = (5.0, 15.0)
"""Bounds between close, clear and wide pairs: differences of scores from 0 to 100, in points."""
Z_MARGINS = (0.25, 0.75)
"""The same for overall scores, which are means of z-scores."""
Level = Literal["nominal", "ordinal", "interval", "ratio"]
_TIE = 0.5
_ROUNDS, _PRECISION = 10_000, 1e-10


@dataclass(frozen=True, slots=True)
class Vote:
    """One person's answer to which of two is better."""

    left: str
    right: str
    winner: str
    """Name of the better one, "" for a tie."""
    voter: str = ""


@dataclass(frozen=True, slots=True)
class Share:
    """A share of pairs with its 95 % Wilson interval; all from 0 to 1."""

    agreeing: float
    """Pairs that agree; a pair of equal scores counts a half."""
    total: int
    share: float | None
    """None where there are no pairs."""
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Agreement:
    """Scores against votes."""

    overall: Share
    by_margin: Mapping[str, Share]
    """close, clear and wide pairs by difference of score (see MARGINS)."""
    margins: tuple[float, float]
    """Where clear and wide begin."""
    ties: int
    """Votes for neither, which are left out of the shares."""
    unknown: int
    """Votes about something that has no score."""
    spearman: float | None
    """Rank correlation of the scores with the people's Bradley-Terry strengths; None below three items."""
    kendall: float | None
    alpha: float | None
    """Krippendorff's nominal alpha among the voters; None where no pair was judged twice."""
    strengths: Mapping[str, float]
    """Bradley-Terry strengths, geometric mean 1."""


@dataclass(frozen=True, slots=True)
class Swap:
    """The same items scored by two judges."""

    items: int
    spearman: float | None
    kendall: float | None
    kept: Share
    """Pairs whose order is the same."""
    means: tuple[float, float]


def agreement(
    scores: Mapping[str, float], votes: Sequence[Vote], *, margins: tuple[float, float] = MARGINS
) -> Agreement:
    """How often the scores prefer what people prefer, and how well both orders go together.

    margins: bounds between close, clear and wide pairs, in the scores' own unit.
    """
    known = [vote for vote in votes if vote.left in scores and vote.right in scores]
    decided = [vote for vote in known if vote.winner]
    groups: dict[str, list[float]] = {"close": [], "clear": [], "wide": []}
    for vote in decided:
        groups[_margin(scores[vote.left] - scores[vote.right], margins)].append(_agrees(scores, vote))
    strengths = bradley_terry(known)
    names = sorted(strengths)
    spearman, kendall = correlations(
        [scores[name] for name in names], [math.log(strengths[name]) for name in names]
    )
    return Agreement(
        overall=share([value for values in groups.values() for value in values]),
        by_margin={name: share(values) for name, values in groups.items()},
        margins=margins,
        ties=len(known) - len(decided),
        unknown=len(votes) - len(known),
        spearman=spearman,
        kendall=kendall,
        alpha=krippendorff_alpha(_ratings(known)),
        strengths=strengths,
    )


def swap(first: Mapping[str, float], second: Mapping[str, float]) -> Swap:
    """Two judges' scores of the same items; items that one of them lacks are left out."""
    names = sorted(first.keys() & second.keys())
    one, other = [first[name] for name in names], [second[name] for name in names]
    spearman, kendall = correlations(one, other)
    kept = [
        _same_order(one[a] - one[b], other[a] - other[b])
        for a, b in combinations(range(len(names)), 2)
        if one[a] != one[b]
    ]
    means = (math.fsum(one) / len(one), math.fsum(other) / len(other)) if names else (0.0, 0.0)
    return Swap(len(names), spearman, kendall, share(kept), means)


def _same_order(one: float, other: float) -> float:
    return _TIE if other == 0 else float((one > 0) == (other > 0))


def _margin(difference: float, margins: tuple[float, float]) -> str:
    close, clear = margins
    return "close" if abs(difference) < close else "clear" if abs(difference) < clear else "wide"


def _agrees(scores: Mapping[str, float], vote: Vote) -> float:
    loser = vote.right if vote.winner == vote.left else vote.left
    difference = scores[vote.winner] - scores[loser]
    return _TIE if difference == 0 else float(difference > 0)


def share(values: Sequence[float]) -> Share:
    """Share of agreeing values (1, 0, or 0.5 for a tie) with its 95 % Wilson interval."""
    total, agreeing = len(values), math.fsum(values)
    if not total:
        return Share(0.0, 0, None, 0.0, 1.0)
    low, high = wilson(agreeing, total)
    return Share(agreeing, total, agreeing / total, low, high)


def wilson(successes: float, total: int, *, z: float = 1.959963984540054) -> tuple[float, float]:
    """Wilson's score interval of a share, 95 % by default; halves are allowed among the successes."""
    p, square = successes / total, z * z / total
    middle = (p + square / 2) / (1 + square)
    reach = z * math.sqrt(p * (1 - p) / total + square / (4 * total)) / (1 + square)
    return max(0.0, middle - reach), min(1.0, middle + reach)


def correlations(one: Sequence[float], other: Sequence[float]) -> tuple[float | None, float | None]:
    """Spearman's rho and Kendall's tau-b; None below three items or where all values of one side are equal."""
    from scipy import stats  # takes a quarter of a second to load

    if len(one) < 3 or len(set(one)) < 2 or len(set(other)) < 2:
        return None, None
    return float(stats.spearmanr(one, other).statistic), float(stats.kendalltau(one, other).statistic)


def bradley_terry(votes: Iterable[Vote]) -> dict[str, float]:
    """Strength of each item, geometric mean 1, by Hunter's MM algorithm; a tie is half a win for both.

    Every item gets half a win and half a loss against an average opponent, so that one that always won has a
    finite strength too.
    """
    wins: defaultdict[str, float] = defaultdict(float)
    met: Counter[tuple[str, str]] = Counter()
    for vote in votes:
        met[vote.left, vote.right] += 1
        for name in (vote.left, vote.right):
            wins[name] += _TIE if not vote.winner else float(name == vote.winner)
    strength = dict.fromkeys(sorted(wins), 1.0)
    for _ in range(_ROUNDS):
        bottom = {name: 1 / (value + 1) for name, value in strength.items()}
        for (left, right), number in met.items():
            part = number / (strength[left] + strength[right])
            bottom[left] += part
            bottom[right] += part
        fresh = {name: (wins[name] + 0.5) / bottom[name] for name in strength}
        change = max((abs(fresh[name] - strength[name]) / fresh[name] for name in fresh), default=0.0)
        strength = fresh
        if change < _PRECISION:
            break
    middle = math.exp(math.fsum(map(math.log, strength.values())) / len(strength)) if strength else 1.0
    return {name: value / middle for name, value in strength.items()}


def _ratings(votes: Sequence[Vote]) -> list[list[float]]:
    """For each pair the voters' answers: 1 for the first name in order, 2 for the other, 0 for a tie."""
    units: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for vote in votes:
        first, second = sorted((vote.left, vote.right))
        units[first, second].append(0.0 if not vote.winner else 1.0 if vote.winner == first else 2.0)
    return list(units.values())


def krippendorff_alpha(units: Iterable[Sequence[float]], *, level: Level = "nominal") -> float | None:
    """Krippendorff's alpha of ratings grouped by unit: 1 is full agreement, 0 what chance gives.

    units: for each unit the values that it was given, missing ones left out. None where no unit has two values.
    """
    paired = [list(unit) for unit in units if len(unit) > 1]
    together: defaultdict[tuple[float, float], float] = defaultdict(float)
    for unit in paired:
        for one, other in permutations(unit, 2):
            together[one, other] += 1 / (len(unit) - 1)
    totals: Counter[float] = Counter()
    for (one, _), number in together.items():
        totals[one] += number  # type: ignore[assignment]
    count = math.fsum(totals.values())
    if count <= 1:
        return None
    distance = _distance(level, totals)
    observed = math.fsum(number * distance(*pair) for pair, number in together.items())
    expected = math.fsum(totals[a] * totals[b] * distance(a, b) for a, b in permutations(totals, 2))
    return 1.0 if expected == 0 else 1 - (count - 1) * observed / expected


def _distance(level: Level, totals: Mapping[float, float]) -> Callable[[float, float], float]:
    """Squared difference of two values at a level of measurement."""

    def ordinal(a: float, b: float) -> float:
        low, high = min(a, b), max(a, b)
        between = math.fsum(number for value, number in totals.items() if low <= value <= high)
        return (between - (totals[a] + totals[b]) / 2) ** 2 if a != b else 0.0

    def ratio(a: float, b: float) -> float:
        return ((a - b) / (a + b)) ** 2 if a + b else 0.0

    metrics: dict[Level, Callable[[float, float], float]] = {
        "nominal": lambda a, b: float(a != b),
        "ordinal": ordinal,
        "interval": lambda a, b: (a - b) ** 2,
        "ratio": ratio,
    }
    return metrics[level]
