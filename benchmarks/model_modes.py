"""What each way of using models costs and gains: built-in, mixed, and the model tester with and without a model's hint.

    python -m benchmarks.model_modes [--apps ID ...] [--seeds 2] [--budget 50]

No real model is asked. A server on this machine answers from the prompt alone, by simple rules (tests/brains.py): its
tester takes what was never tried, its hint takes the first way that the built-in knows, and its texts are read off the
page. So calls, tokens and the share of the cache are what they would be with any model that acts alike, and coverage says
what the seams let through, not how good a model is. With a key, the same table for a real model is a matter of
`--base-url ""`; latency then is the model's.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks.corpus import apps, install
from explorer.options import Options
from tests.brains import by_schema, explorer_brain, steady_tester
from tests.modelserver import ModelServer

RESULTS = Path(__file__).parent / "results"
OWN = Path(__file__).parent.parent / "tests" / "apps"
APPS: Mapping[str, str] = {"gate": "gate", "pennywise": "demo"}
"""Miniature apps of this project, beside those of the corpus."""
MODES: Mapping[str, Options] = {
    "built-in": Options(model="none"),
    "mixed": Options(),
    "model tester": Options(tester="model", hint_model="none"),
    "model tester and hint": Options(tester="model"),
}


def run(app: str, mode: str, *, seed: int, budget: int, base_url: str) -> dict[str, Any]:
    """One run: own statements covered at its end, and what the models took."""
    from explorer import explore

    target, options = _target(app, replace(MODES[mode], base_url=base_url))
    with tempfile.TemporaryDirectory() as scratch:
        begun = time.perf_counter()
        found = explore(target, budget=budget, seed=seed, out=Path(scratch) / "run", options=options)
        seconds = time.perf_counter() - begun
    accounts = list(found.models.values())
    tokens = {
        kind: sum(row["tokens"][kind] for row in accounts)
        for kind in ("input", "output", "cache_read", "cache_write")
    }
    return {
        "app": app,
        "mode": mode,
        "seed": seed,
        "actions": found.actions,
        "statements": found.trace.head.own_statements,
        "covered": found.coverage.own.statements.covered,
        "calls": sum(row["calls"] for row in accounts),
        "tokens": tokens,
        "waited_steps": sum("model" in dict(step.ms) for step in found.trace.steps),
        "fallbacks": sum(bool(step.notes) for step in found.trace.steps),
        "seconds": round(seconds, 2),
    }


def _target(app: str, options: Options) -> tuple[Path, Options]:
    if app in APPS:
        return OWN / APPS[app], options
    (found,) = apps([app])
    return install(found), replace(options, entry=found.entry)


def markdown(rows: list[dict[str, Any]]) -> str:
    """The table, means over seeds."""
    lines = [
        "| app | mode | statements | calls | tokens in | from the cache | tokens out | actions that waited |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for app in dict.fromkeys(row["app"] for row in rows):
        for mode in MODES:
            some = [row for row in rows if (row["app"], row["mode"]) == (app, mode)]
            if some:
                lines.append(f"| {app} | {mode} | {_cells(some)} |")
    return "\n".join(lines)


def _cells(some: list[dict[str, Any]]) -> str:
    tokens = [row["tokens"] for row in some]
    given = mean(each["input"] + each["cache_read"] + each["cache_write"] for each in tokens)
    cached = mean(each["cache_read"] for each in tokens)
    return " | ".join(
        (
            f"{100 * mean(row['covered'] / row['statements'] for row in some):.1f} %",
            f"{mean(row['calls'] for row in some):.0f}",
            f"{given:,.0f}",
            f"{100 * cached / given:.0f} %" if given else "–",
            f"{mean(each['output'] for each in tokens):,.0f}",
            f"{mean(row['waited_steps'] for row in some):.0f} of {mean(row['actions'] for row in some):.0f}",
        )
    )


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--apps", nargs="*", default=[*APPS, "todo-vanilla"])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--budget", type=int, default=50)
    parser.add_argument("--base-url", help="another server; '' for the one that the key is for")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        base_url = arguments.base_url
        if base_url is None:
            brain = by_schema({"Move": steady_tester}, otherwise=explorer_brain)
            base_url = stack.enter_context(ModelServer(brain)).url
        rows = [
            run(app, mode, seed=seed, budget=arguments.budget, base_url=base_url)
            for app in arguments.apps
            for mode in MODES
            for seed in range(arguments.seeds)
        ]
    machine = {"cpus": os.cpu_count(), "load": os.getloadavg(), "python": platform.python_version()}
    found = {
        "machine": machine,
        "budget": arguments.budget,
        "real": arguments.base_url is not None,
        "runs": rows,
    }
    (RESULTS / "model_modes.json").write_text(json.dumps(found, indent=1) + "\n")
    print(markdown(rows))


if __name__ == "__main__":
    main()
