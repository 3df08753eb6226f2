"""The model hint: a language model reads the code that never ran and says in plain words how a user would get to it.

It is a second opinion on the built-in's: it is given the unexecuted code, nearest first, with the built-in's verdict for
each function, and the elements that the built-in would act on, each with an id. Its suggestions reach the tester in
words; where it names one of the listed ways, the built-in tester can follow it too. For fields whose text must make
sense (a search that must match, a rule for passwords, a code that is shown) it is asked for texts.

Whenever no answer comes, the built-in's hint is given, with a note.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from pydantic import BaseModel, Field

from explorer.actions import TEXT_TYPES, Candidate, Key
from explorer.guide import Guide
from explorer.hints import BuiltInHint, Hint, Suggestion
from explorer.links import Links, link
from explorer.memory import Memory
from explorer.missedcode import Missed, missed
from explorer.prompting import UNTRUSTED, code, page, plain
from graph.pagetext import page_lines
from graph.records import StateId, Step
from graph.wording import describe
from instrument.wording import cut
from judge.request import Model, ModelRequest, TextBlock

SYSTEM = f"""You help a software tester who explores a web app by hand and is stuck: the last actions reached no new code. \
You can see the code that has never run, and the page as it is now; the tester sees only the page.

Say in plain words what a user should do to reach that code: which element, by what it is called on the page, what to \
enter, in which order, under which circumstances. Think of what the code's conditions ask for: a length, a state, an \
order of steps, a text that must match. Never name functions, files, variables or other code: the tester knows none.

{UNTRUSTED}"""

VALUES_SYSTEM = f"""You help a software tester who explores a web app by hand. The fields of a page want texts that make \
sense: a search that must match something that is there, a password that keeps to a rule, a code that the page shows, \
an answer to a question. Read the page and say what to type.

{UNTRUSTED}"""

MOST_PAGE_LINES = 120
LATEST = 6
"""Actions that are told."""
MOST_SUGGESTIONS = 5
MOST_TEXTS = 3
"""Texts for one field."""
LONGEST_TEXT = 500
WORDY = TEXT_TYPES - {"color", "contenteditable", "date", "time", "datetime-local", "month", "week"}
"""Types of fields whose text may have to make sense."""
ASKED_TWICE = 2
"""How often texts are asked for one field."""


class Suggested(BaseModel):
    """One thing for the tester to do."""

    text: str = Field(description="What to do, in plain words of the page.")
    way: str = Field(
        description='Id of the listed way ("w2") that this begins with; empty if it is none of them.'
    )


class Advice(BaseModel):
    """Suggestions, the most promising first."""

    suggestions: list[Suggested] = Field(description="At most five.")


class FieldTexts(BaseModel):
    """What to type into one field."""

    ref: str = Field(description='Reference of the field, as listed ("e3").')
    texts: list[str] = Field(
        description="At most three: first one that must be accepted, then boundary cases."
    )


class Texts(BaseModel):
    """Texts for the fields whose content must make sense; others are left out."""

    fields: list[FieldTexts]


class ModelHint:
    """Asks a model on a plateau: at its beginning, then ever more seldom while it lasts."""

    def __init__(self, model: Model, *, texts: bool = True) -> None:
        """texts: whether the tester wants texts for fields; a model tester reads the page itself."""
        self._texts = texts
        self.name = f"model {model.name}"
        self._model = model
        self._built_in = BuiltInHint()
        self._links: Links | None = None
        self._covered = -1
        """Probes that had run when the plateau began."""
        self._turn = 0
        """How often this plateau asked for a hint."""
        self._gone = ""
        self._texts_asked: dict[tuple[StateId, Key], int] = {}

    async def hint(self, state: StateId, memory: Memory, guide: Guide) -> Hint:
        """The model's suggestions and texts; the built-in's where none come."""
        own = self._built_in.hint(state, memory, guide)
        if not self._due(guide) or not memory.history:
            return own
        if self._gone:
            return replace(own, note=self._note("hint", self._gone))
        situation = Situation(state, memory, own, self._missed(state, memory, guide))
        hint = await self._advised(situation)
        return await self._with_texts(hint, situation)

    def _due(self, guide: Guide) -> bool:
        """The first, second, fourth, eighth ... time that a plateau asks."""
        if len(guide.covered) != self._covered:
            self._covered, self._turn = len(guide.covered), 0
        self._turn += 1
        return self._turn & (self._turn - 1) == 0

    def _missed(self, state: StateId, memory: Memory, guide: Guide) -> tuple[Missed, ...]:
        if self._links is None:
            self._links = link(guide.probes)
        return missed(state, memory, guide, links=self._links)

    async def _advised(self, at: Situation) -> Hint:
        if not at.missed:
            return at.own
        reply = await self._model.ask(at.request())
        advice = reply.of(Advice)
        if advice is None:
            self._gone = reply.reason if reply.lasting else ""
            return replace(at.own, note=self._note("hint", reply.reason))
        told = [item for item in advice.suggestions if item.text.strip()][:MOST_SUGGESTIONS]
        if not told:
            return replace(at.own, note=self._note("hint", "the model had no suggestion"))
        text = "; ".join(" ".join(item.text.split()) for item in told)
        return Hint(self.name, text, at.suggestions(told))

    async def _with_texts(self, hint: Hint, at: Situation) -> Hint:
        fields = [c for c in at.fields if self._texts_asked.get((at.state, c.key), 0) < ASKED_TWICE]
        if not self._texts or not fields or self._gone:
            return hint
        for candidate in fields:
            asked = at.state, candidate.key
            self._texts_asked[asked] = self._texts_asked.get(asked, 0) + 1
        reply = await self._model.ask(at.texts_request(fields))
        texts = reply.of(Texts)
        if texts is None:
            self._gone = reply.reason if reply.lasting else ""
            note = self._note("values", reply.reason)
            return replace(hint, note="; ".join(filter(None, (hint.note, note))))
        return replace(hint, values=values_of(texts, fields))

    def _note(self, role: str, reason: str) -> str:
        return f"{role}: built-in instead of {self.name}, since {reason}"


class Situation:
    """Where the tester is stuck, as a model is told of it."""

    def __init__(self, state: StateId, memory: Memory, own: Hint, found: Sequence[Missed]) -> None:
        self.state = state
        self.own = own
        self.missed = found
        self._memory = memory

    @cached_property
    def fields(self) -> list[Candidate]:
        """Fields of the page whose text may have to make sense."""
        return [c for c in self._memory.possible if c.kind == "fill" and _is_wordy(c)]

    @cached_property
    def ways(self) -> dict[str, Suggestion]:
        """What the built-in would do, by id."""
        return {f"w{number}": each for number, each in enumerate(self.own.suggestions, start=1)}

    def request(self) -> ModelRequest:
        """What the hint asks. The code comes first: on one plateau it stays the same."""
        blocks = [TextBlock(f"Code that has never run, nearest first.\n{self._code()}", cache_end=True)]
        if self.ways:
            listed = "\n".join(f"{name}: {plain(each.text)}" for name, each in self.ways.items())
            blocks.append(TextBlock(f"Ways that are known to lead to some of it:\n<page>\n{listed}\n</page>"))
        blocks += [TextBlock(self._latest()), TextBlock(self._page())]
        question = "What should the tester do? Give at most five suggestions, the most promising first."
        return ModelRequest("hint", SYSTEM, tuple(blocks), question, Advice, cache_ttl="5m")

    def texts_request(self, fields: Sequence[Candidate]) -> ModelRequest:
        """What is asked for texts."""
        listed = page("\n".join(_field(candidate) for candidate in fields))
        blocks = (
            TextBlock(self._page()),
            TextBlock(self._latest()),
            TextBlock(f"Fields, with what they say of themselves:\n{listed}"),
        )
        question = (
            "Which of these fields want a text that makes sense on this page, and what should be typed into each? "
            "Leave out fields for which any text would do."
        )
        return ModelRequest("values", VALUES_SYSTEM, blocks, question, Texts, cache_ttl="5m")

    def suggestions(self, told: Sequence[Suggested]) -> tuple[Suggestion, ...]:
        """The ways that were named, in the model's order and words, then the rest as the built-in has them."""
        named = {item.way: item.text for item in reversed(told) if item.way in self.ways}
        chosen = [
            replace(self.ways[item.way], text=" ".join(named[item.way].split()))
            for item in told
            if item.way in self.ways
        ]
        rest = [each for name, each in self.ways.items() if name not in named]
        return tuple(dict.fromkeys([*chosen, *rest]))

    def _code(self) -> str:
        return "\n".join(
            code(f"{item.verdict}: {item.reason}\n{item.excerpt}", name=f"f{number}")
            for number, item in enumerate(self.missed, start=1)
        )

    def _latest(self) -> str:
        steps = [step for step in self._memory.history if step.action is not None][-LATEST:]
        return f"The latest actions:\n{page(chr(10).join(map(_told, steps)) or '(none)')}"

    def _page(self) -> str:
        lines = page_lines(self._memory.page.html) if self._memory.page else ()
        more = [f"… and {len(lines) - MOST_PAGE_LINES} more lines"] if len(lines) > MOST_PAGE_LINES else []
        return f"The page now:\n{page(chr(10).join([*lines[:MOST_PAGE_LINES], *more]))}"


def values_of(texts: Texts, fields: Sequence[Candidate]) -> tuple[tuple[Key, tuple[str, ...]], ...]:
    """Texts by the key of the field's `fill`; what names no listed field is dropped."""
    keys = {candidate.target.ref: candidate.key for candidate in fields if candidate.target}
    found: dict[Key, tuple[str, ...]] = {}
    for item in texts.fields:
        key = keys.get(item.ref.strip())
        said = tuple(dict.fromkeys(text[:LONGEST_TEXT] for text in item.texts))[:MOST_TEXTS]
        if key is not None and said:
            found.setdefault(key, said)
    return tuple(found.items())


def _is_wordy(candidate: Candidate) -> bool:
    field = candidate.target.field if candidate.target else None
    return field is not None and field.type in WORDY and not field.readonly


def _field(candidate: Candidate) -> str:
    target = candidate.target
    field = target.field if target else None
    if target is None or field is None:
        return ""
    facts = {
        "type": field.type,
        "label": field.label,
        "placeholder": field.placeholder,
        "pattern": field.pattern,
        "min": field.min,
        "max": field.max,
        "minlength": field.minlength,
        "maxlength": field.maxlength,
        "now": cut(field.value, 80),
    }
    told = ", ".join(f'{name} "{value}"' for name, value in facts.items() if value not in ("", None))
    return f'{target.ref} {target.role or target.tag} "{target.name}": {told}'


def _told(step: Step) -> str:
    action = describe(step.action) if step.action else "reload"
    failed = f" (could not be done: {step.failure})" if not step.performed else ""
    return f"{step.index}. {action}{failed}; {'; '.join(step.changes[:3]) or 'the page stayed the same'}"
