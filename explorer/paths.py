"""How to get to a finding: a way that was walked, from a load to a step that showed it.

Each path is a part of the run in its own order: nothing is put together of steps that were made at different times, since
two pages that are one state may still differ in what their scripts remember. Left out is only what provably did nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from explorer.deadcontrols import identity_of
from graph.records import Finding, Step

_BY_HISTORY = frozenset(("back", "forward"))
"""Where these lead depends on the way that was taken before."""

Ways = Mapping[str, tuple[int, ...]]
"""State -> steps from a load to it."""


def with_walked_paths(findings: Iterable[Finding], steps: Sequence[Step]) -> tuple[Finding, ...]:
    """The findings, each with the shortest way on which the run came from a load to a step that showed it.

    Of equally long ones the earliest; its last step may be a later one than the finding's own, which is the first that
    showed it. A finding that no step explains, or whose path was verified, keeps the path that it has. Actions that were
    made again after a crash are walked like any other.
    """
    walks = _walks(steps)
    shown = _shown(steps)
    return tuple(_with_path(finding, shown.get(finding.identity, ()), walks) for finding in findings)


def _with_path(finding: Finding, shown: Sequence[int], walks: Mapping[int, _Walk]) -> Finding:
    if not shown or finding.verified:
        return finding
    last = min(shown, key=lambda index: (walks[index][1], index))
    return replace(finding, path=_path(walks, last))


_Walk = tuple[int, int]
"""Of a step: the step before it on its way (-1 for a load), and how many steps the way has, the step itself included."""


def _walks(steps: Sequence[Step]) -> dict[int, _Walk]:
    walks: dict[int, _Walk] = {-1: (-1, 0)}
    kept = focus = -1
    for step in steps:
        if step.action is None:
            kept = focus = -1
        # What only brought the focus somewhere matters to keys alone, not to what takes the focus itself.
        before = kept if step.focused else focus
        walks[step.index] = (before, walks[before][1] + 1)
        if not step.inert:
            kept = focus = step.index
        elif step.focused:
            focus = step.index
    return walks


def _path(walks: Mapping[int, _Walk], last: int) -> tuple[int, ...]:
    path = []
    while last >= 0:
        path.append(last)
        last = walks[last][0]
    return tuple(reversed(path))


def _shown(steps: Sequence[Step]) -> dict[str, list[int]]:
    """Identity of a finding -> the steps that showed it; of a dead control each click that did nothing."""
    shown: dict[str, list[int]] = {}
    for step in steps:
        identities = [
            *(finding.identity for finding in step.findings),
            *(identity for identity, _ in step.again),
        ]
        if step.click is not None and step.click.silent:
            identities.append(identity_of(step.click.control))
        for identity in dict.fromkeys(identities):
            shown.setdefault(identity, []).append(step.index)
    return shown


def composed(finding: Finding, steps: Sequence[Step]) -> tuple[int, ...]:
    """A shorter way that may lead to a finding as well, put together of steps that the run made at different times.

    Each step began in the state in which the one before it ended; () where there is none that is shorter than the path.
    """
    ways = shortest_ways(steps)
    found = next((step for step in steps if step.index == finding.step), None)
    if found is None or found.action is None or found.before not in ways:
        return ()
    path = (*ways[found.before], found.index)
    return path if len(path) < len(finding.path) else ()


def shortest_ways(steps: Sequence[Step]) -> Ways:
    """The fewest steps from any load to each state, by breadth-first search; of equal ones the earliest."""
    leading: dict[str, dict[str, int]] = {}
    ways: dict[str, tuple[int, ...]] = {}
    for step in steps:
        if step.action is None:
            ways.setdefault(step.after, (step.index,))
        elif step.performed and step.liveness == "alive" and step.action.kind not in _BY_HISTORY:
            leading.setdefault(step.before, {}).setdefault(step.after, step.index)
    queue = deque(ways)
    while queue:
        state = queue.popleft()
        for after, index in leading.get(state, {}).items():
            if after not in ways:
                ways[after] = (*ways[state], index)
                queue.append(after)
    return ways
