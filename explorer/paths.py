"""How to get to a finding: the shortest way through the states that the run has seen, then the step that showed it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from graph.records import Finding, Step

_BY_HISTORY = frozenset(("back", "forward"))
"""Where these lead depends on the way that was taken before."""

Ways = Mapping[str, tuple[int, ...]]
"""State -> steps from a load to it."""


def with_shortest_paths(findings: Iterable[Finding], steps: Sequence[Step]) -> tuple[Finding, ...]:
    """The findings, each with the shortest seen path to its step; one that is no longer than before stays.

    A path is made of steps of the run, each of which began in the state in which the one before it ended; they
    were not made in this order, so it is a way that should work, not one that was tried.
    """
    ways = shortest_ways(steps)
    by_index = {step.index: step for step in steps}
    return tuple(_shortened(finding, by_index.get(finding.step), ways) for finding in findings)


def _shortened(finding: Finding, step: Step | None, ways: Ways) -> Finding:
    if step is None or step.action is None or step.before not in ways:
        return finding
    path = (*ways[step.before], step.index)
    return replace(finding, path=path) if len(path) < len(finding.path) or not finding.path else finding


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
