"""The built-in tester: untried things first, those that start unexecuted code before others."""

from __future__ import annotations

import math
import operator
import re
from collections import Counter
from functools import partial

from explorer.actions import CLICK_ROLES, TEXT_TYPES, Candidate, Key
from explorer.policy.seam import Choice, Done, View
from explorer.values import valid_value, values_for
from graph.records import StateId, Target

DESTRUCTIVE = re.compile(
    r"sign ?out|log ?out|\breset\b|clear all|delete all|remove all|new game|start over|\bexit\b|\bquit\b|\bclose\b",
    re.IGNORECASE,
)
SUBMITS = re.compile(
    r"\b(add|save|submit|next|ok|send|create|log ?in|sign|search|go|apply|update|post|enter|register|continue|done|"
    r"confirm|unlock|set|calc\w*|convert|generate|start)\b",
    re.IGNORECASE,
)
KIND_PRIOR = {
    "advance-time": 0.35,
    "network": 0.5,
    "storage": 0.5,
    "press": 0.7,
    "hover": 0.6,
    "drag": 0.7,
    "wheel": 0.6,
    "swipe": 0.7,
    "scroll": 0.4,
    "reload": 0.25,
    "back": 0.25,
    "resize": 0.25,
}
STUCK_RELOAD = 12
"""Actions without gain after which starting anew is worth one."""
QUIET_END = 25
"""Actions without gain before an exhausted frontier means that the run is complete."""
REPEATS = 3
"""Tries of one key, anywhere, after which another state alone makes it no news."""


class GuidedTester:
    """Novelty times unexecuted code, with the frontier and the hint as ways out of a plateau."""

    name = "guided"

    def __init__(self) -> None:
        self._plan: list[tuple[StateId | None, Key, str | None, str]] = []
        self._fills: Counter[Key] = Counter()
        self._forms: Counter[Key] = Counter()

    def choose(self, view: View) -> Choice | Done:
        """Follows the plan, else the hint, else scores what is possible here, else walks to the frontier."""
        planned = self._planned(view)
        if planned:
            return planned
        if view.hint and self._follow(view):
            planned = self._planned(view)
            if planned:
                return planned
        scored = self._scored(view)
        fresh = any(not view.memory.tries[candidate.key] for _, candidate in scored)
        if not fresh and self._walk(view):
            planned = self._planned(view)
            if planned:
                return planned
        if not fresh and view.stuck >= QUIET_END and not self._left(view):
            return Done(
                "every action in every state that was found has been tried, the last ones without gain"
            )
        if not scored:
            return Done("nothing on the page can be acted on")
        if view.stuck >= STUCK_RELOAD and view.stuck % STUCK_RELOAD == 0:
            again = next((c for _, c in scored if c.kind == "reload"), None)
            if again:
                return Choice(
                    again, again.action(f"{view.stuck} actions without gain: starting from the load again")
                )
        return self._begin(view, scored[0][1])

    # -- plans: a way through known states, or a form to fill before it is sent

    def _planned(self, view: View) -> Choice | None:
        while self._plan:
            state, key, value, reason = self._plan.pop(0)
            if state is not None and state != view.state:
                self._plan.clear()
                return None
            candidate = next((c for c in view.candidates if c.key == key), None)
            if candidate is not None:
                return self._choice(view, candidate, reason, value=value)
        return None

    def _follow(self, view: View) -> bool:
        """Makes the hint's best suggestion that can be got to the plan."""
        assert view.hint is not None
        for suggestion in view.hint.suggestions:
            key = suggestion.candidate.key
            if view.memory.tries_in[suggestion.state, key] > REPEATS:
                continue
            if any(candidate.key == key for candidate in view.candidates):
                self._plan = [(None, key, None, f"hint: {suggestion.text}")]
                return True
            way = view.memory.path(view.state, partial(operator.eq, suggestion.state))
            if way is not None and len(way) < min(8, view.remaining):
                self._plan = [(state, k, None, f"on the way to: {suggestion.text}") for state, k in way]
                self._plan.append((None, key, None, f"hint: {suggestion.text}"))
                return True
        return False

    def _walk(self, view: View) -> bool:
        """Plans the shortest way to a state where something was never tried anywhere."""
        memory = view.memory

        def wanted(state: StateId) -> bool:
            return any(not memory.tries[candidate.key] for candidate in memory.untried(state))

        way = memory.path(view.state, wanted)
        if not way or len(way) >= min(8, view.remaining):
            return False
        self._plan = [(state, key, None, "back to a state where something is untried") for state, key in way]
        return True

    def _left(self, view: View) -> bool:
        """Whether anything is left that was not done enough to be no news."""
        memory = view.memory
        for state in memory.states:
            for candidate in memory.untried(state):
                if memory.tries[candidate.key] < REPEATS:
                    return True
        return any(
            candidate.kind == "fill"
            and self._fills[candidate.key] < min(4, len(self._values(view, candidate)))
            for candidate in view.candidates
        )

    # -- scores

    def _scored(self, view: View) -> list[tuple[float, Candidate]]:
        scored = [
            (self._score(view, candidate), candidate)
            for candidate in view.candidates
            if view.memory.allowed(view.state, candidate.key)
        ]
        scored.sort(key=lambda item: -item[0])
        return scored

    def _score(self, view: View, candidate: Candidate) -> float:
        memory, key = view.memory, candidate.key
        tries, here = memory.tries[key], memory.tries_in[view.state, key]
        place = memory.place_failures[candidate.kind, candidate.place]
        failed = memory.function_failures[candidate.kind, candidate.functions] if candidate.functions else 0.0
        score: float = (1 / (1 + tries) + 0.35 / (1 + here)) / (1 + 0.3 * failed + 0.35 * place)
        if key in memory.fresh and tries < 2:
            score += 0.5 / (1 + 0.6 * place)
        score *= _code_factor(view, candidate, failed)
        score *= KIND_PRIOR.get(candidate.kind, 1.0)
        if candidate.kind == "advance-time":
            score *= math.pow(0.6, place)
        score *= _target_factor(candidate, tries)
        return score + 0.3 * view.random.random()

    # -- carrying out

    def _begin(self, view: View, candidate: Candidate) -> Choice:
        """The chosen candidate; a form's fields are filled before it is sent."""
        plan = self._form_plan(view, candidate)
        if plan:
            self._plan = plan
            planned = self._planned(view)
            if planned:
                return planned
        return self._choice(view, candidate, self._why(view, candidate))

    def _form_plan(
        self, view: View, candidate: Candidate
    ) -> list[tuple[StateId | None, Key, str | None, str]]:
        fields = _form_fields(view, candidate)
        turn = self._forms[candidate.key]
        if not fields or turn >= 4:
            return []
        self._forms[candidate.key] += 1
        name = candidate.target.name if candidate.target else ""
        if turn % 2 == 0:
            steps = [
                (None, item.key, _valid(view, item), f"a valid value before “{name}”")
                for item in fields
                if item.target and item.target.field and item.target.field.value != _valid(view, item)
            ]
        else:
            bad = fields[view.random.randrange(len(fields))]
            values = self._values(view, bad)
            value = (
                values[1 + (turn // 2 + self._fills[bad.key]) % max(1, len(values) - 1)] if values[1:] else ""
            )
            steps = [(None, bad.key, value, f"one field off before “{name}”")]
        return [*steps, (None, candidate.key, None, "sends the form")] if steps else []

    def _choice(self, view: View, candidate: Candidate, reason: str, *, value: str | None = None) -> Choice:
        if candidate.kind == "fill":
            value = self._next_value(view, candidate) if value is None else value
            self._fills[candidate.key] += 1
        elif candidate.kind in ("click", "drag") and value is None:
            value = _point(view, candidate)
        return Choice(candidate, candidate.action(reason, value=value))

    def _values(self, view: View, candidate: Candidate) -> tuple[str, ...]:
        target = candidate.target
        if target is None or target.field is None:
            return ("",)
        words = view.lexicon.words(candidate.functions)
        return values_for(target.field, mined=words, typed=view.memory.typed)

    def _next_value(self, view: View, candidate: Candidate) -> str:
        """Valid and other values in turn: gates need the valid one again after an invalid one was refused."""
        values = self._values(view, candidate)
        turn = self._fills[candidate.key]
        if turn % 2 == 0 or len(values) == 1:
            return values[0]
        return values[1 + (turn // 2) % (len(values) - 1)]

    def _why(self, view: View, candidate: Candidate) -> str:
        left = sum(view.guide.unexecuted(f) for f in candidate.functions if f in view.guide.probes.own)
        tries = view.memory.tries[candidate.key]
        news = "never tried" if not tries else f"tried {tries} times"
        if left:
            return f"{news}; its handler has {left} unexecuted statements"
        if candidate.functions:
            return f"{news}; its handler ran before, what it leads to may differ here"
        return f"{news}; its handler is not known"


def _code_factor(view: View, candidate: Candidate, failed: float) -> float:
    """More for handlers with unexecuted statements, less for those that have none left."""
    if not candidate.functions:
        return 1.0
    own = view.guide.probes.own
    handlers = [function for function in candidate.functions if function in own]
    if not handlers:
        return 0.8
    direct = sum(view.guide.unexecuted(function) for function in handlers)
    reach = sum(view.guide.reach(function) for function in handlers)
    if not direct and not reach:
        return 0.6
    return 1 + (math.pow(0.8, failed) if direct else 0.0) + 0.08 * math.log1p(reach) * math.pow(0.7, failed)


def _target_factor(candidate: Candidate, tries: int) -> float:
    target = candidate.target
    if target is None:
        return 1.0
    factor = 1.0
    if target.container and not target.role:
        factor *= 0.5
    if DESTRUCTIVE.search(target.name):
        factor *= 0.15 if tries else 0.35
    if candidate.kind == "fill":
        if not tries:
            factor *= 1.2
        elif target.field and target.field.value:
            factor *= 0.6
    if candidate.kind == "press" and candidate.value == "Escape":
        factor *= 0.8
    return factor


def _form_fields(view: View, candidate: Candidate) -> list[Candidate]:
    """Text fields that belong to a control that sends them: of its form, or close above a button that says so."""
    target = candidate.target
    if target is None:
        return []
    sends = (
        candidate.kind == "click" and (target.tag in ("button", "input") or target.role in CLICK_ROLES)
    ) or (candidate.kind == "press" and candidate.value == "Enter")
    if not sends:
        return []
    fields = [c for c in view.candidates if c.kind == "fill" and c.target and _is_text(c.target)]
    if target.form:
        return [c for c in fields if c.target and c.target.form == target.form]
    if candidate.kind == "press":
        return [c for c in fields if c.target and c.target.ref == target.ref and not _value(c)]
    if not SUBMITS.search(target.name):
        return []
    near = [c for c in fields if c.target and not c.target.form and abs(c.target.box[1] - target.box[1]) < 220]
    return near[:4]


def _value(candidate: Candidate) -> str:
    return candidate.target.field.value if candidate.target and candidate.target.field else ""


def _is_text(target: Target) -> bool:
    return target.field is not None and target.field.type in TEXT_TYPES - {"contenteditable"}


def _valid(view: View, candidate: Candidate) -> str:
    assert candidate.target is not None and candidate.target.field is not None
    return valid_value(candidate.target.field, typed=view.memory.typed)


def _point(view: View, candidate: Candidate) -> str | None:
    """A random point of a large surface, where the middle alone would say little."""
    target = candidate.target
    if target is None or not (target.tag == "canvas" or target.box[2] * target.box[3] > 90_000):
        return None
    x = int(target.box[2] * (0.1 + 0.8 * view.random.random()))
    y = int(target.box[3] * (0.1 + 0.8 * view.random.random()))
    if candidate.kind == "click":
        return f"{x},{y}"
    return (
        f"{x},{y},{candidate.value}"
        if candidate.value.count(",") == 1 and candidate.value[:3] != "to "
        else None
    )
