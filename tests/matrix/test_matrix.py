"""Every kind of project, from its sources, as a build alone and as a development server: found, measured, unchanged.

    make matrix

Needs npm and its registry the first time; what it installs stays in the user's cache.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from explorer import Exploration, Options, explore
from instrument.runner import free_port
from tests.matrix.ledger import note
from tests.matrix.projects import RECIPES, Recipe, built, copy_of

pytestmark = [pytest.mark.matrix, pytest.mark.browser]

BUDGET = 8
KIND = {
    "vite-react-ts": "vite",
    "vite-vue": "vite",
    "vite-svelte": "vite",
    "vite-vanilla": "vite",
    "next-export": "next",
    "next-server": "next",
    "cra": "create-react-app",
    "astro-react": "astro",
    "npm-workspace": "vite",
    "pnpm-workspace": "vite",
}
COUNTER = {
    "vite-react-ts": "src/App.tsx",
    "vite-vue": "src/components/HelloWorld.vue",
    "vite-svelte": "src/lib/Counter.svelte",
    "vite-vanilla": "src/counter.js",
    "next-export": "app/counter.jsx",
    "next-server": "app/counter.jsx",
    "cra": "src/App.js",
    "astro-react": "src/components/Counter.jsx",
    "npm-workspace": "packages/ui/src/index.jsx",
    "pnpm-workspace": "packages/ui/src/index.jsx",
}
"""The user's file that holds the counting button's handler."""


def explored(
    name: str, way: str, target: Path | str, out: Path, *, options: Options | None = None
) -> Exploration:
    """A short run; its time and numbers go into the table of the benchmarks."""
    begun = time.perf_counter()
    run = explore(target, budget=BUDGET, out=out, options=options or Options(verify=True))
    note(name, way, run, seconds=time.perf_counter() - begun)
    return run


def files_of(run: Exploration, file_class: str) -> dict[str, tuple[int, ...]]:
    """Path -> statements and functions of the files of a class."""
    files = [file for file in run.probes.files if file.file_class == file_class]
    return {file.path: (*file.statements, *file.functions) for file in files}


def check_counting(run: Exploration, file: str) -> None:
    """A click on the counting button ran code of the user's file that had not run before."""
    code = set(files_of(run, "own")[file])
    clicks = [
        step for step in run.trace.steps if step.action is not None and "count" in step.action.name.lower()
    ]
    assert any(code & set(step.hits) for step in clicks), [step.action for step in clicks]


def check_sources(run: Exploration, project: Path) -> None:
    """Own files are the user's, each once; library code is apart."""
    own, vendor = files_of(run, "own"), files_of(run, "vendor")
    for path in own:
        assert "node_modules" not in path
        assert (project / path).is_file(), f"{path} is no file of {project}"
    assert not set(own) & set(vendor)
    assert run.coverage.own.statements.covered > 0
    assert not run.instrumentation.failed


def check_unchanged(run: Exploration) -> None:
    """Console, errors, outline and picture are those of the app without counters."""
    notes = run.instrumentation.notes
    assert any(text.startswith("Verified:") for text in notes), notes
    assert not any("changes the app" in text for text in notes), notes


def fingerprint(folder: Path) -> Mapping[str, str]:
    """Every file's content, installed packages aside, which are looked at by name and size."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            name = path.relative_to(folder).as_posix()
            installed = "node_modules" in path.parts
            found[name] = (
                str(path.stat().st_size) if installed else hashlib.sha256(path.read_bytes()).hexdigest()
            )
    return found


@pytest.mark.parametrize("name", RECIPES)
def test_sources_are_built_in_a_copy_and_measured(name: str, tmp_path: Path) -> None:
    recipe = RECIPES[name]
    place = copy_of(recipe, tmp_path / recipe.name)
    before = fingerprint(place)
    run = explored(name, "sources", place, tmp_path / "run")
    assert run.build_kind == KIND[name]
    assert "build" in run.build_reason
    check_counting(run, COUNTER[name])
    check_sources(run, place)
    if recipe.app:
        assert {f"{recipe.app}/src/main.jsx", COUNTER[name]} <= set(files_of(run, "own"))
    check_unchanged(run)
    assert fingerprint(place) == before


@pytest.mark.parametrize("name", [name for name, recipe in RECIPES.items() if not recipe.server])
def test_a_build_without_package_json_is_recognised_and_measured(name: str, tmp_path: Path) -> None:
    recipe = RECIPES[name]
    result = built(recipe, tmp_path / "project")
    place = tmp_path / "dist"
    result.rename(place)
    run = explored(name, "build", place, tmp_path / "run")
    assert run.build_kind == KIND[name]
    assert run.build_reason
    assert run.coverage.own.statements.covered > 0
    assert not run.instrumentation.failed
    clicks = [step for step in run.trace.steps if step.action is not None and "ount" in step.action.name]
    assert any(step.gain for step in clicks)
    check_unchanged(run)


def _vite(port: int) -> str:
    return f"npx vite --port {port} --strictPort --host 127.0.0.1"


def _next(port: int) -> str:
    return f"npx next dev -p {port} -H 127.0.0.1"


@pytest.mark.parametrize(
    ("name", "command"),
    [("vite-react-ts", _vite), ("vite-vue", _vite), ("vite-svelte", _vite), ("next-server", _next)],
)
def test_a_development_server_is_measured_in_transit(
    name: str, command: Callable[[int], str], tmp_path: Path
) -> None:
    recipe: Recipe = RECIPES[name]
    place, port = copy_of(recipe, tmp_path / recipe.name), free_port()
    options = Options(start=command(port), url=f"http://127.0.0.1:{port}/", verify=True)
    run = explored(name, "dev server", place, tmp_path / "run", options=options)
    check_counting(run, COUNTER[name])
    check_sources(run, place)
    check_unchanged(run)
