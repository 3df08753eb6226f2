"""Run as a program: opens namespaces without network, hides and write-protects the file system, then becomes a command.

    python -I confine.py '{"writable": [...], "readable": [...], "hidden": [...], "cwd": ...}' COMMAND ...

It imports the standard library only and is no part of the package at run time. Exit code 125: this system lets it not.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import signal
import socket
import struct
import sys

_NAMESPACES = 0x10000000 | 0x00020000 | 0x40000000 | 0x20000000 | 0x08000000
"""User, mount, network, process and IPC."""
_READ_ONLY, _REMOUNT, _BIND, _RECURSIVE, _PRIVATE = 1, 32, 4096, 16384, 1 << 18
_FLAGS = {"nosuid": 2, "nodev": 4, "noexec": 8, "noatime": 1024, "nodiratime": 2048, "relatime": 1 << 21}
_DEATH_SIGNAL, _NO_NEW_PRIVILEGES = 1, 38
_UP_AND_RUNNING, _SET_FLAGS = 0x1 | 0x40, 0x8914
_LEFT = ("/proc", "/sys", "/dev")
"""Kept as they are: they are not files, and their own rules hold."""
IMPOSSIBLE = 125

_libc = ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def _mount(source: str, target: str, kind: str = "", flags: int = 0) -> None:
    encoded = [part.encode() if part else None for part in (source, target, kind)]
    _checked(_libc.mount(*encoded, ctypes.c_ulong(flags), None), f"mount {target}")


def _own_user() -> None:
    """The user stays the owner of his files, but is never root: so nothing here can be undone."""
    user, group = os.getuid(), os.getgid()
    _checked(_libc.unshare(_NAMESPACES), "unshare")
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user or 1000} {user} 1"),
        ("gid_map", f"{group or 1000} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:  # noqa: PTH123
            file.write(text)


def _loopback() -> None:
    """Tools speak with their own helpers over it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh", b"lo", _UP_AND_RUNNING))


def _view(writable: list[str], readable: list[str], hidden: list[str]) -> None:
    """Mounts: the hidden folders empty, what is needed of them back in its place, all but `writable` read-only."""
    _mount("none", "/", "", _RECURSIVE | _PRIVATE)
    kept = [(path, os.open(path, os.O_PATH)) for path in (*readable, *writable) if os.path.exists(path)]  # noqa: PTH110
    for path in hidden:
        _mount("tmpfs", path, "tmpfs", _FLAGS["nosuid"] | _FLAGS["nodev"])
    for path, descriptor in kept:
        os.makedirs(path, exist_ok=True)  # noqa: PTH103
        _mount(f"/proc/self/fd/{descriptor}", path, "", _BIND | _RECURSIVE)
        os.close(descriptor)
    with open("/proc/self/mountinfo", encoding="utf-8") as file:  # noqa: PTH123
        rows = [line.split() for line in file]
    for row in rows:
        place = row[4].replace("\\040", " ")
        if place in writable or place == "/tmp" or place.startswith(_LEFT):
            continue
        flags = sum(_FLAGS.get(name, 0) for name in row[5].split(","))
        try:
            _mount("none", place, "", _REMOUNT | _BIND | _READ_ONLY | flags)
        except OSError:
            if place == "/" or place in readable:
                raise
    _mount("proc", "/proc", "proc", _FLAGS["nosuid"] | _FLAGS["nodev"] | _FLAGS["noexec"])


def _become(command: list[str], cwd: str) -> None:
    _checked(_libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "prctl")
    os.chdir(cwd)
    os.execvp(command[0], command)


def _wait(child: int) -> int:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: os.kill(child, signal.SIGKILL))
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) % 256


def main() -> int:
    """Does what the module's docstring says."""
    wanted, command = json.loads(sys.argv[1]), sys.argv[2:]
    try:
        _own_user()
    except OSError as error:
        print(error, file=sys.stderr)
        return IMPOSSIBLE
    child = os.fork()
    if child:
        return _wait(child)
    try:
        _libc.prctl(_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        _loopback()
        _view(wanted["writable"], wanted["readable"], wanted["hidden"])
        _become(command, wanted["cwd"])
    except OSError as error:
        print(error, file=sys.stderr)
    return IMPOSSIBLE


if __name__ == "__main__":
    sys.exit(main())
