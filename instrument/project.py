"""The source side of detection: a project that must be built before it can be explored."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from instrument.detect import PAGE
from instrument.errors import AppError, UsageError
from instrument.freshness import BUILD_MODES, BuildMode, look_for_build
from instrument.kinds.evidence import Evidence, Flavour, ProjectKind, Way
from instrument.kinds.pages import needs_build
from instrument.kinds.registry import Verdict
from instrument.lockfile import Manager, find_manager
from instrument.manifest import NAME
from instrument.scan import Apps, find_apps, in_modules, needed_members
from instrument.shortlist import App, choose, names_of, ranked


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
    """Folders from root where the result is expected, with `/`, the most likely first; `..` where the config says so."""
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
    tool: str = ""
    """The command of the tool itself, `vite build`, whatever the script runs beside it; "" for none."""
    evidence: tuple[Evidence, ...] = ()
    """What speaks for the kind, then what speaks for others."""
    candidates: tuple[Candidate, ...] = ()
    """All apps that could have been meant, the chosen one first."""
    built: Path | None = None
    """An output folder that is there already, absolute."""
    fresh: bool = False
    """Whether it is newer than every source file."""
    fresh_reason: str = ""
    """Which build that is and which file makes it stale."""
    maps: bool = False
    """Whether the build that is there has source maps."""
    config: str = ""
    """The tool's config file below root; "" without one."""
    node: str = ""
    """Range of Node versions that package.json's engines ask for; "" for any."""
    installed: bool = False
    """Whether what the app depends on is found in a node_modules of root or above it."""
    way_reason: str = ""
    proof: str = "index.html"
    """File that only a finished build leaves, from the output folder: `index.html`, `../server/index.mjs`."""
    library: bool = False
    """The build makes a library; the page beside it is a demonstration that a build without `build.lib` makes."""
    members: tuple[Path, ...] = ()
    """Folders of the workspace's members that the app depends on, directly or through others, absolute."""
    notes: tuple[str, ...] = ()
    """What could not be read or was left out, a sentence each."""

    @property
    def name(self) -> str:
        """What --app takes for this one."""
        return self.candidates[0].name if self.candidates else self.root.name


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a build that is there is used, or a new one made."""

    use: Literal["built", "build"]
    folder: Path | None
    """What is served; None where it has to be built first."""
    reason: str


def find_project(path: Path | str, *, app: str = "") -> Project | None:
    """The sources of an app that a folder holds; None where there are none, so that `detect()` has the word.

    path: a project, a workspace, a plain folder around one project, or a page that only a build makes run.
    app: which app of several, by package name, folder name or path below `path`. Nothing is run or written.
    Raises UsageError where `app` names none of them or several are equally likely, AppError for a package.json that
    cannot be read.
    """
    folder = Path(path).expanduser().absolute() if str(path) else Path()
    if folder.name == NAME and folder.is_file():
        folder = folder.parent
    page = folder.name if PAGE.search(folder.name) and folder.is_file() else ""
    folder = folder.parent if page else folder
    if not str(path) or not folder.is_dir() or (page and not (folder / NAME).is_file()):
        return None
    try:
        apps = find_apps(folder)
    except PermissionError as error:
        raise AppError(f"{error.filename or path} cannot be read: allow it or copy it elsewhere.") from error
    if page and not any(app.root == folder and needs_build(app.folder, page) for app in apps.found):
        return None
    if not apps.found:
        _refuse(apps, app)
        return None
    order = ranked(apps.found, top=folder)
    chosen, why = choose(order, app=app, top=folder)
    return _project(chosen, why, order, apps)


def _refuse(apps: Apps, app: str) -> None:
    if apps.problem:
        raise AppError(apps.problem)
    if app:
        raise UsageError(f"There is no app {app}: {apps.top} holds no sources of an app, so leave --app out.")


def _project(app: App, why: str, order: list[App], apps: Apps) -> Project:
    verdict, root, workspace = app.verdict, app.root, app.folder.workspace
    layout, script = verdict.layout, verdict.script
    members = tuple(needed_members(app.folder))
    build = look_for_build(root, layout.outputs, proof=layout.proof, sources=members)
    return Project(
        kind=verdict.kind.name,
        flavour=layout.flavour,
        root=root,
        workspace=workspace,
        manager=find_manager(root, workspace=workspace),
        script=script.name if script else "",
        command=script.command if script else app.folder.manifest.runner or verdict.kind.tool,
        outputs=layout.outputs,
        server=layout.server,
        base=layout.base,
        source_folders=layout.source_folders,
        public_folder=layout.public_folder,
        way=layout.way,
        reason="; ".join(part for part in (verdict.reason, _what_for(verdict), why) if part),
        tool=verdict.kind.tool,
        evidence=verdict.evidence,
        candidates=_candidates(app, order, apps.top),
        built=build.folder,
        fresh=build.fresh,
        fresh_reason=build.reason,
        maps=build.maps,
        config=layout.config,
        node=app.folder.manifest.node,
        installed=in_modules(app.folder),
        way_reason=layout.way_reason or "its sources are plain scripts, which take counters before the build",
        proof=layout.proof,
        library=layout.library,
        members=members,
        notes=apps.notes,
    )


def _what_for(verdict: Verdict) -> str:
    return "it builds a library, whose page is a demonstration" if verdict.layout.library else ""


def _candidates(chosen: App, order: list[App], top: Path) -> tuple[Candidate, ...]:
    apps, names = [chosen, *(app for app in order if app is not chosen)], names_of(order)
    return tuple(Candidate(names[app.root], app.root, app.kind, app.why) for app in apps)


def decide(project: Project, mode: BuildMode = "auto") -> Decision:
    """Whether to use the build that lies beside the sources.

    always: build anew; auto: a fresh build with source maps is taken, any other is built anew, since numbers are of the
    user's sources; never: what is there, stale or not. The build of a server is never taken: running it would write into
    the user's folder. Raises AppError where
    `never` finds nothing to take, UsageError for another mode.
    """
    if mode not in BUILD_MODES:
        raise UsageError(f"There is no build mode {mode}: choose one of {', '.join(BUILD_MODES)}.")
    if mode == "always":
        return Decision("build", None, "--build always asks for a new build")
    if mode == "never":
        return _as_it_is(project)
    if project.server and project.built is not None:
        return Decision(
            "build", None, f"its server (`{project.server}`) runs in a work copy, which is built anew"
        )
    if project.built is not None and project.fresh and not project.maps:
        name = (
            os.path.relpath(project.built, project.root) if project.built != project.root else project.proof
        )
        return Decision(
            "build",
            None,
            f"{name} is newer than every source file, but has no source maps that lead back to them, so it is built anew "
            "(--build never takes it as it is)",
        )
    if project.built is not None and project.fresh:
        return Decision("built", project.built, f"{project.fresh_reason} (--build always makes a new one)")
    return Decision("build", None, project.fresh_reason)


def _as_it_is(project: Project) -> Decision:
    if project.built is None:
        raise AppError(
            f"{project.root} is not built ({project.fresh_reason}): build it, or leave out --build never."
        )
    if project.server:
        raise AppError(
            f"{project.root} is no app of plain files: start `{project.server}` yourself and name its address, "
            "or leave out --build never."
        )
    return Decision("built", project.built, f"--build never: {project.fresh_reason}")
