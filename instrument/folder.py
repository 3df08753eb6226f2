"""What lies in the app's folder: its files by served path, links that lead out left alone."""

from __future__ import annotations

import errno
import gzip
import os
import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from instrument.probes import FailedScript

_PACKED = re.compile(r"(.+\.(?:m?js|html?)(?:\.map)?)\.(gz|br)", re.IGNORECASE)
_LEFT_OUT = frozenset({"node_modules", "__MACOSX"})
_OF_RUNS = (frozenset({"request.json", "probes.json.gz"}), frozenset({"trace.jsonl", "run.json"}))
"""Files that only a folder holds which explore-app wrote, finished or cut off."""


@dataclass(frozen=True)
class Listing:
    """Files of a folder in a fixed order."""

    root: Path
    files: dict[str, int]
    """Path below root with `/` -> size in bytes."""
    skipped: tuple[FailedScript, ...] = ()
    """Links that lead out of the folder and folders that cannot be read."""
    complete: bool = True
    """False for a folder that was not walked: its files are looked for one by one."""

    def __contains__(self, path: str) -> bool:
        """Whether there is such a file, those under node_modules and in hidden folders included."""
        return path in self.files or self._below(path) is not None

    def read(self, path: str) -> bytes:
        """A file's bytes, unpacked where the folder holds it as `.gz` only; raises OSError."""
        place = self.root / path
        if f"{path}.gz" in self.files and not place.is_file():
            try:
                return gzip.decompress((self.root / f"{path}.gz").read_bytes())
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                raise OSError(errno.EIO, f"damaged gzip file {path}.gz") from error
        return place.read_bytes()

    def _below(self, path: str) -> Path | None:
        if self.complete and not any(part in _LEFT_OUT or part[:1] == "." for part in path.split("/")):
            return None
        try:
            found = (self.root / path).resolve()
            return found if found.is_file() and found.is_relative_to(self.root.resolve()) else None
        except (OSError, ValueError):
            return None


def unwalked_folder(root: Path) -> Listing:
    """A folder of which only single files are wanted; it may be as large as a home."""
    return Listing(root, {}, complete=False)


@dataclass
class _Scan:
    root: Path
    files: dict[str, int] = field(default_factory=dict)
    skipped: list[FailedScript] = field(default_factory=list)


def list_folder(root: Path) -> Listing:
    """Walks a folder. Hidden folders, node_modules and folders that explore-app wrote are left out.

    Links are followed inside the folder only.
    """
    scan = _Scan(root.resolve())
    _walk(scan, scan.root, "", ())
    _unpacked(scan)
    return Listing(root, scan.files, tuple(scan.skipped))


def _unpacked(scan: _Scan) -> None:
    """Scripts and pages that are there in compressed form only: the server answers with them by their plain name."""
    for path, size in list(scan.files.items()):
        packed = _PACKED.fullmatch(path)
        if packed is None or packed[1] in scan.files:
            continue
        if packed[2] == "gz":
            scan.files[packed[1]] = size
        elif f"{packed[1]}.gz" not in scan.files:
            scan.skipped.append(
                FailedScript(path, "compressed by Brotli only, so it is served without counters")
            )


def _walk(scan: _Scan, folder: Path, prefix: str, above: tuple[Path, ...]) -> None:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        scan.skipped.append(FailedScript(prefix or ".", f"the folder cannot be read: {error.strerror}"))
        return
    if prefix and is_run(entry.name for entry in entries):
        return  # a report of an earlier run, by default under ./explorations, is no part of the app
    for entry in entries:
        path = prefix + entry.name
        try:
            _visit(scan, entry, path, (*above, folder))
        except OSError as error:
            scan.skipped.append(FailedScript(path, f"cannot be read: {error.strerror}"))


def is_run(names: Iterable[str]) -> bool:
    """Whether these are the names in a folder that explore-app wrote."""
    there = frozenset(names)
    return any(marks <= there for marks in _OF_RUNS)


def _visit(scan: _Scan, entry: os.DirEntry[str], path: str, above: tuple[Path, ...]) -> None:
    place = Path(entry.path)
    if entry.is_symlink():
        place = place.resolve()
        if not place.is_relative_to(scan.root):
            scan.skipped.append(FailedScript(path, "a link that leads out of the folder"))
            return
    if entry.is_dir():
        hidden = entry.name.startswith(".") and entry.name != ".well-known"
        if not hidden and entry.name not in _LEFT_OUT and place not in above:
            _walk(scan, place, path + "/", above)
    elif entry.is_file():
        try:
            path.encode()
        except UnicodeEncodeError:
            shown = path.encode("utf-8", "backslashreplace").decode()
            scan.skipped.append(FailedScript(shown, "a name that is not UTF-8, which no address can carry"))
            return
        scan.files[path] = entry.stat().st_size
