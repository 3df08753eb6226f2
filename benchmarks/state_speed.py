"""What it costs to tell a state: the normal form of pages of 500 and 5,000 elements, and the other costs of a step.

    python -m benchmarks.state_speed [--rounds 9]

Writes results/state_speed.json: medians of CPU milliseconds, so that other work on the machine matters little. No two
rows of a page and no two pages are alike, so nothing that is remembered helps; a real page with like rows is cheaper.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from graph.collapse import collapse
from graph.export import graphml
from graph.normalize import ABSTRACTIONS, normalize
from graph.records import Action, Handler, Snapshot, Step, Target, Trace, TraceHead
from graph.tracefile import TraceWriter

HERE = Path(__file__).parent
SIZES = (500, 5_000)


def page(elements: int, *, salt: str) -> str:
    """A table in which nothing repeats."""
    rows = "".join(
        f'<tr class="row{salt} r{i} css-1ab{i}c" data-id="{i}" style="left:{i}px"><td><a href="/it{salt}em/{i}">'
        f'Item{salt} {i}</a></td><td class="num">{i * 7} at 12:{i % 60:02d}</td><td><button type="button" '
        f'class="btn btn-sm" aria-label="Delete {salt} {i}">Delete {i}</button></td></tr>'
        for i in range(elements // 6)
    )
    return f"<html><body><table><tbody>{rows}</tbody></table></body></html>"


def run(states: int, *, targets: int) -> Trace:
    """A run that came through many states and back, each with a snapshot of its own."""
    listed = tuple(
        Target(
            f"e{i}", "button", "button", f"Button {i}", "f", i, f"#b{i}", (0, 0, 9, 9), (Handler("click", i),)
        )
        for i in range(targets)
    )
    steps = []
    for i in range(states):
        html = page(300, salt=chr(97 + i % 26) * (1 + i // 26))
        snapshot = Snapshot("/", "Title", html, str(i), listed)
        action = Action("click", "novel", locator=f"#b{i}", name=f"Button {i}") if i else None
        steps.append(Step(i, action, f"s{i - 1}" if i else "", f"s{i}", "/", "", 3, (i,), snapshot=snapshot))
    return Trace(TraceHead(1, "bench", 0, states, "none", "none", "list", 0), tuple(steps))


def median_ms(work: Callable[[int], object], rounds: int) -> float:
    """Median CPU milliseconds of a call that is told the number of its round."""
    times = []
    for number in range(rounds):
        begun = time.process_time()
        work(number)
        times.append((time.process_time() - begun) * 1000)
    return round(statistics.median(times), 2)


def measure(rounds: int) -> dict[str, float]:
    """All numbers by name, milliseconds."""
    found = {}
    for size in SIZES:
        for abstraction in ABSTRACTIONS:
            pages = [page(size, salt=chr(97 + number)) for number in range(rounds)]
            found[f"normalize {abstraction}, {size} elements"] = median_ms(
                lambda number, pages=pages, abstraction=abstraction: normalize(  # type: ignore[misc]
                    pages[number], abstraction=abstraction
                ),
                rounds,
            )
    trace = run(60, targets=300)
    with tempfile.TemporaryDirectory() as folder, TraceWriter(Path(folder) / "trace.jsonl") as writer:
        writer.step(trace.steps[0])
        found["write a step with 300 targets"] = median_ms(
            lambda number: writer.step(trace.steps[number]), rounds
        )
    found["collapse a run of 60 states"] = median_ms(lambda _: collapse(trace), rounds)
    graph = collapse(trace)
    found["graphml of 60 states"] = median_ms(lambda _: graphml(graph), rounds)
    return found


def main() -> None:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=9, help="times each is done (1 to 26)")
    rounds = min(26, max(1, parser.parse_args().rounds))
    numbers = measure(rounds)
    for name, ms in numbers.items():
        print(f"{ms:8.2f} ms  {name}")
    result = {
        "unit": "milliseconds of CPU time, medians",
        "rounds": rounds,
        "load": round(os.getloadavg()[0], 1),
        "python": platform.python_version(),
        "numbers": numbers,
    }
    target = HERE / "results" / "state_speed.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
