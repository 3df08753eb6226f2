"""How far V8's ranges agree with counters on real apps, in statements, libraries included.

    python -m benchmarks.v8_agreement [actions] [app ...]

Each app is explored with counters and the same actions are done again measured by V8 (`--verify-coverage`). Writes
results/v8_agreement.json: statements, those that only one of the two saw run, and the kinds of these disagreements.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.corpus import HERE, App, apps, install
from explorer import Options, explore
from explorer.agreement import agreement_json

ACTIONS = 15


def measure(app: App, budget: int) -> dict[str, Any]:
    """The agreement on one app, without its list of files."""
    options = Options(entry=app.entry, build="never", verify_coverage=True)
    with tempfile.TemporaryDirectory() as out:
        run = explore(install(app), budget=budget, out=Path(out) / "run", options=options)
    assert run.agreement is not None
    found = agreement_json(run.agreement)
    return {"app": app.id, **{key: value for key, value in found.items() if key != "files"}}


def main() -> None:
    """Measures the apps, all where none is named, and writes the results."""
    budget = int(sys.argv[1]) if len(sys.argv) > 1 else ACTIONS
    rows = []
    for app in apps(sys.argv[2:] or None):
        rows.append(measure(app, budget))
        print(json.dumps(rows[-1]), flush=True)
    (HERE / "results" / "v8_agreement.json").write_text(json.dumps({"apps": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
