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
