"""How much slower instrumented code runs in Chromium: five loops and a three.js frame, beside Istanbul's counters.

    python -m benchmarks.runtime_overhead [--rounds 5]

Writes results/runtime_overhead.json: the factor of the plain program's time. A round is a fresh page that holds every
variant in a frame of its own and runs them in turn, so that each run is compared with a plain one of the same moment:
`factor` is the median of these, over the rounds; `best` compares the least times of all rounds.
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
from urllib.parse import unquote, urlsplit

from playwright.async_api import Browser, Route, async_playwright

from benchmarks.corpus import App, install
from explorer.provision import find_browser
from instrument.node import find_node

HERE = Path(__file__).parent
LOOPS = ("nbody", "sieve", "life", "objects", "strings", "three-frame")
WARM_UP, RUNS = 5, 25
MEASURE = f"""async () => {{
  const names = [...document.querySelectorAll('iframe')].map((frame) => frame.name);
  while (names.some((name) => typeof frames[name].run !== 'function')) await new Promise((done) => setTimeout(done, 10));
  const times = {{}};
  const results = new Set();
  for (const name of names) times[name] = [];
  for (let turn = 0; turn < {WARM_UP + RUNS}; turn++) {{
    for (const name of names) {{
      const start = performance.now();
      results.add(frames[name].run());
      times[name].push(performance.now() - start);
    }}
    await new Promise((done) => setTimeout(done, 0));
  }}
  for (const name of names) times[name].splice(0, {WARM_UP});
  return [times, [...results]];
}}"""

Texts = dict[str, dict[str, str]]


def programs() -> Texts:
    """Code by variant and file name."""
    three = install(App("three", "three@0.187.0", "", "", "")) / "build"
    command = [str(find_node()), str(HERE / "runtime_programs.mjs"), str(three)]
    texts: Texts = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return texts


def document(path: str, texts: Texts) -> str:
    """The page that holds a frame for each variant, or what such a frame shows."""
    parts = path.strip("/").split("/")
    if len(parts) == 1:
        frames = (f'<iframe name="{name}" src="/{name}/{parts[0]}"></iframe>' for name in texts)
        return "<!doctype html>" + "".join(frames)
    kind = ' type="module"' if parts[1] == "three-frame" else ""
    return f'<!doctype html><script{kind} src="/{parts[0]}/{parts[1]}.js"></script>'


async def time_page(browser: Browser, texts: Texts, loop: str) -> dict[str, list[float]]:
    """Milliseconds of each run by variant, in one fresh page."""
    context = await browser.new_context()

    async def answer(route: Route) -> None:
        path = unquote(urlsplit(route.request.url).path)
        variant, _, name = path[1:].rpartition("/")
        if name in texts.get(variant, {}):
            await route.fulfill(body=texts[variant][name], content_type="text/javascript; charset=utf-8")
        else:
            await route.fulfill(body=document(path, texts), content_type="text/html")

    await context.route("**/*", answer)
    page = await context.new_page()
    await page.goto(f"http://bench.test/{loop}")
    times, results = await page.evaluate(MEASURE)
    await context.close()
    if len(results) != 1:
        raise SystemExit(f"{loop} computes different results with counters: {results}")
    found: dict[str, list[float]] = times
    return found


async def measure(texts: Texts, rounds: int, executable: str) -> tuple[dict[str, Any], str]:
    """Factors by loop and variant, and the browser's version."""
    times: dict[str, list[dict[str, list[float]]]] = {loop: [] for loop in LOOPS}
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        for _ in range(rounds):
            for loop, pages in times.items():
                pages.append(await time_page(browser, texts, loop))
        version = browser.version
        await browser.close()
    return {loop: _factors(pages) for loop, pages in times.items()}, version


def _factors(pages: list[dict[str, list[float]]]) -> dict[str, Any]:
    def least(name: str) -> float:
        return min(min(page[name]) for page in pages)

    found: dict[str, Any] = {
        "plain_ms": round(statistics.median(ms for page in pages for ms in page["plain"]), 2)
    }
    for name in pages[0]:
        if name == "plain":
            continue
        medians = []
        for page in pages:
            ratios = [ms / base for ms, base in zip(page[name], page["plain"], strict=True)]
            medians.append(statistics.median(ratios))
        found[name] = {
            "factor": round(statistics.median(medians), 2),
            "best": round(least(name) / least("plain"), 2),
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
