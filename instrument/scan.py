"""Looks for apps in a folder: the folder's own, those of its workspace, or those of the projects it holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from instrument.kinds.appfolder import AppFolder
from instrument.kinds.registry import recognise
from instrument.manifest import NAME, Manifest, read_manifest
from instrument.nx import PROJECT, nx_manifest, nx_projects
from instrument.shortlist import App
from instrument.workspace import Workspace, entries_of, folders_up_to, read_workspace, workspace_above

_NEVER_ENTERED = frozenset({"node_modules", "bower_components", "coverage", "dist", "build", "out", "vendor"})
_DEPTH = 3
"""Folders that a project may lie below a plain folder."""
_PAGES = ("index.html", "index.htm")


@dataclass(frozen=True, slots=True)
class Apps:
    """What was found in a folder."""

    top: Path
    found: tuple[App, ...] = ()
    notes: tuple[str, ...] = ()
    problem: str = ""
    """Why the folder's own package.json cannot be read, where that leaves nothing to explore."""


def find_apps(folder: Path) -> Apps:
    """All apps whose sources the folder holds.

    A folder with a package.json is a project or the root of a workspace; one that is neither, and holds no page of its own,
    is searched for projects.
    """
    manifest = read_manifest(folder)
    if manifest and manifest.problem:
        return Apps(folder, problem="" if _has_page(folder) else manifest.problem)
    workspace = read_workspace(folder, manifest)
    above = workspace_above(folder)
    if manifest is None and above and (folder / PROJECT).is_file():
        manifest = nx_manifest(folder, above.root)
    own = _app(folder, manifest, workspace=above) if manifest else None
    if workspace:
        members = [(place, read_manifest(place)) for place in workspace.members()]
        members += [(project.folder, project) for project in nx_projects(folder)]
        return _apps(folder, own, members, workspace)
    if own:
        return Apps(folder, (own,))
    if _has_page(folder):
        return Apps(folder)
    inner = [(place, read_manifest(place)) for place in _projects(folder, _DEPTH)]
    return _apps(folder, None, inner, None)


def _apps(
    top: Path, own: App | None, inner: list[tuple[Path, Manifest | None]], workspace: Workspace | None
) -> Apps:
    notes, found = [], [own] if own else []
    for place, manifest in inner:
        if manifest and manifest.problem:
            notes.append(manifest.problem)
            continue
        app = _app(place, manifest, workspace=workspace or workspace_above(place))
        found += [app] if app else []
    return Apps(top, tuple(found), tuple(notes), notes[0] if notes and not found else "")


def _app(place: Path, manifest: Manifest | None, *, workspace: Workspace | None) -> App | None:
    if manifest is None:
        return None
    root = workspace.root if workspace else place
    above = read_manifest(root) if root != place else None
    above = above if above and not above.problem else None
    folder = AppFolder(place, manifest, root, above, workspace.file if workspace and root != place else "")
    verdict = recognise(folder)
    return App(folder, verdict) if verdict else None


def _has_page(folder: Path) -> bool:
    return any((folder / page).is_file() for page in _PAGES)


def _projects(top: Path, depth: int) -> Iterator[Path]:
    """Folders below with a package.json, not searched further where one is found; members of workspaces included."""
    for entry in entries_of(top):
        if entry.name[:1] == "." or entry.name in _NEVER_ENTERED or not entry.is_dir(follow_symlinks=False):
            continue
        place = Path(entry.path)
        manifest = read_manifest(place)
        if manifest is None:
            yield from _projects(place, depth - 1) if depth > 1 else ()
            continue
        yield place
        if not manifest.problem and (inner := read_workspace(place, manifest)):
            yield from inner.members()


def needed_members(folder: AppFolder) -> list[Path]:
    """Folders of the workspace's members that the app depends on, directly or through others."""
    workspace = read_workspace(folder.workspace, read_manifest(folder.workspace))
    if workspace is None:
        return []
    members = {
        manifest.name: manifest
        for place in workspace.members()
        if (manifest := read_manifest(place)) and manifest.name and place != folder.root
    }
    needed, open_ends = {}, [folder.manifest]
    while open_ends:
        for name in open_ends.pop().needs:
            if name in members and name not in needed:
                needed[name] = members[name]
                open_ends.append(members[name])
    return [manifest.folder for manifest in needed.values()]


def in_modules(folder: AppFolder) -> bool:
    """Whether every package that the app depends on lies in a node_modules of its folder, or above it in its workspace.

    Yarn's plug'n'play keeps them elsewhere and leaves .pnp.cjs.
    """
    if (folder.workspace / ".pnp.cjs").is_file():
        return True
    names = [
        need.name
        for need in folder.manifest.needs.values()
        if need.field in ("dependencies", "devDependencies")
    ]
    places = [place / "node_modules" for place in folders_up_to(folder.root, folder.workspace)]
    there = [place for place in places if place.is_dir()]
    if not there:
        return not names and not folder.above
    return all(any((place / name / NAME).is_file() for place in there) for name in names)
