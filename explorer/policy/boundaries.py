"""What a user with boundary values in mind sends once: a form with nothing in it, partly filled, beyond its limits.

Only where the code behind the form still holds, or calls, statements that never ran; and a course is followed no
further than it brings something.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from explorer.actions import CLICK_EVENTS, Candidate, Key
from explorer.policy.forms import fields_of, value_of
from explorer.policy.seam import View
from explorer.policy.texts import valid_text, was_chosen
from explorer.values import blank_value, breaking_value
from explorer.wording import plural
from graph.records import Target

MOST_IN_TURN = 3
"""Variants of one course (fields left empty one by one, limits one by one)."""
CALLED_LATER = 2
"""Actions without gain before it is tried for what the handler calls alone; one is enough for its own statements."""
CALLED_WORTH = 3
"""Actions that one form may take for the sake of what its handler calls."""
EACH_WORTH = 2
"""More actions that it may take for each statement of the handler that never ran."""

MOST_WORDS = 3
"""Times that a field is filled with words of the code before its form is sent empty all the same."""

_Fill = tuple[Key, str]


@dataclass(frozen=True, slots=True)
class Variant:
    """One way of sending a form that it may refuse; fields that are not named get valid values."""

    reason: str
    values: tuple[_Fill, ...]


@dataclass(slots=True)
class _Form:
    """What is still to be sent, by course; a course ends as soon as one of it brings nothing."""

    courses: list[list[Variant]] = field(default_factory=list)
    sent: bool = False


@dataclass(frozen=True, slots=True)
class _Left:
    """What never ran of the code that a control starts, in words, and how many actions that is worth."""

    text: str
    worth: int
    own: bool
    """Whether it is the handler's own; else only what it calls, for which a form is sent once."""


@dataclass(frozen=True, slots=True)
class Sending:
    """A variant to be carried out: the fields to fill, and the control that sends them."""

    fills: tuple[_Fill, ...]
    send: Candidate
    reason: str


class Boundaries:
    """Each form of a run, and what was sent of it."""

    def __init__(self) -> None:
        self._forms: dict[frozenset[Key], _Form] = {}
        self._sent: _Form | None = None
        """The form that was sent last, if nothing is known yet about what came of it."""

    def next(self, view: View) -> Sending | None:
        """What to send here now; None where no form is worth it."""
        going_on = self._settle(view)
        if not (view.stuck or going_on):
            return None
        for candidate in sorted(view.candidates, key=lambda c: c.kind != "click"):
            fields = _fields(candidate, view)
            left = _left(view, candidate) if fields else None
            if left is None or not (left.own or going_on or view.stuck >= CALLED_LATER):
                continue
            if _has_words(view, candidate, fields):
                continue
            form = self._forms.setdefault(_identity(fields), _Form(courses(candidate, fields)))
            if not form.courses or (form.sent and not (left.own or going_on)):
                continue
            sending = _sending(view, candidate, fields, form.courses[0][0], left.text)
            if len(sending.fills) < min(left.worth, view.remaining):
                form.courses[0].pop(0)
                form.sent, self._sent = True, form
                return sending
        return None

    def _settle(self, view: View) -> bool:
        """Takes in what came of the last one; whether it brought something, so that the next may follow at once."""
        form, self._sent = self._sent, None
        if form is None:
            return False
        if view.stuck or not form.courses[0]:
            form.courses.pop(0)
        return not view.stuck and bool(form.courses)


def courses(send: Candidate, fields: Sequence[Candidate]) -> list[list[Variant]]:
    """Empty, then with single fields empty; really empty where that was spaces, for forms that the browser does not
    check; beyond the limit of each field that has one.
    """
    by_browser = _by_browser(send)
    blanks = [(c.key, _blank(c, by_browser=by_browser)) for c in fields]
    spaces = any(blank for _, blank in blanks)
    bare = [Variant("with nothing in it at all", tuple((c.key, "") for c in fields))] if spaces else []
    empty = [Variant("with spaces alone" if spaces else "with nothing in it", tuple(blanks))]
    if len(fields) > 1:
        # What is first was looked at with all empty: a check that comes later needs the fields before it filled.
        empty += [
            Variant(f"without “{_name(c)}”", (blank,)) for c, blank in zip(fields, blanks, strict=True)
        ][1:]
    beyond = [
        Variant(f"with “{_name(c)}” beyond what it takes", ((c.key, value),))
        for c in fields
        if (value := _breaking(c)) is not None
    ]
    return [course[: MOST_IN_TURN + 1] for course in (empty, bare, beyond) if course]


def _blank(candidate: Candidate, *, by_browser: bool) -> str:
    described = candidate.target.field if candidate.target else None
    return blank_value(described, checked_by_browser=by_browser) if described else ""


def _breaking(candidate: Candidate) -> str | None:
    described = candidate.target.field if candidate.target else None
    return breaking_value(described) if described else None


def _name(candidate: Candidate) -> str:
    return candidate.target.name if candidate.target else ""


def _by_browser(send: Candidate) -> bool:
    """Whether the browser checks the fields first: in a form, where no click on the control itself is handled."""
    target = send.target
    return bool(target and target.form) and not (send.kind == "click" and _clicks(target))


def _clicks(target: Target | None) -> bool:
    return target is not None and any(h.own and h.event in CLICK_EVENTS for h in target.handlers)


def _fields(candidate: Candidate, view: View) -> list[Candidate]:
    """The fields that a control sends; of Enter in a lone field that field, whatever stands in it."""
    memory = view.memory
    if not memory.tries[candidate.key] or not memory.allowed(candidate.key):
        return []
    target = candidate.target
    if candidate.kind == "press" and candidate.value == "Enter" and target and not target.form:
        return [c for c in view.candidates if c.kind == "fill" and c.target and c.target.ref == target.ref]
    return fields_of(candidate, view.candidates)


def _has_words(view: View, send: Candidate, fields: Sequence[Candidate]) -> bool:
    """Whether code that never ran compares with words that nobody has typed yet: they are the better guess."""
    words = set(view.lexicon.words(view.memory.telling(send))) - set(view.memory.typed)
    tries = max((view.memory.tries[c.key] for c in fields), default=0)
    return bool(words) and tries <= MOST_WORDS


def _identity(fields: Sequence[Candidate]) -> frozenset[Key]:
    return frozenset(c.key for c in fields)


def _left(view: View, candidate: Candidate) -> _Left | None:
    left = view.guide.code_left(view.memory.telling(candidate))
    if left is None or not any(left):
        return None
    direct = left[0]
    if not direct:
        return _Left("what its handler calls never ran", CALLED_WORTH, own=False)
    text = f"its handler has {plural(direct, 'unexecuted statement')}"
    return _Left(text, CALLED_WORTH + EACH_WORTH * direct, own=True)


def _sending(
    view: View, send: Candidate, fields: Sequence[Candidate], variant: Variant, left: str
) -> Sending:
    named = dict(variant.values)
    fills = [
        (c.key, value)
        for c in fields
        if (value := named.get(c.key, valid_text(view, c))) != value_of(c)
        and (c.key in named or not was_chosen(view, c))
    ]
    return Sending(tuple(fills), send, f"sends the form {variant.reason}: {left}")
