"""Code that never ran, as a hint is shown it: nearest to the tester first, with what is known of the way there. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from explorer.guide import Guide
from explorer.links import Links
from explorer.memory import Memory
from explorer.sightings import Sighting, sightings_in, tried_events
from explorer.unreached import VERDICTS, Unreached, unreached
from graph.records import StateId, Step
from instrument.wording import cut

MOST_CHARACTERS = 14_000
"""Of all excerpts of one hint."""
LEAST_ROOM = 200
"""Characters that are left when the search for more ends."""
LONGEST_EXCERPT = 1_600
"""Characters of one function."""
MOST_LINES = 40
"""Lines of one function."""
LONGEST_LINE = 400
FAR = 99
"""Distance of what no known way leads to."""
LATELY = 5
"""Actions whose code counts as near."""


@dataclass(frozen=True, slots=True)
class Missed:
    """One function with code that never ran."""

    function: int
    distance: int
    """Actions that the known way to its element takes; FAR where none is known."""
    verdict: str
    reason: str
    """Why it never ran, as far as is known: which element, in which states."""
    statements: int
    """Statements of it that never ran."""
    excerpt: str = ""
    """Its lines; those with a statement that never ran begin with "!"."""


IN_PART = "ran, but not all of it"
_ORDER: Mapping[str, int] = {verdict: at for at, verdict in enumerate((IN_PART, *VERDICTS))}


def missed(state: StateId, memory: Memory, guide: Guide, *, links: Links) -> tuple[Missed, ...]:
    """Functions that never ran, or not whole, nearest first, as many as fit into MOST_CHARACTERS."""
    near = _Nearness(state, memory)
    rows = unreached(guide.probes, hits=frozenset(guide.covered), seen=_seen(memory.history), links=links)
    found = [_never(row, near, guide) for row in rows if row.parent is None]
    found += _in_part(guide, near)
    found.sort(key=lambda item: (item.distance, _ORDER[item.verdict], -item.statements, item.function))
    return _fitting(found, _Excerpts(guide, links))


class _Nearness:
    """How many actions away things are."""

    def __init__(self, state: StateId, memory: Memory) -> None:
        self._distance: dict[str, int] = {state: 0}
        self._distance.update((other, len(way)) for other, way in memory.ways(state))
        note = memory.states.get(state)
        self._here = frozenset(f for c in (note.candidates.values() if note else ()) for f in c.functions)
        self._lately = frozenset(hit for step in memory.history[-LATELY:] for hit in step.hits)
        self._first = memory.first_seen

    def of_states(self, states: Collection[str]) -> int:
        return min((self._distance.get(state, FAR) for state in states), default=FAR)

    def of_function(self, function: int) -> int:
        if function in self._here:
            return 0
        if function in self._lately:
            return 1
        seen = self._first.get(function)
        return self._distance.get(seen[0], FAR) if seen else FAR


def _seen(history: Sequence[Step]) -> dict[int, list[Sighting]]:
    tried = tried_events(history)
    found: dict[int, list[Sighting]] = {}
    for step in history:
        if step.snapshot is not None:
            for function, sighting in sightings_in(step.snapshot, state=step.after, tried=tried):
                found.setdefault(function, []).append(sighting)
    return found


def _never(row: Unreached, near: _Nearness, guide: Guide) -> Missed:
    distance = min(near.of_states(row.states), near.of_function(row.function))
    return Missed(row.function, distance, row.verdict, row.reason, guide.unexecuted(row.function))


def _in_part(guide: Guide, near: _Nearness) -> list[Missed]:
    """Functions that ran, with statements that did not."""
    probes = guide.probes
    found = []
    for function in sorted(probes.own & guide.covered):
        left = guide.unexecuted(function) if probes.probes[function].kind == "function" else 0
        if left:
            reason = f"{left} of its statements never ran: a condition kept them"
            found.append(Missed(function, near.of_function(function), IN_PART, reason, left))
    return found


def _fitting(found: Sequence[Missed], excerpts: _Excerpts) -> tuple[Missed, ...]:
    """As many as there is room for; a function inside one that is shown is not shown again."""
    kept: list[Missed] = []
    room = MOST_CHARACTERS
    for item in found:
        if room < LEAST_ROOM:
            break
        if any(excerpts.inside(item.function, other.function) for other in kept):
            continue
        text = excerpts.of(item.function)
        if len(text) <= room:
            kept.append(replace(item, excerpt=text))
            room -= len(text)
    return tuple(kept)


class _Excerpts:
    """Functions as marked lines; each file is cut into lines once."""

    def __init__(self, guide: Guide, links: Links) -> None:
        self._guide, self._links = guide, links
        self._probes = guide.probes.probes
        self._texts = {source.path: source.text for source in guide.probes.files}
        self._lines: dict[str, list[str]] = {}

    def inside(self, inner: int, outer: int) -> bool:
        """Whether a function stands within another."""
        first, other = self._probes[inner], self._probes[outer]
        a, b = first.position, other.position
        if first.file != other.file or (b.line, b.column) > (a.line, a.column):
            return False
        return (a.end_line, a.end_column) <= (b.end_line, b.end_column)

    def of(self, function: int) -> str:
        """The function's lines with marks; its place alone where its source is not known."""
        probe = self._probes[function]
        place, lines = probe.position, self._lines_of(probe.file)
        name = self._links.name.get(function) or "a function without a name"
        told = [f"{name} ({probe.file}:{place.line})"]
        if not 0 < place.line <= len(lines):
            return told[0]
        never = {
            self._probes[statement].position.line
            for statement in self._guide.probes.body.get(function, ())
            if statement not in self._guide.covered
        }
        last = min(place.end_line, place.line + MOST_LINES - 1, len(lines))
        for number in range(place.line, last + 1):
            text = lines[number - 1]
            if len(text) > LONGEST_LINE:
                # A minified file: from the function's own column.
                begin = place.column if number == place.line else 0
                text = text[begin : begin + LONGEST_LINE]
            told.append(f"{'!' if number in never else ' '} {text}")
        return cut("\n".join(told), LONGEST_EXCERPT)

    def _lines_of(self, path: str) -> list[str]:
        if path not in self._lines:
            text = self._texts.get(path, "")
            self._lines[path] = text.split("\n") if text else []
        return self._lines[path]
