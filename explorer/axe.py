"""Where axe-core is: no part of this project, but of the package axe-playwright-python, which the extra `axe` installs."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from instrument.errors import UsageError

_PACKAGE, _SCRIPT = "axe_playwright_python", "axe.min.js"


def axe_script() -> Path | None:
    """axe-core's one script; None where the package that brings it is not installed."""
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent / _SCRIPT
    return path if path.is_file() else None


def check_axe() -> None:
    """Raises UsageError where axe-core is not installed."""
    if axe_script() is None:
        raise UsageError(
            "axe-core is not installed: run `pip install axe-playwright-python`, which brings it, or leave --axe out."
        )
