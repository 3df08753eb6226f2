"""Stage 2, explore: acts on an app in a real browser and reads what its code did.

from explorer import explore
exploration = explore("./dist", budget=100)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from instrument.errors import AppError, BrowserError, ExplorerError, UsageError

if TYPE_CHECKING:
    from explorer.api import explore, explore_async
    from explorer.exploration import Exploration
    from explorer.judged import Judging
    from explorer.options import Options
    from explorer.outputs import load_exploration

__all__ = [
    "AppError",
    "BrowserError",
    "Exploration",
    "ExplorerError",
    "Judging",
    "Options",
    "UsageError",
    "explore",
    "explore_async",
    "load_exploration",
]

_HOMES = {
    "explore": "explorer.api",
    "explore_async": "explorer.api",
    "Exploration": "explorer.exploration",
    "Judging": "explorer.judged",
    "Options": "explorer.options",
    "load_exploration": "explorer.outputs",
}


def __getattr__(name: str) -> Any:
    """Public names on first use, so that `import explorer` stays light (no Playwright, no networkx)."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
