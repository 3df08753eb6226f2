"""The command `explore-app detect`: what a path holds, how that is known, and what would be run; nothing is run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from instrument.detect import Build
    from instrument.project import Project

_INDENT = "  "


@click.command(name="detect")
@click.argument("path")
@click.option("--app", default="", metavar="NAME", help="Which app of a workspace, by name or path.")
@click.option("--entry", default="", help="Which html file to open where there are several.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON on stdout.")
def detect_command(path: str, app: str, entry: str, as_json: bool) -> None:
    """Say what a folder holds, by which evidence, and what would be run; nothing is run.

    Exit codes: 0 it can be explored; 2 wrong use, or several apps of which --app has to choose;
    3 nothing in it can be explored.
    """
    from instrument.detect import detect, is_url
    from instrument.project import find_project

    if is_url(path):
        click.echo(_json(server_json(path)) if as_json else f"{path}: a running server, {_IN_TRANSIT}")
        return
    project = find_project(path, app=app) if not entry else None
    if project is not None:
        click.echo(_json(project_json(project)) if as_json else "\n".join(project_lines(project)))
        return
    build = detect(path, entry=entry or None)
    click.echo(_json(build_json(build)) if as_json else "\n".join(build_lines(build)))


def _json(row: dict[str, Any]) -> str:
    return json.dumps(row, indent=2, ensure_ascii=False)


_IN_TRANSIT = "nothing to build; scripts are instrumented as the browser fetches them"


def server_json(address: str) -> dict[str, Any]:
    """A running server, as `--json` prints it; it is not asked for anything."""
    return {"verdict": "server", "kind": "server", "address": address, "reason": _IN_TRANSIT}


def build_json(build: Build) -> dict[str, Any]:
    """An app that needs no build, as `--json` prints it."""
    return {
        "verdict": "built" if build.kind != "static" else "static",
        "kind": build.kind,
        "root": str(build.root),
        "entry": build.entry,
        "reason": build.reason,
        "evidence": [{"kind": build.kind, "words": words, "file": build.entry} for words in build.evidence],
        "candidates": list(build.candidates),
    }


def project_json(project: Project) -> dict[str, Any]:
    """A project of sources, as `--json` prints it; paths are absolute, or below `root` where they are folders of it."""
    from instrument.project import decide

    decision, manager = decide(project), project.manager
    return {
        "verdict": "project",
        "kind": project.kind,
        "flavour": project.flavour,
        "name": project.name,
        "root": str(project.root),
        "workspace": str(project.workspace),
        "reason": project.reason,
        "evidence": [
            {"kind": one.kind, "by": one.by, "words": one.words, "file": one.file} for one in project.evidence
        ],
        "manager": {
            "name": manager.name,
            "version": manager.version,
            "berry": manager.berry,
            "lockfile": str(manager.lockfile) if manager.lockfile else None,
            "reason": manager.reason,
        },
        "candidates": [
            {"name": one.name, "root": str(one.root), "kind": one.kind, "reason": one.reason}
            for one in project.candidates
        ],
        "run": {
            "install": None if project.installed else list(manager.install()),
            "build": _build_command(project),
            "script": project.script,
            "runs": project.command,
            "outputs": list(project.outputs),
            "server": project.server,
            "base": project.base,
        },
        "instrument": {"way": project.way, "reason": project.way_reason},
        "built": {
            "folder": str(project.built) if project.built else None,
            "fresh": project.fresh,
            "reason": project.fresh_reason,
        },
        "decision": {"use": decision.use, "reason": decision.reason},
        "sources": list(project.source_folders),
        "members": [str(member) for member in project.members],
        "public": project.public_folder,
        "config": project.config,
        "node": project.node,
        "library": project.library,
        "notes": list(project.notes),
    }


def _build_command(project: Project) -> list[str]:
    return list(project.manager.run(project.script)) if project.script else project.command.split()


def build_lines(build: Build) -> list[str]:
    """An app that needs no build, for a person."""
    kind = "plain files" if build.kind == "static" else f"the result of {build.kind}"
    found = [f"{build.root}: {kind}, nothing to build", f"{_INDENT}because {build.reason}"]
    if build.evidence:
        found += ["Evidence", *(f"{_INDENT}{build.entry}: {words}" for words in build.evidence)]
    found += ["What would be run", f"{_INDENT}open      {build.entry}, instrumented as it is served"]
    if len(build.candidates) > 1:
        found += [f"Pages ({len(build.candidates)}; --entry chooses)"]
        found += [f"{_INDENT}{page}" for page in build.candidates[:20]]
    return found


def project_lines(project: Project) -> list[str]:
    """A project of sources, for a person."""
    flavour = f" with {project.flavour}" if project.flavour else ""
    found = [
        f"{project.root}: sources of an app, {project.kind}{flavour}",
        f"{_INDENT}because {project.reason}",
        *_evidence(project),
        f"Package manager: {_manager(project)}",
    ]
    if len(project.candidates) > 1:
        found += [f"Apps ({len(project.candidates)}; --app chooses)"]
        found += [_candidate(project, index) for index in range(len(project.candidates))]
    return [*found, *_would_run(project), *(f"Note: {note}" for note in project.notes)]


def _evidence(project: Project) -> list[str]:
    own = [one for one in project.evidence if one.kind == project.kind]
    others = [one for one in project.evidence if one.kind != project.kind]
    lines = ["Evidence", *(f"{_INDENT}{one.file}: {one.words}" for one in own)]
    if others:
        lines += ["Seen as well", *(f"{_INDENT}{one.file}: {one.words} ({one.kind})" for one in others)]
    return lines


def _manager(project: Project) -> str:
    manager = project.manager
    version = f" {manager.version}" if manager.version else ""
    return f"{manager.name}{version}: {manager.reason}"


def _candidate(project: Project, index: int) -> str:
    one = project.candidates[index]
    why = f"; {one.reason}" if one.reason else ""
    return f"{_INDENT}{'*' if index == 0 else ' '} {one.name}: {one.kind} in {one.root}{why}"


def _would_run(project: Project) -> list[str]:
    from instrument.project import decide

    decision = decide(project)
    install = "nothing, the packages are there" if project.installed else " ".join(project.manager.install())
    runs = f" ({project.command})" if project.script else ", for no script builds it"
    served = f", served by `{project.server}`" if project.server else ", static files"
    rows = {
        "build?": f"{'no' if decision.use == 'built' else 'yes'}: {decision.reason}",
        "install": f"{install}" + ("" if project.installed else f" in {project.workspace}"),
        "build": f"{' '.join(_build_command(project))}{runs}",
        "result": " or ".join(project.outputs) + served + (f", below {project.base}" if project.base else ""),
        "counters": ("in the sources, before the build" if project.way == "source" else "in what was built")
        + f": {project.way_reason}",
    }
    if project.node:
        rows["node"] = project.node
    return ["What would be run", *(f"{_INDENT}{name:<9} {text}" for name, text in rows.items())]
