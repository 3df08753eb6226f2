"""Real projects for the matrix: scaffolds by name, or the sources beside this file, installed once into the user's cache."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from platformdirs import user_cache_path

from instrument.node import find_node

SOURCES = Path(__file__).parent / "sources"
CREATE_VITE = "create-vite@9.3.0"
QUIET = ("--no-audit", "--no-fund", "--loglevel=error")
TIMEOUT_S = 600


@dataclass(frozen=True)
class Recipe:
    """How a project comes to be."""

    name: str
    template: str = ""
    """A template of create-vite; "" for the sources beside this file, of the same name."""
    manager: str = "npm"
    app: str = ""
    """Folder of the app within a workspace."""
    output: str = "dist"
    """Where its own build puts the result, below the app."""
    server: bool = False
    """Its build takes a server."""
    modern_node: bool = False
    """Its tools want a newer Node than distributions have: Playwright's own serves."""
    shared: dict[str, str] = field(default_factory=dict)
    """Files of sources/shared that belong to it too: where they go -> which one."""


def project(recipe: Recipe) -> Path:
    """The project with its dependencies, in the cache; made when it is first asked for."""
    place = _home() / f"{recipe.name}-{_digest(recipe)}"
    with place.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several workers ask for the same one
        if not (place / ".installed").exists():
            shutil.rmtree(place, ignore_errors=True)
            _create(recipe, place)
            _install(recipe, place)
            (place / ".installed").touch()
    return place


def copy_of(recipe: Recipe, place: Path) -> Path:
    """A copy to work in, its packages linked hard, so that tests cannot spoil each other's."""
    source = project(recipe)

    def link(old: str, new: str) -> None:
        if "node_modules" in Path(old).parts:
            os.link(old, new)
        else:
            shutil.copy2(old, new)

    shutil.copytree(source, place, symlinks=True, copy_function=link)
    return place


def built(recipe: Recipe, place: Path) -> Path:
    """Builds a copy by the project's own script, nothing of ours involved; the folder with the result."""
    app = copy_of(recipe, place) / recipe.app
    run(["npm", "run", "build"], app, {"CI": "true", **(_modern_node() if recipe.modern_node else {})})
    return app / recipe.output


def _modern_node() -> dict[str, str]:
    folder = _home() / "node"
    folder.mkdir(exist_ok=True)
    link = folder / "node"
    link.unlink(missing_ok=True)
    link.symlink_to(find_node())
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def _home() -> Path:
    place = user_cache_path("explore-app") / "matrix"
    place.mkdir(parents=True, exist_ok=True)
    return place


def _digest(recipe: Recipe) -> str:
    parts = [json.dumps([recipe.template, recipe.manager, recipe.shared, CREATE_VITE], sort_keys=True)]
    source = SOURCES / recipe.name
    own = sorted(source.rglob("*")) if source.is_dir() else []
    for path in (*own, *(SOURCES / "shared" / name for name in recipe.shared.values())):
        if path.is_file():
            parts += [path.relative_to(SOURCES).as_posix(), path.read_text()]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:10]


def _create(recipe: Recipe, place: Path) -> None:
    if recipe.template:
        command = [
            "npm",
            "exec",
            "--yes",
            "--",
            CREATE_VITE,
            place.name,
            "--template",
            recipe.template,
            "--no-interactive",
        ]
        run(command, place.parent)
    else:
        shutil.copytree(SOURCES / recipe.name, place)
    for to, name in recipe.shared.items():
        (place / to).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(SOURCES / "shared" / name, place / to)


def _install(recipe: Recipe, place: Path) -> None:
    if recipe.manager == "pnpm":
        run(
            ["npm", "exec", "--yes", "--", "pnpm@12.21.0", "install", "--no-frozen-lockfile"],
            place,
            {"CI": "true"},
        )
    else:
        run(["npm", "install", *QUIET], place)


def run(command: list[str], cwd: Path, more: dict[str, str] | None = None) -> str:
    """Runs a program to its end; its output, with which a failure is told too."""
    result = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, "NEXT_TELEMETRY_DISABLED": "1", "ASTRO_TELEMETRY_DISABLED": "1", **(more or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert result.returncode == 0, f"{' '.join(command)} in {cwd}:\n{result.stdout[-4000:]}"
    return result.stdout


_NEXT = {"app/counter.jsx": "counter-client.jsx", "app/layout.jsx": "layout.jsx"}
_WORKSPACE = {
    "apps/web/index.html": "index.html",
    "apps/web/vite.config.js": "vite.config.js",
    "apps/web/src/main.jsx": "main.jsx",
    "packages/ui/package.json": "ui-package.json",
    "packages/ui/src/index.jsx": "counter.jsx",
}
RECIPES: dict[str, Recipe] = {
    recipe.name: recipe
    for recipe in (
        Recipe("vite-react-ts", template="react-ts"),
        Recipe("vite-vue", template="vue"),
        Recipe("vite-svelte", template="svelte"),
        Recipe("vite-vanilla", template="vanilla"),
        Recipe("next-export", output="out", shared=_NEXT),
        Recipe("next-server", output=".next", server=True, shared=_NEXT),
        Recipe("cra", output="build"),
        Recipe("astro-react", modern_node=True),
        Recipe("npm-workspace", app="apps/web", shared=_WORKSPACE),
        Recipe("pnpm-workspace", manager="pnpm", app="apps/web", shared=_WORKSPACE),
    )
}
