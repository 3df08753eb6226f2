"""Last stage of judging: a case, a judge and maybe criteria become Scores, whatever happens to the model on the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from judge.alignment import MOST_CALLS, align, sub_scores
from judge.evidence import Case
from judge.families import kinship_warnings
from judge.panel import LOST, deliberate, score_at_once
from judge.records import (
    BUILT_IN,
    CRITERION_KINDS,
    DIMENSIONS,
    Criterion,
    Deliberated,
    Dimension,
    Score,
    Scores,
    Verdict,
)
from judge.request import Model, ModelReply, ModelRequest
from judge.seam import Judge

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """How a run is judged; each is an option of `explore-app judge`."""

    dimensions: tuple[Dimension, ...] = ()
    """() for aesthetics and usability, and alignment where there are criteria."""
    single_round: bool = False
    """Score aesthetics and usability at once, without advocate and critic."""
    most_calls: int = MOST_CALLS
    """Requests that a criterion may take."""
    author_model: str = ""
    """The model that wrote the app, for the warning about judges of the same family."""


class ModelJudge:
    """A Judge that is a language model: deliberation for aesthetics and usability, an agent for each criterion."""

    def __init__(
        self, model: Model, *, settings: JudgeSettings | None = None, say: Say = lambda _: None
    ) -> None:
        self._watched = _Watched(model)
        self._settings = settings or JudgeSettings()
        self._say = say

    @property
    def name(self) -> str:
        return self._watched.name

    @property
    def lost(self) -> str:
        return self._watched.lost

    async def score(self, case: Case, dimension: Deliberated) -> Score:
        """See `judge.seam.Judge`."""
        if self._settings.single_round:
            return await score_at_once(self._watched, case.evidence, dimension)
        return await deliberate(self._watched, case.evidence, dimension, say=self._say)

    async def verdicts(self, case: Case, criteria: Sequence[Criterion]) -> tuple[Verdict, ...]:
        """See `judge.seam.Judge`."""
        return await align(
            self._watched, case.evidence, criteria, most_calls=self._settings.most_calls, say=self._say
        )


class _Watched:
    """A Model that remembers why it cannot be asked any more."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.lost = ""

    @property
    def name(self) -> str:
        return self._model.name

    async def ask(self, request: ModelRequest) -> ModelReply:
        reply = await self._model.ask(request)
        if reply.lasting and not self.lost:
            self.lost = reply.reason
        return reply

    async def close(self) -> None:
        await self._model.close()


async def judge_case(
    case: Case,
    judge: Judge,
    *,
    criteria: Sequence[Criterion] = (),
    requirement: str = "",
    fallback: Judge | None = None,
    settings: JudgeSettings | None = None,
) -> Scores:
    """All scores that are wanted of a case.

    fallback: takes over what the judge does not answer (key revoked, limit spent, no network); its scores carry its own
    name, and a note says so. What nobody can score is `undetermined`.
    """
    settings = settings or JudgeSettings()
    wanted = settings.dimensions or DIMENSIONS
    notes: list[str] = []
    scores = [
        await _scored(case, judge, dimension, fallback, notes)
        for dimension in ("aesthetics", "usability")
        if dimension in wanted
    ]
    kinds = [kind for kind in CRITERION_KINDS if kind in wanted]
    asked = [criterion for criterion in criteria if criterion.kind in kinds]
    verdicts = await _verdicts(case, judge, asked, fallback, notes) if asked else ()
    # Without criteria alignment is told of only where it was asked for by name.
    if asked or settings.dimensions:
        scores += [each for each in sub_scores(verdicts, judge=judge.name) if each.dimension in kinds]
    return Scores(
        judge=judge.name,
        protocol=_protocol(judge, settings),
        scores=tuple(scores),
        verdicts=verdicts,
        requirement=requirement,
        warnings=kinship_warnings(judge.name, explorers=case.evidence.families, author=settings.author_model),
        notes=tuple(notes),
    )


def _protocol(judge: Judge, settings: JudgeSettings) -> Literal["deliberation", "single-round", "heuristic"]:
    if judge.name == BUILT_IN:
        return "heuristic"
    return "single-round" if settings.single_round else "deliberation"


async def _scored(
    case: Case, judge: Judge, dimension: Deliberated, fallback: Judge | None, notes: list[str]
) -> Score:
    score = await judge.score(case, dimension)
    if score.value is not None or not (judge.lost or score.status == "undetermined"):
        return score
    why = _why(judge, score.reason)
    if fallback is None:
        notes.append(f"{dimension} is not scored: {why}.")
        return score
    notes.append(f"{dimension} is scored by the built-in judge ({fallback.name}): {why}.")
    return await fallback.score(case, dimension)


async def _verdicts(
    case: Case, judge: Judge, criteria: Sequence[Criterion], fallback: Judge | None, notes: list[str]
) -> tuple[Verdict, ...]:
    verdicts = await judge.verdicts(case, criteria)
    left = [verdict for verdict in verdicts if verdict.met is None and verdict.status in LOST]
    if not left:
        return verdicts
    names, why = _named([verdict.criterion for verdict in left]), _why(judge, left[0].reason)
    if fallback is None:
        notes.append(f"{names} undetermined: {why}.")
        return verdicts
    notes.append(f"{names} left to the built-in judge ({fallback.name}): {why}.")
    again = await fallback.verdicts(case, [verdict.criterion for verdict in left])
    taken = {verdict.criterion.id: verdict for verdict in again}
    return tuple(taken.get(verdict.criterion.id, verdict) for verdict in verdicts)


def _why(judge: Judge, reason: str) -> str:
    return (
        f"{judge.name} cannot be asked any more ({judge.lost})" if judge.lost else f"{judge.name}: {reason}"
    )


def _named(criteria: Sequence[Criterion]) -> str:
    names = ", ".join(criterion.id for criterion in criteria[:8])
    more = f" and {len(criteria) - 8} more" if len(criteria) > 8 else ""
    return f"{names}{more} {'is' if len(criteria) == 1 else 'are'}"
