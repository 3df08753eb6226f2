"""Way B's part of a build: source maps switched on in the work copy, without a word in the user's own files."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from instrument.project import Project
from instrument.workcopy import WorkCopy, replace_text

MAP_VARIABLES = {"GENERATE_SOURCEMAP": "true"}
"""What Create React App minds; harmless to all others."""
_USERS = "explorer-user"
"""Marks the user's own config, which a wrapper takes in."""
_OPTIONS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"((?:^|[\s;&|/\"'])(?:{command}))(?=\s|$)(?![^&|;]*{option})", re.MULTILINE), option)
    for command, option in (
        (r"vite(?:\.js)?\s+build", "--sourcemap"),
        (r"ng\s+build", "--source-map"),
        (r"(?:webpack|rspack)(?:-cli)?(?:\s+build)?", "--devtool source-map"),
        (r"rollup", "--sourcemap"),
        (r"esbuild", "--sourcemap"),
    )
)
"""Commands of tools, and the option that has each write source maps."""
_CONFIGS: Mapping[str, str] = {
    "next": "next.config",
    "astro": "astro.config",
    "vite": "vite.config",
    "nuxt": "nuxt.config",
}

_SETTINGS: Mapping[str, str] = {
    "next": "productionBrowserSourceMaps: true",
    "astro": "vite: { ...found.vite, build: { ...found.vite?.build, sourcemap: true } }",
    "nuxt": "sourcemap: { server: false, client: true }",
    "vite": "build: { ...found.build, sourcemap: true }",
}
"""What the wrapper lays over the user's config, called `found`."""


def switch_on_maps(project: Project, copy: WorkCopy) -> bool:
    """Has the build write source maps; whether anything was changed for that.

    Only the copy is changed: the script in its package.json, or a config around the user's. Kinds of which nothing
    is known are built as they are; Create React App minds a variable (`MAP_VARIABLES`) and Parcel and Gatsby need nothing.
    """
    root = copy.of(project.root)
    if project.kind in ("next", "astro", "nuxt"):
        return _wrapped(root, project, _SETTINGS[project.kind])
    if _with_option(root / "package.json"):
        return True
    return project.kind == "vite" and _wrapped(root, project, _SETTINGS["vite"])


def _with_option(package: Path) -> bool:
    """Adds the tool's own option to every script that runs it; False where none does."""
    try:
        row: dict[str, Any] = json.loads(package.read_text(encoding="utf-8"))
        scripts = {name: str(line) for name, line in row["scripts"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False
    changed = {name: _with_maps(line) for name, line in scripts.items()}
    if changed == scripts:
        return False
    replace_text(package, json.dumps({**row, "scripts": changed}, indent=2))
    return True


def _with_maps(line: str) -> str:
    for command, option in _OPTIONS:
        line = command.sub(rf"\1 {option}", line)
    return line


def _wrapped(root: Path, project: Project, setting: str) -> bool:
    """Puts a config around the user's, which keeps its folder and gets another name."""
    name = project.config or f"{_CONFIGS[project.kind]}.mjs"
    config = root / name
    if not config.is_file():
        replace_text(config, _module("const user = {};", setting))
        return True
    text = config.read_text(encoding="utf-8", errors="replace")
    kept = config.with_name(f"{_USERS}.{config.name}")
    kept.unlink(missing_ok=True)
    config.rename(kept)
    if _is_commonjs(config, text, root):
        replace_text(config, _commonjs(kept.name, setting))
    else:
        replace_text(config, _module(f"import user from './{kept.name}';", setting))
    return True


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
    """Astro and Nuxt take an object, or what a promise gives; the others take a function."""
    return "await made()" if setting.startswith(("vite:", "sourcemap:")) else "made"
