"""Helpers of the detection tests: miniature source trees, as few files as each kind needs to be known."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from instrument.project import Project, find_project
from tests.bundling import write_app

Files = Mapping[str, Any]
"""Path -> text, or an object that is written as JSON."""

SOURCE_PAGE = '<div id="root"></div><script type="module" src="/src/main.tsx"></script>'


def package(build: str = "", /, *needs: str, dev: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    """A package.json with a build script and dependencies by name."""
    scripts = {"scripts": {"build": build}} if build else {}
    return {
        **scripts,
        "dependencies": dict.fromkeys(needs, "^1.0.0"),
        "devDependencies": dict.fromkeys(dev, "^1.0.0"),
        **more,
    }


def write_project(folder: Path, files: Files) -> Path:
    """Writes a source tree; objects as JSON."""
    texts = {
        path: text if isinstance(text, str | bytes) else json.dumps(text) for path, text in files.items()
    }
    return write_app(folder, texts)


def project_of(folder: Path, files: Files, *, app: str = "") -> Project:
    """The project in a tree that is written first; there has to be one."""
    found = find_project(write_project(folder, files), app=app)
    assert found is not None
    return found


def vite(*needs: str, **more: Any) -> dict[str, Any]:
    """package.json of an app that Vite builds."""
    return package("vite build", *needs, dev=("vite",), **more)


def app_in(place: str, name: str = "", **more: Any) -> dict[str, Any]:
    """The files of a small Vite app below a folder."""
    named = {"name": name} if name else {}
    return {f"{place}/package.json": vite("react", **named, **more), f"{place}/index.html": SOURCE_PAGE}
