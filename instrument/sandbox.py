"""What keeps a build script in: no network, and of the file system nothing but the work copy to write in."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from instrument.errors import UsageError
from instrument.node import find_node
from instrument.runner import Finished, Limits, run_command
from instrument.workcopy import WorkCopy

_HELPER = Path(__file__).with_name("confine.py")
_TRIAL_S = 20.0


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A way to keep a command in that works on this system."""

    kind: Literal["bubblewrap", "namespaces"]

    @property
    def words(self) -> str:
        """For the report."""
        return f"{self.kind}: no network, home and temporary folders hidden, nothing to write in but the work copy"

    def wrapped(self, command: Sequence[str], *, place: Path, cwd: Path, path: str) -> list[str]:
        """The command that runs another one kept in; `place` may be written, `path` is its PATH."""
        hidden = _hidden()
        readable = _needed(path, hidden)
        if self.kind == "bubblewrap":
            return _bubblewrap(command, place=place, cwd=cwd, readable=readable, hidden=hidden)
        wanted = {
            "writable": [str(place)],
            "readable": [str(folder) for folder in readable],
            "hidden": [str(folder) for folder in hidden],
            "cwd": str(cwd),
        }
        return [sys.executable, "-I", str(_HELPER), json.dumps(wanted), *command]


async def find_sandbox() -> Sandbox:
    """The sandbox that works here: bubblewrap, else namespaces of our own. Raises UsageError where none does."""
    said = "there are no namespaces on this system"
    if sys.platform.startswith("linux"):
        for sandbox in (Sandbox("bubblewrap"), Sandbox("namespaces")):
            if sandbox.kind == "bubblewrap" and shutil.which("bwrap") is None:
                continue
            done = await _tried(sandbox)
            if done.ok:
                return sandbox
            said = done.lines[-1] if done.lines else f"code {done.code}"
    raise UsageError(
        f"--sandbox cannot be had here ({said}): install bubblewrap where that may open namespaces, "
        "or build without it."
    )


async def _tried(sandbox: Sandbox) -> Finished:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder).resolve()
        path = os.environ.get("PATH", os.defpath)
        command = sandbox.wrapped(["true"], place=place, cwd=place, path=path)
        return await run_command(
            command, cwd=place, env={"PATH": path}, log=place / "log", limits=Limits(seconds=_TRIAL_S)
        )


def confined(
    command: str | Sequence[str], *, sandbox: Sandbox, copy: WorkCopy, cwd: Path, env: Mapping[str, str]
) -> tuple[list[str], dict[str, str]]:
    """Command and environment that run a command kept in."""
    argv = ["sh", "-c", command] if isinstance(command, str) else list(command)
    path = env.get("PATH", os.defpath)
    program = shutil.which(argv[0], path=path) or argv[0]
    kept = sandbox.wrapped([program, *argv[1:]], place=copy.place, cwd=cwd, path=path)
    own = {"npm_config_cache": str(copy.home / ".npm"), "npm_config_offline": "true", "TMPDIR": "/tmp"}
    return kept, {**env, **own}


def _hidden() -> list[Path]:
    """Folders that a build has no business in: people's homes, and what other programs left in /tmp."""
    homes = {Path.home(), Path("/home"), Path("/root"), Path("/tmp"), Path("/var/tmp"), Path("/run/user")}
    there = {Path(os.path.realpath(place)) for place in homes if place.is_dir()}
    return sorted(
        place for place in there if not any(place != other and place.is_relative_to(other) for other in there)
    )


def _needed(path: str, hidden: Sequence[Path]) -> list[Path]:
    """Programs in hidden folders that the build runs on: read-only, with their libraries beside them."""
    programs = [Path(entry) for entry in path.split(os.pathsep) if Path(entry).is_absolute()]
    links = [
        Path(os.path.realpath(entry))
        for folder in programs[:1]
        if folder.is_dir()
        for entry in folder.iterdir()
    ]
    tops = [folder.parent for folder in programs] + [link.parent for link in links] + [find_node().parent]
    return sorted(
        {
            top
            for top in tops
            if top.is_dir() and any(top.is_relative_to(place) and top != place for place in hidden)
        }
    )


def _bubblewrap(
    command: Sequence[str], *, place: Path, cwd: Path, readable: Sequence[Path], hidden: Sequence[Path]
) -> list[str]:
    options = [
        "--die-with-parent",
        "--unshare-all",
        "--ro-bind",
        "/",
        "/",
        "--dev",
        "/dev",
        "--proc",
        "/proc",
    ]
    for folder in hidden:
        options += ["--tmpfs", str(folder)]
    for folder in readable:
        options += ["--ro-bind", str(folder), str(folder)]
    return ["bwrap", *options, "--bind", str(place), str(place), "--chdir", str(cwd), *command]
