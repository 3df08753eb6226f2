"""Results of the worker on disk, by content hash, so that the second run of an app is nearly free."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import zlib
from pathlib import Path

import platformdirs

SIZE_LIMIT = 1 << 29
"""Bytes that the cache may hold; the entries used longest ago go first."""


def default_cache_dir() -> Path:
    """The user's cache folder of this program."""
    return Path(platformdirs.user_cache_dir("explore-app")) / "scripts"


class ResultCache:
    """Bytes by key. A cache that cannot be read or written is an empty one, never an error."""

    def __init__(self, folder: Path | None, *, limit: int = SIZE_LIMIT) -> None:
        """`folder`: None keeps nothing."""
        self._folder = folder
        self._limit = limit
        self._written = 0

    @staticmethod
    def key(*parts: str | bytes) -> str:
        """Hash of all that a result depends on."""
        digest = hashlib.sha256()
        for part in parts:
            data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
            digest.update(len(data).to_bytes(8, "big"))
            digest.update(data)
        return digest.hexdigest()

    def get(self, key: str) -> bytes | None:
        """The result, or None where there is none or it was damaged."""
        if self._folder is None:
            return None
        path = self._path(self._folder, key)
        try:
            entry = path.read_bytes()
        except OSError:
            return None
        try:
            result = zlib.decompress(entry)  # which checks a sum as well
        except zlib.error:
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # used just now: trim() takes the oldest
        return result

    def put(self, key: str, result: bytes) -> None:
        """Keeps a result; whoever reads meanwhile sees the old entry, the new one or none."""
        if self._folder is None:
            return
        entry = zlib.compress(result, 1)
        if len(entry) > self._limit:
            return
        path = self._path(self._folder, key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".new-", delete=False) as file:
                file.write(entry)
            Path(file.name).replace(path)
        except OSError:
            self._folder = None  # no disk space, read-only: go on without
            return
        self._written += len(entry)

    def trim(self) -> None:
        """Removes the entries that were used longest ago until the limit is kept."""
        if self._folder is None or not self._written:
            return
        entries = []
        for path in self._folder.glob("*/*"):
            with contextlib.suppress(OSError):
                status = path.stat()
                entries.append((status.st_mtime, status.st_size, path))
        excess = sum(size for _, size, _ in entries) - self._limit
        for _, size, path in sorted(entries):
            if excess <= 0:
                return
            with contextlib.suppress(OSError):
                path.unlink()
                excess -= size

    @staticmethod
    def _path(folder: Path, key: str) -> Path:
        return folder / key[:2] / key[2:]
