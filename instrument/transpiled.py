"""Sources that a transpiler in the page reads, where V8 measures what it makes of them: the probes that can be told of."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from instrument.probes import FailedScript, ProbeMap, SourceFile
from instrument.shapes import Unit

_INLINE = "Inline Babel script"
"""What Babel calls a script of the page; so it is told from files, whose names say what they are written in."""
_NAMED = 5


def transpiled_sources(units: Sequence[Unit]) -> list[tuple[str, str]]:
    """(name, text) of each source that a transpiler in the page reads and that V8 is to measure."""
    return [
        (_INLINE if "#" in unit.key else unit.key, unit.places.text)
        for unit in units
        if unit.transpiled and unit.places is not None
    ]


def without_unplaced(probes: ProbeMap, units: Sequence[Unit]) -> tuple[ProbeMap, tuple[FailedScript, ...]]:
    """The map without the probes of transpiled sources that nothing leads to in what was made of them, and which those are.

    Nobody could say of these whether they ran. `units`: those of the app's files.
    """
    read = {unit.key for unit in units if unit.transpiled and unit.places is not None}
    if not read:
        return probes, ()
    led = {
        probe
        for key, table in probes.counters.items()
        if key not in read
        for found in table
        for probe in found
    }
    lost = {probe for key in read for found in probes.counters[key] for probe in found} - led
    if not lost:
        return probes, ()
    files = tuple(_without(source, lost) for source in probes.files)
    rows = tuple(
        FailedScript(source.path, _reason(source, probes, lost))
        for source in probes.files
        if not lost.isdisjoint(source.statements) or not lost.isdisjoint(source.functions)
    )
    body = {function: inside - lost for function, inside in probes.body.items() if function not in lost}
    return replace(probes, files=files, own=probes.own - lost, body=body), rows


def _without(source: SourceFile, lost: Set[int]) -> SourceFile:
    groups = tuple(group for group in source.branch_groups if not set(group[2]) <= lost)
    bodies = source.bodies and tuple(
        body for function, body in zip(source.functions, source.bodies, strict=True) if function not in lost
    )
    return replace(
        source,
        statements=tuple(probe for probe in source.statements if probe not in lost),
        functions=tuple(probe for probe in source.functions if probe not in lost),
        branches=tuple(probe for _, _, arms in groups for probe in arms),
        bodies=bodies,
        branch_groups=groups,
    )


def _reason(source: SourceFile, probes: ProbeMap, lost: Set[int]) -> str:
    statements = [probe for probe in source.statements if probe in lost]
    if len(statements) == len(source.statements):
        return "what the page makes of it does not lead back to it: only what was made is counted"
    lines = sorted(
        {probes.probes[probe].position.line for probe in (*statements, *source.functions) if probe in lost}
    )
    named = ", ".join(map(str, lines[:_NAMED])) + (", ..." if len(lines) > _NAMED else "")
    return (
        f"{len(statements)} of its statements, in lines {named}, have no place in what the page makes of it: "
        "nobody can say whether they ran, so they are not counted"
    )
