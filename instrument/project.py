"""The source side of detection: a project that must be built before it can be explored."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from instrument.kinds.evidence import Evidence, Flavour, ProjectKind
from instrument.lockfile import Manager

Way = Literal["source", "served"]
"""How counters get in: source: the user's sources are rewritten in the work copy before the build;
served: what was built is rewritten as it is served, and source maps lead back to the sources."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An app of a workspace, or one of several projects of a folder."""

    name: str
    """Its package.json's name, else its folder's: what --app takes."""
    root: Path
    kind: ProjectKind
    reason: str
    """Why it is ranked where it is."""


@dataclass(frozen=True, slots=True)
class Project:
    """The sources of an app, how they are built, and how that is known."""

    kind: ProjectKind
    flavour: Flavour
    root: Path
    """Folder with the app's package.json, absolute: the build runs in it."""
    workspace: Path
    """Root of the workspace, absolute: what is installed and copied; root itself without one."""
    manager: Manager
    script: str
    """Name of the package.json script that builds; "" where the tool's own command is run instead."""
    command: str
    """What that script runs, or the tool's own command: `vite build`."""
    outputs: tuple[str, ...]
    """Folders below root where the result is expected, with `/`, the most likely first."""
    server: str
    """Command that serves the build where it is no static output, such as `next start`; "" for static files."""
    base: str
    """Deploy base path such as `/repo/`; "" where none is written."""
    source_folders: tuple[str, ...]
    """Folders with the user's sources below root, `.` for root itself."""
    public_folder: str
    """Folder below root whose files are copied as they are; "" without one."""
    way: Way
    """How it is to be instrumented first; what fails there is served instrumented."""
    reason: str
    """Why this kind, app and build script, in words."""
    evidence: tuple[Evidence, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    """All apps that could have been meant, the chosen one first."""
    built: Path | None = None
    """An output folder that is there already, absolute."""
    fresh: bool = False
    """Whether it is newer than every source file."""
    fresh_reason: str = ""
    """Which build that is and which file makes it stale."""
    config: str = ""
    """The tool's config file below root; "" without one."""
    node: str = ""
    """Range of Node versions that package.json's engines ask for; "" for any."""
    installed: bool = False
    """Whether the tool that builds is found in a node_modules of root or above it, workspace included."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a build that is there is used, or a new one made."""

    use: Literal["built", "build"]
    folder: Path | None
    """What is served; None where it has to be built first."""
    reason: str
