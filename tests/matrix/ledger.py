"""What the matrix measured, for the table in benchmarks/README.md."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from typing import Any

from explorer import Exploration

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results" / "matrix.json"


def note(name: str, way: str, run: Exploration, *, seconds: float) -> None:
    """Keeps a row, where EXPLORER_MATRIX_RESULTS asks for it: a test run leaves the checkout as it is."""
    if not os.environ.get("EXPLORER_MATRIX_RESULTS"):
        return
    own = run.coverage.own.statements
    row = {
        "project": name,
        "from": way,
        "kind": run.build_kind,
        "mode": run.instrumentation.mode,
        "seconds": round(seconds, 1),
        "own_files": sum(1 for file in run.probes.files if file.file_class == "own"),
        "vendor_files": sum(1 for file in run.probes.files if file.file_class == "vendor"),
        "covered": own.covered,
        "total": own.total,
        "states": run.graph.number_of_nodes(),
    }
    with RESULTS.open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # two workers write
        file.seek(0)
        rows: dict[str, Any] = json.loads(file.read() or "{}")
        rows[f"{name} / {way}"] = row
        file.truncate(0)
        file.write(json.dumps(dict(sorted(rows.items())), indent=2) + "\n")
