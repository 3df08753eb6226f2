"""What an action carries along: texts for fields, what fields suggest, time for timers, places on large surfaces."""

from __future__ import annotations

from explorer.actions import TYPED, Candidate
from explorer.policy.forms import suggests, valid_for, value_of
from explorer.policy.seam import View
from explorer.values import values_for
from graph.records import Target

LONGEST_PLAY_MS = 10_000
"""Milliseconds of the page's time that a canvas is left to itself at a time."""
LONGEST_COUNTDOWN_MS = 300_000
"""Milliseconds of the page's time that a repeating timer is given at a time."""


def values_of(view: View, candidate: Candidate) -> tuple[str, ...]:
    """Texts for a field, in the order in which they should be tried; advised ones first."""
    target = candidate.target
    described = target.field if target else None
    if target is None or described is None:
        return TYPED if candidate.kind == "type" else ("",)
    advised = view.memory.values.get(candidate.key, ())
    own = values_for(described, mined=view.lexicon.words(_around(target)), typed=view.memory.typed)
    return tuple(dict.fromkeys((*advised, *own)))


def valid_text(view: View, candidate: Candidate) -> str:
    """A text that the field most probably takes: the advised one, or the built-in's."""
    advised = view.memory.values.get(candidate.key)
    return advised[0] if advised else valid_for(candidate, typed=view.memory.typed)


def offered(view: View) -> list[Candidate]:
    """What the last action brought to choose from."""
    clicks = [c for c in view.candidates if c.kind == "click" and c.target and view.memory.allowed(c.key)]
    options = [c for c in clicks if c.target and c.target.role == "option"]
    return options or [c for c in clicks if c.key in view.memory.fresh]


def was_chosen(view: View, candidate: Candidate) -> bool:
    """Whether a text stands in a suggesting field that nobody typed: what was chosen there is valid."""
    text = value_of(candidate)
    return bool(text) and suggests(candidate) and text not in view.memory.typed


def _around(target: Target) -> frozenset[int]:
    """All handlers that a field's value may get to: its own, and its form's."""
    return frozenset(handler.function for handler in target.handlers if handler.function is not None)


def more_time(view: View, candidate: Candidate) -> str | None:
    """More time each time where something goes on: on a canvas up to ten seconds, what moves must meet something;
    with a repeating timer up to minutes, a countdown must end. None for the usual value.
    """
    if candidate.kind != "advance-time":
        return None
    repeating = any(timer.repeats for timer in view.snapshot.timers)
    longest = LONGEST_PLAY_MS if view.snapshot.canvas else LONGEST_COUNTDOWN_MS if repeating else 0
    if not longest:
        return None
    tries, usual = view.memory.tries[candidate.key], int(candidate.value)
    return str(max(usual, min((2000 if view.snapshot.canvas else usual) * 2 ** min(tries, 8), longest)))


def spot_on(view: View, candidate: Candidate) -> str | None:
    """A random point of a large surface, where the middle alone would say little; None for the usual value."""
    target = candidate.target
    if target is None or not (target.tag == "canvas" or target.box[2] * target.box[3] > 90_000):
        return None
    x = int(target.box[2] * (0.1 + 0.8 * view.random.random()))
    y = int(target.box[3] * (0.1 + 0.8 * view.random.random()))
    if candidate.kind in ("click", "double-click", "right-click"):
        return f"{x},{y}"
    if candidate.kind == "drag" and not candidate.value.startswith("to "):
        return f"{x},{y},{candidate.value}"
    return None
