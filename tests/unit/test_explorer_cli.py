"""The command line answers at once: what is heavy is loaded by the command that needs it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from explorer.options import TESTERS
from explorer.policy import registry

HEAVY = ("asyncio", "lxml", "networkx", "numpy", "playwright", "pydantic", "rich")


@pytest.mark.parametrize(
    "code",
    [
        "import explorer, explorer.cli",
        "from explorer.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass",
        "from explorer.cli import main\ntry: main(['x', '--budget', '0'])\nexcept SystemExit: pass",
    ],
    ids=["import", "help", "wrong use"],
)
def test_what_is_heavy_is_not_loaded(code: str) -> None:
    tell = f"{code}\nimport sys; print('loaded:', [name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", tell], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("loaded: []\n")


def test_the_testers_on_the_command_line_are_those_that_can_be_made() -> None:
    assert tuple(registry.TESTERS) == TESTERS
