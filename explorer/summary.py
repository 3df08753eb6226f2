"""run.json: a run in numbers, for tools. Its keys are a contract; what is added later only adds keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from explorer.exploration import Exploration
from instrument.probes import FileClass

VERSION = 1
_PARTS = ("statements", "functions", "branches")


def run_json(run: Exploration) -> dict[str, Any]:
    """The summary as plain data for json.dumps; percentages 0 to 100, or None where there is nothing to cover."""
    return {
        "version": VERSION,
        "target": run.target,
        "build": {"kind": run.build_kind, "reason": run.build_reason},
        "instrumentation": asdict(run.instrumentation),
        "coverage": {**coverage_of(run, "own"), "vendor": coverage_of(run, "vendor")},
        "steps": run.actions,
        "replayed": sum(1 for step in run.trace.steps if step.replayed),
        "stop": {"kind": run.trace.stop or "cut-off", "reason": run.trace.stop_reason},
        "states": run.graph.number_of_nodes(),
        "transitions": run.graph.number_of_edges(),
        "findings": dict(sorted(Counter(finding.kind for finding in run.findings).items())),
        "blocked": sorted({f"{request.method} {request.url}" for request in run.blocked}),
        "seed": run.seed,
        "budget": run.budget,
        "tester": run.tester,
        "hint": run.hint,
        "abstraction": run.abstraction,
        "versions": dict(run.versions),
        "timings_ms": dict(run.timings_ms),
        "started": run.started,
        "seconds": round(run.seconds, 3),
        "command": run.command,
        "notes": list(run.notes),
    }


def coverage_of(run: Exploration, file_class: FileClass) -> dict[str, dict[str, Any]]:
    """{statements, functions, branches: {covered, total, pct}} over the own or the vendor files."""
    files = [file for file in run.probes.files if file.file_class == file_class]
    return {part: _count(run, (item for file in files for item in getattr(file, part))) for part in _PARTS}


def _count(run: Exploration, probes: Iterable[int]) -> dict[str, Any]:
    covered = total = 0
    for probe in probes:
        total += 1
        covered += probe in run.hits
    # Rounded down: only a whole is 100.
    return {"covered": covered, "total": total, "pct": covered * 10_000 // total / 100 if total else None}
