"""How fast the injector is beside nyc's instrumenter, file by file, each in a fresh process on one core.

    python -m benchmarks.instrument_speed [--rounds 3]

Writes results/instrument_speed.json: medians. `together` is one process for all files of a kind, as the worker has it.
Only the calls are timed, not Node's start; `wall` suffers from what
else the machine does, `cpu` does not, so the factor is that of the CPU seconds. Minified files get the fine points.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.corpus import App, install
from instrument.node import find_node

HERE = Path(__file__).parent
PACKAGES = {
    "three": "three@0.187.0",
    "react-dom": "react-dom@19.3.1",
    "jquery-ui": "jquery-ui-dist@1.13.3",
    "cytoscape": "cytoscape@3.35.0",
    "swagger": "swagger-editor-dist@4.14.8",
    "spreadsheet": "x-data-spreadsheet@1.1.9",
}
FILES = {
    "hand-written": (
        "three/build/three.core.js",
        "react-dom/cjs/react-dom-client.development.js",
        "jquery-ui/jquery-ui.js",
    ),
    "minified": (
        "swagger/swagger-editor-bundle.js",
        "cytoscape/dist/cytoscape.min.js",
        "spreadsheet/dist/xspreadsheet.js",
    ),
}


def measure(engine: str, fine: bool, *files: Path) -> dict[str, float]:
    """Seconds, CPU seconds, MB and output factor of some files in a process of their own."""
    program = [str(find_node()), "--max-old-space-size=4000", str(HERE / "instrument_speed.mjs")]
    pin = ["taskset", "-c", "0"] if shutil.which("taskset") else []
    done = subprocess.run(
        [*pin, *program, engine, "fine" if fine else "plain", *map(str, files)],
        check=True,
        capture_output=True,
        text=True,
    )
    result: dict[str, float] = json.loads(done.stdout)
    return result


def compare(file: Path, fine: bool, rounds: int) -> dict[str, Any]:
    """Both engines on one file, turn by turn."""
    runs: dict[str, list[dict[str, float]]] = {"ours": [], "istanbul": []}
    for _ in range(rounds):
        for engine, results in runs.items():
            results.append(measure(engine, fine, file))

    def median(engine: str, field: str) -> float:
        return statistics.median(run[field] for run in runs[engine])

    mb = median("ours", "mb")
    return {
        "mb": round(mb, 2),
        "mb_per_s": round(mb / median("ours", "seconds"), 2),
        "mb_per_cpu_s": round(mb / median("ours", "cpu_seconds"), 2),
        "istanbul_mb_per_s": round(mb / median("istanbul", "seconds"), 2),
        "istanbul_mb_per_cpu_s": round(mb / median("istanbul", "cpu_seconds"), 2),
        "times_faster": round(median("istanbul", "cpu_seconds") / median("ours", "cpu_seconds"), 1),
        "output": round(median("ours", "output"), 2),
        "istanbul_output": round(median("istanbul", "output"), 2),
    }


def together(files: list[Path], fine: bool, rounds: int) -> dict[str, float]:
    """Our engine on all files of a kind in one process."""
    runs = [measure("ours", fine, *files) for _ in range(rounds)]
    mb = runs[0]["mb"]
    return {
        "mb": round(mb, 2),
        "mb_per_s": round(mb / statistics.median(run["seconds"] for run in runs), 2),
        "mb_per_cpu_s": round(mb / statistics.median(run["cpu_seconds"] for run in runs), 2),
    }


def _installed(path: str) -> Path:
    package, _, rest = path.partition("/")
    return install(App(package, PACKAGES[package], "", "", "")) / rest


def main(report: Callable[[str], None] = print) -> None:
    """Measures all files and writes the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    load = [os.getloadavg()[0]]
    results: dict[str, Any] = {}
    kinds: dict[str, Any] = {}
    report(
        f"{'file':42}{'MB':>6}{'MB/s':>7}{'MB/cpu s':>10}{'nyc MB/s':>10}{'faster':>8}{'output':>8}{'nyc':>7}"
    )
    for kind, paths in FILES.items():
        fine = kind == "minified"
        files = [_installed(path) for path in paths]
        for path, file in zip(paths, files, strict=True):
            row = results[path] = {"kind": kind, **compare(file, fine, rounds)}
            load.append(os.getloadavg()[0])
            report(
                f"{path[-41:]:42}{row['mb']:6}{row['mb_per_s']:7}{row['mb_per_cpu_s']:10}"
                f"{row['istanbul_mb_per_s']:10}{row['times_faster']:7}x{row['output']:7}x{row['istanbul_output']:6}x"
            )
        all_files = kinds[kind] = together(files, fine, rounds)
        report(
            f"{kind + ', together':42}{all_files['mb']:6}{all_files['mb_per_s']:7}{all_files['mb_per_cpu_s']:10}"
        )
    machine = {
        "cpus": os.cpu_count(),
        "python": platform.python_version(),
        "load": [round(one, 1) for one in load],
    }
    text = json.dumps({"machine": machine, "rounds": rounds, "together": kinds, "files": results}, indent=2)
    (HERE / "results").mkdir(exist_ok=True)
    (HERE / "results" / "instrument_speed.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
