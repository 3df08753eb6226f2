"""Workspaces: which folders belong to one, by the globs of npm, yarn, bun, pnpm, lerna and nx."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from instrument.configtext import loose_json
from instrument.encoding import decode
from instrument.manifest import NAME, Manifest, read_manifest

PNPM = "pnpm-workspace.yaml"
_SKIPPED = frozenset({"node_modules", "bower_components", "coverage", "__MACOSX"})
_DEPTH = 6
"""Folders that a glob such as `**` is followed down."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """A folder whose members are installed together."""

    root: Path
    globs: tuple[str, ...]
    file: str
    """File that declares it: package.json, pnpm-workspace.yaml, lerna.json or nx.json."""

    def members(self) -> list[Path]:
        """Folders with a package.json that the globs take in, root not among them, sorted."""
        return sorted(folder for folder in subfolders(self.root, having=NAME) if self.holds(folder))

    def holds(self, folder: Path) -> bool:
        """Whether a folder is a member: the last glob that matches it decides, a negation drops it."""
        path, member = folder.relative_to(self.root).as_posix(), False
        for glob in self.globs:
            if _pattern(glob.lstrip("!")).fullmatch(path):
                member = not glob.startswith("!")
        return member and path != "."


def read_workspace(folder: Path, manifest: Manifest | None) -> Workspace | None:
    """The workspace that a folder is the root of; None where it is none."""
    globs = _pnpm_globs(folder / PNPM)
    if globs:
        return Workspace(folder, globs, PNPM)
    if manifest and manifest.workspaces:
        return Workspace(folder, manifest.workspaces, NAME)
    globs = _listed(folder / "lerna.json", "packages")
    if globs or (folder / "lerna.json").is_file():
        return Workspace(folder, globs or ("packages/*",), "lerna.json")
    if manifest and (folder / "nx.json").is_file():
        return Workspace(folder, ("apps/**", "packages/**", "libs/**"), "nx.json")
    return None


def workspace_above(folder: Path) -> Workspace | None:
    """The nearest workspace above a folder that takes it in as a member."""
    for above in folder.parents:
        found = read_workspace(above, read_manifest(above))
        if found and found.holds(folder):
            return found
        if (above / ".git").exists():
            return None
    return None


def entries_of(top: Path) -> list[os.DirEntry[str]]:
    """What a folder holds, by name; nothing for one that cannot be read, whose projects could not be built either."""
    try:
        return sorted(os.scandir(top), key=lambda entry: entry.name)
    except OSError:
        return []


def folders_up_to(folder: Path, top: Path) -> list[Path]:
    """The folder and those above it as far as `top`, which is the folder itself or above it."""
    return [place for place in (folder, *folder.parents) if place.is_relative_to(top)]


def subfolders(top: Path, *, having: str, depth: int = _DEPTH) -> Iterator[Path]:
    """Folders below `top` that hold a file, links, hidden folders and node_modules not followed."""
    for entry in entries_of(top):
        if entry.is_dir(follow_symlinks=False) and entry.name[:1] != "." and entry.name not in _SKIPPED:
            place = Path(entry.path)
            if (place / having).is_file():
                yield place
            if depth > 1:
                yield from subfolders(place, having=having, depth=depth - 1)


@lru_cache(maxsize=256)
def _pattern(glob: str) -> re.Pattern[str]:
    """A workspace glob as a pattern of the whole path: `*`, `**`, `?` and `{a,b}`."""
    glob = glob.removeprefix("./").rstrip("/")
    parts = re.split(r"(\*\*/|/\*\*$|\*\*|\*|\?|\{[^{}]*\})", glob)
    return re.compile("".join(_part(part) for part in parts))


def _part(part: str) -> str:
    fixed = {"**/": r"(?:[^/]+/)*", "/**": r"(?:/[^/]+)*", "**": r".*", "*": r"[^/]*", "?": r"[^/]"}
    if part in fixed:
        return fixed[part]
    if part.startswith("{") and part.endswith("}"):
        choices = "|".join(re.escape(choice).replace(r"\*", "[^/]*") for choice in part[1:-1].split(","))
        return f"(?:{choices})"
    return re.escape(part)


def _listed(file: Path, key: str) -> tuple[str, ...]:
    try:
        found = loose_json(decode(file.read_bytes()).text)
    except (OSError, ValueError):
        return ()  # lerna.json alone then still says that there is a workspace
    value = found.get(key) if isinstance(found, dict) else None
    return tuple(glob for glob in value if isinstance(glob, str)) if isinstance(value, list) else ()


def _pnpm_globs(file: Path) -> tuple[str, ...]:
    """The list `packages` of pnpm-workspace.yaml in block or flow form; a file without it is only a config."""
    try:
        text = decode(file.read_bytes()).text
    except OSError:
        return ()
    lines = [re.sub(r"(^|\s)#.*", "", line).rstrip() for line in text.splitlines()]
    text = "\n".join(line for line in lines if line)
    found = re.search(r"^packages:[ \t]*(\[[^\]]*\]|(?:\n[ \t]*-[^\n]*)+)", text, re.MULTILINE)
    if not found:
        return ()
    entries = re.split(r"[,\[\]]" if found[1].startswith("[") else r"\n[ \t]*-", found[1])
    return tuple(glob for entry in entries if (glob := entry.strip().strip("'\"")))
