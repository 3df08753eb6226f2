"""What speaks for a kind of project, and what a kind is: a name, clue functions and a layout."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from instrument.kinds.appfolder import AppFolder
from instrument.toolnames import Tool

ProjectKind = Literal[Tool, "esbuild", "script"]
"""The tool that builds the project; script: an unknown one that its build script runs."""

Flavour = Literal["react", "vue", "svelte", "solid", "preact", "lit", "vanilla", ""]
"""The user-interface library of the sources; "" where it does not matter or is not known."""

By = Literal["command", "dependency", "config", "files"]
"""What kind of observation: a build script's command settles, the others add up."""

Way = Literal["source", "served"]
"""How counters get in: source: the user's sources are rewritten in the work copy before the build;
served: what was built is rewritten as it is served, and source maps lead back to the sources."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One observation that speaks for a kind of project."""

    kind: ProjectKind
    words: str
    """What was seen, as a clause: `devDependencies name vite`."""
    file: str
    """Where, below the workspace with `/`."""
    by: By = "files"


@dataclass(frozen=True, slots=True)
class Clue:
    """What a clue function saw: an Evidence before it is known for which kind."""

    by: By
    words: str
    file: str


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a kind of project keeps its sources and puts its result."""

    outputs: tuple[str, ...]
    """Folders below root, the most likely first."""
    proof: str = "index.html"
    """File that only a finished build leaves, from the output folder: `BUILD_ID`, `../server/index.mjs`."""
    server: str = ""
    """Command that serves the build where it is no static output."""
    base: str = ""
    config: str = ""
    public_folder: str = ""
    source_folders: tuple[str, ...] = ("src",)
    flavour: Flavour = ""
    way: Way = "source"
    way_reason: str = ""
    clues: tuple[Clue, ...] = ()
    """Settings and dependencies that say so."""
    library: bool = False
    """The build makes a library, and the page beside it is a demonstration."""


ClueFunction = Callable[[AppFolder], Iterator[Clue]]


@dataclass(frozen=True, slots=True)
class Kind:
    """A tool that builds apps."""

    name: ProjectKind
    tool: str
    """Command that builds where no script does: `vite build`; "" where there is no such thing."""
    command: re.Pattern[str]
    """Command lines that build this kind."""
    clues: tuple[ClueFunction, ...]
    layout: Callable[[AppFolder, str], Layout]
    """From the folder and the build script's expanded command."""
    admits: Callable[[AppFolder, str], bool] = lambda folder, command: True
    """Whether it is an app at all; False for what the same tool builds as a library."""
    by_command_only: bool = False
    """Too common a tool to be believed by a dependency alone."""
