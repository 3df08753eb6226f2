"""The folders that hold a project's sources: what a source map names outside of them is library code."""

from __future__ import annotations

from pathlib import Path

from instrument.manifest import read_manifest
from instrument.workspace import read_workspace, workspace_above


def source_roots(root: Path) -> tuple[Path, ...]:
    """The project's folder first, then its own members, then the workspace that it belongs to."""
    root = root.resolve()
    own, around = read_workspace(root, read_manifest(root)), workspace_above(root)
    return (root, *(own.members() if own else ()), *([around.root] if around else ()))


def home_of(root: Path) -> Path:
    """The folder that paths of a project's sources are below: of the workspace that it is a member of, else its own."""
    around = workspace_above(root.resolve())
    return around.root if around else root
