"""Does every app end with coverage? Each app of the corpus is opened and used for a moment; nothing may be without numbers.

    python -m benchmarks.instrumentation

Besides corpus.toml: TiddlyWiki, made of its package by its own command, and all 130 pages of MiniWoB. Writes
results/instrumentation.json. The scaffolds of tests/matrix have a table of their own (`make matrix`, results/matrix.json).
"""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.corpus import HERE, App, apps, cache, install
from explorer import Options, explore
from instrument.bundle import make_bundle
from instrument.detect import detect
from instrument.node import find_node

BUDGET = 3
TIDDLYWIKI = "tiddlywiki@5.4.1"
MINIWOB = "miniwob==1.1.0"
MINIWOB_PAGES = ("click-button", "enter-text", "use-slider", "drag-box", "book-flight")
"""Pages of MiniWoB that are opened; counters are put into all of them."""


def tiddlywiki() -> Path:
    """A wiki in one html file, made once by the package's own command."""
    package = install(App("tiddlywiki", TIDDLYWIKI, "", "tiddlywiki.js", ""))
    out = cache() / "tiddlywiki-made"
    if not (out / "index.html").is_file():
        made = ["--render", "$:/core/save/all", "index.html", "text/plain"]
        subprocess.run(
            [str(find_node()), "tiddlywiki.js", "editions/empty", "--output", str(out), *made],
            cwd=package,
            check=True,
            stdout=subprocess.DEVNULL,
        )
    return out


def miniwob() -> Path:
    """Its html folder, out of the package of that name."""
    place = cache() / "miniwob"
    if not place.is_dir():
        with tempfile.TemporaryDirectory() as work:
            target = ["--no-deps", "--quiet", "--target", work, MINIWOB]
            subprocess.run([sys.executable, "-m", "pip", "install", *target], check=True)
            shutil.copytree(Path(work) / "miniwob" / "html", place)
    return place


def measured(name: str, target: Path, entry: str, *, out: Path) -> dict[str, Any]:
    """One short run, as a row."""
    begun = time.perf_counter()
    run = explore(target, budget=BUDGET, out=out / name.replace("/", "-"), options=Options(entry=entry))
    own = run.coverage.own.statements
    return {
        "app": name,
        "kind": run.build_kind,
        "mode": run.instrumentation.mode,
        "scripts": run.instrumentation.scripts,
        "failed": [script.path for script in run.instrumentation.failed],
        "unmeasured": len(run.instrumentation.unmeasured),
        "covered": own.covered,
        "total": own.total,
        "seconds": round(time.perf_counter() - begun, 1),
    }


def whole(name: str, folder: Path, entry: str) -> dict[str, Any]:
    """Counters in every page and script of a folder, as a row; nothing is opened."""
    begun = time.perf_counter()
    bundle = asyncio.run(make_bundle(detect(folder, entry=entry)))
    return {
        "app": name,
        "kind": bundle.build.kind,
        "mode": bundle.mode,
        "scripts": len(bundle.scripts),
        "failed": [script.path for script in bundle.failed],
        "unmeasured": len(bundle.unmeasured),
        "covered": None,
        "total": sum(1 for probe in bundle.probes.probes if probe.kind == "statement"),
        "seconds": round(time.perf_counter() - begun, 1),
    }


def rows(out: Path) -> Iterator[dict[str, Any]]:
    """A row for each app."""
    for app in apps():
        yield measured(app.id, install(app), app.entry, out=out)
    yield measured("tiddlywiki", tiddlywiki(), "", out=out)
    place = miniwob()
    for page in MINIWOB_PAGES:
        yield measured(f"miniwob/{page}", place, f"miniwob/{page}.html", out=out)
    pages = len(list((place / "miniwob").glob("*.html")))
    yield whole(f"miniwob, all {pages} pages", place, f"miniwob/{MINIWOB_PAGES[0]}.html")


def succeeded(row: dict[str, Any]) -> bool:
    """Whether an app ended with numbers of its own code, and no script was left out for not being parsed."""
    return row["mode"] != "none" and row["total"] > 0 and row["covered"] != 0 and not row["failed"]


def markdown(found: list[dict[str, Any]]) -> str:
    """A table for people."""
    lines = [
        "| app | kind | mode | scripts | own statements | ran | seconds |",
        "|---|---|---|---:|---:|---:|---:|",
    ]
    for row in found:
        ran = "–" if row["covered"] is None else f"{row['covered']:,}"
        numbers = f"{row['scripts']} | {row['total']:,} | {ran} | {row['seconds']}"
        lines.append(f"| {row['app']} | {row['kind']} | {row['mode']} | {numbers} |")
    return "\n".join(lines)


def main() -> None:
    """Runs all, prints as it goes, writes the results."""
    found = []
    with tempfile.TemporaryDirectory() as out:
        for row in rows(Path(out)):
            found.append(row)
            print("ok " if succeeded(row) else "NO ", row, flush=True)
    (HERE / "results" / "instrumentation.json").write_text(json.dumps(found, indent=2) + "\n")
    good = sum(map(succeeded, found))
    print(f"{good} of {len(found)} apps ended with coverage")
    sys.exit(0 if good == len(found) else 1)


if __name__ == "__main__":
    main()
