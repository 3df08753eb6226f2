"""Source maps switched on in a work copy: by the tool's option, or by a config around the user's."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from instrument.kinds.evidence import ProjectKind
from instrument.lockfile import Manager
from instrument.mapsettings import switch_on_maps
from instrument.node import find_node
from instrument.project import Project
from instrument.workcopy import WorkCopy


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "shop"


def switched(root: Path, kind: ProjectKind, files: dict[str, str], config: str = "") -> bool:
    root.mkdir()
    for name, text in files.items():
        (root / name).write_text(text)
    project = Project(
        kind=kind,
        flavour="",
        root=root,
        workspace=root,
        manager=Manager("npm", "", "", None),
        script="build",
        command="",
        outputs=("dist",),
        server="",
        base="",
        source_folders=("src",),
        public_folder="",
        way="served",
        reason="",
    )
    return switch_on_maps(replace(project, config=config), WorkCopy(root.parent, root, root))


@pytest.mark.parametrize(
    ("line", "made"),
    [
        ("vite build", "vite build --sourcemap"),
        ("tsc -b && vite build --mode web", "tsc -b && vite build --sourcemap --mode web"),
        ("vite build --sourcemap hidden", "vite build --sourcemap hidden"),
        ("vite build && vite build --ssr", "vite build --sourcemap && vite build --sourcemap --ssr"),
        ("ng build", "ng build --source-map"),
        ("webpack --mode production", "webpack --devtool source-map --mode production"),
        ("node webpack.config.js", "node webpack.config.js"),
        ("esbuild src/a.ts --bundle", "esbuild --sourcemap src/a.ts --bundle"),
        ("node_modules/.bin/rollup -c", "node_modules/.bin/rollup --sourcemap -c"),
        ("node build.mjs", "node build.mjs"),
    ],
)
def test_options_of_tools(root: Path, line: str, made: str) -> None:
    changed = switched(root, "script", {"package.json": json.dumps({"scripts": {"build": line}})})
    assert json.loads((root / "package.json").read_text())["scripts"]["build"] == made
    assert changed == (line != made)


def loaded(root: Path, config: str) -> dict[str, object]:
    """What Node makes of a config, called as tools call it."""
    code = (
        f"import('{(root / config).as_uri()}').then(async ({{ default: c }}) =>"
        " console.log(JSON.stringify(await (typeof c === 'function' ? c('phase', {}) : c))))"
    )
    done = subprocess.run([str(find_node()), "-e", code], capture_output=True, text=True, check=True)
    found: dict[str, object] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    ("config", "text"),
    [
        ("next.config.mjs", "export default { basePath: '/shop' };"),
        (
            "next.config.mjs",
            "export default async (phase) => ({ basePath: phase === 'phase' ? '/shop' : '' });",
        ),
        ("next.config.js", "module.exports = { basePath: '/shop' };"),
        ("next.config.cjs", "module.exports = () => ({ basePath: '/shop' });"),
    ],
)
def test_next_gets_a_config_around_the_users(root: Path, config: str, text: str) -> None:
    assert switched(root, "next", {"package.json": "{}", config: text}, config)
    assert loaded(root, config) == {"basePath": "/shop", "productionBrowserSourceMaps": True}


def test_astro_keeps_what_the_user_says_of_vite(root: Path) -> None:
    text = "export default { base: '/x', vite: { define: { A: '1' }, build: { minify: false } } };"
    assert switched(root, "astro", {"package.json": "{}", "astro.config.mjs": text}, "astro.config.mjs")
    assert loaded(root, "astro.config.mjs") == {
        "base": "/x",
        "vite": {"define": {"A": "1"}, "build": {"minify": False, "sourcemap": True}},
    }


def test_vite_without_its_command_gets_a_config(root: Path) -> None:
    files = {"package.json": json.dumps({"scripts": {"build": "node build.mjs"}})}
    assert switched(root, "vite", files)
    assert loaded(root, "vite.config.mjs") == {"build": {"sourcemap": True}}
