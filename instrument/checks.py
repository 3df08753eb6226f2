"""Type checkers and linters of a build: counters come with comments that silence them, so they are asked beforehand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from instrument.configtext import without_comments
from instrument.kinds.clues import runs
from instrument.kinds.commands import followed, parts_of
from instrument.manifest import Manifest, read_manifest
from instrument.project import Project

_CHECKERS = (
    runs(
        "(?:tsc|tsgo|vue-tsc|vue-tsgo|ngc|glint|svelte-check|eslint|oxlint|tslint|jshint|stylelint|standard|ts-standard|xo"
        "|semistandard|prettier|dprint|flow|attw|knip)"
    ),
    runs("(?:biome|rome)", "check", "lint", "ci", "format"),
    runs("(?:astro|flow|deno|wp-scripts|lit-analyzer|mypy)", "check", "lint"),
    runs("(?:next|ng|nuxi|nuxt|vue-cli-service|expo)", "lint", "typecheck"),
)
_WATCHES = re.compile(r"(?:^|\s)(?:--watch|-w)(?:\s|$)")
_SIDE_BY_SIDE = re.compile(r"(?:^|[\s/])concurrently\s")
_QUOTED = re.compile(r"\"([^\"]+)\"|'([^']+)'")
_INSIDE = (
    "fork-ts-checker-webpack-plugin",
    "fork-ts-checker-webpack-plugin-alt",
    "ts-checker-rspack-plugin",
    "@rsbuild/plugin-type-check",
    "vite-plugin-checker",
    "vite-plugin-typescript",
    "ts-loader",
    "awesome-typescript-loader",
    "@rollup/plugin-typescript",
    "rollup-plugin-typescript",
    "rollup-plugin-typescript2",
)
"""Packages by which a bundler checks types as it builds."""
_SCREEN = "tsc --noEmit -p tsconfig.json"
_NEXT_TYPES = '/// <reference types="next" />\n/// <reference types="next/image-types/global" />\n'
"""What `next build` writes before it checks types: of styles and pictures that are imported."""


def checks_of(project: Project) -> tuple[str, ...]:
    """Commands that the build script runs, or the scripts that it calls, to check sources; each is a shell's command line."""
    manifest = read_manifest(project.root)
    if manifest is None or not project.script:
        return ()
    found = (one for part in _parts(project, manifest) for one in _commands(part))
    return tuple(dict.fromkeys(one for one in found if _checks(one)))


def check_inside(project: Project, copy_root: Path, programs: Iterator[Path]) -> str:
    """A command that finds wrong types as a build does that checks them itself (`next build`, `react-scripts build`,
    bundlers with a plugin for it), "" for other builds and where nothing of the sort is installed.

    `copy_root`: the app's folder in the copy; `programs`: folders with the project's programs.
    """
    manifest = read_manifest(project.root)
    inside = project.kind in ("next", "create-react-app") or bool(
        manifest and any(name in manifest.needs for name in _INSIDE)
    )
    if not inside or not (copy_root / "tsconfig.json").is_file():
        return ""
    if not any((folder / "tsc").exists() for folder in programs):
        return ""
    if project.kind == "next":
        config = copy_root / project.config
        code = (
            without_comments(config.read_text(encoding="utf-8", errors="replace")) if config.is_file() else ""
        )
        if re.search(r"ignoreBuildErrors\W+true", code):
            return ""
        if not (copy_root / "next-env.d.ts").exists():
            (copy_root / "next-env.d.ts").write_text(_NEXT_TYPES, encoding="utf-8")
    return _SCREEN


def _parts(project: Project, manifest: Manifest) -> Iterator[str]:
    """All that the build script runs, what npm and pnpm run before and after a script included."""
    for name in followed(project.script, manifest.scripts) if project.script in manifest.scripts else ():
        for script in (name,) if project.manager.berry else (f"pre{name}", name, f"post{name}"):
            yield from parts_of(manifest.scripts.get(script, ""))


def _commands(part: str) -> Iterator[str]:
    if _SIDE_BY_SIDE.search(part):
        yield from (double or single for double, single in _QUOTED.findall(part))
    else:
        yield part


def _checks(command: str) -> bool:
    return not _WATCHES.search(command) and any(checker.search(command) for checker in _CHECKERS)
