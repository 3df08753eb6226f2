"""What speaks for a kind of project: one observation in one file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ProjectKind = Literal[
    "next",
    "astro",
    "sveltekit",
    "nuxt",
    "angular",
    "gatsby",
    "create-react-app",
    "vite",
    "parcel",
    "webpack",
    "esbuild",
    "script",
]
"""The tool that builds the project; script: an unknown one that its build script runs."""

Flavour = Literal["react", "vue", "svelte", "solid", "preact", "lit", "vanilla", ""]
"""The user-interface library of the sources; "" where it does not matter or is not known."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One observation that speaks for a kind of project."""

    kind: ProjectKind
    words: str
    """What was seen, as a clause: `devDependencies name vite`."""
    file: str
    """Where, below the workspace with `/`."""
