"""Testers to compare with: uniform over visible controls, a monkey on coordinates, and breadth-first."""

from __future__ import annotations

from collections import Counter

from explorer.actions import CLICK_ROLES, Candidate, Key
from explorer.policy.seam import Choice, Done, View
from explorer.values import values_for
from graph.records import ActionKind

MONKEY_KEYS = tuple("a b z 1 / Enter Escape ArrowLeft ArrowRight ArrowUp ArrowDown Tab Space".split())


def visible_controls(view: View) -> list[Candidate]:
    """What a tester without listener knowledge sees: controls by role, fields, things with a hand cursor."""
    plain = ("click", "check", "fill", "select", "slide", "upload")
    return [
        candidate
        for candidate in view.candidates
        if candidate.kind in plain
        and candidate.target is not None
        and (candidate.target.field or candidate.target.pointer or candidate.target.role in CLICK_ROLES)
    ]


class RandomTester:
    """Uniform over the visible controls, with a rare reload."""

    name = "random"

    def __init__(self) -> None:
        self._fills: Counter[Key] = Counter()

    def choose(self, view: View) -> Choice | Done:
        """Any visible control."""
        controls = visible_controls(view)
        if not controls or view.random.random() < 0.02:
            return _page_action(view, "reload")
        return fill_or(view, view.random.choice(controls), self._fills, "any control")


class MonkeyTester:
    """Random clicks, keys and fields, by coordinates, as gremlins.js does."""

    name = "monkey"

    def __init__(self) -> None:
        self._fills: Counter[Key] = Counter()

    def choose(self, view: View) -> Choice | Done:
        """45 % clicks, 25 % fields, 15 % keys, the rest clicks again."""
        roll = view.random.random()
        if 0.45 <= roll < 0.7:
            fields = [c for c in visible_controls(view) if c.kind in ("fill", "select", "slide", "check")]
            if fields:
                return fill_or(view, view.random.choice(fields), self._fills, "a random field")
        if 0.7 <= roll < 0.85:
            return _free("press", view.random.choice(MONKEY_KEYS), "a random key")
        width, height = view.snapshot.viewport
        point = f"{view.random.randrange(max(1, width))},{view.random.randrange(max(1, height))}"
        return _free("click", point, "a random point")


class BreadthFirstTester:
    """Tries each visible control once per state and walks to the nearest state with one untried, as Crawljax does."""

    name = "breadth-first"

    def __init__(self) -> None:
        self._fills: Counter[Key] = Counter()
        self._way: list[Key] = []

    def choose(self, view: View) -> Choice | Done:
        """Fields first, then the rest, then the way to the frontier, then a reload."""
        memory = view.memory
        while self._way:
            key = self._way.pop(0)
            candidate = next((c for c in view.candidates if c.key == key), None)
            if candidate is not None:
                return fill_or(view, candidate, self._fills, "on the way to the frontier")
        fresh = [c for c in visible_controls(view) if not memory.tries_in[view.state, c.key]]
        fresh.sort(key=lambda c: c.kind != "fill")
        if fresh:
            return fill_or(view, fresh[0], self._fills, "not yet tried in this state")
        shown = ("click", "check", "fill", "select", "slide", "upload")
        ways = (way for _, way, left in memory.frontier(view.state) if any(c.kind in shown for c in left))
        way = next(ways, None)
        if way and len(way) < view.remaining:
            self._way = [key for _, key in way]
            return self.choose(view)
        return _page_action(view, "reload")


def fill_or(view: View, candidate: Candidate, fills: Counter[Key], reason: str) -> Choice:
    """The candidate's action; a field gets its next value."""
    value = None
    if candidate.kind == "fill" and candidate.target and candidate.target.field:
        values = values_for(candidate.target.field, typed=view.memory.typed)
        value = values[fills[candidate.key] % len(values)]
        fills[candidate.key] += 1
    return Choice(candidate, candidate.action(reason, value=value))


def _page_action(view: View, kind: ActionKind) -> Choice:
    found = next((c for c in view.candidates if c.kind == kind), None)
    if found:
        return Choice(found, found.action("nothing else to do"))
    return _free(kind, "", "nothing else to do")


def _free(kind: ActionKind, value: str, reason: str) -> Choice:
    candidate = Candidate(Key(kind, "page", value if kind == "press" else ""), kind, value)
    return Choice(candidate, candidate.action(reason))
