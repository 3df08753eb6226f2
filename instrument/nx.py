"""Apps of an Nx workspace that have a project.json and share the one package.json at its root."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from instrument.configtext import loose_json
from instrument.encoding import decode
from instrument.manifest import NAME, Manifest
from instrument.workspace import subfolders

CONFIG, PROJECT = "nx.json", "project.json"
_SERVERS = ("@nx/js:", "@nx/node:", "@nrwl/js:", "@nrwl/node:", "@nx/nest")
"""Executors that build libraries and servers."""


def nx_projects(root: Path) -> list[Manifest]:
    """Manifests of the folders below an Nx workspace's root that have no package.json of their own, by path."""
    if not (root / CONFIG).is_file():
        return []
    folders = subfolders(root, having=PROJECT)
    found = [nx_manifest(place, root) for place in sorted(folders) if not (place / NAME).is_file()]
    return [manifest for manifest in found if manifest]


def nx_manifest(folder: Path, root: Path) -> Manifest | None:
    """What a project.json says, as a package.json would; None for libraries and what cannot be read."""
    try:
        found = loose_json(decode((folder / PROJECT).read_bytes()).text)
    except (OSError, ValueError):
        return None  # Nx itself could not build it either
    if not isinstance(found, dict) or found.get("projectType") == "library":
        return None
    name = found["name"] if isinstance(found.get("name"), str) else folder.name
    build = _object(_object(found, "targets"), "build")
    executor = build.get("executor")
    if not isinstance(executor, str):
        return Manifest(folder, name=name)
    if executor.startswith(_SERVERS):
        return None
    output = _object(build, "options").get("outputPath")
    result = os.path.relpath(root / output, folder) if isinstance(output, str) else ""
    return Manifest(
        folder, name=name, runner=f"nx build {name}", executor=executor, result=Path(result).as_posix()
    )


def _object(of: dict[str, Any], key: str) -> dict[str, Any]:
    value = of.get(key)
    return value if isinstance(value, dict) else {}
