"""What the matrix measured, for the table in benchmarks/README.md."""

from __future__ import annotations

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
    rows: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
    own = run.coverage.own.statements
    rows[f"{name} / {way}"] = {
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
    RESULTS.write_text(json.dumps(dict(sorted(rows.items())), indent=2) + "\n")
