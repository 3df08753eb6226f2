"""What a run has learned: which actions were tried where, what they led to, and what is left untried."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit

from explorer.actions import Candidate, Key
from graph.records import Action, ActionKind, Snapshot, StateId, Step

GAIN_FORGIVES = 0.4
"""What is left of a place's or handler's failures after a gain."""


MISS_COUNTS = 3
"""An action that could not be performed counts as so many tries in its state."""
SHARED_BY = 6
"""Families of elements from which on a handler that they share says nothing about one of them."""

Path = tuple[tuple[StateId, Key], ...]
"""(state, key of the action to do there), in turn."""

Situation = tuple[str, tuple[tuple[str, str, bool], ...]]
"""The page in every detail: its digest, and what stands in its fields."""


@dataclass
class StateNote:
    """One state as the tester knows it."""

    first_step: int
    candidates: dict[Key, Candidate] = field(default_factory=dict)
    """Everything that was ever possible here."""
    leads: dict[Key, Counter[StateId]] = field(default_factory=dict)


class Memory:
    """Counts over the whole run; all orders are insertion orders, so a run repeats exactly."""

    def __init__(self) -> None:
        self.states: dict[StateId, StateNote] = {}
        self.tries: Counter[Key] = Counter()
        self.tries_in: Counter[tuple[StateId, Key]] = Counter()
        self.kind_tries: Counter[ActionKind] = Counter()
        self.kind_gains: Counter[ActionKind] = Counter()
        """Actions of a kind, and how many of them brought something."""
        self.fruitless: Counter[Key] = Counter()
        """Tries in a row that brought nothing, wherever."""
        self._idle: Counter[tuple[Key, str]] = Counter()
        self.waited: defaultdict[StateId, int] = defaultdict(int)
        """Longest time that was let pass in a state without gain, in milliseconds of the page."""
        self._stale: Counter[tuple[Key, Situation]] = Counter()
        self._situation: tuple[Snapshot | None, Situation] = None, ("", ())
        self.last: Candidate | None = None
        self.pages: set[str] = set()
        """Pages that were seen, as `page_of` names them."""
        self.place_failures: defaultdict[tuple[str, str], float] = defaultdict(float)
        self.function_failures: defaultdict[tuple[str, frozenset[int]], float] = defaultdict(float)
        self._families: defaultdict[int, set[str]] = defaultdict(set)
        self._met: set[tuple[str, frozenset[int]]] = set()
        """Families of elements with their handlers that are noted already."""
        self._telling: dict[frozenset[int], frozenset[int]] = {}
        self.fresh: frozenset[Key] = frozenset()
        self._lost: set[Key] = set()
        self.typed: list[str] = []
        self.values: dict[Key, tuple[str, ...]] = {}
        """Texts that were advised for a field, best first, by the key of its `fill`."""
        self.page: Snapshot | None = None
        """The page now, and what can be done on it."""
        self.possible: tuple[Candidate, ...] = ()
        self.history: list[Step] = []
        """Steps so far; their snapshots, of new states only, without html."""
        self.first_seen: dict[int, tuple[StateId, Candidate]] = {}
        """Function probe -> where an element bound to it was first seen."""

    def arrive(self, state: StateId, candidates: Sequence[Candidate], *, step: int) -> None:
        """The page is in this state and these actions are possible."""
        note = self.states.get(state)
        if note is None:
            note = self.states[state] = StateNote(first_step=step)
        for candidate in candidates:
            note.candidates.setdefault(candidate.key, candidate)
            met = (candidate.key.family, candidate.functions)
            if met not in self._met:
                self._met.add(met)
                self._telling.clear()
                for function in candidate.functions:
                    self.first_seen.setdefault(function, (state, candidate))
                    self._families[function].add(candidate.key.family)

    def record(
        self,
        state: StateId,
        key: Key,
        action: Action,
        *,
        after: StateId,
        gain: int,
        candidate: Candidate | None = None,
        performed: bool = True,
    ) -> None:
        """An action was done in `state` and led to `after` with so much gain; or it could not be performed."""
        self.tries[key] += 1
        if not performed:
            self.tries_in[state, key] += MISS_COUNTS
            return
        self.tries_in[state, key] += 1
        self.kind_tries[key.kind] += 1
        self.kind_gains[key.kind] += gain > 0
        self.last = candidate
        note = self.states.get(state)
        if note is not None:
            note.leads.setdefault(key, Counter())[after] += 1
        if candidate is not None:
            place = (candidate.kind, candidate.place)
            self.place_failures[place] = _adjust(self.place_failures[place], gain)
            if telling := self.telling(candidate):
                functions = (candidate.kind, telling)
                self.function_failures[functions] = _adjust(self.function_failures[functions], gain)
        if action.kind in ("fill", "type") and action.value:
            self.typed.append(action.value)
        named = key, action.name
        self._idle[named] = 0 if gain or after != state else self._idle[named] + 1
        self._note_gain(state, key, action, gain)

    def _note_gain(self, state: StateId, key: Key, action: Action, gain: int) -> None:
        stale = (key, self._now())
        if gain:
            self.fruitless[key] = self._stale[stale] = 0
            return
        self.fruitless[key] += 1
        self._stale[stale] += self.page is not None
        if action.kind == "advance-time" and action.value.isdecimal():
            self.waited[state] = max(self.waited[state], int(action.value))

    def idle(self, candidate: Candidate) -> int:
        """How often in a row it brought nothing and led to no other state, wherever it was done."""
        return self._idle[candidate.key, candidate.target.name if candidate.target else ""]

    def stale(self, key: Key) -> int:
        """How often an action brought nothing on the page exactly as it is now: what it shows, what its fields hold."""
        return self._stale[key, self._now()]

    def _now(self) -> Situation:
        known, situation = self._situation
        if known is not self.page and self.page is not None:
            situation = self.page.digest, _contents(self.page)
            self._situation = self.page, situation
        return situation

    def telling(self, candidate: Candidate) -> frozenset[int]:
        """The candidate's handlers that say something about it: one that everything shares, a dispatcher on the
        document or a library's wrapper, does not.
        """
        found = self._telling.get(candidate.functions)
        if found is None:
            found = frozenset(f for f in candidate.functions if len(self._families[f]) <= SHARED_BY)
            self._telling[candidate.functions] = found
        return found

    def lost(self, key: Key) -> None:
        """An action hung, crashed or closed the page: it is not done again, in no state. Each loss costs a restart."""
        self._lost.add(key)

    def allowed(self, key: Key) -> bool:
        """Whether an action may be done: it did not cost the page before."""
        return key not in self._lost

    def untried(self, state: StateId) -> list[Candidate]:
        """What was possible in a state and was never done there."""
        note = self.states.get(state)
        if note is None:
            return []
        return [
            candidate
            for key, candidate in note.candidates.items()
            if not self.tries_in[state, key] and self.allowed(key)
        ]

    def ways(self, start: StateId) -> Iterator[tuple[StateId, Path]]:
        """States that can be got to from `start`, nearest first, each with the shortest known way.

        A transition counts as what its action led to most often.
        """
        known: dict[StateId, Path] = {start: ()}
        queue = deque([start])
        while queue:
            state = queue.popleft()
            if state != start:
                yield state, known[state]
            note = self.states.get(state)
            for key, leads in note.leads.items() if note else ():
                nearest = leads.most_common(1)[0][0]
                if nearest not in known and self.allowed(key):
                    known[nearest] = (*known[state], (state, key))
                    queue.append(nearest)

    def frontier(self, start: StateId) -> Iterator[tuple[StateId, Path, list[Candidate]]]:
        """Where something was never tried, nearest to `start` first: state, the way there, and what is left there."""
        for state, way in self.ways(start):
            if left := self.untried(state):
                yield state, way, left


def page_of(url: str, *, base: str = "") -> str:
    """The page that an address leads to: its path, and the route in its fragment ("#/active"), no query."""
    parts = urlsplit(urljoin(base, url))
    route = parts.fragment if parts.fragment.startswith(("/", "!")) else ""
    return f"{parts.path}#{route}" if route else parts.path


def _contents(snapshot: Snapshot) -> tuple[tuple[str, str, bool], ...]:
    return tuple(
        (target.locator, target.field.value, target.field.checked)
        for target in snapshot.targets
        if target.field is not None
    )


def _adjust(failures: float, gain: int) -> float:
    return failures * GAIN_FORGIVES if gain else failures + 1
