"""Folders as a whole, for tests that nothing in one changed."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path


def digest(folder: Path) -> str:
    """Of every name, mode and byte below a folder."""
    found = hashlib.sha256()
    for place, folders, files in sorted(os.walk(folder)):
        for name in sorted((*folders, *files)):
            path = Path(place, name)
            found.update(f"{path.relative_to(folder)} {os.lstat(path).st_mode}".encode())
            if path.is_symlink():
                found.update(bytes(path.readlink()))
            elif path.is_file():
                found.update(path.read_bytes())
    return found.hexdigest()
