"""Where the app's sources are on disk, so that other tools can show them beside coverage.

A file that is served as it is stands in the app's folder. One that only a source map holds is written beside the
coverage, under coverage/sources/; one whose text nobody knows as so many empty lines, for genhtml ends where a file
is missing.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from explorer.exploration import Exploration
from explorer.rundir import SOURCES, write_text
from instrument.probes import ProbeMap, SourceFile

LONGEST_NAME = 100
"""Characters of a folder's or file's name; file systems end at 255 bytes."""
_NO_TEXT = "(the source map names this file, but holds no text of it)"


def locate_sources(exploration: Exploration, folder: Path) -> dict[str, str]:
    """Path in the probe map -> absolute path on disk, of own files; writes those that are nowhere else."""
    found: dict[str, str] = {}
    taken: set[Path] = set()
    for file in exploration.probes.files:
        if file.file_class != "own":
            continue
        served = _served(exploration.root, file)
        if served is None:
            served = _free(folder / SOURCES / _safe(file.path), taken)
            taken.add(served)
            write_text(served, file.text or _stand_in(exploration.probes, file))
        found[file.path] = str(served)
    return found


def _stand_in(probes: ProbeMap, file: SourceFile) -> str:
    """As many lines as the file must have."""
    ids = (*file.statements, *file.functions, *file.branches)
    lines = max((probes.probes[probe].position.end_line for probe in ids), default=1)
    return _NO_TEXT + "\n" * lines


def _served(root: str, file: SourceFile) -> Path | None:
    """The file in the app's folder, where it is there and not reached by a way out of the folder."""
    if not root or file.mapped_from:
        return None
    base = Path(root).resolve()
    try:
        path = (base / file.path).resolve()
        return path if path.is_relative_to(base) and path.is_file() else None
    except (OSError, ValueError):
        return None


def _safe(path: str) -> str:
    """A path below any folder: a source map may name `webpack:///../x` or worse."""
    parts = [re.sub(r"[^\w.@+ -]", "_", part)[-LONGEST_NAME:] for part in PurePosixPath(path).parts]
    return "/".join(part for part in parts if part.strip(". ") and part != "_") or "source"


def _free(path: Path, taken: set[Path]) -> Path:
    number, free = 1, path
    while free in taken:
        number += 1
        free = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return free
