"""The seam between the loop and the testers."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol, runtime_checkable

from explorer.actions import Candidate
from explorer.exploration import Closing
from explorer.guide import Guide
from explorer.hints import Hint
from explorer.lexicon import Lexicon
from explorer.memory import Memory
from graph.records import Action, Snapshot, StateId, Step


@dataclass(frozen=True, slots=True)
class View:
    """All that a tester may know when it chooses; criteria and requirements are not part of it."""

    snapshot: Snapshot
    state: StateId
    candidates: tuple[Candidate, ...]
    memory: Memory
    guide: Guide
    lexicon: Lexicon
    random: Random
    remaining: int
    """Actions left in the budget."""
    stuck: int
    """Actions in a row without gain."""
    hint: Hint | None = None
    """Given on a plateau."""
    screenshot: str = ""
    """What the page looks like, a file name relative to the run folder; where `Roles.pictures` asks for it."""
    suspects: frozenset[tuple[StateId, str]] = frozenset()
    """(state, locator) of controls that did nothing so far: one more click tells. Given on a plateau."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The next action, and the candidate it was made from."""

    candidate: Candidate
    action: Action
    note: str = ""
    """Why a built-in chose where a model was meant to; "" otherwise."""


@dataclass(frozen=True, slots=True)
class Done:
    """Nothing is left to do, and why."""

    reason: str


Answer = Choice | Done


class Tester(Protocol):
    """Chooses actions. Same views and same random numbers: same choices (and, of a model, same replies)."""

    @property
    def name(self) -> str:
        """Name on the command line and in run.json."""

    def choose(self, view: View) -> Answer | Awaitable[Answer]:
        """The next action in this view; an awaitable where a model must be waited for."""


@runtime_checkable
class ClosingTester(Protocol):
    """A tester that tells at the end what it saw."""

    def summarize(self, steps: Sequence[Step], *, stop: str) -> Awaitable[Closing]:
        """The closing summary of these steps; `stop`: why the run ended, in words."""


class BuiltInTester(Tester, Protocol):
    """A tester that never waits."""

    def choose(self, view: View) -> Answer:
        """The next action in this view."""
