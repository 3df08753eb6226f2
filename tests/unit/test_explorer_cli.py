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


INTERRUPTED_IMPORT = """
import sys

class Impatient:
    def find_spec(self, name, path=None, target=None):
        if name == "click":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Impatient())
from explorer.__main__ import main
main()
"""


def test_ctrl_c_while_modules_are_being_loaded_is_one_sentence() -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_IMPORT], check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "explore-app: stopped.\n")


def test_the_package_is_a_program_too() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "explorer", "--help"], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0 and "explore-app ./dist" in done.stdout
