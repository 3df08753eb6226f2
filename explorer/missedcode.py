"""Code that never ran, as a hint is shown it: nearest to the tester first, with what is known of the way there. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from explorer.guide import Guide
from explorer.links import Links
from explorer.memory import Memory
from explorer.prompting import cut
from explorer.sightings import Sighting, sightings_in, tried_events
from explorer.unreached import VERDICTS, Unreached, unreached
from graph.records import StateId, Step
from instrument.probes import Position, ProbeMap, SourceFile

MOST_CHARACTERS = 14_000
"""Of all excerpts of one hint."""
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
    excerpt: str
    """Its lines; those with a statement that never ran begin with "!"."""


def missed(state: StateId, memory: Memory, guide: Guide, *, links: Links) -> tuple[Missed, ...]:
    """Functions that never ran, or not whole, nearest first, as many as fit into MOST_CHARACTERS."""
    near = _Nearness(state, memory)
    rows = unreached(guide.probes, hits=frozenset(guide.covered), seen=_seen(memory.history), links=links)
    found = [_never(row, near, guide, links) for row in rows if row.parent is None]
    found += _in_part(guide, near, links)
    order: Mapping[str, int] = {verdict: at for at, verdict in enumerate((IN_PART, *VERDICTS))}
    found.sort(key=lambda item: (item.distance, order[item.verdict], -item.statements, item.function))
    return _fitting(found, guide.probes)


IN_PART = "ran, but not all of it"


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


def _never(row: Unreached, near: _Nearness, guide: Guide, links: Links) -> Missed:
    distance = min(near.of_states(row.states), near.of_function(row.function))
    left = guide.unexecuted(row.function)
    return Missed(row.function, distance, row.verdict, row.reason, left, _excerpt(row.function, guide, links))


def _in_part(guide: Guide, near: _Nearness, links: Links) -> list[Missed]:
    """Functions that ran, with statements that did not."""
    probes = guide.probes
    found = []
    for function in sorted(probes.own & guide.covered):
        if probes.probes[function].kind != "function":
            continue
        left = guide.unexecuted(function)
        if left:
            reason = f"{left} of its statements never ran: a condition kept them"
            distance = near.of_function(function)
            found.append(Missed(function, distance, IN_PART, reason, left, _excerpt(function, guide, links)))
    return found


def _fitting(found: Sequence[Missed], probes: ProbeMap) -> tuple[Missed, ...]:
    """As many as there is room for; a function inside one that is shown is not shown again."""
    kept: list[Missed] = []
    room = MOST_CHARACTERS
    for item in found:
        place = probes.probes[item.function]
        inside = any(
            probes.probes[other.function].file == place.file
            and _within(place.position, probes.probes[other.function].position)
            for other in kept
        )
        if not inside and len(item.excerpt) <= room:
            kept.append(item)
            room -= len(item.excerpt)
    return tuple(kept)


def _within(inner: Position, outer: Position) -> bool:
    begins = (outer.line, outer.column) <= (inner.line, inner.column)
    return begins and (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)


def _excerpt(function: int, guide: Guide, links: Links) -> str:
    """The function's lines with marks; its place alone where its source is not known."""
    probe = guide.probes.probes[function]
    source = _file(guide.probes, probe.file)
    name = links.name.get(function) or "a function without a name"
    head = f"{name} ({probe.file}:{probe.position.line})"
    lines = source.text.split("\n") if source and source.text else []
    if not 0 < probe.position.line <= len(lines):
        return head
    place = probe.position
    never = {
        guide.probes.probes[statement].position.line
        for statement in guide.probes.body.get(function, ())
        if statement not in guide.covered
    }
    told = []
    for number in range(place.line, min(place.end_line, place.line + MOST_LINES - 1, len(lines)) + 1):
        text = lines[number - 1]
        if len(text) > LONGEST_LINE:
            # A minified file: the function's own columns.
            begin = place.column if number == place.line else 0
            text = text[begin : begin + LONGEST_LINE]
        told.append(f"{'!' if number in never else ' '} {text}")
    return cut("\n".join([head, *told]), LONGEST_EXCERPT)


def _file(probes: ProbeMap, path: str) -> SourceFile | None:
    return next((source for source in probes.files if source.path == path), None)
