"""How much slower instrumented code runs in Chromium: five loops and a three.js frame, beside Istanbul's counters.

    python -m benchmarks.runtime_overhead [--rounds 5]

Writes results/runtime_overhead.json: the factor of the plain program's time. In each round every variant runs in a
fresh page, one after the other; a page's time is the least of its runs after warming up, for whatever else the
machine does can only add to it. `factor` is the median over the rounds, `best` compares the best rounds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import statistics
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Route, async_playwright

from benchmarks.corpus import App, install
from explorer.provision import find_browser
from instrument.node import find_node

HERE = Path(__file__).parent
LOOPS = ("nbody", "sieve", "life", "objects", "strings", "three-frame")
WARM_UP, RUNS = 3, 12
MEASURE = f"""() => {{
  const times = [];
  let result = 0;
  for (let i = 0; i < {WARM_UP + RUNS}; i++) {{
    const start = performance.now();
    result = run();
    times.push(performance.now() - start);
  }}
  return [Math.min(...times.slice({WARM_UP})), result];
}}"""

Texts = dict[str, dict[str, str]]


def programs() -> Texts:
    """Code by variant and file name."""
    three = install(App("three", "three@0.187.0", "", "", "")) / "build"
    command = [str(find_node()), str(HERE / "runtime_programs.mjs"), str(three)]
    texts: Texts = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return texts


async def time_page(browser: Browser, files: dict[str, str], loop: str) -> tuple[float, float]:
    """Milliseconds of the program's best run in a fresh page, and its result."""
    context = await browser.new_context()
    kind = ' type="module"' if loop == "three-frame" else ""

    async def answer(route: Route) -> None:
        name = route.request.url.rsplit("/", 1)[-1]
        if name in files:
            await route.fulfill(body=files[name], content_type="text/javascript; charset=utf-8")
        else:
            body = f"<!doctype html><title>{loop}</title><script{kind} src=/{loop}.js></script>"
            await route.fulfill(body=body, content_type="text/html")

    await context.route("**/*", answer)
    page = await context.new_page()
    await page.goto("http://bench.test/")
    await page.wait_for_function("typeof run === 'function'")
    ms, result = await page.evaluate(MEASURE)
    await context.close()
    return ms, result


async def measure(texts: Texts, rounds: int, executable: str) -> tuple[dict[str, Any], str]:
    """Factors by loop and variant, and the browser's version."""
    times: dict[str, dict[str, list[float]]] = {loop: {name: [] for name in texts} for loop in LOOPS}
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        for _ in range(rounds):
            for loop, variants in times.items():
                results = set()
                for name, list_of_ms in variants.items():
                    ms, result = await time_page(browser, texts[name], loop)
                    list_of_ms.append(ms)
                    results.add(result)
                if len(results) != 1:
                    raise SystemExit(f"{loop} computes different results with counters: {results}")
        version = browser.version
        await browser.close()
    return {loop: _factors(variants) for loop, variants in times.items()}, version


def _factors(variants: dict[str, list[float]]) -> dict[str, Any]:
    plain = variants["plain"]
    found: dict[str, Any] = {"plain_ms": round(statistics.median(plain), 2)}
    for name, times in variants.items():
        if name != "plain":
            ratios = [ms / base for ms, base in zip(times, plain, strict=True)]
            found[name] = {
                "factor": round(statistics.median(ratios), 2),
                "best": round(min(times) / min(plain), 2),
            }
    return found


def main(report: Callable[[str], None] = print) -> None:
    """Measures all programs and writes the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    load = [round(os.getloadavg()[0], 1)]
    texts = programs()
    executable = str(find_browser(headless=True).executable)
    results, version = asyncio.run(measure(texts, rounds, executable))
    load.append(round(os.getloadavg()[0], 1))
    names = [name for name in texts if name != "plain"]
    report(f"{'program':14}{'plain ms':>10}" + "".join(f"{name:>20}" for name in names) + "   factor (best)")
    for loop, row in results.items():
        cells = (f"{row[name]['factor']:.2f} ({row[name]['best']:.2f})" for name in names)
        report(f"{loop:14}{row['plain_ms']:10}" + "".join(f"{cell:>20}" for cell in cells))
    machine = {"cpus": os.cpu_count(), "python": platform.python_version(), "browser": version, "load": load}
    text = json.dumps({"machine": machine, "rounds": rounds, "programs": results}, indent=2)
    (HERE / "results").mkdir(exist_ok=True)
    (HERE / "results" / "runtime_overhead.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
