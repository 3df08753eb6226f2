"""What an action is worth to the built-in tester: novelty, times the unexecuted code that it starts, times its kind.

The weights were measured: seeing every listener and not repeating oneself bring most of the coverage; unexecuted
handlers add some, mostly early. A bandit over past rewards, and gains through deep call graphs, made it worse.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import lru_cache

from explorer.actions import Candidate, leads_on
from explorer.deadcontrols import TRIES_WITHOUT_HANDLER
from explorer.memory import page_of
from explorer.policy.seam import View
from explorer.policy.texts import more_time
from graph.records import StateId

DESTRUCTIVE = re.compile(
    r"sign ?out|log ?out|\breset\b|clear all|delete all|remove all|new game|start over|\bexit\b|\bquit\b|\bclose\b",
    re.IGNORECASE,
)
KIND_PRIOR = {
    "advance-time": 0.35,
    "network": 0.5,
    "storage": 0.5,
    "press": 0.7,
    "hover": 0.6,
    "drag": 0.7,
    "type": 0.8,
    "wheel": 0.6,
    "swipe": 0.7,
    "scroll": 0.4,
    "reload": 0.25,
    "back": 0.25,
    "resize": 0.25,
}
SPECIAL = frozenset({"double-click", "right-click", "hover", "swipe", "wheel", "drag"})
"""Kinds that an app either answers to or does not: what they brought so far tells."""
GAME_FACTOR: Mapping[str, float] = {"advance-time": 2.0, "reload": 0.3, "resize": 0.3, "scroll": 0.3}
"""On a canvas a game may be going on: time brings it forward, a reload throws it away."""
AGAIN = 0.5
"""What is left of an action's worth with each time that it brought nothing on a page that stayed as it is."""
LONGER = 1.5
"""Times the longest wait in a state that another one must be to be worth as much."""
SELDOM = frozenset({"advance-time", "reload", "resize", "back", "scroll"})
"""Kinds that bring something once or never: each failure counts double."""


def worth(view: View, state: StateId, candidate: Candidate) -> float:
    """What doing this in that state is worth, about 0 to 4; no randomness in it."""
    memory, key = view.memory, candidate.key
    tries, here = memory.tries.get(key, 0), memory.tries_in.get((state, key), 0)
    place = memory.place_failures[candidate.kind, candidate.place]
    functions = memory.telling(candidate)
    failed = memory.function_failures[candidate.kind, functions] if functions else 0.0
    score = (1 / (1 + tries) + 0.35 / (1 + here)) / (1 + 0.3 * failed + 0.35 * place)
    if key in memory.fresh and tries < 2:
        score += 0.5 / (1 + 0.6 * place)
    score *= _code_factor(view, functions, failed) * KIND_PRIOR.get(candidate.kind, 1.0)
    if candidate.kind in SELDOM:
        game = view.snapshot.canvas and candidate.kind == "advance-time"
        score *= math.pow(0.9 if game else 0.6, place)
    return (
        score
        * _target_factor(candidate, tries)
        * _kind_factor(view, candidate)
        * _link_factor(view, candidate)
        * _repeat_factor(view, state, candidate)
    )


def _repeat_factor(view: View, state: StateId, candidate: Candidate) -> float:
    """Less for what brought nothing on this very page, in which nothing has changed since, and for what led nowhere on
    any; a second try is free where the handler holds code that never ran. Waiting again must be for clearly longer.
    """
    memory = view.memory
    if _looks_dead(view, candidate):
        return AGAIN**2
    if state != view.state or view.snapshot.canvas or candidate.kind in ("fill", "type"):
        return 1.0
    if candidate.kind == "advance-time":
        time = int(more_time(view, candidate) or candidate.value)
        return AGAIN**2 if time < LONGER * memory.waited.get(state, 0) else 1.0
    left = view.guide.code_left(candidate.functions) if candidate.functions else None
    direct = bool(left and left[0])
    idles = left is not None and not direct and memory.idle(candidate) >= TRIES_WITHOUT_HANDLER
    return math.pow(AGAIN, max(0, memory.stale(candidate.key) - direct) + idles)


def _looks_dead(view: View, candidate: Candidate) -> bool:
    """Whether it is a click on what has no handler and no address, and did nothing as often as tells that it is dead."""
    target = candidate.target
    if candidate.kind != "click" or target is None or target.handlers or target.href:
        return False
    return view.memory.idle(candidate) >= TRIES_WITHOUT_HANDLER


def _link_factor(view: View, candidate: Candidate) -> float:
    """More for a link to a page that was not seen yet: all of its code is still to come; less for one that was."""
    target = candidate.target
    if candidate.kind != "click" or target is None or not target.href or not leads_on(target.href):
        return 1.0
    return 0.6 if page_of(target.href, base=view.snapshot.url) in view.memory.pages else 2.0


def _kind_factor(view: View, candidate: Candidate) -> float:
    """Less for special gestures that have brought nothing so far, more for keys right after a surface was clicked."""
    memory, kind = view.memory, candidate.kind
    if view.snapshot.canvas and kind in GAME_FACTOR:
        return GAME_FACTOR[kind]
    if kind in SPECIAL:
        return max(0.25, min(1.0, (1 + memory.kind_gains[kind]) / (1 + memory.kind_tries[kind] / 3)))
    if kind in ("type", "press") and candidate.target is None and memory.last is not None:
        # Where a canvas or an editor was clicked, the keys that follow go to it.
        clicked = memory.last.target
        if memory.last.kind == "click" and clicked is not None and not clicked.role:
            return 1.5
    return 1.0


def _code_factor(view: View, functions: frozenset[int], failed: float) -> float:
    """More for handlers with unexecuted statements, less for those that have none left."""
    if not functions:
        return 1.0
    left = view.guide.code_left(functions)
    if left is None:
        return 0.8
    direct, reach = left
    if not direct and not reach:
        return 0.6
    return 1 + (math.pow(0.8, failed) if direct else 0.0) + 0.08 * math.log1p(reach) * math.pow(0.7, failed)


@lru_cache(maxsize=4096)
def _is_destructive(name: str) -> bool:
    return DESTRUCTIVE.search(name) is not None


def _target_factor(candidate: Candidate, tries: int) -> float:
    target = candidate.target
    if target is None:
        return 1.0
    factor = 0.5 if target.container and not target.role else 1.0
    if _is_destructive(target.name):
        factor *= 0.15 if tries else 0.35
    if candidate.kind == "fill":
        if not tries:
            factor *= 1.2
        elif target.field and target.field.value:
            factor *= 0.6
    return factor
