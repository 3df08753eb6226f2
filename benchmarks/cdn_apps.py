"""Explores the miniature apps that load their libraries from CDNs (tests/apps/cdn-*), with real packages of the npm registry.

    python -m benchmarks.cdn_apps [--budget 30]

Writes benchmarks/results/cdn-apps.md: packages, own coverage, findings, and times of the first run (which fetches what the
cache lacks; XDG_CACHE_HOME=$(mktemp -d) in front for one that lacks all) and of the second.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from explorer import Exploration, explore

APPS = Path(__file__).parent.parent / "tests" / "apps"
RESULT = Path(__file__).parent / "results" / "cdn-apps.md"


def main() -> None:
    """Runs all and writes the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--budget", type=int, default=30)
    budget = parser.parse_args().budget
    rows = [row(app, budget) for app in sorted(APPS.glob("cdn-*"))]
    head = [
        f"`python -m benchmarks.cdn_apps --budget {budget}`: the app's own code only; seconds of the whole run, "
        "the second time from the cache.",
        "",
        "| app | packages served | statements | functions | states | findings | first, s | second, s | same run |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    RESULT.write_text("\n".join((*head, *rows)) + "\n")
    print("\n".join((*head, *rows)))


def row(app: Path, budget: int) -> str:
    """One line of the table."""
    (first, cold), (second, warm) = timed(app, budget), timed(app, budget)
    own = second.coverage.own
    packages = ", ".join(f"{item.name} {item.version}" for item in second.libraries.served)
    missing = [item.url for item in second.libraries.unavailable if item.needed]
    same = first.hits == second.hits and first.libraries == second.libraries
    cells = [
        app.name,
        packages + (f"; not to be had: {', '.join(missing)}" if missing else ""),
        f"{own.statements.pct:.1f} % ({own.statements.covered}/{own.statements.total})",
        f"{own.functions.covered}/{own.functions.total}",
        str(second.graph.number_of_nodes()),
        str(len(second.findings)),
        f"{cold:.1f}",
        f"{warm:.1f}",
        "yes" if same else "no",
    ]
    return f"| {' | '.join(cells)} |"


def timed(app: Path, budget: int) -> tuple[Exploration, float]:
    """A run and its seconds."""
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch:
        run = explore(app, budget=budget, out=Path(scratch) / "run")
    return run, time.perf_counter() - begun


if __name__ == "__main__":
    main()
