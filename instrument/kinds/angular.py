"""Angular: what its command line builds is written in angular.json."""

from __future__ import annotations

from typing import Any

from instrument.configtext import flag, loose_json
from instrument.kinds.appfolder import AppFolder
from instrument.kinds.clues import laid_out, needs, runs
from instrument.kinds.evidence import Kind, Layout

_CONFIGS = ("angular.json", ".angular.json", "angular-cli.json")


def layout(folder: AppFolder, built_by: str) -> Layout:
    """outputPath, and below it `browser` where the application builder (Angular 17 and later) makes it."""
    config = folder.has(*_CONFIGS)
    name, project = _application(folder, config)
    build = _target(project)
    options = _object(build, "options")
    new = str(build.get("builder", "")).endswith(":application")
    path = options.get("outputPath")
    parts = path if isinstance(path, dict) else {}
    out = flag(built_by, "--output-path") or (path if isinstance(path, str) else str(parts.get("base", "")))
    out = (out or f"dist/{name}").removeprefix("./").rstrip("/")
    browser = str(parts.get("browser", "browser"))
    served = options.get("outputMode", "server" if options.get("ssr") else "static") == "server"
    root = str(project.get("sourceRoot") or "src")
    return Layout(
        outputs=tuple(dict.fromkeys((f"{out}/{browser}".rstrip("/"), out) if new else (out,))),
        proof="../server/server.mjs" if served else "index.html",
        server=f"node {out}/server/server.mjs" if served else "",
        base=flag(built_by, "--base-href") or str(options.get("baseHref") or ""),
        config=config,
        public_folder=folder.has("public", f"{root}/assets"),
        source_folders=(root,),
        way="served",
        way_reason="Angular's compiler makes the scripts, and its source maps lead back to the components",
    )


def _application(folder: AppFolder, config: str) -> tuple[str, dict[str, Any]]:
    """The default project, else the first that is an application."""
    try:
        found = loose_json(folder.text(config) or "{}")
    except ValueError:
        found = {}
    projects = _object(found, "projects")
    default = found.get("defaultProject") if isinstance(found, dict) else None
    names = [
        default,
        *(name for name in projects if _object(projects, name).get("projectType") == "application"),
    ]
    for name in (*names, *projects):
        if isinstance(name, str) and name in projects:
            return name, _object(projects, name)
    return folder.manifest.name or "app", {}


def _target(project: dict[str, Any]) -> dict[str, Any]:
    return _object(_object(project, "architect") or _object(project, "targets"), "build")


def _object(of: object, key: str) -> dict[str, Any]:
    value = of.get(key) if isinstance(of, dict) else None
    return value if isinstance(value, dict) else {}


ANGULAR = Kind(
    name="angular",
    tool="ng build",
    command=runs("ng", "build"),
    clues=(
        needs("@angular/core", "@angular/cli"),
        laid_out("Angular's workspace file", *_CONFIGS),
        laid_out("the page that Angular fills", "src/index.html"),
    ),
    layout=layout,
    admits=lambda folder, _: bool(folder.has(*_CONFIGS)),
)
