"""instrument.lockfile: the package manager of a project, with its reason, and the commands it takes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from instrument.lockfile import find_manager
from tests.projects import Files, write_project

BERRY_LOCK = "# This file is generated\n\n__metadata:\n  version: 8\n"


def field(value: str) -> dict[str, Any]:
    return {"package.json": {"packageManager": value}}


# (files, name, version, yarn 2 or later, a word of the reason, the install)
CASES: list[tuple[Files, str, str, bool, str, str]] = [
    ({"package.json": {}}, "npm", "", False, "no packageManager field and no lockfile", "npm install"),
    ({"package-lock.json": "{}"}, "npm", "", False, "package-lock.json is there", "npm ci"),
    ({"npm-shrinkwrap.json": "{}"}, "npm", "", False, "npm-shrinkwrap.json is there", "npm ci"),
    ({"pnpm-lock.yaml": ""}, "pnpm", "", False, "pnpm-lock.yaml is there", "pnpm install --frozen-lockfile"),
    ({"bun.lock": ""}, "bun", "", False, "bun.lock is there", "bun install --frozen-lockfile"),
    ({"bun.lockb": ""}, "bun", "", False, "bun.lockb is there", "bun install --frozen-lockfile"),
    ({"yarn.lock": "# yarn lockfile v1\n"}, "yarn", "", False, "yarn.lock", "yarn install --frozen-lockfile"),
    ({"yarn.lock": BERRY_LOCK}, "yarn", "", True, "yarn.lock is there", "yarn install --immutable"),
    (
        {"yarn.lock": "", ".yarnrc.yml": ""},
        "yarn",
        "",
        True,
        "yarn.lock is there",
        "yarn install --immutable",
    ),
    (
        {"yarn.lock": "", "package-lock.json": "{}"},
        "yarn",
        "",
        False,
        "package-lock.json lies beside it and is taken for a leftover",
        "yarn install --frozen-lockfile",
    ),
    (field("pnpm@9.1.0+sha512.ab"), "pnpm", "9.1.0", False, "says pnpm@9.1.0", "pnpm install"),
    (
        {**field("pnpm@9.1.0"), "package-lock.json": "{}"},
        "pnpm",
        "9.1.0",
        False,
        "although package-lock.json is another manager's",
        "pnpm install",
    ),
    (
        {**field("yarn@4.5.0"), "yarn.lock": ""},
        "yarn",
        "4.5.0",
        True,
        "says yarn@4.5.0",
        "yarn install --immutable",
    ),
    (
        {**field("yarn@1.22.22"), "yarn.lock": ""},
        "yarn",
        "1.22.22",
        False,
        "says yarn@1.22.22",
        "yarn install --frozen-lockfile",
    ),
    (
        {**field("cargo@1"), "pnpm-lock.yaml": ""},
        "pnpm",
        "",
        False,
        "pnpm-lock.yaml",
        "pnpm install --frozen-lockfile",
    ),
    ({"pnpm-workspace.yaml": "allowBuilds:\n"}, "pnpm", "", False, "no lockfile", "pnpm install"),
    ({".yarnrc.yml": "nodeLinker: node-modules"}, "yarn", "", True, "no lockfile", "yarn install"),
]


@pytest.mark.parametrize(("files", "name", "version", "berry", "word", "install"), CASES)
def test_the_manager_and_why(
    tmp_path: Path, files: Files, name: str, version: str, berry: bool, word: str, install: str
) -> None:
    write_project(tmp_path, {".git/HEAD": "", **files})
    manager = find_manager(tmp_path, workspace=tmp_path)
    assert (manager.name, manager.version, manager.berry) == (name, version, berry)
    assert word in manager.reason
    assert " ".join(manager.install()) == install
    assert manager.run("build") == (name, "run", "build")


def test_a_lockfile_is_looked_for_upwards_as_far_as_the_repository(tmp_path: Path) -> None:
    write_project(
        tmp_path,
        {
            "yarn.lock": "",
            "repo/.git/HEAD": "",
            "repo/pnpm-lock.yaml": "",
            "repo/apps/web/package.json": {},
            "repo/x/.git": "",
        },
    )
    place = tmp_path / "repo/apps/web"
    assert find_manager(place, workspace=tmp_path / "repo").lockfile == tmp_path / "repo/pnpm-lock.yaml"
    outside = find_manager(place, workspace=place)
    assert (outside.name, outside.lockfile) == ("pnpm", None)
    assert "pnpm-lock.yaml is there, outside of the workspace, and pins nothing here" in outside.reason
    alone = find_manager(tmp_path / "repo/x", workspace=tmp_path / "repo/x")
    assert (alone.name, alone.lockfile) == ("npm", None)


def test_the_lockfile_of_the_workspace_goes_before_one_left_in_a_member(tmp_path: Path) -> None:
    write_project(tmp_path, {".git/HEAD": "", "pnpm-lock.yaml": "", "web/package-lock.json": "{}"})
    assert find_manager(tmp_path / "web", workspace=tmp_path / "web").name == "npm"
    assert find_manager(tmp_path / "web", workspace=tmp_path).name == "pnpm"
