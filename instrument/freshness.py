"""Whether a build that lies beside its sources is newer than every one of them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

BuildMode = Literal["always", "auto", "never"]
BUILD_MODES: tuple[BuildMode, ...] = ("always", "auto", "never")
"""Build anew; take a fresh build and make another where it is stale or missing; take what is there."""

_NO_SOURCES = frozenset(
    {
        "node_modules",
        "coverage",
        "explorations",
        "test-results",
        "playwright-report",
        "dist",
        "storybook-static",
    }
)
_NOT_BUILT_FROM = re.compile(
    r"\.(log|map|tsbuildinfo|orig|rej)$|\.(test|spec|stories|cy)\."
    r"|^(?:(?:LICEN[CS]E|README|CHANGELOG|CONTRIBUTING)(?:\.\w+)?$|next-env\.d\.ts$|\.(?!env))",
    re.IGNORECASE,
)
_TESTS = frozenset({"__tests__", "__mocks__", "test", "tests", "e2e", "cypress"})


@dataclass(frozen=True, slots=True)
class Freshness:
    """A build that is there and how it compares with the sources."""

    folder: Path | None
    fresh: bool
    reason: str
    maps: bool = False
    """Whether it has source maps, by which its scripts tell of the sources."""


def look_for_build(
    root: Path, outputs: Iterable[str], *, proof: str, sources: Iterable[Path] = ()
) -> Freshness:
    """The first output folder that holds a finished build, compared by times of modification.

    `proof` is the file that only a finished build leaves, from the output folder; `sources` are further folders
    that the build reads. A build is stale as soon as one source file is newer than it: than `proof`, or for a
    plain index.html than the newest file of the output, which may begin with copies. Content is not compared.
    """
    places = {name: _below(root, name) for name in outputs}
    folder = built_folder(root, places, proof=proof)
    if folder is None:
        return Freshness(None, False, f"no build is there ({' or '.join(places)})")
    skipped = {place for place in places.values() if place != root}
    built = _time_of(folder, proof)
    newest = max((found for top in (root, *sources) for found in _sources(top, skipped)), default=None)
    name = os.path.relpath(folder, root) if folder != root else proof
    maps = _has_maps(folder)
    told = "" if maps else "; it has no source maps, so coverage may be that of the built scripts"
    if newest and newest[0] > built:
        return Freshness(
            folder, False, f"{name} is older than {os.path.relpath(newest[1], root)}{told}", maps
        )
    return Freshness(folder, True, f"{name} is newer than every source file{told}", maps)


def built_folder(root: Path, outputs: Iterable[str], *, proof: str) -> Path | None:
    """The first output folder that holds a finished build."""
    return next((place for name in outputs if _finished(place := _below(root, name), proof)), None)


def _below(root: Path, name: str) -> Path:
    return Path(os.path.normpath(root / name))


def _finished(folder: Path, proof: str) -> bool:
    """Whether the proof is there; for an index.html any page will do, since an app of several pages may have none.

    Without a proof any file will do.
    """
    try:
        if not folder.is_dir():
            return False
        if not proof:
            return any(folder.iterdir())
        return (folder / proof).exists() or (proof == "index.html" and any(folder.rglob("*.htm*")))
    except OSError:
        return False


def _time_of(folder: Path, proof: str) -> float:
    """When a build was made, in seconds of the file system's clock."""
    mark = folder / proof
    if proof != "index.html" and mark.is_file():
        return mark.stat().st_mtime
    return max((time for time, _ in _files(folder)), default=0.0)


def _sources(top: Path, skipped: set[Path]) -> Iterator[tuple[float, Path]]:
    """Files that a build may read, with their times; tests, notes, hidden folders and outputs left out."""
    for time, file in _files(top, skipped=skipped, without=_NO_SOURCES | _TESTS):
        if not _NOT_BUILT_FROM.search(file.name):
            yield time, file


def _files(
    top: Path, *, skipped: Iterable[Path] = (), without: frozenset[str] = frozenset()
) -> Iterator[tuple[float, Path]]:
    for place, folders, names in os.walk(top):
        folders[:] = [
            name
            for name in folders
            if name not in without and (not without or name[0] != ".") and Path(place, name) not in skipped
        ]
        for name in names:
            file = Path(place, name)
            try:
                yield file.stat().st_mtime, file
            except OSError:
                continue  # gone since it was listed, or a link to nowhere: no build reads it


def _has_maps(folder: Path) -> bool:
    """Whether there are any for the browser, as files or in the scripts; those of a server's scripts say nothing."""
    files = [file for _, file in _files(folder, without=_NO_SOURCES | {"server"})]
    return any(file.name.endswith((".js.map", ".mjs.map", ".cjs.map")) for file in files) or any(
        file.suffix in (".js", ".mjs") and _holds_map(file) for file in files
    )


def _holds_map(script: Path) -> bool:
    try:
        return b"sourceMappingURL=data:" in script.read_bytes()
    except OSError:
        return False
