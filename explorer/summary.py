"""run.json: a run in numbers, for tools. Its keys are a contract; what is added later only adds keys."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Any

from explorer.agreement import agreement_json
from explorer.exploration import Exploration
from explorer.libraries import libraries_json
from explorer.looks import broken_rules
from explorer.modelsaid import closing_row, fallbacks
from instrument.coverage import summary

VERSION = 1


def run_json(run: Exploration) -> dict[str, Any]:
    """The summary as plain data for json.dumps; percentages 0 to 100."""
    numbers = summary(run.probes, run.hits)
    return {
        "version": VERSION,
        "target": run.target,
        "build": {"kind": run.build_kind, "reason": run.build_reason},
        "instrumentation": {**asdict(run.instrumentation), "ways": dict(run.instrumentation.ways)},
        "coverage": {**numbers.own.as_json(), "vendor": numbers.vendor.as_json()},
        "steps": run.actions,
        "replayed": sum(1 for step in run.trace.steps if step.replayed),
        "stop": {"kind": run.trace.stop or "cut-off", "reason": run.trace.stop_reason},
        "states": run.graph.number_of_nodes(),
        "transitions": run.graph.number_of_edges(),
        "findings": dict(sorted(Counter(finding.kind for finding in run.findings).items())),
        "looks": {rule.name: rule.worst for rule in broken_rules(run.trace.steps)},
        "scores": _scores(run),
        "blocked": sorted({f"{request.method} {request.url}" for request in run.blocked}),
        "libraries": libraries_json(run.libraries),
        **({"coverage_agreement": agreement_json(run.agreement)} if run.agreement else {}),
        "seed": run.seed,
        "budget": run.budget,
        "tester": run.tester,
        "hint": run.hint,
        "models": {role: dict(row) for role, row in run.models.items()},
        "summary": closing_row(run.closing),
        "fallbacks": fallbacks(run),
        "abstraction": run.abstraction,
        "versions": dict(run.versions),
        "timings_ms": dict(run.timings_ms),
        "started": run.started,
        "seconds": round(run.seconds, 3),
        "command": run.command,
        "notes": list(run.notes),
    }


def _scores(run: Exploration) -> dict[str, Any] | None:
    """Scores in short; None for a run that was not judged. scores.json has all of it."""
    if run.scores is None:
        return None
    return {
        "judge": run.scores.judge,
        "protocol": run.scores.protocol,
        **{score.dimension: {"value": score.value, "status": score.status} for score in run.scores.scores},
    }
