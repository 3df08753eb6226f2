"""The seam between the loop and the testers."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Protocol

from explorer.actions import Candidate
from explorer.guide import Guide
from explorer.hints import Hint
from explorer.lexicon import Lexicon
from explorer.memory import Memory
from graph.records import Action, Snapshot, StateId


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
    suspects: frozenset[tuple[StateId, str]] = frozenset()
    """(state, locator) of controls that did nothing so far: one more click tells. Given on a plateau."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The next action, and the candidate it was made from."""

    candidate: Candidate
    action: Action


@dataclass(frozen=True, slots=True)
class Done:
    """Nothing is left to do, and why."""

    reason: str


class Tester(Protocol):
    """Chooses actions. Same views and same random numbers: same choices."""

    @property
    def name(self) -> str:
        """Name on the command line and in run.json."""

    def choose(self, view: View) -> Choice | Done:
        """The next action in this view."""
