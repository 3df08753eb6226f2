"""Renders benchmarks/README.md from the raw numbers in results/: run it after the others (`make bench` does)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.corpus import apps
from benchmarks.instrumentation import BUDGET, succeeded
from benchmarks.instrumentation import markdown as apps_table
from benchmarks.model_modes import markdown as modes_table
from benchmarks.testers import markdown

HERE = Path(__file__).parent
RESULTS = HERE / "results"
MATRIX_BUDGET = 8
"""Actions of each row of the matrix (tests/matrix/test_matrix.py)."""

INTRODUCTION = """# Benchmarks

`make bench` runs all of them and renders this page from `results/*.json`; `python -m benchmarks.NAME --help` says what
one takes. The apps of `corpus.toml` were written by others; they are installed by exact name and version into a cache and
explored offline.
Times are medians of things run side by side; `load` is the machine's load average while they ran (two cores): where it is
high, trust ratios.
"""


def read(name: str) -> Any:
    """A results file, or None where that benchmark was not run here."""
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text()) if path.is_file() else None


def testers() -> str:
    """Coverage of the built-in tester and the three that it is compared with."""
    found = read("testers")
    if not found:
        return ""
    names = list(dict.fromkeys(row["tester"] for row in found["runs"]))
    seeds = len({row["seed"] for row in found["runs"]})
    about = {app.id: f"{app.package}, {app.about}" for app in apps()}
    listed = "\n".join(f"- {app}: {about[app]}" for app in found["table"])
    return f"""## Testers

Own statements covered after 25 / 50 / 100 actions, in %, means of {seeds} seeds; "load" is what opening the app covers,
"gained" the statements beyond it after 100 actions. All four testers share observer, gestures and coverage: only the
choice differs.

{markdown(found["table"], names)}

![Coverage over actions](results/testers.svg)

{reasons(found["table"])}
{found.get("note", "")}

{listed}
"""


def reasons(table: dict[str, Any]) -> str:
    """Apps in which the built-in tester is not ahead of every other one, said plainly."""
    behind = []
    for app, entry in table.items():
        mine = entry["guided"]["gained"]
        better = [
            name
            for name in ("random", "monkey", "breadth-first")
            if name in entry and entry[name]["gained"] >= mine
        ]
        if better:
            behind.append(f"{app} (behind or equal to {', '.join(better)})")
    if not behind:
        return "The built-in tester is ahead of the other three on every app.\n"
    return f"Not ahead on: {'; '.join(behind)}.\n"


def repeatability() -> str:
    """How many of the runs of one seed are equal, step by step."""
    found = read("repeatability")
    if not found:
        return ""
    rows = "\n".join(f"| {row['app']} | {row['steps']} | {row['equal']} of {row['runs']} |" for row in found)
    return f"""## Repeatability

Same app, seed and budget: runs whose every action, state and newly hit probe equals the first run's.

| app | steps | equal runs |
|---|---|---|
{rows}
"""


def instrumentation() -> str:
    """Whether every app and every kind of project ends with coverage."""
    parts = ["## Any app, any project\n", _apps(), _matrix(), _cdn()]
    return "\n".join(part for part in parts if part) if any(parts[1:]) else ""


def _apps() -> str:
    found = read("instrumentation")
    if not found:
        return ""
    good = sum(map(succeeded, found))
    return f"""### Apps as they were published

{good} of {len(found)} ended with coverage of their own code and without a script that could not be parsed,
after {BUDGET} actions each (the last row: counters in all pages, none opened).

{apps_table(found)}
"""


def _matrix() -> str:
    found = read("matrix")
    if not found:
        return ""
    rows = "\n".join(
        _row(
            row["project"],
            row["from"],
            row["kind"],
            row["mode"],
            row["own_files"],
            row["vendor_files"],
            f"{row['covered']} of {row['total']}",
            row["seconds"],
        )
        for row in found.values()
    )
    return f"""### Kinds of projects (`make matrix`)

Fresh scaffolds and small projects of each kind: from their sources (built in a work copy, twice, for `--verify` compares
with a build without counters), as the bare result of their own build, and as development servers. Seconds are of the whole
command with {MATRIX_BUDGET} actions.

| project | from | kind | mode | own files | library files | own statements ran | seconds |
|---|---|---|---|---:|---:|---|---:|
{rows}
"""


def _cdn() -> str:
    path = RESULTS / "cdn-apps.md"
    if not path.is_file():
        return ""
    return f"### Single-file apps that load their libraries from CDNs\n\n{path.read_text().strip()}\n"


def model_modes() -> str:
    """What each way of using models costs and gains."""
    found = read("model_modes")
    if not found:
        return ""
    asked = (
        "A real model was asked."
        if found["real"]
        else "No real model was asked: a server on this machine answers by simple rules, from the prompt alone (its tester "
        "takes what was never tried, its hint the first way that the built-in knows, its texts are read off the page). So "
        "calls and tokens are those of any model that acts alike, and coverage shows what the seams let through, not how "
        "good a model is."
    )
    return f"""## Models

Own statements covered after {found["budget"]} actions, and what that took, means over seeds. {asked}

{modes_table(found["runs"])}
"""


def speed() -> str:
    """Instrumenting, running instrumented code, and a step."""
    parts = ["## Speed\n", _instrument(), _runtime(), _step(), _v8(), _agreement()]
    return "\n".join(part for part in parts if part)


def _instrument() -> str:
    found = read("instrument_speed")
    if not found:
        return ""
    columns = ("kind", "mb", "mb_per_s", "mb_per_cpu_s", "times_faster", "output")
    rows = "\n".join(_row(name, *(row[column] for column in columns)) for name, row in found["files"].items())
    whole = "; ".join(
        f"{kind} together {row['mb_per_s']} MB/s ({row['mb_per_cpu_s']} per CPU second)"
        for kind, row in found["together"].items()
    )
    return f"""### Instrumenting (load {_load(found)})

{whole}. "times" is the factor over istanbul-lib-instrument side by side, "output" the size over the input's.

| file | kind | MB | MB/s | MB per CPU s | times | output |
|---|---|---|---|---|---|---|
{rows}
"""


def _runtime() -> str:
    found = read("runtime_overhead")
    if not found:
        return ""
    rows = "\n".join(
        _row(
            name,
            row["plain_ms"],
            *(f"{row[who]['factor']} ({row[who]['best']})" for who in ("ours", "istanbul")),
        )
        for name, row in found["programs"].items()
    )
    return f"""### Instrumented code in Chromium (load {_load(found)})

Time over the plain program's, medians of {found["rounds"]} rounds, best round in brackets; branch counters on.

| program | plain, ms | ours | Istanbul |
|---|---|---|---|
{rows}
"""


def _step() -> str:
    found = read("step_cost")
    if not found:
        return ""
    parts = ", ".join(f"{name} {row['median']}" for name, row in found["parts_ms"].items())
    return f"""### A step

{found["actions"]} actions on {found["app"]} with {found["pictures"]} screenshots took {found["all_actions_s"]} s; median step
{found["step_ms"]["median"]} ms ({parts} ms). The engine's own share: {found["engine_share_ms"]["median"]} ms wall,
{found["engine_processor_ms"]["median"]} ms of CPU.
"""


def _v8() -> str:
    found = read("v8_cost")
    if not found:
        return ""
    rows = "\n".join(
        _row(
            row["app"],
            row["actions"],
            *(f"{row[way]['step_ms']} ({row[way]['trip']})" for way in ("counters", "v8")),
            row["ratio"],
            f"{row['counters']['covered']} and {row['v8']['covered']} of {row['v8']['statements']:,}",
        )
        for row in found["apps"]
    )
    return f"""### Coverage by V8 (load {found["load"]}, {found["cores"]} cores)

The same actions with counters and with `--coverage v8`: median step in ms, in brackets the part of it that is round trips;
the ratio; statements that each saw run. A busy machine: the ratios matter.

| app | actions | counters | v8 | ratio | statements |
|---|---|---|---|---|---|
{rows}
"""


def _agreement() -> str:
    found = read("v8_agreement")
    if not found:
        return ""
    rows = "\n".join(
        _row(row["app"], f"{row['statements']:,}", row["pct"], row["counters_only"], row["v8_only"])
        for row in found["apps"]
    )
    return f"""### Agreement of counters and V8

Statements, libraries included, on which counters and `--coverage v8` say the same after the same actions, in %.

| app | statements | agree | counters only | V8 only |
|---|---|---|---|---|
{rows}
"""


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _load(found: dict[str, Any]) -> str:
    load = found["machine"]["load"]
    return f"{min(load):.0f} to {max(load):.0f}"


def main() -> None:
    """Writes the page."""
    sections = [INTRODUCTION, testers(), instrumentation(), model_modes(), repeatability(), speed()]
    (HERE / "README.md").write_text("\n".join(section for section in sections if section))


if __name__ == "__main__":
    main()
