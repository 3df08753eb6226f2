"""What a step costs on todomvc/vanillajs: acting, settling, observing, and the engine's own share.

    python -m benchmarks.step_cost [actions]

Writes results/step_cost.json: medians and 90th percentiles in milliseconds. The engine's share of a step is its
wall time without settling, without the observer's time in the page, and without what the same gesture costs when
it is made bare (mouse.click at a known point), which is the browser's and the app's work. Its processor time is
that of this process alone, and does not depend on how busy the machine is.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.corpus import HERE, apps, install
from explorer.browser import BrowserPage
from explorer.provision import find_browser
from explorer.server import AppServer
from graph.records import Action, Observation
from instrument.bundle import make_bundle
from instrument.detect import detect


def summary(values: list[float]) -> dict[str, float]:
    """Median and 90th percentile, rounded to tenths."""
    ordered = sorted(values)
    return {"median": round(statistics.median(ordered), 1), "p90": round(ordered[int(len(ordered) * 0.9)], 1)}


def script(seen: Observation, number: int) -> Action:
    """The next gesture: add an item, tick it, look at a filter, edit it, clear; round and round."""
    turn = number % 6
    wanted = {0: "input", 1: "input", 2: "toggle", 3: "a", 4: "label", 5: "a"}[turn]
    found = [item for item in seen.snapshot.targets if not item.disabled and not item.covered]
    fields = [item for item in found if item.field and item.field.type in ("text", "")]
    ticks = [item for item in found if item.field and item.field.type == "checkbox"]
    links = [item for item in found if item.tag == "a" and item.href.startswith("#")]
    chosen = {"input": fields, "toggle": ticks, "a": links, "label": links}[wanted] or found
    target = chosen[number % len(chosen)]
    kind: Any = {0: "fill", 1: "press", 2: "check"}.get(turn, "click")
    value = {0: f"Item {number}", 1: "Enter"}.get(turn, "")
    return Action(kind, "benchmark", ref=target.ref, locator=target.locator, name=target.name, value=value)


async def bare_click(page: BrowserPage) -> list[float]:
    """Milliseconds of mouse.click at a point, nothing else done."""
    visit = page._visit
    assert visit is not None
    spent = []
    for _ in range(20):
        begun = time.perf_counter()
        await visit.tab.page.mouse.click(5, 5)
        spent.append((time.perf_counter() - begun) * 1000)
    return spent


async def measure(actions: int) -> dict[str, Any]:
    """Opens the app, makes the gestures, and sums up."""
    (app,) = apps(["todo-vanilla"])
    folder = install(app)
    bundle = await make_bundle(detect(folder, entry=app.entry))
    parts: dict[str, list[float]] = {}
    walls: list[float] = []
    processor: list[float] = []
    pictures: list[float] = []
    digests: set[str] = set()
    with tempfile.TemporaryDirectory() as run_dir, AppServer(bundle) as server:
        page = BrowserPage(
            server.url, probes=bundle.probes, run_dir=Path(run_dir), program=find_browser(install=False)
        )
        begun = time.perf_counter()
        seen = await page.open()
        opened = (time.perf_counter() - begun) * 1000
        started = time.perf_counter()
        for number in range(actions):
            action = script(seen, number)
            begun, working = time.perf_counter(), time.process_time()
            seen = await page.perform(action)
            processor.append((time.process_time() - working) * 1000)
            walls.append((time.perf_counter() - begun) * 1000)
            for name, ms in seen.ms:
                parts.setdefault(name, []).append(ms)
            if seen.snapshot.digest not in digests:
                digests.add(seen.snapshot.digest)
                begun = time.perf_counter()
                await page.screenshot(f"{number:04}")
                pictures.append((time.perf_counter() - begun) * 1000)
        total = time.perf_counter() - started
        bare = await bare_click(page)
        await page.close()
    browser_ms = statistics.median(bare)
    share = [
        wall - settle - observe - min(act, browser_ms)
        for wall, act, settle, observe in zip(
            walls, parts["act"], parts["settle"], parts["observe"], strict=True
        )
    ]
    return {
        "app": app.id,
        "actions": actions,
        "open_ms": round(opened, 1),
        "all_actions_s": round(total, 2),
        "pictures": len(pictures),
        "step_ms": summary(walls),
        "parts_ms": {name: summary(values) for name, values in parts.items()},
        "picture_ms": summary(pictures),
        "bare_click_ms": summary(bare),
        "engine_share_ms": summary(share),
        "engine_processor_ms": summary(processor),
        "machine": {"cpus": os.cpu_count(), "load": [round(value, 1) for value in os.getloadavg()]},
    }


def main() -> None:
    """Measures and writes results/step_cost.json."""
    result = asyncio.run(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 100))
    path = HERE / "results" / "step_cost.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
