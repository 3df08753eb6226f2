"""Which package manager a project is installed with: the packageManager field, else the lockfile found upwards."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ManagerName = Literal["npm", "pnpm", "yarn", "bun"]


@dataclass(frozen=True, slots=True)
class Manager:
    """The package manager of a project and how that is known."""

    name: ManagerName
    version: str
    """As the packageManager field says, "" without one."""
    reason: str
    lockfile: Path | None
    """None: nothing is pinned, so an install takes what the ranges allow today."""
    berry: bool = False
    """yarn 2 or later, whose install has other options than yarn 1's."""
