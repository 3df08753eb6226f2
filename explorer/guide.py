"""What is left to run: unexecuted statements per function, and what a function may lead to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from instrument.probes import Probe, ProbeMap
from instrument.probetable import own_statements

# A callee's statements count less than the handler's own: names over-approximate the call graph, and
# deep closures were measured to mislead (they rank everything that reaches a hub function alike).
CALLEE_WEIGHT = 0.3
REACH_DEPTH = 3
REACH_FUNCTIONS = 60


class Guide:
    """Covered and uncovered code of one app, updated after every action."""

    def __init__(self, probes: ProbeMap) -> None:
        self.covered: set[int] = set()
        self.learn(probes)

    def learn(self, probes: ProbeMap) -> None:
        """Takes a map that has grown: what has been covered stays so."""
        self.probes = probes
        self._left: dict[int, int] = {function: len(body) for function, body in probes.body.items()}
        self._inside = {statement: function for function, body in probes.body.items() for statement in body}
        self.callees = callees(probes)
        self._reach: dict[int, float] = {}
        self.own_statements = own_statements(probes)
        """The headline's denominator: statements of the app's own code."""
        self._code_left: dict[frozenset[int], tuple[int, float] | None] = {}
        for probe in self.covered & self._inside.keys():
            self._left[self._inside[probe]] -= 1

    def add(self, hits: Iterable[int]) -> frozenset[int]:
        """Takes new hits in; the ones that were not covered before."""
        new = frozenset(hits) - self.covered
        if new:
            self.covered |= new
            self._reach.clear()
            self._code_left.clear()
        for probe in new:
            function = self._inside.get(probe)
            if function is not None:
                self._left[function] -= 1
        return new

    def gain(self, new: Iterable[int]) -> int:
        """How many of these are statements of the app's own code."""
        return sum(1 for probe in new if probe in self.own_statements)

    def unexecuted(self, function: int) -> int:
        """Statements directly in the function that never ran; 1 for an empty function that never ran."""
        left = self._left.get(function)
        if left:
            return left
        return 0 if function in self.covered else 1

    def reach(self, function: int) -> float:
        """Unexecuted statements in the function and, weighted down, in what it contains and calls."""
        known = self._reach.get(function)
        if known is not None:
            return known
        total, weight, seen, front = 0.0, 1.0, {function}, [function]
        for _ in range(REACH_DEPTH):
            total += weight * sum(min(self._left.get(item, 0), 30) for item in front)
            front = [callee for item in front for callee in self.callees.get(item, ()) if callee not in seen]
            front = list(dict.fromkeys(front))[:REACH_FUNCTIONS]
            seen.update(front)
            weight *= CALLEE_WEIGHT
        self._reach[function] = total
        return total

    def code_left(self, functions: frozenset[int]) -> tuple[int, float] | None:
        """Sums of `unexecuted` and `reach` over the functions that are the app's own; None where none is."""
        if functions not in self._code_left:
            own = [function for function in functions if function in self.probes.own]
            direct, reach = sum(map(self.unexecuted, own)), sum(map(self.reach, own))
            self._code_left[functions] = (direct, reach) if own else None
        return self._code_left[functions]

    def fully_covered(self) -> bool:
        """Whether every own probe has run."""
        return self.probes.own <= self.covered


def callees(probes: ProbeMap) -> Mapping[int, tuple[int, ...]]:
    """Function probe -> the functions inside it and those that it calls by name, same file first."""
    by_name: dict[str, list[Probe]] = defaultdict(list)
    found: dict[int, list[int]] = defaultdict(list)
    for file in probes.files:
        functions = [probes.probes[item] for item in file.functions]
        for outer, inner in _nesting(functions):
            found[outer].append(inner)
        if file.file_class == "own":
            for function in functions:
                if function.function:
                    by_name[function.function].append(function)
    for caller, mined in probes.mined.items():
        if caller < 0:
            continue
        home = probes.probes[caller].file
        for name in mined.calls:
            called = by_name.get(name, [])
            near = [item.id for item in called if item.file == home] or [item.id for item in called]
            # A name that many functions share says nothing.
            if len(near) <= 3:
                found[caller].extend(item for item in near if item != caller)
    return {function: tuple(dict.fromkeys(items)) for function, items in found.items()}


def _nesting(functions: list[Probe]) -> Iterable[tuple[int, int]]:
    """(outer, inner) for each function that stands directly inside another; source order is assumed."""
    stack: list[Probe] = []
    ordered = sorted(functions, key=lambda p: (p.position[:2], (-p.position[2], -p.position[3])))
    for function in ordered:
        while stack and stack[-1].position[2:] <= function.position[:2]:
            stack.pop()
        if stack:
            yield stack[-1].id, function.id
        stack.append(function)
