"""The run folder: where a run's results are kept. Creates it, and writes each file whole or not at all.

run.json             summary; written last, so a folder that has one is complete
trace.jsonl          a line a step, flushed as the run goes on (graph.tracefile)
request.json         what was asked for, so that a run can be resumed
probes.json.gz       what was instrumented, so that a run that was cut off can be reported or resumed
findings.json        faults of the app
unreached.json       own functions that never ran, each with its verdict
graph.graphml, graph.json
coverage/            coverage-final.json (Istanbul) and lcov.info, in terms of the user's sources; sources/ holds
                     those that only a source map has
libraries.json       what was served in place of CDNs, where an app asked them
screenshots/, downloads/
report.html          one file, works offline
scores.json          what judging gave, written by `explore-app judge`; criteria.toml: what it judged by
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import platformdirs

from instrument.errors import UsageError

RUN = "run.json"
TRACE = "trace.jsonl"
REQUEST = "request.json"
PROBES = "probes.json.gz"
FINDINGS = "findings.json"
UNREACHED = "unreached.json"
GRAPHML = "graph.graphml"
GRAPH = "graph.json"
COVERAGE = "coverage/coverage-final.json"
LCOV = "coverage/lcov.info"
SOURCES = "coverage/sources"
SCREENSHOTS = "screenshots"
DOWNLOADS = "downloads"
REPORT = "report.html"
CRITERIA = "criteria.toml"

DEFAULT_PARENT = "explorations"
SPACE_NEEDED = 32 * 1024 * 1024
"""Bytes that must be free before a run begins: a hundred screenshots, a trace and a report."""


def watched_here() -> bool:
    """Whether the current folder lies in a project, so that a dev server of it sees every file that is written here."""
    here = Path.cwd()
    return any((folder / "package.json").is_file() for folder in (here, *here.parents))


def place_aside() -> Path:
    """Where runs go that must not be written into the current folder: the user's data folder."""
    return Path(platformdirs.user_data_dir("explore-app")) / DEFAULT_PARENT


def create_run_folder(
    out: str | Path | None, *, target: str, now: datetime, parent: Path | None = None
) -> Path:
    """Makes the folder that a run writes to and returns its absolute path.

    `out` None stands for a fresh folder under `parent`, or ./explorations, named after the target and `now`. A folder that
    exists must be empty, so that no run is ever mixed with another's files. Raises UsageError where the
    folder cannot be used.
    """
    folder = Path(out).expanduser().absolute() if out is not None else _fresh(target, now, parent)
    _refuse_taken(folder)
    with disk_errors(folder):
        (folder / SCREENSHOTS).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    free = shutil.disk_usage(folder).free
    if free < SPACE_NEEDED:
        raise UsageError(
            f"Only {free // 1024**2} MB are free where {folder} is: "
            "free some space, or choose another place with --out."
        )
    return folder


def write_text(path: Path, text: str) -> Path:
    """Writes UTF-8 text so that `path` holds either all of it or what it held before.

    Lone surrogates, which UTF-8 has no form for, become U+FFFD.
    """
    try:
        content = text.encode()
    except UnicodeEncodeError:
        content = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
    return write_bytes(path, content)


def write_bytes(path: Path, content: bytes) -> Path:
    """Writes bytes so that `path` holds either all of them or what it held before."""
    with disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f".{path.name}.partial")
        try:
            partial.write_bytes(content)
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
    return path


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turns the system's refusal to write into one sentence."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"Cannot write {path}: {_remedy(error)}") from error


def _remedy(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "no space is left on the disk; free some, or choose another place with --out."
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return "it is not writable; choose another place with --out."
    if error.errno in (errno.ENOTDIR, errno.EEXIST):
        return "a file is in the way; choose another place with --out."
    if error.errno == errno.ENAMETOOLONG:
        return "the name is too long; choose a shorter one with --out."
    return f"{error.strerror or error}; choose another place with --out."


def _refuse_taken(folder: Path) -> None:
    with disk_errors(folder):
        if not folder.exists():
            return
        if not folder.is_dir():
            raise UsageError(f"{folder} is a file: name a folder with --out.")
        taken = next(folder.iterdir(), None)
    if taken is not None:
        raise UsageError(
            f"{folder} already holds {taken.name}: "
            "name a new or an empty folder with --out, or delete this one."
        )


def _fresh(target: str, now: datetime, parent: Path | None) -> Path:
    """./explorations/<app>-<time>, with -2, -3, ... where two runs begin in the same second."""
    base = (parent or Path(DEFAULT_PARENT)).absolute() / f"{_app_name(target)}-{now:%Y%m%d-%H%M%S}"
    folder, number = base, 1
    while os.path.lexists(folder):
        number += 1
        folder = base.with_name(f"{base.name}-{number}")
    return folder


def _app_name(target: str) -> str:
    """A short file name for a target: the last folder that says something ("shop" for shop/dist)."""
    path = re.sub(r"^\w+://", "", target).split("?")[0].split("#")[0]
    if "://" not in target:
        path = str(Path(path).expanduser().absolute())
    parts = [re.sub(r"[^\w.-]+", "-", part).strip("-.") for part in re.split(r"[\\/]", path)]
    telling = [part for part in parts if part and part not in _DULL]
    return (telling or ["app"])[-1][:60]


_DULL = frozenset({"dist", "build", "out", "public", "www", "site", "index.html"})
