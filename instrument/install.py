"""Installs a project's packages in its work copy, by the lockfile, where the user's folder has none."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from instrument.buildlog import diagnose
from instrument.errors import AppError
from instrument.project import Project
from instrument.runner import Finished, Limits, Say, run_command
from instrument.toolchain import Toolchain
from instrument.workcopy import WorkCopy, copy_modules

_STAMP = "installed.json"
_OUT_OF_STEP = re.compile(
    r"can only install packages when your package.json|ERR_PNPM_OUTDATED_LOCKFILE|ERR_PNPM_FROZEN_LOCKFILE"
    r"|lockfile (?:had changes|would have been modified|needs to be updated)|YN0028|Missing: .* from lock file"
    r"|lockfile is not (?:up[- ]to[- ]date|compatible)|ERR_PNPM_LOCKFILE"
)
_PEERS = re.compile(r"ERESOLVE|could not resolve dependency|unable to resolve dependency tree", re.IGNORECASE)


class _Stopped(AppError):
    """The installation was ended by us, at a limit."""


async def install(project: Project, tools: Toolchain, *, say: Say, limits: Limits) -> str:
    """Installs what the build needs into the copy; in words what was done, "" where it is there already.

    Packages of an earlier run stay while lockfile and package.json files are the same. Raises AppError with the
    lines of the log that matter.
    """
    copy = tools.copy
    stamp, wanted = copy.place / _STAMP, _fingerprint(project, copy.workspace)
    if (copy.workspace / "node_modules").is_dir() and _read(stamp) == wanted:
        return ""
    stamp.unlink(missing_ok=True)
    if other := _same_elsewhere(copy, wanted):
        say("copying the packages that another work copy has")
        try:
            await asyncio.to_thread(copy_modules, other, copy.workspace)
        except OSError:
            say("that copy went away meanwhile")
        else:
            stamp.write_text(json.dumps(wanted), encoding="utf-8")
            return "packages were taken over from another work copy with the same lockfile and package.json"
    own, refusal = project.manager.name, None
    for name in dict.fromkeys((own, "npm")):
        if name != own and _needs_its_manager(copy.workspace):
            break
        try:
            words = await _installed_by(name, project, tools, say=say, limits=limits)
        except _Stopped:
            raise  # another package manager would be given as much time again
        except AppError as error:
            refusal = refusal or error
            continue
        stamp.write_text(json.dumps(wanted), encoding="utf-8")
        instead = f"; by npm, because {own} could not" if name != own else ""
        return f"packages were installed in the work copy ({words}{instead})"
    assert refusal is not None
    raise refusal


async def _installed_by(name: str, project: Project, tools: Toolchain, *, say: Say, limits: Limits) -> str:
    """Installs with one package manager; its command, with why it was not the usual one."""
    if name == project.manager.name:
        await tools.with_manager(project, say=say)
    else:
        for modules in tools.copy.workspace.glob("node_modules"):
            shutil.rmtree(modules, ignore_errors=True)
    for attempt, note in _attempts(name, project):
        command = [*attempt, *_where(name, tools)]
        say(f"installing packages: {' '.join(command)}")
        done = await run_command(
            command,
            cwd=tools.copy.workspace,
            env=tools.env(registry=True),
            log=tools.log,
            limits=limits,
        )
        if done.ok:
            return f"{' '.join(command)}{f': {note}' if note else ''}"
        if not _worth_another(done):
            break
    raise _failure(done, command, tools)


def installed_by_npm(workspace: Path) -> bool:
    """Whether npm made a copy's node_modules: it leaves a lockfile of its own there."""
    return (workspace / "node_modules" / ".package-lock.json").is_file()


def _needs_its_manager(workspace: Path) -> bool:
    """Whether package.json files speak of what npm does not know: `workspace:*`, catalogs, patches."""
    if (workspace / "pnpm-workspace.yaml").exists():
        return True
    try:
        text = (workspace / "package.json").read_text(encoding="utf-8")
    except OSError:
        return False
    return bool(re.search(r'"(?:workspace|catalog|patch|portal):', text))


def _same_elsewhere(copy: WorkCopy, wanted: dict[str, str]) -> Path | None:
    """The workspace of another copy in which exactly these packages were installed."""
    for stamp in sorted(copy.place.parent.glob(f"*/{_STAMP}")):
        if stamp.parent != copy.place and _read(stamp) == wanted:
            return next((place.parent for place in stamp.parent.glob("*/node_modules")), None)
    return None


def _attempts(name: str, project: Project) -> Iterator[tuple[Sequence[str], str]]:
    """Commands in the order in which they are tried, with why one is not the usual one."""
    locked = project.manager.lockfile is not None and name == project.manager.name
    loose = "the lockfile does not fit package.json" if locked else "there is no lockfile"
    if name == "npm":
        if locked:
            yield ("npm", "ci"), ""
        yield ("npm", "install"), loose
        yield ("npm", "install", "--legacy-peer-deps"), "its packages ask for peers that exclude each other"
    elif name == "pnpm":
        if locked:
            yield ("pnpm", "install", "--frozen-lockfile"), ""
        yield ("pnpm", "install", "--no-frozen-lockfile"), loose
    elif name == "yarn" and project.manager.berry:
        if locked:
            yield ("yarn", "install", "--immutable"), ""
        yield ("yarn", "install", "--no-immutable"), loose
    elif name == "yarn":
        if locked:
            yield ("yarn", "install", "--frozen-lockfile", "--non-interactive"), ""
        yield ("yarn", "install", "--non-interactive"), loose
    else:
        if locked:
            yield ("bun", "install", "--frozen-lockfile"), ""
        yield ("bun", "install"), loose


def _where(name: str, tools: Toolchain) -> list[str]:
    """pnpm links from a store: one for all copies."""
    return ["--store-dir", str(tools.caches / "pnpm")] if name == "pnpm" else []


def _worth_another(done: Finished) -> bool:
    text = "\n".join(done.lines)
    return not done.stopped and bool(_OUT_OF_STEP.search(text) or _PEERS.search(text))


def _failure(done: Finished, command: Sequence[str], tools: Toolchain) -> AppError:
    found = diagnose(done.lines)
    told = "\n".join(f"  {line}" for line in found.lines)
    ending = done.stopped or f"it ended with code {done.code}"
    hint = found.hint or "Install the project's packages yourself, then again."
    return (_Stopped if done.stopped else AppError)(
        f"The project's packages could not be installed by `{' '.join(command)}` ({ending}):\n{told}\n"
        f"{hint} The whole log is {tools.log}."
    )


def _fingerprint(project: Project, workspace: Path) -> dict[str, str]:
    """Hashes of what decides which packages are installed."""
    names = ["package.json", ".npmrc", ".yarnrc.yml", "pnpm-workspace.yaml"]
    files = [workspace / name for name in names]
    if project.manager.lockfile is not None:
        files.append(workspace / project.manager.lockfile.name)
    for place, folders, names in os.walk(workspace):
        folders[:] = [name for name in folders if name != "node_modules"]
        files += [Path(place, "package.json")] if "package.json" in names else []
    return {
        file.relative_to(workspace).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(set(files))
        if file.is_file()
    }


def _read(stamp: Path) -> dict[str, str] | None:
    try:
        row = json.loads(stamp.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return row if isinstance(row, dict) else None
