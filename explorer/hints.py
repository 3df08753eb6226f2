"""The built-in hint: which unexecuted code looks reachable, through which element, in which state."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Protocol

from explorer.actions import Candidate, Key
from explorer.guide import Guide
from explorer.memory import Memory
from explorer.wording import plural
from graph.records import StateId

MAX_SUGGESTIONS = 8
MOST_FRUITLESS = 4
"""Tries in a row without gain after which an element is named no more; its handler holds code that never ran."""
MOST_BEYOND = 2
"""The same where all of the handler's own code ran: what it calls waits for something else than one more try."""
MOST_STALE = 2
"""Tries on a page that did not change in anything after which an element is not named until it does; one is enough
where all of the handler's own code ran."""
MAX_NAMED = 3
"""Functions named where no element leads to any."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One way to code that never ran."""

    function: int
    """Function probe that holds the unexecuted statements."""
    text: str
    """In words, for the trace, the report and a model tester."""
    state: StateId
    candidate: Candidate


@dataclass(frozen=True, slots=True)
class Hint:
    """What was answered on a plateau: suggestions, best first; `text` says so, or why there is none."""

    source: str
    text: str
    suggestions: tuple[Suggestion, ...] = ()
    values: tuple[tuple[Key, tuple[str, ...]], ...] = ()
    """Texts for fields that want some sense, best first, by the key of the field's `fill`."""
    note: str = ""
    """Why the built-in answered where a model was meant to; "" otherwise."""


class Hinter(Protocol):
    """Asked after three actions in a row without gain."""

    @property
    def name(self) -> str:
        """Name in run.json; a built-in says that it is one."""

    def hint(self, state: StateId, memory: Memory, guide: Guide) -> Hint | Awaitable[Hint]:
        """Suggestions for a tester that is in `state`; an awaitable where a model must be waited for."""


class BuiltInHint:
    """Looks up the elements whose handlers hold, or lead to, unexecuted statements."""

    name = "built-in"

    def hint(self, state: StateId, memory: Memory, guide: Guide) -> Hint:
        """The most unexecuted code first; what was tried without effect sinks, and is not named again and again."""
        ranked: list[tuple[float, int, Suggestion]] = []
        spent = 0
        for function, (seen_in, candidate) in memory.first_seen.items():
            worth = _worth(function, guide)
            if worth <= 0:
                continue
            tries = memory.tries[candidate.key]
            here = memory.states[state].candidates.get(candidate.key)
            where = state if here and function in here.functions else seen_in
            if not memory.allowed(candidate.key):
                continue
            if _spent(function, candidate, memory, guide):
                spent += 1
                continue
            failures = memory.function_failures[candidate.kind, memory.telling(candidate)]
            score = worth / (1 + tries + 2 * failures)
            ranked.append(
                (
                    -score,
                    function,
                    Suggestion(
                        function, _say(function, candidate, guide, tries=tries, state=where), where, candidate
                    ),
                )
            )
        ranked.sort(key=lambda item: item[:2])
        suggestions = tuple(item[2] for item in ranked[:MAX_SUGGESTIONS])
        return Hint(self.name, _summary(suggestions, guide, spent=spent), suggestions)


def _spent(function: int, candidate: Candidate, memory: Memory, guide: Guide) -> bool:
    direct = guide.unexecuted(function) > 0
    most, stale = (MOST_FRUITLESS, MOST_STALE) if direct else (MOST_BEYOND, 1)
    return memory.fruitless[candidate.key] >= most or memory.stale(candidate.key) >= stale


def _worth(function: int, guide: Guide) -> float:
    if function not in guide.probes.own:
        return 0.0
    direct = guide.unexecuted(function)
    return 3.0 * direct + guide.reach(function) if function not in guide.covered else guide.reach(function)


def _say(function: int, candidate: Candidate, guide: Guide, *, tries: int, state: StateId) -> str:
    probe = guide.probes.probes[function]
    target = candidate.target
    what = f"{target.role or target.tag} “{target.name}”" if target else "the page"
    value = f" {candidate.value}" if candidate.value else ""
    left = guide.unexecuted(function)
    code = f"{probe.function or 'a handler'} ({probe.file}:{probe.position.line})"
    missing = f"{left} of its statements never ran" if left else "what it calls never ran"
    tried = f"; tried {plural(tries, 'time')} so far" if tries else ""
    return f"{candidate.kind}{value} on {what}, seen in state {state[:8]}, starts {code}: {missing}{tried}"


def _summary(suggestions: tuple[Suggestion, ...], guide: Guide, *, spent: int) -> str:
    if suggestions:
        return suggestions[0].text
    if spent:
        what = f"the elements that lead to {plural(spent, 'function')} with code that never ran"
        return f"{what} were tried again and again without gain: something else must come first"
    probes = guide.probes
    left = [f for f in probes.own - guide.covered if probes.probes[f].kind == "function"]
    if not left:
        whole = probes.own <= guide.covered
        return (
            "all of the app's code has run"
            if whole
            else "every function of the app has run; what is left are branches"
        )
    left.sort(key=lambda f: (-guide.unexecuted(f), f))
    named = ", ".join(_place(guide, function) for function in left[:MAX_NAMED])
    more = f" and {len(left) - MAX_NAMED} more" if len(left) > MAX_NAMED else ""
    return f"no element that was seen is bound to what never ran: {named}{more}"


def _place(guide: Guide, function: int) -> str:
    probe = guide.probes.probes[function]
    left = plural(guide.unexecuted(function), "statement")
    return f"{probe.function or 'a function'} ({probe.file}:{probe.position.line}, {left})"
