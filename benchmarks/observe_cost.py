# ruff: noqa: E501 - pages are html on long lines
"""What one observation costs: a small page, a page of 5,000 nodes, a canvas game, 100,000 counters.

    python -m benchmarks.observe_cost [--rounds 30]

Writes results/observe_cost.json: medians and 90th percentiles in milliseconds. `wall` is what the driver waits, `settle` and
`look` are the agent's own figures (settling; listing, outline and coverage) by the wall clock, `cpu of a look` is what the page's
thread worked for a look without settling, which other programs on the machine do not change.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
import statistics
import time
from pathlib import Path
from typing import Any

from playwright.async_api import CDPSession, Page, async_playwright

from explorer.provision import find_browser

HERE = Path(__file__).parent
AGENT = HERE.parent / "instrument" / "_js" / "agent.js"

SMALL = """<!doctype html><title>Small</title><h1>todos</h1><input id=new placeholder="What needs to be done?">
<ul id=list></ul><footer><button id=all>All</button><button id=clear>Clear</button><span id=n></span></footer>
<script>
let items = ['a', 'b', 'c'];
const show = () => { list.innerHTML = items.map((t) => `<li><input type=checkbox><label>${t}</label><button>x</button></li>`).join('');
  n.textContent = items.length; };
all.onclick = () => { items.push('item ' + items.length); items = items.slice(-9); show(); };
list.addEventListener('click', (event) => event.target.matches('button') && show());
show();
</script>"""
LARGE = """<!doctype html><title>Large</title><style>.hand{cursor:pointer} tr:hover .more{display:inline} .more{display:none}</style>
<div class=toolbar><button id=all>Change</button><button>Sort</button></div><table><tbody id=body></tbody></table>
<script>
let html = '';
for (let i = 0; i < 620; i++) html += `<tr data-id=${i}><td class=hand>Row ${i}</td><td>${i * 7}</td><td><a href="#r${i}">open</a></td>` +
  `<td><input type=checkbox name=c${i}></td><td><button class=del>Delete</button></td></tr>`;
body.innerHTML = html;
for (const row of body.rows) row.querySelector('button').onclick = () => row.remove();
let count = 0;
all.onclick = () => { body.rows[3].cells[1].textContent = ++count; };
</script>"""
GAME = """<!doctype html><title>Game</title><canvas id=all width=600 height=400></canvas>
<script>
const pen = all.getContext('2d');
let x = 0, v = 3;
all.onclick = () => { v = -v; };
addEventListener('keydown', (event) => { if (event.key === 'ArrowLeft') v = -3; });
function frame() {
  x = (x + v + 600) % 600;
  pen.fillStyle = '#fff'; pen.fillRect(0, 0, 600, 400);
  pen.fillStyle = '#d33'; pen.fillRect(x, 100, 80, 80);
  requestAnimationFrame(frame);
}
frame();
</script>"""
COUNTERS = """<!doctype html><title>Counters</title><button id=all>Run</button><script>
const arrays = {};
for (let i = 0; i < 20; i++) arrays['file' + i + '.js'] = new Uint32Array(5000).fill(1, 0, 2500);
Object.defineProperty(globalThis, '__cov$', { value: arrays });
let next = 2500;
all.onclick = () => { for (const key in arrays) arrays[key][next]++; next++; };
</script>"""
PAGES = {"small": SMALL, "5,000 nodes": LARGE, "canvas game": GAME, "100,000 counters": COUNTERS}


def _summary(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {
        "median": round(statistics.median(ordered), 2),
        "best": round(ordered[0], 2),
        "p90": round(ordered[int(len(ordered) * 0.9)], 2),
    }


async def _observe(page: Page, known: str) -> tuple[dict[str, Any], float]:
    began = time.perf_counter()
    text = await page.evaluate("options => __explorer$.observe(options)", {"html": known})
    return json.loads(text), (time.perf_counter() - began) * 1000


async def _measure(page: Page, html: str, rounds: int) -> dict[str, Any]:
    """Click and observe, again and again; then observe a page that did not change."""

    async def serve(route: Any) -> None:
        await route.fulfill(body=html, content_type="text/html")

    await page.route("**/*", serve)
    await page.goto("http://127.0.0.1:1/")
    first, first_ms = await _observe(page, "")
    figures: dict[str, list[float]] = {
        "click": [],
        "wall": [],
        "settle": [],
        "look": [],
        "unchanged look": [],
    }
    sizes: list[int] = []
    for _ in range(rounds):
        began = time.perf_counter()
        await page.mouse.click(*await _middle(page))
        figures["click"].append((time.perf_counter() - began) * 1000)
        wire, wall = await _observe(page, "")
        figures["wall"].append(wall)
        figures["settle"].append(wire["settle"]["ms"])
        figures["look"].append(wire["ms"])
        sizes.append(len(json.dumps(wire)))
        again, _ = await _observe(page, wire["digest"])
        figures["unchanged look"].append(again["ms"])
    figures["cpu of a look"] = await _cpu(page, rounds)
    nodes = await page.evaluate("document.querySelectorAll('*').length")
    return {
        "nodes": nodes,
        "elements": len(first["elements"]),
        "bytes": round(statistics.median(sizes)),
        "first observation": round(first_ms, 1),
        "settle ends": wire["settle"]["why"],
        **{name: _summary(values) for name, values in figures.items()},
    }


async def _cpu(page: Page, rounds: int) -> list[float]:
    """Milliseconds of the page's main thread for each look."""
    session = await page.context.new_cdp_session(page)
    await session.send("Performance.enable", {"timeDomain": "threadTicks"})
    spent = []
    for _ in range(rounds):
        before = await _busy(session)
        await page.evaluate("__explorer$.observe({settle: false}).then((text) => text.length)")
        spent.append((await _busy(session) - before) * 1000)
    return spent


async def _busy(session: CDPSession) -> float:
    metrics = (await session.send("Performance.getMetrics"))["metrics"]
    return float(next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration"))


async def _middle(page: Page) -> tuple[float, float]:
    x, y, width, height, _ = await page.evaluate("__explorer$.point('#all')")
    return x + width / 2, y + height / 2


async def _run(rounds: int) -> dict[str, Any]:
    program = find_browser()
    results: dict[str, Any] = {}
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=str(program.executable), args=["--no-sandbox"])
        for name, html in PAGES.items():
            context = await browser.new_context(viewport={"width": 1280, "height": 720})
            await context.add_init_script("globalThis.__explorerConfig$ = {};\n" + AGENT.read_text("utf-8"))
            page = await context.new_page()
            empty = [await _empty(page) for _ in range(rounds)]
            results[name] = await _measure(page, html, rounds) | {"empty evaluate": _summary(empty)}
            await context.close()
        version = browser.version
        await browser.close()
    return {"browser": version, "machine": platform.machine(), "rounds": rounds, "pages": results}


async def _empty(page: Page) -> float:
    began = time.perf_counter()
    await page.evaluate("1")
    return (time.perf_counter() - began) * 1000


def main() -> None:
    """Measures and writes the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    result = asyncio.run(_run(parser.parse_args().rounds))
    path = HERE / "results" / "observe_cost.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    for name, figures in result["pages"].items():
        line = ", ".join(
            f"{key} {value['median']}" for key, value in figures.items() if isinstance(value, dict)
        )
        print(f"{name} ({figures['nodes']} nodes, {figures['bytes']} bytes): {line}")


if __name__ == "__main__":
    main()
