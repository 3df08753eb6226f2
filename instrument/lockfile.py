"""Which package manager a project is installed with: the packageManager field, else the lockfile found upwards."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from instrument.manifest import Manifest, read_manifest
from instrument.workspace import folders_up_to

ManagerName = Literal["npm", "pnpm", "yarn", "bun"]

LOCKFILES: tuple[tuple[str, ManagerName], ...] = (
    ("pnpm-lock.yaml", "pnpm"),
    ("bun.lock", "bun"),
    ("bun.lockb", "bun"),
    ("yarn.lock", "yarn"),
    ("package-lock.json", "npm"),
    ("npm-shrinkwrap.json", "npm"),
)
"""Where several lie side by side the rarer one counts: npm's is often left over from one `npm install`."""
_TRACES: tuple[tuple[str, ManagerName], ...] = (
    ("pnpm-workspace.yaml", "pnpm"),
    (".pnpmfile.cjs", "pnpm"),
    (".yarnrc.yml", "yarn"),
    (".yarnrc", "yarn"),
    ("bunfig.toml", "bun"),
)
_FIELD = re.compile(r"(\w+)(?:@([\w.-]+))?")
_BERRY_LOCK = re.compile(r"^__metadata:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Manager:
    """The package manager of a project and how that is known."""

    name: ManagerName
    version: str
    """As the packageManager field says, "" without one."""
    reason: str
    lockfile: Path | None
    """In the workspace; None: nothing is pinned here, so an install takes what the ranges allow today."""
    berry: bool = False
    """yarn 2 or later, whose install has other options than yarn 1's."""

    def install(self) -> tuple[str, ...]:
        """Command that installs exactly what the lockfile says, or what the ranges allow without one."""
        if self.lockfile is None:
            return (self.name, "install")
        if self.name == "npm":
            return ("npm", "ci")
        return (self.name, "install", "--immutable" if self.berry else "--frozen-lockfile")

    def run(self, script: str) -> tuple[str, ...]:
        """Command that runs a script of package.json."""
        return (self.name, "run", script)


def find_manager(root: Path, *, workspace: Path) -> Manager:
    """The manager of the project in `root`, looked for in its workspace, there, and above as far as the repository.

    The packageManager field decides, then a lockfile, then a manager's own config; npm without any of them.
    """
    folders = list(_folders(root, workspace))
    manifests = [found for folder in folders if (found := read_manifest(folder))]
    locks = [
        (folder / file, name) for folder in folders for file, name in LOCKFILES if (folder / file).is_file()
    ]
    named = _named(manifests)
    if named:
        return _by_field(named, locks, workspace)
    if locks:
        return _by_lockfile(locks, workspace)
    for folder in folders:
        for file, name in _TRACES:
            if (folder / file).is_file():
                berry = file == ".yarnrc.yml"
                return Manager(name, "", f"no lockfile, and {folder.name}/{file} is there", None, berry)
    return Manager(
        "npm", "", "no packageManager field and no lockfile, so the one that comes with Node", None
    )


def _folders(root: Path, workspace: Path) -> Iterator[Path]:
    """The workspace, where installs run, then the folders from root up to it, then those above as far as the repository."""
    yield workspace
    yield from (place for place in folders_up_to(root, workspace) if place != workspace)
    below = workspace
    for folder in workspace.parents:
        if (below / ".git").exists() or folder == Path.home():
            return
        yield folder
        below = folder


def _named(manifests: list[Manifest]) -> tuple[Manifest, ManagerName, str] | None:
    for manifest in manifests:
        found = _FIELD.match(manifest.manager)
        for name in get_args(ManagerName):
            if found and found[1] == name:
                return manifest, name, found[2] or ""
    return None


def _by_field(
    named: tuple[Manifest, ManagerName, str], locks: list[tuple[Path, ManagerName]], workspace: Path
) -> Manager:
    manifest, name, version = named
    lock = next((file for file, owner in locks if owner == name and file.parent == workspace), None)
    reason = f"the packageManager field of {manifest.folder.name}/package.json says {name}@{version}".rstrip(
        "@"
    )
    other = next((file for file, owner in locks if owner != name), None)
    if lock is None and other is not None:
        reason += f", although {other.name} is another manager's"
    berry = name == "yarn" and not version.startswith("1.") and version != "1"
    return Manager(name, version, reason, lock, berry)


def _by_lockfile(locks: list[tuple[Path, ManagerName]], workspace: Path) -> Manager:
    file, name = locks[0]
    reason = f"{file.parent.name}/{file.name} is there"
    beside = [other.name for other, owner in locks[1:] if other.parent == file.parent and owner != name]
    if beside:
        reason += f"; {', '.join(beside)} lies beside it and is taken for a leftover"
    pins = file.parent == workspace
    if not pins:
        reason += ", outside of the workspace, and pins nothing here"
    return Manager(name, "", reason, file if pins else None, name == "yarn" and _is_berry(file))


def _is_berry(lockfile: Path) -> bool:
    if (lockfile.parent / ".yarnrc.yml").is_file():
        return True
    with lockfile.open(encoding="utf-8", errors="replace") as lines:
        return bool(_BERRY_LOCK.search(lines.read(4096)))
