"""Third stage of judging, for aesthetics and usability: an advocate, a critic and a judge deliberate over a pack.

WebCraftBench, section 4.4 and appendix A.2: the sides cite and give no scores; the judge goes five times over the same
claims; best and worst are dropped. What is ours (bounds, checks, what happens when goes are missing) is told in
docs/judging.md. Nothing here makes a number up: what cannot be scored has a status and a reason.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from judge.aspects import RUBRICS, Rubric
from judge.briefs import SYSTEM, advocate_brief, critic_brief, judge_brief
from judge.citations import check_claims, valid_ids
from judge.packs import Pack, pack
from judge.panelreply import AdjustmentReply, ClaimReply, PanelReply
from judge.records import (
    Adjustment,
    AspectScore,
    Claim,
    Deliberated,
    Dropped,
    Evidence,
    Opinion,
    Sample,
    Score,
    Side,
)
from judge.request import Model, ModelReply, ModelRequest
from judge.trimming import (
    FEWEST,
    HIGHEST,
    MOST_ADJUSTED,
    SAMPLES,
    clamped,
    kept_of,
    middle_of,
    single_score,
    total_of,
    trimmed_score,
)

MAX_TOKENS = 8192
"""Room for an answer, thinking included."""
LOST = ("unavailable", "over-limit")
"""Statuses that say nothing about the app: nobody answered."""

Say = Callable[[str], None]


async def deliberate(
    model: Model, evidence: Evidence, dimension: Deliberated, *, say: Say = lambda _: None
) -> Score:
    """The score of aesthetics or usability by three-round deliberation: 7 requests.

    say: told what happens, for a person who waits.
    """
    rubric, shown = RUBRICS[dimension], pack(evidence, dimension)
    if shown.lacking:
        return _unscored(rubric, model, shown, f"{shown.lacking}", status="insufficient")
    panel = _Panel(model, rubric, shown)
    say(f"{dimension}: the advocate and the critic look at it")
    # The first request alone: it fills the provider's cache, which all others read.
    advocate = await panel.opinion("advocate", advocate_brief(rubric))
    critic = await panel.opinion("critic", critic_brief(rubric))
    opinions = (advocate, critic)
    for opinion in opinions:
        if opinion.status != "ok":
            status = "undetermined" if opinion.status in LOST else "insufficient"
            reason = f"the {opinion.by} gave no opinion ({opinion.status}: {opinion.reason})"
            return _unscored(rubric, model, shown, reason, status=status, opinions=opinions)
    brief = judge_brief(rubric, advocate=advocate.claims, critic=critic.claims)
    say(
        f"{dimension}: the judge goes {SAMPLES} times over {len(advocate.claims) + len(critic.claims)} claims"
    )
    samples = await panel.samples(brief, SAMPLES)
    return _scored(rubric, model, shown, samples, opinions)


async def score_at_once(model: Model, evidence: Evidence, dimension: Deliberated) -> Score:
    """Single-round scoring: the judge's brief without any claims, once. For comparison with deliberation (WebCraftBench,
    appendix D, where it scores higher and tells apps apart less)."""
    rubric, shown = RUBRICS[dimension], pack(evidence, dimension)
    if shown.lacking:
        return _unscored(rubric, model, shown, shown.lacking, status="insufficient", single=True)
    samples = await _Panel(model, rubric, shown).samples(judge_brief(rubric), 1)
    sample, dropped = samples[0]
    if sample.total is None:
        status = "undetermined" if sample.status in LOST else "insufficient"
        reason = f"the judge gave no score ({sample.status}: {sample.reason})"
        score = _unscored(rubric, model, shown, reason, status=status, single=True)
        return score.model_copy(update={"samples": (sample,), "dropped": dropped})
    return Score(
        dimension=dimension,
        value=single_score(sample.total),
        status="scored",
        judge=model.name,
        protocol="single-round",
        base=sample.base,
        aspects=_aspects(rubric, [sample], sample),
        samples=(sample,),
        dropped=dropped,
        notes=shown.notes,
    )


@dataclass(frozen=True, slots=True)
class _Panel:
    """Asks about one pack, and checks what is answered."""

    model: Model
    rubric: Rubric
    pack: Pack

    async def opinion(self, side: Side, brief: str) -> Opinion:
        """The claims of one side that stand."""
        reply = await self.model.ask(self._request(side, brief))
        answer = reply.of(PanelReply)
        if answer is None:
            return Opinion(by=side, status=reply.status, reason=reply.reason)
        if answer.kind != "claims":
            return Opinion(by=side, status="invalid", reason="it judged where it was asked for claims")
        checked = check_claims(map(_claim, answer.claims), by=side, shown=self.pack.shown)
        return Opinion(by=side, claims=checked.kept, dropped=checked.dropped)

    async def samples(self, brief: str, number: int) -> list[tuple[Sample, tuple[Dropped, ...]]]:
        """The judge's goes, each with what was dropped of it: the first alone, the others at once."""
        request = self._request("judge", brief)
        first = await self.model.ask(request)
        rest = await asyncio.gather(
            *(self.model.ask(replace(request, sample=each)) for each in range(1, number))
        )
        return [self._sample(reply, each) for each, reply in enumerate((first, *rest))]

    def _request(self, role: str, brief: str) -> ModelRequest:
        return ModelRequest(role, SYSTEM, self.pack.blocks, brief, PanelReply, max_tokens=MAX_TOKENS)

    def _sample(self, reply: ModelReply, number: int) -> tuple[Sample, tuple[Dropped, ...]]:
        answer = reply.of(PanelReply)
        if answer is None:
            return Sample(number=number, status=reply.status, reason=reply.reason, model=reply.model), ()
        if reason := self._unfit(answer):
            return Sample(number=number, status="invalid", reason=reason, model=reply.model), ()
        cited, _ = valid_ids(answer.base_citations, self.pack.shown)
        base = clamped(answer.base or 0.0, 0.0, HIGHEST)
        given = {each.aspect: each for each in answer.adjustments}
        adjusted = [self._adjustment(given[name]) for name in self.rubric.names]
        seen = check_claims(map(_claim, answer.claims), by="judge", shown=self.pack.shown)
        dropped = (*(drop for _, drop in adjusted if drop is not None), *seen.dropped)
        adjustments = tuple(adjustment for adjustment, _ in adjusted)
        sample = Sample(
            number=number,
            status="ok",
            base=base,
            base_reason=answer.base_reason,
            base_citations=cited,
            adjustments=adjustments,
            total=total_of(base, [each.amount for each in adjustments]),
            observations=seen.kept,
            note="" if base == answer.base else f"the base {answer.base:g} was clamped to {base:g}",
            model=reply.model,
        )
        return sample, dropped

    def _unfit(self, answer: PanelReply) -> str:
        """Why an answer of the right shape is no judgement on this pack; "" for one that is."""
        if answer.kind != "judgement" or answer.base is None:
            return "it made claims where it was asked for a judgement"
        if sorted(each.aspect for each in answer.adjustments) != sorted(self.rubric.names):
            return f"its adjustments are not those of {self.rubric.dimension}"
        cited, unknown = valid_ids(answer.base_citations, self.pack.shown)
        return "" if cited else f"its base cites {', '.join(unknown[:6])}: there is no such exhibit"

    def _adjustment(self, given: AdjustmentReply) -> tuple[Adjustment, Dropped | None]:
        """The adjustment as it counts: clamped, and nothing where it stands on no exhibit."""
        cited, unknown = valid_ids(given.citations, self.pack.shown)
        amount = clamped(given.amount, -MOST_ADJUSTED, MOST_ADJUSTED)
        note = "" if amount == given.amount else f"{given.amount:+g} was clamped to {amount:+g}"
        dropped = None
        if amount and not cited:
            note, amount = f"{given.amount:+g} counts as 0: it cites no exhibit that exists", 0.0
        if unknown or note.endswith("exists"):
            reason = (
                f"{', '.join(unknown[:6])}: there is no such exhibit" if unknown else "it cites no exhibit"
            )
            text = f"{given.aspect} {given.amount:+g}: {given.reason}"
            dropped = Dropped(by="judge", text=text, reason=reason, citations=unknown)
        return Adjustment(
            aspect=given.aspect, amount=amount, reason=given.reason, citations=cited, note=note
        ), dropped


def _claim(reply: ClaimReply) -> Claim:
    return Claim(text=reply.text, citations=tuple(reply.citations), quote=reply.quote, aspect=reply.aspect)


# --- from samples to a score --------------------------------------------------------------------------------


def _scored(
    rubric: Rubric,
    model: Model,
    shown: Pack,
    sampled: Sequence[tuple[Sample, tuple[Dropped, ...]]],
    opinions: tuple[Opinion, ...],
) -> Score:
    """The trimmed mean of the valid goes, or why there are too few."""
    samples = tuple(sample for sample, _ in sampled)
    dropped = (*_all_dropped(opinions), *(drop for _, drops in sampled for drop in drops))
    valid = [sample for sample in samples if sample.total is not None]
    if len(valid) < FEWEST:
        reason = f"{len(valid)} of {len(samples)} goes of the judge are valid, {FEWEST} are needed: {_why(samples)}"
        nobody = all(sample.status in LOST for sample in samples if sample.total is None) and not valid
        score = _unscored(
            rubric,
            model,
            shown,
            reason,
            status="undetermined" if nobody else "insufficient",
            opinions=opinions,
        )
        return score.model_copy(update={"samples": samples, "dropped": dropped})
    totals = [sample.total for sample in valid if sample.total is not None]
    kept = [valid[number] for number in kept_of(totals)]
    notes = [*shown.notes]
    if len(valid) < len(samples):
        notes.append(f"{len(valid)} of {len(samples)} goes of the judge are valid: {_why(samples)}")
    return Score(
        dimension=rubric.dimension,
        value=trimmed_score(totals),
        status="scored",
        judge=model.name,
        base=_mean(sample.base or 0.0 for sample in kept),
        aspects=_aspects(rubric, kept, valid[middle_of(totals)]),
        samples=samples,
        opinions=opinions,
        dropped=dropped,
        notes=tuple(notes),
    )


def _unscored(
    rubric: Rubric,
    model: Model,
    shown: Pack,
    reason: str,
    *,
    status: str,
    opinions: tuple[Opinion, ...] = (),
    single: bool = False,
) -> Score:
    return Score(
        dimension=rubric.dimension,
        value=None,
        status="undetermined" if status == "undetermined" else "insufficient",
        reason=reason,
        judge=model.name,
        protocol="single-round" if single else "deliberation",
        opinions=opinions,
        dropped=_all_dropped(opinions),
        notes=shown.notes,
    )


def _all_dropped(opinions: Iterable[Opinion]) -> tuple[Dropped, ...]:
    return tuple(drop for opinion in opinions for drop in opinion.dropped)


def _why(samples: Sequence[Sample]) -> str:
    """What became of those that are not valid: "2 refused (…), 1 invalid (…)"."""
    told = Counter((sample.status, sample.reason) for sample in samples if sample.total is None)
    return "; ".join(f"{number} {status} ({reason})" for (status, reason), number in told.items())


def _aspects(rubric: Rubric, kept: Sequence[Sample], middle: Sample) -> tuple[AspectScore, ...]:
    """Each aspect's mean over the goes that count, in the words of the middle one."""
    amounts = [{each.aspect: each.amount for each in sample.adjustments} for sample in kept]
    said = {each.aspect: each for each in middle.adjustments}
    return tuple(
        AspectScore(
            aspect=name,
            adjustment=_mean(each[name] for each in amounts),
            reason=said[name].reason,
            citations=said[name].citations,
        )
        for name in rubric.names
    )


def _mean(numbers: Iterable[float]) -> float:
    listed = list(numbers)
    return round(math.fsum(listed) / len(listed), 4)
