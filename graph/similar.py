"""Second look at the states: which are near duplicates. They are marked, never merged.

Thresholds merge what matters (a dialog or an error line is less than 3 % of a page), so this says only "these
belong to one page" and changes no state.
"""

from __future__ import annotations

from collections.abc import Mapping

from rapidfuzz.distance import Indel

from graph.records import StateId

THRESHOLD = 0.95
"""Normalised similarity of the two outlines' lines from which two states are near duplicates."""

_MOST_COMPARISONS = 200_000


def near_duplicates(
    outlines: Mapping[StateId, str], *, threshold: float = THRESHOLD, most: int = _MOST_COMPARISONS
) -> tuple[tuple[StateId, ...], ...]:
    """Clusters of at least two states whose outlines are alike, line by line.

    Similarity is 2 x common lines (in order) / all lines, 0 to 1. A state joins the first cluster whose founder
    it is like, in the mapping's order, so the answer does not depend on anything else. States whose lengths
    alone rule a match out are not compared, and at most `most` pairs are.
    """
    lines = {state: _tokens(text) for state, text in outlines.items()}
    founders: list[StateId] = []
    clusters: dict[StateId, list[StateId]] = {}
    left = most
    for state, mine in lines.items():
        home = None
        for founder in founders:
            if left <= 0 or not _comparable(len(mine), len(lines[founder]), threshold):
                continue
            left -= 1
            if Indel.normalized_similarity(mine, lines[founder], score_cutoff=threshold) >= threshold:
                home = founder
                break
        if home is None:
            founders.append(state)
        clusters.setdefault(home or state, []).append(state)
    return tuple(tuple(members) for members in clusters.values() if len(members) > 1)


def _tokens(text: str) -> list[int]:
    """Lines as integers without their indentation: a wrapper around the page does not make all lines differ."""
    return [hash(line.strip()) for line in text.splitlines()]


def _comparable(first: int, second: int, threshold: float) -> bool:
    total = first + second
    return total > 0 and 2 * min(first, second) / total >= threshold
