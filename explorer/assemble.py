"""A finished run as one record: what was known before the first step, and the trace, make an Exploration. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence

from explorer.archive import Archive
from explorer.exploration import Exploration
from explorer.oracles import Oracles
from explorer.paths import with_walked_paths
from graph.collapse import OutlineOf, collapse
from graph.records import Finding, Request, Step, Trace

BROWSER_SIDE = ("act", "settle", "observe")
"""Parts of Step.ms that are the app's and the browser's; "engine" is ours."""


def assemble(
    archive: Archive,
    trace: Trace,
    *,
    findings: Sequence[Finding] | None = None,
    folder: str = "",
    seconds: float = 0.0,
    timings_ms: Mapping[str, float] | None = None,
    outline_of: OutlineOf | None = None,
) -> Exploration:
    """The Exploration of a trace. Without `findings` they are gathered from the steps (a run that was cut off).

    outline_of: the run's own, where it was just made (see `graph.collapse`).
    """
    return Exploration(
        target=archive.target,
        build_kind=archive.build_kind,
        build_reason=archive.build_reason,
        instrumentation=archive.instrumentation,
        probes=archive.probes,
        hits=frozenset(probe for step in trace.steps for probe in step.hits),
        trace=trace,
        graph=collapse(trace, outline_of=outline_of),
        findings=with_walked_paths(gather(trace.steps) if findings is None else findings, trace.steps),
        blocked=blocked(trace.steps),
        root=archive.root,
        folder=folder,
        command=archive.command,
        started=archive.started,
        seconds=seconds,
        versions=archive.versions,
        timings_ms={**(timings_ms or {}), **step_timings(trace.steps)},
        notes=archive.notes,
    )


def gather(steps: Iterable[Step]) -> tuple[Finding, ...]:
    """Findings of all steps, each once and counted, dead controls included: as the run itself knew them."""
    oracles = Oracles()
    oracles.resume(steps)
    return oracles.all()


def blocked(steps: Iterable[Step]) -> tuple[Request, ...]:
    """Requests to other hosts that were kept in, each address once."""
    found = {(r.method, r.url): r for step in steps for r in step.requests if r.blocked}
    return tuple(found.values())


def step_timings(steps: Iterable[Step]) -> dict[str, float]:
    """median_step and engine_share: milliseconds, medians over the actions that count."""
    counted = [dict(step.ms) for step in steps if step.action is not None and not step.replayed]
    if not counted:
        return {}
    engine = [ms.get("engine", 0.0) for ms in counted]
    whole = [sum(ms.get(part, 0.0) for part in (*BROWSER_SIDE, "engine")) for ms in counted]
    return {
        "median_step": round(statistics.median(whole), 2),
        "engine_share": round(statistics.median(engine), 2),
    }
