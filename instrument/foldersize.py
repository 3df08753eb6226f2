"""How much disk a folder takes: for caches that keep a bound, and for whoever wants to know."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def bytes_in(folder: Path) -> int:
    """Bytes of all files in a folder, those with several names once; 0 for one that is not there. Links are not followed."""
    total, named = 0, set[tuple[int, int]]()
    stack = [str(folder)]
    while stack:
        with contextlib.suppress(OSError), os.scandir(stack.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    stack.append(entry.path)
                    continue
                with contextlib.suppress(OSError):  # gone meanwhile
                    status = entry.stat(follow_symlinks=False)
                    inode = (status.st_dev, status.st_ino)
                    if inode not in named:
                        total += status.st_size
                    if status.st_nlink > 1:
                        named.add(inode)
    return total
