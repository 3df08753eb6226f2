"""Third stage of judging, for requirement alignment: each criterion is looked into by an agent with tools.

WebCraftBench, appendix A.2: per criterion a Boolean, evidence, a short analysis and a confidence; no partial credit; source
that never ran is no evidence. Every turn is a request of its own that tells what was looked up so far. What counts as
evidence is checked by code: an exhibit that exists and was shown to the judge, a quote that stands in it. Met without
evidence is not met.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from judge.briefs import SYSTEM
from judge.citations import stands_in, valid_ids
from judge.packs import marked
from judge.records import (
    CRITERION_KINDS,
    Criterion,
    CriterionKind,
    Evidence,
    Said,
    Score,
    ScoreStatus,
    Verdict,
)
from judge.request import Block, ImageBlock, Model, ModelRequest, TextBlock
from judge.tools import Library, Result
from judge.trimming import clamped

MOST_CALLS = 12
"""Requests that a criterion may take, the verdict included."""
AT_ONCE = 4
"""Criteria that are looked into at the same time."""
MOST_RESULT = 6000
"""Characters of a tool's result that are told again in later turns."""
MOST_PICTURES = 3
"""Pictures that stay in sight; of more, the newest."""
DETERMINED_SHARE = 0.5
"""Part of the criteria of a kind that must be determined for a score."""
MAX_TOKENS = 4096


class AlignmentReply(BaseModel):
    """One turn: a look at the evidence, or the verdict."""

    model_config = ConfigDict(extra="forbid")

    action: Literal["search", "read", "picture", "graph", "verdict"]
    pattern: Said
    where: Said
    page: int
    met: bool | None
    evidence: list[Said]
    quote: Said
    analysis: Said
    confidence: Annotated[float, Field(allow_inf_nan=False)] | None

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.action == "verdict" and (self.met is None or self.confidence is None):
            raise ValueError("a verdict needs met (true or false) and confidence (0 to 1)")
        if self.action == "search" and not self.pattern.strip():
            raise ValueError("search needs a pattern")
        return self


_BRIEF = """\
You check whether the app meets one criterion, by what was recorded of its use.

Each answer is one action; set what it does not need to "" or 0 or null:
- search: pattern is a regular expression (case does not matter); where is "pages" (texts of all states), "dom" (elements
  with attributes), "trace" (steps and what came of them), "graph" (transitions), "all", or one document such as N3.
- read: where is a document (N3, N3.dom, trace, graph), page counts from 1; 60 lines a page.
- picture: where is a picture (P2) or a state (N3). You see it in the next turn.
- graph: where is a state (N3): what leads to it and from it.
- verdict: met is true or false, there is nothing between; evidence lists the exhibits (S12, N3, E7, P2) that show it, quote
  is a piece of text from one of them or empty, analysis says in one or two sentences why, confidence is 0 to 1.

Met needs evidence of the app doing or showing it: a control that is there but was never used does not show that it works.
Cite only what you looked at: a state in the list above is no evidence yet. A criterion for which there is no evidence is
not met."""


async def align(
    model: Model,
    evidence: Evidence,
    criteria: Sequence[Criterion],
    *,
    most_calls: int = MOST_CALLS,
    say: Callable[[str], None] = lambda _: None,
) -> tuple[Verdict, ...]:
    """A verdict for each criterion, in their order. At most `most_calls` requests each."""
    library, room = Library(evidence), asyncio.Semaphore(AT_ONCE)
    prefix = _prefix(evidence, library)

    async def look_into(criterion: Criterion) -> Verdict:
        async with room:
            verdict = await _Inquiry(model, library, evidence, prefix, criterion).verdict(most_calls)
        say(f"{criterion.id} {_WORDS[verdict.met]}: {criterion.text}")
        return verdict

    if not evidence.exhibits:
        nothing = "the run left nothing to judge from"
        return tuple(Verdict(criterion=each, met=None, reason=nothing, judge=model.name) for each in criteria)
    if not criteria:
        return ()
    # The first one alone: it fills the provider's cache, which all others read.
    first = await look_into(criteria[0])
    return (first, *await asyncio.gather(*map(look_into, criteria[1:])))


_WORDS: Mapping[bool | None, str] = {True: "met", False: "not met", None: "undetermined"}


def _prefix(evidence: Evidence, library: Library) -> TextBlock:
    head = "\n".join(filter(None, (evidence.head, evidence.limits)))
    text = f"<evidence>\n{marked('summary', head)}\n{marked('states', library.overview())}\n</evidence>"
    return TextBlock(text, cache_end=True)


@dataclass(slots=True)
class _Inquiry:
    """Looks into one criterion."""

    model: Model
    library: Library
    evidence: Evidence
    prefix: TextBlock
    criterion: Criterion
    told: list[str] = field(default_factory=list)
    """Each action and its result, as later turns are told of them."""
    looked: list[str] = field(default_factory=list)
    pictures: list[str] = field(default_factory=list)
    shown: set[str] = field(default_factory=set)

    async def verdict(self, most_calls: int) -> Verdict:
        for call in range(1, most_calls + 1):
            reply = await self.model.ask(self._request(left=most_calls - call))
            answer = reply.of(AlignmentReply)
            if answer is None:
                reason = f"the judge gave no answer ({reply.status}: {reply.reason})"
                return self._open(reason, calls=call, status=reply.status)
            if answer.action == "verdict":
                return self._checked(answer, calls=call)
            self._look(answer)
        return self._open(f"the judge came to no verdict within {most_calls} calls", calls=most_calls)

    def _request(self, *, left: int) -> ModelRequest:
        blocks: list[Block] = [self.prefix]
        for name in self.pictures[-MOST_PICTURES:]:
            blocks += [
                TextBlock(marked("exhibit", name, id=name)),
                ImageBlock(self.library.picture_bytes(name)),
            ]
        history = "\n\n".join(self.told) or "nothing yet"
        turns = (
            f"You may look {left} more times before the verdict."
            if left
            else "You cannot look any further: this answer has to be the verdict."
        )
        question = (
            f"{_BRIEF}\n\n{marked('criterion', self.criterion.text, type=self.criterion.kind)}\n\n"
            f"Looked up so far:\n{history}\n\n{turns}"
        )
        return ModelRequest(
            "alignment", SYSTEM, tuple(blocks), question, AlignmentReply, max_tokens=MAX_TOKENS
        )

    def _look(self, answer: AlignmentReply) -> None:
        result, call = self._result(answer)
        self.shown |= result.shown
        if result.picture:
            self.pictures = [*(name for name in self.pictures if name != result.picture), result.picture]
        text = result.text if len(result.text) <= MOST_RESULT else result.text[:MOST_RESULT] + "\n… cut off"
        self.looked.append(call)
        self.told.append(f"{len(self.looked)}.\n{marked('result', text, of=call)}")

    def _result(self, answer: AlignmentReply) -> tuple[Result, str]:
        where = answer.where.strip()[:40]
        if answer.action == "search":
            return self.library.search(
                answer.pattern, where or "all"
            ), f"search {answer.pattern[:80]} in {where or 'all'}"
        if answer.action == "read":
            page = max(1, answer.page)
            return self.library.read(where, page), f"read {where}, page {page}"
        if answer.action == "picture":
            return self.library.picture(where), f"picture {where}"
        return self.library.graph(where), f"graph {where}".rstrip()

    def _checked(self, answer: AlignmentReply, *, calls: int) -> Verdict:
        """The verdict as it counts: what is met stands on exhibits that the judge was shown."""
        known, unknown = valid_ids(answer.evidence, self.shown)
        met, reason = bool(answer.met), ""
        if met and not known:
            missing = (
                f"{', '.join(unknown[:6])}: never looked at, or no such exhibit"
                if unknown
                else "none is cited"
            )
            met, reason = False, f"no evidence ({missing})"
        elif met and answer.quote and not stands_in(answer.quote, map(self.library.quotable, known)):
            met, reason = False, f"no evidence (the quote does not stand in {', '.join(known[:6])})"
        elif unknown:
            reason = f"{', '.join(unknown[:6])}: never looked at, or no such exhibit"
        return Verdict(
            criterion=self.criterion,
            met=met,
            citations=known,
            quote=answer.quote,
            analysis=answer.analysis,
            confidence=clamped(answer.confidence or 0.0, 0.0, 1.0),
            reason=reason,
            judge=self.model.name,
            calls=calls,
            looked=tuple(self.looked),
        )

    def _open(self, reason: str, *, calls: int, status: str = "ok") -> Verdict:
        return Verdict(
            criterion=self.criterion,
            met=None,
            status=status,
            reason=reason,
            judge=self.model.name,
            calls=calls,
            looked=tuple(self.looked),
        )


def sub_scores(verdicts: Sequence[Verdict], *, judge: str) -> tuple[Score, ...]:
    """The three alignment scores: 100 times the share met of the criteria of a kind that were determined.

    Undetermined criteria count neither way, but where more than half of a kind are undetermined the score is
    `insufficient`; a kind without criteria, or with none determined, is `undetermined`.
    """
    return tuple(
        _sub_score(kind, [each for each in verdicts if each.criterion.kind == kind], judge)
        for kind in CRITERION_KINDS
    )


def _sub_score(kind: CriterionKind, verdicts: Sequence[Verdict], judge: str) -> Score:
    determined = [each for each in verdicts if each.met is not None]
    met = sum(bool(each.met) for each in determined)
    value, status, reason = _share(met, len(determined), len(verdicts), kind)
    judges = list(dict.fromkeys(each.judge for each in determined if each.judge)) or [judge]
    return Score(
        dimension=kind,
        value=value,
        status=status,
        reason=reason,
        judge=" and ".join(judges),
        protocol="criteria",
        met=met,
        determined=len(determined),
        undetermined=len(verdicts) - len(determined),
        notes=(f"{len(verdicts) - len(determined)} of {len(verdicts)} criteria are undetermined",)
        if value is not None and len(determined) < len(verdicts)
        else (),
    )


def _share(met: int, determined: int, total: int, kind: str) -> tuple[float | None, ScoreStatus, str]:
    if not total:
        return None, "undetermined", f"there are no {kind} criteria"
    if not determined:
        return None, "undetermined", f"none of {total} {kind} criteria could be determined"
    if determined < DETERMINED_SHARE * total:
        return None, "insufficient", f"only {determined} of {total} {kind} criteria could be determined"
    return round(100 * met / determined, 2), "scored", ""
