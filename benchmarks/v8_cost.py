"""What measuring by V8 costs beside counters: the same run of the same app with each.

    python -m benchmarks.v8_cost [actions] [app ...]

Writes results/v8_cost.json: for each app the median of a step and of its parts in milliseconds, with counters and with
V8's ranges, and how many statements each saw run. Runs of the two kinds follow one another, so that a busy machine is
equally busy for both; the numbers are of one machine, the ratios matter.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.corpus import HERE, apps, install
from explorer import Exploration, Options, explore
from explorer.options import CoverageMode

ACTIONS = 30
APPS = ("2048", "todo-backbone", "speedscope")


def median(run: Exploration, part: str) -> float:
    """Median milliseconds of one part of the run's actions."""
    found = [dict(step.ms).get(part, 0.0) for step in run.trace.steps if step.action is not None]
    return round(statistics.median(found), 1) if found else 0.0


def measure(folder: Path, entry: str, coverage: CoverageMode, actions: int) -> dict[str, Any]:
    """One run: medians of a step and its parts, and what it saw."""
    options = Options(coverage=coverage, entry=entry, build="never")
    with tempfile.TemporaryDirectory() as out:
        run = explore(folder, budget=actions, out=Path(out) / "run", options=options)
    return {
        "mode": run.instrumentation.mode,
        "step_ms": run.timings_ms["median_step"],
        "prepare_ms": run.timings_ms["prepare"],
        **{part: median(run, part) for part in ("act", "settle", "observe", "trip", "engine")},
        "covered": run.coverage.own.statements.covered,
        "statements": run.coverage.own.statements.total,
    }


def main() -> None:
    """Runs both ways on each app and writes the results."""
    actions = int(sys.argv[1]) if len(sys.argv) > 1 else ACTIONS
    chosen = sys.argv[2:] or APPS
    rows = []
    for app in apps():
        if app.id not in chosen:
            continue
        folder = install(app)
        row: dict[str, Any] = {"app": app.id, "actions": actions}
        row["counters"] = measure(folder, app.entry, "istanbul", actions)
        row["v8"] = measure(folder, app.entry, "v8", actions)
        row["ratio"] = round(row["v8"]["step_ms"] / row["counters"]["step_ms"], 2)
        print(json.dumps(row))
        rows.append(row)
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    result = {"load": load, "cores": os.cpu_count(), "apps": rows}
    (HERE / "results" / "v8_cost.json").write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
