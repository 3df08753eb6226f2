"""What the build script's command says: it settles most conflicts between kinds."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping
from dataclasses import dataclass

from instrument.kinds.appfolder import AppFolder

_RUNNER = re.compile(
    r"(?:^|[\s/\"'])(npm|pnpm|yarn|bun|npm-run-all2?|run-s|run-p|concurrently|wireit|nps|node --run)[\s\"']"
)
_ELSEWHERE = re.compile(
    r"(?:--prefix|--cwd|--filter|--workspaces?|--recursive|-C|-F|\sworkspaces?)(?:[\s=]|$)"
    r"|\bp?npm\s(?:.*\s)?-[rw](?:\s|$)"
)
_UNSEEN = re.compile(
    r"(?:^|[\s/\"'])(?:(?:npm|pnpm|yarn|bun|node)(?=\s(?:.*\s)?(?:run|run-script|-r|-w|--run|--recursive|--filter|-F|--workspaces?"
    r"|--prefix|--cwd|-C|workspaces?)[\s=])|npm-run-all2?\s|run-[sp]\s|turbo\s|nx\s|lerna\s|rush\s|nps\s|wireit(?:\s|$)|moon\s)"
)
"""Commands that run scripts by their names."""
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


def expanded(name: str, scripts: Mapping[str, str]) -> str:
    """A script's command followed by those of the scripts it runs: `run-p type-check build-only` tells nothing itself."""
    return " && ".join(scripts[known] for known in followed(name, scripts))


def followed(name: str, scripts: Mapping[str, str]) -> list[str]:
    """The names of a script and of all that it runs, each once."""
    names = [name]
    for known in names:  # grows while it is walked
        for part in parts_of(scripts[known]):
            names += [called for called in _called(part, scripts) if called not in names]
    return list(dict.fromkeys(names))


def parts_of(line: str) -> list[str]:
    """The commands that a line runs one after the other or side by side."""
    return [part.strip() for part in re.split(r"&&|\|\||[;|&]", line)]


def calls_unseen(name: str, scripts: Mapping[str, str]) -> bool:
    """Whether a script leads to what cannot be followed here: another package's, a task runner's, or one that is missing."""
    parts = [part for known in followed(name, scripts) for part in parts_of(scripts[known])]
    return any(_UNSEEN.search(part) and not _called(part, scripts) for part in parts)


def _called(part: str, scripts: Mapping[str, str]) -> list[str]:
    """The scripts that one command runs."""
    if not _RUNNER.search(part) or _ELSEWHERE.search(part):
        return []
    words = [word.removeprefix("npm:") for word in re.split(r"[\s\"']+", part)]
    return [
        name
        for word in words
        for name in (fnmatch.filter(scripts, word) if "*" in word else [word] if word in scripts else [])
    ]


def words_of(script: BuildScript, found: str) -> str:
    """Clause that says what a script runs."""
    ran = re.sub(r"\s+", " ", found).strip()
    through = "" if found in script.command else " through other scripts"
    return f"the script `{script.name}` runs `{ran}`{through}"
