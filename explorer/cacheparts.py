"""What is kept in the user's cache from run to run: its parts, what each takes, and how it is freed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from explorer import packages
from explorer.wording import plural, size
from instrument.cache import SIZE_LIMIT as SCRIPTS_LIMIT
from instrument.cache import default_cache_dir
from instrument.foldersize import bytes_in
from instrument.workcopy import DOWNLOADS_LIMIT, builds_folder, clear_copies
from instrument.workcopy import SIZE_LIMIT as BUILDS_LIMIT


@dataclass(frozen=True, slots=True)
class Part:
    """One folder of the cache."""

    name: str
    folder: Path
    holds: str
    limit: int
    """Bytes that it is kept below, after a run."""
    clear: Callable[[], int]
    """Frees it, and gives the number of things that had to stay."""

    def bytes(self) -> int:
        """What it takes now."""
        return bytes_in(self.folder)


def parts() -> tuple[Part, ...]:
    """All parts, the largest first as a rule; a folder that is not there takes nothing."""
    scripts, stored = default_cache_dir(), packages.default_folder()
    return (
        Part(
            "builds",
            builds_folder(),
            "work copies of projects, with what package managers downloaded for them",
            BUILDS_LIMIT + DOWNLOADS_LIMIT,
            clear_copies,
        ),
        Part(
            "packages",
            stored,
            "packages from npm that stand in for CDNs",
            packages.SIZE_LIMIT,
            lambda: _removed(stored),
        ),
        Part("scripts", scripts, "scripts with counters in them", SCRIPTS_LIMIT, lambda: _removed(scripts)),
    )


def _removed(folder: Path) -> int:
    shutil.rmtree(folder, ignore_errors=True)
    return int(folder.exists())


def sizes() -> str:
    """What each part takes, in a line."""
    return ", ".join(f"{part.name} {size(part.bytes())}" for part in parts())


def cleared(part: Part) -> str:
    """Frees a part; what came of it, in a sentence."""
    before = part.bytes()
    left = part.clear()
    freed = f"{part.name}: {size(max(0, before - part.bytes()))} freed"
    if not left:
        return f"{freed}."
    return f"{freed}; {plural(left, 'folder')} stayed, in use by a run or not to be deleted."
