"""Unreached code: why a function of the app never ran, and which action would run it.

Pure. The report asks once, at the end; the built-in hint asks at every plateau, so what depends on the source
alone is worked out once (`links.link`) and the rest is a few walks over the functions.

A function that never ran gets the most useful verdict that the evidence allows, in this order:

    appeared, not tried     an element (or key, or timer) bound to it was seen, and nothing was done with it
    tried but guarded       it was acted on, or a caller ran, and a condition kept the function from running
    element never appeared  the source binds it to an event, and no page seen so far had that element
    no handler bound        nothing that was seen or read leads to it

A function that no element is bound to gets the verdict of the function that calls it or that it is defined in.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from explorer.links import Links, link
from explorer.sightings import Seen, Sighting
from instrument.probes import Probe, ProbeMap

Verdict = Literal["appeared, not tried", "tried but guarded", "element never appeared", "no handler bound"]

VERDICTS: tuple[Verdict, ...] = (
    "appeared, not tried",
    "tried but guarded",
    "element never appeared",
    "no handler bound",
)

MOST_STATES = 5
"""States that one verdict names."""


@dataclass(frozen=True, slots=True)
class Unreached:
    """One function that never ran, and why."""

    function: int
    """Its function probe."""
    name: str
    """"" where the source gives none."""
    file: str
    line: int
    column: int
    """Where it begins: lines from 1, columns from 0."""
    statements: int
    """Statements directly inside it."""
    verdict: Verdict
    reason: str
    """The verdict in words, without subject: `bound to click on button "Save", seen in 2 states, ...`."""
    states: tuple[str, ...] = ()
    """Where the element was seen, at most five, first seen first."""
    sighting: Sighting | None = None
    """The element whose action would run it, or was tried in vain; None where there is none."""
    via: tuple[int, ...] = ()
    """Functions from the one with the evidence to the one that leads here; empty when it has its own evidence."""
    parent: int | None = None
    """Innermost function around it, if that never ran either."""


@dataclass(frozen=True, slots=True)
class _Why:
    """A verdict on its way along the links."""

    verdict: Verdict
    clause: str
    """What is said of the function with the evidence, as a participle: "bound to click on ..."."""
    where: tuple[Sighting, ...] = ()
    via: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Case:
    """Everything a source of verdicts looks at."""

    probes: ProbeMap
    hits: frozenset[int]
    seen: Seen
    links: Links
    missed: Mapping[int, Probe]
    idle: frozenset[str]
    """Files of which nothing ran."""


def unreached(
    probes: ProbeMap, *, hits: frozenset[int], seen: Seen, links: Links | None = None
) -> tuple[Unreached, ...]:
    """A verdict for each own function that never ran; files, and functions in them, with most statements first.

    `links` is `link(probes)`, handed in by callers who ask often.
    """
    links = links or link(probes)
    missed = {probe.id: probe for probe in links.own if probe.id not in hits}
    idle = frozenset(file.path for file in probes.files if hits.isdisjoint(file.statements))
    case = _Case(probes, hits, seen, links, missed, idle)
    found: dict[int, _Why] = {}
    for source in _SOURCES:
        _spread(source(case), case=case, found=found)
    return _largest_first([_row(probe, found.get(probe.id), case) for probe in missed.values()])


def _spread(source: Iterable[tuple[int, _Why]], *, case: _Case, found: dict[int, _Why]) -> None:
    """Gives each function without a verdict its own, then hands it on to what it calls and contains."""
    queue: deque[int] = deque()
    for function, why in source:
        if function not in found:
            found[function] = why
            queue.append(function)
    while queue:
        function = queue.popleft()
        why = found[function]
        handed = replace(why, via=(*why.via, function))
        for next_one in (*case.links.children.get(function, ()), *case.links.callees.get(function, ())):
            if next_one in case.missed and next_one not in found:
                found[next_one] = handed
                queue.append(next_one)


# --- where verdicts come from, best first ------------------------------------------------------------------


def _not_tried(case: _Case) -> Iterable[tuple[int, _Why]]:
    for function in case.missed:
        where = [item for item in case.seen.get(function, ()) if not item.tried]
        if where:
            # An enabled element is what a tester can act on; a disabled one only explains.
            where.sort(key=lambda item: item.disabled)
            yield function, _Why("appeared, not tried", _seen_clause(where), tuple(where))


def _tried(case: _Case) -> Iterable[tuple[int, _Why]]:
    for function in case.missed:
        where = tuple(case.seen.get(function, ()))
        if where:
            first, count = where[0], max(item.tried for item in where)
            times = "one action" if count == 1 else f"{count} actions"
            clause = f"bound to {_on(first)}; {times} raised it there, and something kept the function from running"
            yield function, _Why("tried but guarded", clause, where)


def _called_in_vain(case: _Case) -> Iterable[tuple[int, _Why]]:
    for caller, called in case.links.callees.items():
        if _ran(caller, case):
            clause = f"called by {_name(caller, case)}, which ran but not as far as the call"
            for function in called:
                if function in case.missed:
                    yield function, _Why("tried but guarded", clause)


def _bound_in_source(case: _Case) -> Iterable[tuple[int, _Why]]:
    for function, event in case.links.binding.items():
        if function in case.missed:
            clause = f"bound to {event} in the source, but no state that was seen has an element bound to it"
            yield function, _Why("element never appeared", clause)


def _created_in_vain(case: _Case) -> Iterable[tuple[int, _Why]]:
    for function in case.missed:
        around = case.links.parent.get(function, -1)
        # A function with a name that nothing calls is dead code, wherever it stands; a callback waits for its caller.
        if around in case.hits and not case.links.name[function]:
            clause = f"a callback in {_name(around, case)}, which ran, but nothing has called it"
            yield function, _Why("tried but guarded", clause)


_SOURCES: tuple[Callable[[_Case], Iterable[tuple[int, _Why]]], ...] = (
    _not_tried,
    _tried,
    _called_in_vain,
    _bound_in_source,
    _created_in_vain,
)


def _ran(caller: int, case: _Case) -> bool:
    if caller >= 0:
        return caller in case.hits
    return case.probes.files[-1 - caller].path not in case.idle


def _seen_clause(where: list[Sighting]) -> str:
    states = len({item.state for item in where})
    times = "in one state" if states == 1 else f"in {states} states"
    if all(item.disabled for item in where):
        return f"bound to {_on(where[0])}, seen {times} and always disabled"
    return f"bound to {_on(where[0])}, seen {times}; no action has raised it there"


def _on(sighting: Sighting) -> str:
    return sighting.brief if sighting.event == "timer" else f"{sighting.event} on {sighting.brief}"


# --- from verdict to row -----------------------------------------------------------------------------------


def _row(probe: Probe, why: _Why | None, case: _Case) -> Unreached:
    parent = case.links.parent.get(probe.id)
    why = why or _Why("no handler bound", _nothing(probe, case))
    return Unreached(
        function=probe.id,
        name=case.links.name[probe.id],
        file=probe.file,
        line=probe.position.line,
        column=probe.position.column,
        statements=len(case.probes.body.get(probe.id, ())),
        verdict=why.verdict,
        reason=_reason(probe, why, case),
        states=tuple(dict.fromkeys(item.state for item in why.where))[:MOST_STATES],
        sighting=why.where[0] if why.where else None,
        via=why.via,
        parent=parent if parent in case.missed else None,
    )


def _reason(probe: Probe, why: _Why, case: _Case) -> str:
    if not why.via:
        return why.clause
    near, root = why.via[-1], why.via[0]
    inside = case.links.parent.get(probe.id) == near
    told = f"{'defined inside' if inside else 'called by'} {_name(near, case)}, which is "
    if near != root:
        told += f"reached only through {_name(root, case)}, which is "
    return told + why.clause


def _nothing(probe: Probe, case: _Case) -> str:
    around = case.links.parent.get(probe.id)
    if around is not None and around in case.hits:
        return f"defined in {_name(around, case)}, which ran, but no element, key, timer or caller that was seen leads to it"
    if probe.file in case.idle:
        return "in a file that never ran"
    return "no element, key, timer or caller that was seen leads to it"


def _name(function: int, case: _Case) -> str:
    if function < 0:
        return f"the top level of {case.probes.files[-1 - function].path}"
    probe = case.probes.probes[function]
    event = case.links.binding.get(function)
    known = case.links.name.get(function, probe.function)
    name = known or (f"a {event} listener" if event else "a function without a name")
    return f"{name} ({probe.file}:{probe.position.line})"


def _largest_first(rows: list[Unreached]) -> tuple[Unreached, ...]:
    weight: defaultdict[str, int] = defaultdict(int)
    for row in rows:
        weight[row.file] += row.statements
    rows.sort(key=lambda row: (-weight[row.file], row.file, -row.statements, row.line))
    return tuple(rows)
