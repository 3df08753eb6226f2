"""Way B's part of a build: source maps switched on in the work copy, without a word in the user's own files."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from instrument.project import Project
from instrument.workcopy import WorkCopy, replace_text

_USERS = "explorer-user"
"""Marks the user's own config, which a wrapper takes in."""
_VITE_BUILD = re.compile(r"(\bvite(?:\.js)?\s+build\b)(?![^&|;]*--sourcemap)")
_CONFIGS: Mapping[str, str] = {"next": "next.config", "astro": "astro.config", "vite": "vite.config"}

_SETTINGS: Mapping[str, str] = {
    "next": "productionBrowserSourceMaps: true",
    "astro": "vite: { ...found.vite, build: { ...found.vite?.build, sourcemap: true } }",
    "vite": "build: { ...found.build, sourcemap: true }",
}
"""What the wrapper lays over the user's config, called `found`."""


def switch_on_maps(project: Project, copy: WorkCopy) -> dict[str, str]:
    """Has the build write source maps; environment variables that it needs for that.

    Only the copy is changed: the script in its package.json, or a config around the user's. Kinds of which nothing
    is known are built as they are.
    """
    root = copy.of(project.root)
    if project.kind == "create-react-app":
        return {"GENERATE_SOURCEMAP": "true"}
    if project.kind == "vite" and _with_option(root / "package.json"):
        return {}
    if project.kind in _SETTINGS:
        _wrap(root, project, _SETTINGS[project.kind])
    return {}


def _with_option(package: Path) -> bool:
    """Adds Vite's own option to every script that runs `vite build`; False where none does."""
    try:
        row: dict[str, Any] = json.loads(package.read_text(encoding="utf-8"))
        scripts = {name: str(line) for name, line in row["scripts"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False
    changed = {name: _VITE_BUILD.sub(r"\1 --sourcemap", line) for name, line in scripts.items()}
    if changed == scripts:
        return False
    replace_text(package, json.dumps({**row, "scripts": changed}, indent=2))
    return True


def _wrap(root: Path, project: Project, setting: str) -> None:
    """Puts a config around the user's, which keeps its folder and gets another name."""
    name = project.config or f"{_CONFIGS[project.kind]}.mjs"
    config = root / name
    if not config.is_file():
        replace_text(config, _module("const user = {};", setting))
        return
    text = config.read_text(encoding="utf-8", errors="replace")
    kept = config.with_name(f"{_USERS}.{config.name}")
    kept.unlink(missing_ok=True)
    config.rename(kept)
    if _is_commonjs(config, text, root):
        replace_text(config, _commonjs(kept.name, setting))
    else:
        replace_text(config, _module(f"import user from './{kept.name}';", setting))


def _is_commonjs(config: Path, text: str, root: Path) -> bool:
    if config.suffix in (".cjs", ".cts"):
        return True
    if config.suffix != ".js":
        return False
    return "module.exports" in text and '"module"' not in _type_of(root)


def _type_of(root: Path) -> str:
    try:
        found = re.search(r'"type"\s*:\s*"\w+"', (root / "package.json").read_text(encoding="utf-8"))
    except OSError:
        return ""
    return found[0] if found else ""


_MERGE = (
    "const made = async (...given) => {{\n"
    "  const found = await (typeof user === 'function' ? user(...given) : user);\n"
    "  return {{ ...found, {setting} }};\n"
    "}};\n"
)


def _module(head: str, setting: str) -> str:
    merge = _MERGE.format(setting=setting)
    return f"// @ts-nocheck\n{head}\n{merge}export default {_exported(setting)};\n"


def _commonjs(name: str, setting: str) -> str:
    merge = _MERGE.format(setting=setting)
    return f"const user = require('./{name}');\n{merge}module.exports = {_exported(setting)};\n"


def _exported(setting: str) -> str:
    """Astro takes an object only, or what a promise gives; the others take a function."""
    return "await made()" if setting.startswith("vite:") else "made"
