"""Ends a process with all that it started, however it tries to stay: by its group and by a mark in the environment."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

MARK = "EXPLORE_APP_PROCESS"
"""Name in the environment whose value tells which of our processes an offspring came from."""


def members(group: int, mark: str) -> frozenset[int]:
    """Running processes of the group, and those elsewhere that carry the mark; only Linux tells."""
    return frozenset(pid for pid, found in _processes() if found == group or _carries(pid, mark))


def signal_all(group: int, mark: str, number: int) -> None:
    """Sends a signal to the group and to every marked process outside of it."""
    if sys.platform == "win32":
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
    for pid in members(group, mark):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def kill_now(group: int, mark: str) -> None:
    """SIGKILL until none is left: a process may start another while it is being killed."""
    if sys.platform == "win32":
        return
    for _ in range(20):
        signal_all(group, mark, signal.SIGKILL)
        if not members(group, mark):
            return
        time.sleep(0.02)


def _processes() -> Iterator[tuple[int, int]]:
    """(process, its group) of each running process; a zombie is none."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            stat = (entry / "stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        state, _, group, *_ = stat.rpartition(")")[2].split()
        if state not in "ZX":
            yield int(entry.name), int(group)


def _carries(pid: int, mark: str) -> bool:
    try:
        environment = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False
    return f"{MARK}={mark}".encode() in environment.split(b"\0")
