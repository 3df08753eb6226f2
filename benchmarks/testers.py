"""Runs the built-in tester and the comparison testers over the corpus and writes table, plot and raw numbers.

    python -m benchmarks.testers [--apps ID ...] [--testers NAME ...] [--seeds 3] [--budget 100] [--jobs 2]

Each run starts from a fresh browser; the four testers share observer, candidates and coverage, so only the choice differs.
Coverage is own statements; "gained" leaves out what the load alone covers.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.corpus import App, apps, install
from explorer.policy.registry import TESTERS

RESULTS = Path(__file__).parent / "results"
MARKS = (25, 50, 100)


def run(app: App, tester: str, seed: int, budget: int) -> dict[str, Any]:
    """One run in this process: covered own statements after each action."""
    from explorer import Options, explore

    with tempfile.TemporaryDirectory() as scratch:
        begun = time.perf_counter()
        exploration = explore(
            install(app),
            budget=budget,
            seed=seed,
            out=Path(scratch) / "run",
            options=Options(entry=app.entry, tester=tester),
        )
        seconds = time.perf_counter() - begun
    curve: list[int] = []
    covered = 0
    for step in exploration.trace.steps:
        covered += step.gain
        if step.action is None and step.index:
            if curve:
                curve[-1] = covered
        elif not step.replayed:
            curve.append(covered)
    own = exploration.trace.head.own_statements
    return {
        "app": app.id,
        "tester": tester,
        "seed": seed,
        "statements": own,
        "load": curve[0] if curve else 0,
        "curve": curve[1:],
        "states": exploration.graph.number_of_nodes(),
        "findings": len(exploration.findings),
        "stop": exploration.trace.stop,
        "seconds": round(seconds, 2),
        "timings_ms": dict(exploration.timings_ms),
    }


def at(row: dict[str, Any], mark: int) -> int:
    """Statements covered after `mark` actions; a run that was complete earlier keeps what it had."""
    curve: list[int] = row["curve"]
    return curve[min(mark, len(curve)) - 1] if curve else int(row["load"])


def summarise(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Per app and tester the mean over seeds of gained statements at each mark, as % of all own statements."""
    table: dict[str, Any] = {}
    for app in dict.fromkeys(row["app"] for row in rows):
        of_app = [row for row in rows if row["app"] == app]
        statements = of_app[0]["statements"]
        entry: dict[str, Any] = {
            "statements": statements,
            "load": round(100 * of_app[0]["load"] / max(1, statements), 1),
        }
        for tester in dict.fromkeys(row["tester"] for row in of_app):
            runs = [row for row in of_app if row["tester"] == tester]
            entry[tester] = {
                str(mark): round(100 * statistics.mean(at(row, mark) for row in runs) / max(1, statements), 1)
                for mark in MARKS
            }
            entry[tester]["gained"] = round(
                statistics.mean(at(row, MARKS[-1]) - row["load"] for row in runs), 1
            )
            entry[tester]["seconds"] = round(statistics.median(row["seconds"] for row in runs), 1)
        table[app] = entry
    return table


def markdown(table: dict[str, Any], testers: list[str]) -> str:
    """The table of README.md: coverage in % after 25 / 50 / 100 actions, and gained statements relative to random."""
    head = "| app | own statements | load | " + " | ".join(testers) + " | gained, guided : random |"
    lines = [head, "|---" * (len(testers) + 4) + "|"]
    ratios = []
    for app, entry in table.items():
        cells = [
            " / ".join(f"{entry[tester][str(mark)]:.1f}" for mark in MARKS) if tester in entry else "-"
            for tester in testers
        ]
        ratio = ""
        if "guided" in entry and "random" in entry:
            mine, theirs = entry["guided"]["gained"], entry["random"]["gained"]
            ratio = f"{mine:.0f} : {theirs:.0f}"
            ratios.append((mine, theirs))
        lines.append(
            f"| {app} | {entry['statements']} | {entry['load']:.1f} | " + " | ".join(cells) + f" | {ratio} |"
        )
    means = [
        " / ".join(
            f"{statistics.mean(entry[tester][str(mark)] for entry in table.values()):.1f}" for mark in MARKS
        )
        for tester in testers
    ]
    loads = statistics.mean(entry["load"] for entry in table.values())
    total = f"{sum(r[0] for r in ratios) / max(1e-9, sum(r[1] for r in ratios)):.2f}" if ratios else ""
    lines.append(f"| **mean** | | {loads:.1f} | " + " | ".join(means) + f" | {total} times |")
    return "\n".join(lines)


def plot(rows: list[dict[str, Any]], path: Path) -> None:
    """Mean coverage over actions, one line per tester, averaged over apps and seeds."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4))
    longest = max(len(row["curve"]) for row in rows)
    for tester in dict.fromkeys(row["tester"] for row in rows):
        runs = [row for row in rows if row["tester"] == tester]
        points = [
            statistics.mean(
                100 * (at(row, n) if n else row["load"]) / max(1, row["statements"]) for row in runs
            )
            for n in range(longest + 1)
        ]
        axes.plot(range(longest + 1), points, label=tester)
    axes.set_xlabel("actions")
    axes.set_ylabel("own statements covered, %")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def _child(app: str, tester: str, seed: int, budget: int) -> None:
    print(json.dumps(run(apps([app])[0], tester, seed, budget)))


Task = tuple[str, str, int, int]


async def _all(tasks: list[Task], jobs: int, keep: Callable[[dict[str, Any]], None]) -> None:
    """Every run in a process of its own, so that a crash costs one row; `keep` is given each row when it is there."""
    gate, done = asyncio.Semaphore(jobs), 0

    async def one(task: Task) -> None:
        nonlocal done
        async with gate:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "benchmarks.testers", "--child", *map(str, task),
                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )  # fmt: skip
            out, err = await process.communicate()
            done += 1
            if process.returncode:
                print("failed:", *task, err.decode(errors="replace")[-400:], file=sys.stderr)
                return
            row = json.loads(out)
            keep(row)
            gained = f"{row['load']} -> {at(row, task[3])} of {row['statements']}"
            print(f"{done}/{len(tasks)}", *task, gained, f"{row['seconds']} s", file=sys.stderr)

    await asyncio.gather(*(one(task) for task in tasks))


def _earlier(path: Path, tasks: list[Task]) -> list[dict[str, Any]]:
    """Rows of an interrupted benchmark that are among the tasks."""
    if not path.is_file():
        return []
    wanted = {task[:3] for task in tasks}
    return [
        row
        for row in json.loads(path.read_text())["runs"]
        if (row["app"], row["tester"], row["seed"]) in wanted
    ]


def _write(path: Path, rows: list[dict[str, Any]], tasks: list[Task]) -> None:
    order = {task[:3]: index for index, task in enumerate(tasks)}
    rows.sort(key=lambda row: order[row["app"], row["tester"], row["seed"]])
    machine = {"cpus": os.cpu_count(), "load": os.getloadavg(), "python": platform.python_version()}
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"machine": machine, "runs": rows, "table": summarise(rows)}, indent=1) + "\n")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--apps", nargs="*")
    parser.add_argument("--testers", nargs="*", default=list(TESTERS))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--budget", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=RESULTS / "testers.json")
    parser.add_argument("--resume", action="store_true", help="keep the rows that --out holds already")
    parser.add_argument("--child", nargs=4)
    arguments = parser.parse_args()
    if arguments.child:
        app, tester, seed, budget = arguments.child
        return _child(app, tester, int(seed), int(budget))
    chosen = apps(arguments.apps)
    for app in chosen:
        install(app)
    tasks = [
        (app.id, tester, seed, arguments.budget)
        for app in chosen
        for tester in arguments.testers
        for seed in range(arguments.seeds)
    ]
    rows = _earlier(arguments.out, tasks) if arguments.resume else []
    had = {(row["app"], row["tester"], row["seed"]) for row in rows}

    def keep(row: dict[str, Any]) -> None:
        rows.append(row)
        _write(arguments.out, rows, tasks)

    asyncio.run(_all([task for task in tasks if task[:3] not in had], arguments.jobs, keep))
    print(markdown(summarise(rows), arguments.testers))
    if rows:
        plot(rows, arguments.out.with_suffix(".svg"))
    return None


if __name__ == "__main__":
    main()
