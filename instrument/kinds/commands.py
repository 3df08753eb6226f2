"""What the build script's command says: it settles most conflicts between kinds."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator
from dataclasses import dataclass

from instrument.kinds.appfolder import AppFolder

_RUNNER = re.compile(
    r"(?:^|[\s/\"'])(npm|pnpm|yarn|bun|npm-run-all2?|run-s|run-p|concurrently|wireit|nps|node --run)[\s\"']"
)
_FIRST = ("build", "build:prod", "build:production", "build:app", "build:web", "build:client", "build:site")
_THEN = (
    "generate",
    "export",
    "production",
    "prod",
    "bundle",
    "dist",
    "compile",
    "webpack",
    "vite-build",
    "release",
)
_NEVER = re.compile(
    r"(?:^|[:_-])(?:storybook|docs?|tests?|e2e|types?|watch|dev|develop|serve|server|start|preview|lint|deploy|ssr"
    r"|electron|ios|android|analy[sz]e|profile|clean|lib|pre\w+|post\w+)(?:[:_-]|$)"
)


@dataclass(frozen=True, slots=True)
class BuildScript:
    """A script of package.json that may build."""

    name: str
    command: str
    full: str
    """The command with those of the scripts that it calls appended."""


def build_scripts(folder: AppFolder) -> list[BuildScript]:
    """Scripts that may build the app, the likeliest first; those for tests, docs, servers and watching left out."""
    scripts = folder.manifest.scripts
    names = [name for name in (*_FIRST, *_THEN) if name in scripts]
    names += sorted((name for name in scripts if name not in names), key=lambda name: not _is_build(name))
    allowed = [name for name in names if name == "build" or not _NEVER.search(name)]
    return [BuildScript(name, scripts[name], expanded(name, scripts)) for name in allowed]


def _is_build(name: str) -> bool:
    return name.startswith("build")


def expanded(name: str, scripts: dict[str, str]) -> str:
    """A script's command followed by those of the scripts it runs: `run-p type-check build-only` tells nothing itself."""
    names = [name]
    for known in names:  # grows while it is walked, each script once
        names += [called for called in _called(scripts[known], scripts) if called not in names]
    return " && ".join(scripts[known] for known in dict.fromkeys(names))


def _called(line: str, scripts: dict[str, str]) -> Iterator[str]:
    for segment in re.split(r"&&|\|\||[;|&]", line):
        if not _RUNNER.search(segment) or re.search(
            r"(?:--prefix|--cwd|--filter|-C|-F|\sworkspace)\s", segment
        ):
            continue
        for word in re.split(r"[\s\"']+", segment):
            word = word.removeprefix("npm:")
            if "*" in word:
                yield from fnmatch.filter(scripts, word)
            elif word in scripts:
                yield word


def words_of(script: BuildScript, found: str) -> str:
    """Clause that says what a script runs."""
    ran = re.sub(r"\s+", " ", found).strip()
    through = "" if found in script.command else " through other scripts"
    return f"the script `{script.name}` runs `{ran}`{through}"
