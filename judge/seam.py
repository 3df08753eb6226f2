"""The seam to a judge: a model's panel or the built-in one; whoever it is, the records and their checks are the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from judge.evidence import Case
from judge.heuristic import BuiltInJudge
from judge.records import BUILT_IN, Criterion, Deliberated, Score, Verdict


class Judge(Protocol):
    """Scores a case. Never raises for what the app is, or for a model that does not answer: both are statuses."""

    @property
    def name(self) -> str:
        """What scores are labelled with: name of the model, or "heuristic"."""

    @property
    def lost(self) -> str:
        """Why asking further is of no use (key revoked, limit spent), "" while it is of use."""

    async def score(self, case: Case, dimension: Deliberated) -> Score:
        """The score of aesthetics or usability."""

    async def verdicts(self, case: Case, criteria: Sequence[Criterion]) -> tuple[Verdict, ...]:
        """One verdict a criterion, in their order."""


JUDGES: dict[str, Callable[[], Judge]] = {BUILT_IN: BuiltInJudge}
"""Judges that need no model, by name; each is made when it is needed."""


def built_in() -> Judge:
    """The judge that works without a model."""
    return JUDGES[BUILT_IN]()
