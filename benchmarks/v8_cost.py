"""What measuring by V8 costs beside counters: the same actions of the same app, measured each way.

    python -m benchmarks.v8_cost [actions] [app ...]

Writes results/v8_cost.json: for each app the median milliseconds of an action and of its parts, with counters and with
V8's ranges, and how many of the app's statements each saw run. The actions are those of one run; both ways follow one
another, so that a busy machine is about equally busy for both. The ratios matter.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.corpus import HERE, apps, install
from explorer import Options, explore
from explorer.browser import BrowserPage
from explorer.provision import find_browser
from explorer.server import AppServer
from graph.records import Action
from instrument.bundle import make_bundle
from instrument.detect import detect
from instrument.probetable import of_kind
from instrument.v8scripts import KnownScripts

ACTIONS = 30
APPS = ["2048", "todo-backbone", "speedscope"]
PARTS = ("act", "settle", "observe", "trip", "engine")


def actions_of(folder: Path, entry: str, budget: int) -> list[Action]:
    """What the guided tester does with the app, measured by counters."""
    options = Options(coverage="istanbul", entry=entry, build="never")
    with tempfile.TemporaryDirectory() as out:
        run = explore(folder, budget=budget, out=Path(out) / "run", options=options)
    return [step.action for step in run.trace.steps if step.action is not None]


async def measure(folder: Path, entry: str, actions: list[Action], *, v8: bool) -> dict[str, Any]:
    """Medians of the parts of these actions, and what they covered."""
    bundle = await make_bundle(detect(folder, entry=entry), v8=v8)
    known = KnownScripts(bundle.places) if v8 else None
    spent: list[dict[str, float]] = []
    with tempfile.TemporaryDirectory() as out, AppServer(bundle) as server:
        page = BrowserPage(
            server.url, probes=bundle.probes, run_dir=Path(out), program=find_browser(), v8=known
        )
        try:
            seen = await page.open()
            load, hits = dict(seen.ms), set(seen.hits)
            for action in actions:
                seen = await page.perform(action)
                hits |= seen.hits
                spent.append(dict(seen.ms))
        finally:
            await page.close()
    own = of_kind(bundle.probes.probes, bundle.probes.own, "statement")
    parts = {part: round(statistics.median(ms.get(part, 0.0) for ms in spent), 1) for part in PARTS}
    return {
        "step_ms": round(statistics.median(sum(ms.get(part, 0.0) for part in PARTS) for ms in spent), 1),
        "load_ms": round(sum(load.get(part, 0.0) for part in PARTS), 1),
        **parts,
        "covered": len(own & hits),
        "statements": len(own),
    }


def main() -> None:
    """Measures both ways on each app and writes the results."""
    budget = int(sys.argv[1]) if len(sys.argv) > 1 else ACTIONS
    rows = []
    for app in apps(sys.argv[2:] or APPS):
        folder = install(app)
        actions = actions_of(folder, app.entry, budget)
        counters, v8 = (asyncio.run(measure(folder, app.entry, actions, v8=one)) for one in (False, True))
        ratio = round(v8["step_ms"] / counters["step_ms"], 2)
        rows.append({"app": app.id, "actions": len(actions), "counters": counters, "v8": v8, "ratio": ratio})
        print(json.dumps(rows[-1]), flush=True)
    load = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
    result = {"load": load, "cores": os.cpu_count(), "apps": rows}
    (HERE / "results" / "v8_cost.json").write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
