"""How fast an app folder becomes a bundle: cold and warm cache, one process and two, beside the injector alone.

    python -m benchmarks.bundle_speed [--rounds 3]

Writes results/bundle_speed.json: medians of wall seconds and MB of JavaScript a second. Everything is counted: starting
Node, reading, instrumenting, source maps, writing the cache, building the probe map. `load` is the machine's load average
around the runs, for nothing else explains a slow one better.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.corpus import App, install
from instrument.bundle import Bundle, make_bundle
from instrument.detect import detect
from instrument.node import WorkerPool, find_node

HERE = Path(__file__).parent
PACKAGES = {
    "three": "three@0.187.0",
    "jquery-ui": "jquery-ui-dist@1.13.3",
    "swagger": "swagger-editor-dist@4.14.8",
    "spreadsheet": "x-data-spreadsheet@1.1.9",
    "gentelella": "gentelella@4.2.0",
}
CASES: dict[str, tuple[str, ...]] = {
    "hand-written": ("three/build/three.core.js", "jquery-ui/jquery-ui.js"),
    "minified": ("swagger/swagger-editor-bundle.js",),
    "minified with maps": ("spreadsheet/dist/xspreadsheet.js", "spreadsheet/dist/xspreadsheet.js.map"),
    "60 pages (gentelella)": ("gentelella/dist",),
}
"""Name -> files to copy into an app of their own, or one folder to take as it is."""
ALONE = """
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
const { instrument } = await import(pathToFileURL(process.argv[2]));
const files = process.argv.slice(3).map((path) => readFileSync(path, 'utf8'));
const start = performance.now();
for (const code of files) instrument(code, 'k.js', { goal: 'auto', fine: false, branches: true });
console.log((performance.now() - start) / 1000);
"""


def prepare(name: str, folder: Path) -> Path:
    """The app of a case."""
    app = folder / name.replace(" ", "-")
    for part in CASES[name]:
        package, _, rest = part.partition("/")
        source = install(App(package, PACKAGES[package], "", "", "")) / rest
        if source.is_dir():
            return source
        app.mkdir(exist_ok=True)
        shutil.copy(source, app)
    (app / "index.html").write_text("<!doctype html><title>bench</title>")
    return app


def cpu_seconds() -> float:
    """Of this process and of its children that have ended."""
    return sum(os.times()[:4])


async def timed(app: Path, cache: Path, size: int) -> tuple[float, Bundle]:
    """Wall seconds of one bundle, Node's start included."""
    start = time.perf_counter()
    async with WorkerPool(size=size) as pool:
        bundle = await make_bundle(detect(app), worker=pool, cache_dir=cache)
    return time.perf_counter() - start, bundle


def measure(name: str, folder: Path, rounds: int) -> dict[str, Any]:
    """One case's figures."""
    app = prepare(name, folder)
    cold: dict[int, list[float]] = {1: [], 2: []}
    warm = []
    cpu = []
    for turn in range(rounds):
        for size, times in cold.items():
            cache = folder / f"cache-{turn}-{size}-{app.name}"
            before = cpu_seconds()
            seconds, bundle = asyncio.run(timed(app, cache, size))
            times.append(seconds)
            cpu.append(cpu_seconds() - before)
        warm.append(asyncio.run(timed(app, cache, 2))[0])
    scripts = [app / path for path in bundle.overlay if path.endswith("js")]
    read = sum(path.stat().st_size for path in scripts) / 1e6
    written = sum(len(body) for path, body in bundle.overlay.items() if path.endswith("js")) / 1e6
    medians = {f"cold_{size}": statistics.median(times) for size, times in cold.items()}
    return {
        "mb": round(read, 2),
        "output_ratio": round(written / read, 2),
        "statements": sum(len(source.statements) for source in bundle.probes.files),
        "probes": len(bundle.probes.probes),
        "cold_1_process_s": round(medians["cold_1"], 3),
        "cold_2_processes_s": round(medians["cold_2"], 3),
        "cold_cpu_s": round(statistics.median(cpu), 3),
        "warm_s": round(statistics.median(warm), 3),
        "cold_mb_per_s": round(read / medians["cold_2"], 2),
        "injector_alone_mb_per_s": round(read / alone(scripts), 2),
    }


def alone(scripts: list[Path]) -> float:
    """Seconds of the injector itself on the files, in one fresh process."""
    with tempfile.NamedTemporaryFile("w", suffix=".mjs") as program:
        program.write(ALONE)
        program.flush()
        injector = HERE.parent / "js" / "src" / "inject" / "index.mjs"
        command = [str(find_node()), program.name, str(injector), *map(str, scripts)]
        return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main(report: Callable[[str], None] = print) -> None:
    """Measures all cases and writes the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    load = [os.getloadavg()[0]]
    results = {}
    with tempfile.TemporaryDirectory() as name:
        for case in CASES:
            results[case] = measure(case, Path(name), rounds)
            load.append(os.getloadavg()[0])
            report(f"{case}: {json.dumps(results[case])}")
    machine = {
        "cpus": os.cpu_count(),
        "python": platform.python_version(),
        "load": [round(part, 1) for part in load],
    }
    place = HERE / "results" / "bundle_speed.json"
    place.write_text(json.dumps({"machine": machine, "rounds": rounds, "cases": results}, indent=2) + "\n")


if __name__ == "__main__":
    main()
