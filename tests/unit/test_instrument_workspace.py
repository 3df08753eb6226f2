"""instrument.workspace: which folders the globs of a workspace take in."""

from __future__ import annotations

from pathlib import Path

import pytest

from instrument.manifest import read_manifest
from instrument.workspace import read_workspace, workspace_above
from tests.projects import Files, write_project

MEMBERS = ("apps/web", "apps/admin", "apps/web/plugin", "packages/ui", "packages/a/b", "tool")


@pytest.mark.parametrize(
    ("globs", "members"),
    [
        (["apps/*"], {"apps/admin", "apps/web"}),
        (["./apps/*/"], {"apps/admin", "apps/web"}),
        (["apps/**"], {"apps/admin", "apps/web", "apps/web/plugin"}),
        (["apps/**/*"], {"apps/admin", "apps/web", "apps/web/plugin"}),
        (["**/plugin"], {"apps/web/plugin"}),
        (["*"], {"tool"}),
        (["**"], set(MEMBERS)),
        (["apps/*", "!apps/admin"], {"apps/web"}),
        (["!apps/admin", "apps/*"], {"apps/admin", "apps/web"}),
        (["{apps,packages}/*"], {"apps/admin", "apps/web", "packages/ui"}),
        (["apps/w?b", "tool"], {"apps/web", "tool"}),
        (["apps/a*"], {"apps/admin"}),
        (["apps.web"], set()),
        (["."], set()),
    ],
)
def test_members_by_glob(tmp_path: Path, globs: list[str], members: set[str]) -> None:
    files: Files = {
        f"{name}/package.json": {} for name in (*MEMBERS, "node_modules/x", "apps/web/node_modules/y")
    }
    write_project(tmp_path, {"package.json": {"workspaces": globs}, **files, "apps/empty/readme": ""})
    workspace = read_workspace(tmp_path, read_manifest(tmp_path))
    assert workspace is not None
    assert {place.relative_to(tmp_path).as_posix() for place in workspace.members()} == members


@pytest.mark.parametrize(
    "text",
    [
        "packages:\n  - 'apps/*'\n  - \"!apps/old\"\ncatalog:\n  - no/*\n",
        "# all\npackages: ['apps/*', '!apps/old']\n",
        "packages:\n- apps/*   # the apps\n\n# and not\n- '!apps/old'\n",
        "allowBuilds:\n  sharp: false\npackages: [\n  'apps/*',\n  '!apps/old'\n]\n",
    ],
)
def test_the_list_of_pnpm_in_its_forms(tmp_path: Path, text: str) -> None:
    write_project(tmp_path, {"pnpm-workspace.yaml": text, "package.json": {"workspaces": ["ignored/*"]}})
    workspace = read_workspace(tmp_path, read_manifest(tmp_path))
    assert workspace is not None
    assert (workspace.globs, workspace.file) == (("apps/*", "!apps/old"), "pnpm-workspace.yaml")


def test_a_config_of_pnpm_makes_no_workspace(tmp_path: Path) -> None:
    write_project(tmp_path, {"pnpm-workspace.yaml": "allowBuilds:\n  sharp: false\n"})
    assert read_workspace(tmp_path, None) is None


def test_the_workspace_above_is_the_nearest_that_takes_the_folder_in(tmp_path: Path) -> None:
    files = {
        "package.json": {"workspaces": ["**"]},
        "inner/package.json": {"workspaces": ["apps/*"]},
        "inner/apps/web/package.json": {},
        "inner/other/package.json": {},
        "cloned/.git/HEAD": "",
        "cloned/web/package.json": {},
    }
    write_project(tmp_path, files)
    roots = {
        name: found.root if (found := workspace_above(tmp_path / name)) else None
        for name in ("inner/apps/web", "inner/other", "cloned/web")
    }
    assert roots == {"inner/apps/web": tmp_path / "inner", "inner/other": tmp_path, "cloned/web": None}
