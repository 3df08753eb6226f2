"""V8's block coverage flattened to counter slots: which counters of a script would have counted.

V8 (the DevTools protocol's Profiler.takePreciseCoverage) reports for each function nested ranges of offsets, each with
a count that holds for what no inner range covers. A slot ran where the innermost range of *its own* function that holds
its offset ran: an outer function's range says nothing of the functions in it, and one that V8 no longer knows (it
was never called, and its memory was freed) did not run.

V8 counts a block when it is entered. Where exceptions that nobody caught are known to have left it each time, what
stands behind the last of them did not run.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from instrument.places import FIELDS, FUNCTION, STATICS, TOP, Places, utf16

_LINE_END = re.compile(r"\r\n|[\n\r\u2028\u2029]")
_INITIALIZERS = {
    "<instance_members_initializer>": FIELDS,
    "<static_initializer>": STATICS,
    "<class_members_initializer>": STATICS,
}
"""V8's names of the functions that give class members their initial values."""

V8Function = Mapping[str, Any]
"""`{functionName, ranges: [{startOffset, endOffset, count}, ...], isBlockCoverage}`; the first range is the whole."""


@dataclass(frozen=True, slots=True)
class _Home:
    """The slots that run in one function, by offset."""

    offsets: list[int]
    slots: list[int]
    """Parallel to `offsets`: the slot, or -1-slot for the offset that must have run less often than that slot's own."""


class Flattener:
    """Lays V8's report of one script over the places of its counters."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._homes = _homes(places)
        self._certain: dict[int, list[int]] = {}
        self._lines: list[int] | None = None
        self._exact: dict[tuple[int, int], int] = {}
        self._by_end: dict[int, list[int]] = {}
        self._starts: list[int] = places.homes[:, 0].tolist()
        for home, (start, end, kind) in enumerate(places.homes.tolist()):
            if kind == FUNCTION:
                self._exact.setdefault((start, end), home)
                self._by_end.setdefault(end, []).append(home)

    def hits(self, functions: Sequence[V8Function], thrown: Sequence[int] = ()) -> list[int]:
        """Slots that ran, in ascending order, by one report. `thrown`: offsets where functions were left by exceptions."""
        throws = _throws(functions, thrown) if thrown else {}
        found: set[int] = set()
        for at, function in enumerate(functions):
            home = self._home_of(function)
            if home is not None:
                found.update(self._ran(home, function, throws.get(at, ())))
        return sorted(found)

    def offset(self, line: int, column: int) -> int:
        """Offset of a position in the script, both from 0; -1 outside of it."""
        if self._lines is None:
            text = utf16(self._places.text)
            self._lines = [0, *(match.end() for match in _LINE_END.finditer(text))]
        return self._lines[line] + column if 0 <= line < len(self._lines) else -1

    def home_of(self, start: int, end: int) -> int | None:
        """Which home a function at these offsets is: an index of `homes`, TOP for the script; None if it is none.

        V8 and parsers agree on where a function ends, and nearly always on where it begins.
        """
        if (home := self._exact.get((start, end))) is not None:
            return home
        if start == 0 and end == self._places.length:
            return TOP
        known = self._by_end.get(end, ())
        return min(known, key=lambda home: abs(self._starts[home] - start), default=None)

    def _home_of(self, function: V8Function) -> int | None:
        whole = function["ranges"][0]
        start, end = whole["startOffset"], whole["endOffset"]
        if kind := _INITIALIZERS.get(function["functionName"]):
            return self._initializer(kind, start)
        if start == 0 and end == self._places.length and not function["functionName"]:
            return TOP
        return self.home_of(start, end)

    def _initializer(self, kind: int, start: int) -> int | None:
        rows = self._places.homes
        homes = [home for home in range(self._places.functions, len(rows)) if rows[home, 2] == kind]
        return min(homes, key=lambda home: abs(self._starts[home] - start), default=None)

    def _certain_of(self, home: int) -> list[int]:
        """Statements that run whenever their function does, as far as branches tell."""
        if home not in self._certain:
            rows = self._places.slots
            mine = rows[:, 2] == home
            arms = rows[self._places.first_arm : self._places.first_extra][
                mine[self._places.first_arm : self._places.first_extra]
            ]
            guards = arms[(arms[:, 0] >= 0) & (arms[:, 1] < 0)]
            statements = np.flatnonzero(mine[: self._places.first_function])
            self._certain[home] = [
                slot
                for slot in statements.tolist()
                if not ((guards[:, 0] <= rows[slot, 0]) & (rows[slot, 0] < guards[:, 3])).any()
            ]
        return self._certain[home]

    def _ran(self, home: int, function: V8Function, thrown: Sequence[int]) -> Iterable[int]:
        ranges = sorted(function["ranges"], key=lambda one: (one["startOffset"], -one["endOffset"]))
        if 0 <= home < self._places.functions and ranges[0]["count"]:
            yield self._places.first_function + home
        here = self._homes.get(home)
        if here is None:
            return
        if not function.get("isBlockCoverage", True):
            # Counted as a whole: what branches guard is left out, though it may have run.
            yield from self._certain_of(home) if ranges[0]["count"] else ()
            return
        within = _innermost(here.offsets, ranges)
        counts = [ranges[at]["count"] if at >= 0 else 0 for at in within]
        left = _left(ranges, thrown) if thrown else {}
        less = {-1 - slot: count for slot, count in zip(here.slots, counts, strict=True) if slot < 0}
        for slot, offset, at, count in zip(here.slots, here.offsets, within, counts, strict=True):
            if slot >= 0 and count > less.get(slot, 0) and offset <= left.get(at, offset):
                yield slot


def _innermost(offsets: Sequence[int], ranges: Sequence[Mapping[str, int]]) -> list[int]:
    """Index of the innermost range around each offset, -1 for none; offsets in ascending order, outer ranges first."""
    found = [-1] * len(offsets)
    for at, one in enumerate(ranges):
        low = bisect_left(offsets, one["startOffset"])
        high = bisect_left(offsets, one["endOffset"], low)
        if low < high:
            found[low:high] = [at] * (high - low)
    return found


def _left(ranges: Sequence[Mapping[str, int]], thrown: Sequence[int]) -> dict[int, int]:
    """Ranges that exceptions left as often as they were entered, and the furthest that any of them came."""
    offsets = sorted(thrown)
    found: dict[int, list[int]] = {}
    for offset, at in zip(offsets, _innermost(offsets, ranges), strict=True):
        found.setdefault(at, []).append(offset)
    return {at: there[-1] for at, there in found.items() if at >= 0 and len(there) == ranges[at]["count"]}


def _throws(functions: Sequence[V8Function], thrown: Sequence[int]) -> dict[int, list[int]]:
    """Offsets of exceptions by the index of the innermost function that ran there."""
    found: dict[int, list[int]] = {}
    for offset in thrown:
        around = [
            (one["ranges"][0]["endOffset"] - one["ranges"][0]["startOffset"], at)
            for at, one in enumerate(functions)
            if one["ranges"][0]["startOffset"] <= offset < one["ranges"][0]["endOffset"]
        ]
        if around:
            found.setdefault(min(around, key=lambda one: (one[0], -one[1]))[1], []).append(offset)
    return found


def _homes(places: Places) -> dict[int, _Home]:
    """Slots of each home, without those of functions (they have their function's own count)."""
    rows: dict[int, list[tuple[int, int]]] = {}
    for slot, (offset, less, home, _) in enumerate(places.slots.tolist()):
        if offset < 0 or places.first_function <= slot < places.first_arm:
            continue
        rows.setdefault(home, []).append((offset, slot))
        if less >= 0:
            rows[home].append((less, -1 - slot))
    found = {}
    for home, entries in rows.items():
        entries.sort()
        offsets, slots = zip(*entries, strict=True)
        found[home] = _Home(list(offsets), list(slots))
    return found
