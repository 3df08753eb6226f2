"""Same app, seed and budget, same run? Explores apps several times and compares every step of the traces.

python -m benchmarks.repeatability [--apps ID ...] [--runs 10] [--budget 50]
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.corpus import App, apps, install
from graph.records import Step

RESULTS = Path(__file__).parent / "results"
FIVE = ["2048", "todo-vanilla", "todo-vue", "jkanban", "spreadsheet"]


def fingerprint(step: Step) -> tuple[Any, ...]:
    """What must be equal: the action, both states, and the probes that ran."""
    action = step.action
    done = (action.kind, action.locator, action.value, action.reason) if action else ()
    return (done, step.before, step.after, step.hits, step.liveness, step.performed)


def run(app: App, budget: int, seed: int) -> list[tuple[Any, ...]]:
    """One run as fingerprints."""
    from explorer import Options, explore

    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "run"
        exploration = explore(
            install(app), budget=budget, seed=seed, out=out, options=Options(entry=app.entry)
        )
    return [fingerprint(step) for step in exploration.trace.steps]


def compare(app: App, runs: int, budget: int) -> dict[str, Any]:
    """How many runs equal the first one, and where the others leave it."""
    first = run(app, budget, seed=0)
    row: dict[str, Any] = {"app": app.id, "steps": len(first), "runs": runs, "equal": 1, "differences": []}
    for _ in range(runs - 1):
        other = run(app, budget, seed=0)
        if other == first:
            row["equal"] += 1
            continue
        at = next(
            (i for i, (a, b) in enumerate(zip(first, other, strict=False)) if a != b),
            min(len(first), len(other)),
        )
        parts = ("action", "before", "after", "hits", "liveness", "performed")
        ours, theirs = (steps[at] if at < len(steps) else () for steps in (first, other))
        names = [name for name, a, b in zip(parts, ours, theirs, strict=False) if a != b]
        row["differences"].append({"step": at, "in": names, "first": str(ours[:3]), "other": str(theirs[:3])})
    return row


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--apps", nargs="*", default=FIVE)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--budget", type=int, default=50)
    parser.add_argument("--out", type=Path, default=RESULTS / "repeatability.json")
    arguments = parser.parse_args()
    rows = []
    for app in apps(arguments.apps):
        rows.append(compare(app, arguments.runs, arguments.budget))
        print(
            f"{app.id}: {rows[-1]['equal']} of {arguments.runs} runs are equal",
            *rows[-1]["differences"][:2],
            flush=True,
        )
    arguments.out.parent.mkdir(exist_ok=True)
    arguments.out.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
