"""Runs a script of named checks under tests/js on Playwright's Node."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import cast

from instrument.node import find_node

TESTS_JS = Path(__file__).parent / "js"


def run_checks(name: str) -> dict[str, str]:
    """Outcome by check: "" or what is wrong."""
    done = subprocess.run([str(find_node()), name], cwd=TESTS_JS, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return cast(dict[str, str], json.loads(done.stdout))
