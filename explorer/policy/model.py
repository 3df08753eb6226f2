"""The model tester: a language model chooses each action as a software tester would, by reference; the engine carries it out.

It is shown the page once, then the difference that each action made, and what can be done now (policy.transcript); no
source code, no criteria, no coverage but whether the last action reached new code. Each request stands for itself. What
it names that is not there is answered with one correction; after that, and wherever no answer comes, the built-in
chooses and the step says so. At the end it writes a closing summary.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import BaseModel, Field

from explorer.actions import LONGEST_WAIT_MS, Candidate
from explorer.exploration import Closing
from explorer.policy.guided import GuidedTester
from explorer.policy.seam import Answer, Choice, Done, View
from explorer.policy.transcript import PAGE, Transcript, by_locator, choices, shown_value
from explorer.prompting import UNTRUSTED, page, plain
from explorer.wording import plural
from graph.records import Step
from instrument.wording import cut
from judge.request import Block, ImageBlock, Model, ModelReply, ModelRequest, TextBlock

SYSTEM = f"""You are an experienced software tester. You explore a web app by hand, through its user interface alone: you \
have neither its source code nor a specification. With the actions that are left, see as much of what it can do, and \
of how it fails, as you can.

How you work:
- Try what was not tried yet before you repeat anything; finish what you begin (fill a form, then send it).
- Have boundary values in mind: empty, one character, very long, the smallest and the largest number that is allowed and \
one beyond, zero, negative, text where a number is wanted, special characters, duplicates, dates in the past.
- After the way that works, try the ways that should be refused: cancel, undo, delete, go back, reload in the middle.
- Look at what the last action brought before you choose the next. An action that reached no new code was probably \
nothing new: do something of another kind.
- Use what the page says (a rule for passwords, a code, the words that a search must match).

You name elements only by the references that are listed as what can be done now (e12), and kinds of action only as \
listed for that reference.

{UNTRUSTED}"""

_KEY = re.compile(r"((Control|Shift|Alt|Meta)\+)*([A-Za-z][A-Za-z0-9]{0,20}|[!-~])$")
_POINT = re.compile(r"(\d{1,5}),(\d{1,5})$")
LONGEST_TEXT = 5000
"""Characters that are typed into a field."""
MOST_NAMED = 10
"""Untried elements that a tester which says that it is done is reminded of."""


class Move(BaseModel):
    """The next action of the tester."""

    observed: str = Field(description="What the last action showed, in one sentence; name failures.")
    complete: bool = Field(description="True if nothing worth testing is left; then the rest is empty.")
    ref: str = Field(description='Reference of the element, as listed ("e12"), or "page".')
    action: str = Field(description="Kind of action, as listed for that reference.")
    value: str = Field(description="Text, key or option for kinds that take one; otherwise empty.")
    why: str = Field(description="Why this is the best next action, in one sentence.")


class ClosingSummary(BaseModel):
    """What a tester tells when it is done."""

    functionality: list[str] = Field(description="What the app can do, as far as it was seen.")
    interactions: list[str] = Field(description="What was tried, grouped, with how it went.")
    failures: list[str] = Field(description="What failed or behaved unexpectedly, each with its step.")


class ModelTester:
    """Asks a model for each action."""

    def __init__(self, model: Model, *, pictures: Path | None = None) -> None:
        """pictures: the run folder, where the model is to see a screenshot before each action."""
        self.name = f"model {model.name}"
        self._model = model
        self._pictures = pictures
        self._transcript = Transcript()
        self._built_in = GuidedTester()
        self._gone = ""
        """Why the model is not asked any more."""
        self._reminded = False

    async def choose(self, view: View) -> Answer:
        """The model's action; the built-in's where it gives none that can be done."""
        self._transcript.look(view)
        if self._gone:
            return self._instead(view, self._gone)
        request = self._request(view)
        answer = await self._ask(request, view)
        if isinstance(answer, _Wrong):
            answer = await self._ask(_corrected(request, answer.complaint), view)
        if isinstance(answer, _Wrong):
            return self._instead(view, f"the model's answer could not be carried out: {answer.complaint}")
        return answer

    async def summarize(self, steps: Sequence[Step], *, stop: str) -> Closing:
        """The closing summary; `stop`: why the run ended, in words."""
        if self._gone:
            return Closing(self.name, reason=self._gone)
        question = (
            f"The run is over: {stop}. Write the closing summary: the functionality that was seen, the interactions that "
            "were done with how they went, and the failures that were observed. Only what the steps above show."
        )
        blocks = _text_blocks(self._transcript.blocks(steps))
        reply = await self._model.ask(
            ModelRequest("tester", SYSTEM, blocks, question, ClosingSummary, max_tokens=8192, cache_ttl="5m")
        )
        told = reply.of(ClosingSummary)
        if told is None:
            return Closing(self.name, reason=_why_not(reply))
        return Closing(self.name, tuple(told.functionality), tuple(told.interactions), tuple(told.failures))

    def _request(self, view: View) -> ModelRequest:
        blocks: list[Block] = list(_text_blocks(self._transcript.blocks(view.memory.history)))
        if self._pictures is not None and view.screenshot:
            path = self._pictures / view.screenshot
            blocks += [TextBlock("The page as it looks now:"), ImageBlock(path.read_bytes())]
        blocks.append(TextBlock(f"What can be done now:\n{choices(view)}"))
        advice = page(_advice(view)) if view.hint else ""
        hint = f"\n\nA colleague who knows what was missed so far suggests:\n{advice}" if advice else ""
        left = plural(view.remaining, "action")
        question = f"{left} left.{hint}\n\nChoose the next action, or say that testing is complete."
        return ModelRequest("tester", SYSTEM, tuple(blocks), question, Move, cache_ttl="5m")

    async def _ask(self, request: ModelRequest, view: View) -> Answer | _Wrong:
        reply = await self._model.ask(request)
        move = reply.of(Move)
        if move is None:
            self._gone = _why_not(reply) if reply.lasting else ""
            return self._instead(view, _why_not(reply))
        if move.complete:
            return self._complete(move, view)
        answer = resolve(move, view)
        if isinstance(answer, Choice) and move.observed.strip():
            done = view.memory.history
            self._transcript.note(done[-1].index + 1 if done else 0, _one_line(move.observed))
        return answer

    def _complete(self, move: Move, view: View) -> Answer | _Wrong:
        """Testers stop early: the first time, what was never tried is named to this one."""
        untried = [c for c in view.candidates if c.target and not view.memory.tries[c.key]]
        if untried and not self._reminded:
            self._reminded = True
            named = ", ".join(dict.fromkeys(c.target.ref for c in untried if c.target).keys())
            return _Wrong(
                f"you said that testing is complete, but {plural(len(untried), 'action')} that can be done now were "
                f"never tried, on {cut(named, 8 * MOST_NAMED)}; say so again if none of them is worth it"
            )
        return Done(f"the tester says that testing is complete: {_one_line(move.why or move.observed)}")

    def _instead(self, view: View, reason: str) -> Answer:
        answer = self._built_in.choose(view)
        note = f"tester: built-in ({self._built_in.name}) instead of {self.name}, since {reason}"
        return replace(answer, note=note) if isinstance(answer, Choice) else answer


@dataclass(frozen=True, slots=True)
class _Wrong:
    """An answer that cannot be carried out, and what to tell the model about it."""

    complaint: str


def resolve(move: Move, view: View) -> Choice | _Wrong:
    """The action that a move means: among the candidates by reference, kind and value, never by a locator of the model's."""
    ref = move.ref.strip() or PAGE
    here = [c for c in view.candidates if (c.target.ref if c.target else PAGE) == ref]
    if not here:
        return _Wrong(f"there is no {_quoted(ref)} among what can be done now")
    kind = move.action.strip()
    same = [c for c in here if c.kind == kind and view.memory.allowed(c.key)]
    if not same:
        kinds = ", ".join(dict.fromkeys(c.kind for c in here))
        return _Wrong(f"{ref} takes {kinds}, not {_quoted(kind)}")
    candidate = _valued(same, move.value, view)
    if candidate is None:
        return _Wrong(
            f"{kind} on {ref} takes one of the values that are listed for it, not {_quoted(move.value)}"
        )
    return Choice(candidate, candidate.action(_one_line(move.why) or "the tester gave no reason"))


def _valued(same: Sequence[Candidate], value: str, view: View) -> Candidate | None:
    """The candidate with this value; with a free value where the kind of action allows one."""
    first, wanted = same[0], value.strip()
    if first.kind in ("fill", "type"):
        return replace(first, value=value[:LONGEST_TEXT])
    refs = by_locator(view)
    for candidate in same:
        if shown_value(candidate, refs).lower() == wanted.lower():
            return candidate
    valueless = {c.value for c in same} == {""} and not _POINT.match(wanted)
    if not wanted or valueless:
        return first if len({c.value for c in same}) == 1 else None
    if _free(first, wanted):
        variant = wanted if first.kind in ("press", "select") else first.key.variant
        return replace(first, value=wanted, key=first.key._replace(variant=variant))
    return None


def _free(candidate: Candidate, wanted: str) -> bool:
    """Whether a value that was not listed may be given."""
    target = candidate.target
    if candidate.kind == "press":
        return bool(_KEY.match(wanted))
    if candidate.kind == "select":
        return target is not None and target.field is not None and wanted in target.field.options
    if candidate.kind == "advance-time":
        return wanted.isdecimal() and int(wanted) <= LONGEST_WAIT_MS
    point = _POINT.match(wanted)
    if candidate.kind in ("click", "double-click", "right-click") and point and target is not None:
        return int(point[1]) < target.box[2] and int(point[2]) < target.box[3]
    return False


def _advice(view: View) -> str:
    """The hint in words. The built-in's names code, which a tester is not to see: its gestures alone are passed on."""
    hint = view.hint
    if hint is None:
        return ""
    if hint.source.startswith("model"):
        return hint.text
    rows = []
    for suggestion in hint.suggestions[:3]:
        candidate = suggestion.candidate
        here = next((c for c in view.candidates if c.key == candidate.key), None)
        where = (
            f"{here.target.ref if here and here.target else PAGE}"
            if here
            else "an element of an earlier page"
        )
        rows.append(f"- {candidate.kind} on {where}")
    return "\n".join(rows) or "- something of another kind than the last actions"


def _text_blocks(texts: Sequence[str]) -> tuple[TextBlock, ...]:
    """The last one ends what may be cached: the next request begins with the same texts."""
    return tuple(TextBlock(text, cache_end=at == len(texts) - 1) for at, text in enumerate(texts))


def _corrected(request: ModelRequest, complaint: str) -> ModelRequest:
    question = f"{request.question}\n\nYour first answer could not be carried out: {complaint}. Answer anew."
    return replace(request, question=question)


def _why_not(reply: ModelReply) -> str:
    return reply.reason or reply.status


def _quoted(text: str) -> str:
    return f"“{plain(_one_line(text, 60))}”"


def _one_line(text: str, most: int = 240) -> str:
    return cut(" ".join(text.split()), most)
