"""instrument.project: which folder the app is in, among workspaces, nested folders and builds that are there already."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from instrument.errors import AppError, UsageError
from instrument.project import Project, decide, find_project
from tests.projects import SOURCE_PAGE, Files, app_in, package, project_of, vite, write_project

LIBRARY = {"packages/ui/package.json": package("tsc", name="@acme/ui"), "packages/ui/src/index.tsx": ""}
WEB = app_in("apps/web", "web")

WORKSPACES: list[tuple[str, Files, str]] = [
    ("npm", {"package.json": {"workspaces": ["apps/*", "packages/*"]}, "package-lock.json": "{}"}, "npm"),
    (
        "yarn",
        {"package.json": {"workspaces": {"packages": ["./apps/*"]}}, "yarn.lock": "# yarn lockfile v1"},
        "yarn",
    ),
    (
        "pnpm",
        {"package.json": {}, "pnpm-workspace.yaml": "packages:\n  - apps/*  # the apps\n  - '!**/x'\n"},
        "pnpm",
    ),
    (
        "pnpm in flow form",
        {"pnpm-workspace.yaml": 'packages: ["apps/**", packages/*]\nallowBuilds:\n  a: true\n'},
        "pnpm",
    ),
    ("bun", {"package.json": {"workspaces": ["apps/web"]}, "bun.lock": ""}, "bun"),
    (
        "turbo",
        {"package.json": {**package("turbo run build"), "workspaces": ["**"]}, "turbo.json": "{}"},
        "npm",
    ),
    ("lerna", {"package.json": {}, "lerna.json": {"packages": ["apps/*"]}}, "npm"),
    ("nx", {"package.json": package("nx run-many -t build"), "nx.json": "{}"}, "npm"),
]


@pytest.mark.parametrize(
    ("files", "manager"), [one[1:] for one in WORKSPACES], ids=[one[0] for one in WORKSPACES]
)
def test_the_app_of_a_workspace_is_found(tmp_path: Path, files: Files, manager: str) -> None:
    project = project_of(tmp_path, {**files, **WEB, **LIBRARY})
    assert (project.root, project.workspace) == (tmp_path / "apps/web", tmp_path)
    assert project.manager.name == manager
    assert [one.name for one in project.candidates] == ["web"]
    assert f"apps/web is the only app of {tmp_path.name}" in project.reason
    assert project.evidence[0].file == "apps/web/package.json"


def test_a_member_knows_its_workspace(tmp_path: Path) -> None:
    files = {
        "package.json": {"workspaces": ["apps/*"]},
        "pnpm-lock.yaml": "",
        "apps/web/src/x/package.json": {},
        **WEB,
    }
    write_project(tmp_path, files)
    project = find_project(tmp_path / "apps/web")
    assert project is not None
    assert (project.root, project.workspace) == (tmp_path / "apps/web", tmp_path)
    assert project.manager.lockfile == tmp_path / "pnpm-lock.yaml"
    assert "makes apps/web a member of the workspace" in " ".join(one.words for one in project.evidence)


def test_a_folder_that_the_globs_leave_out_is_a_project_of_its_own(tmp_path: Path) -> None:
    files = {"package.json": {"workspaces": ["apps/*", "!apps/old"]}, **WEB, **app_in("apps/old", "old")}
    project = project_of(tmp_path, files)
    assert [one.name for one in project.candidates] == ["web"]
    old = find_project(tmp_path / "apps/old")
    assert old is not None
    assert old.workspace == tmp_path / "apps/old"


def test_hoisted_dependencies_count(tmp_path: Path) -> None:
    files = {
        "package.json": {"workspaces": ["apps/*"], **package("", "vue", "react", dev=("vite",))},
        "apps/web/package.json": {"name": "web"},
        "apps/web/vite.config.ts": "",
        "apps/web/index.html": SOURCE_PAGE,
        "apps/web/src/App.vue": "",
    }
    project = project_of(tmp_path, files)
    assert (project.kind, project.flavour, project.script, project.command) == (
        "vite",
        "vue",
        "",
        "vite build",
    )
    assert "the workspace's devDependencies name vite" in project.reason


NX = {"package.json": package("nx run-many -t build", "react", dev=("nx", "vite")), "nx.json": "{}"}


def test_an_app_of_nx_needs_no_package_json(tmp_path: Path) -> None:
    files = {
        **NX,
        "apps/shop/project.json": {"name": "shop", "projectType": "application"},
        "apps/shop/vite.config.mts": "export default { build: { outDir: '../../dist/apps/shop' } }",
        "apps/shop/index.html": SOURCE_PAGE,
        "apps/shop/src/main.tsx": "",
        "apps/api/project.json": {"targets": {"build": {"executor": "@nx/js:tsc"}}},
        "libs/ui/project.json": {"projectType": "library"},
        "libs/ui/vite.config.ts": "",
    }
    for target in (write_project(tmp_path, files), tmp_path / "apps/shop"):
        project = find_project(target)
        assert project is not None
        assert (project.kind, project.flavour, project.command) == ("vite", "react", "vite build")
        assert (project.root, project.workspace) == (tmp_path / "apps/shop", tmp_path)
        assert project.outputs == ("../../dist/apps/shop",)
        assert [one.name for one in project.candidates] == ["shop"]


def test_an_app_that_nx_builds_by_an_executor(tmp_path: Path) -> None:
    build = {"executor": "@nx/webpack:webpack", "options": {"outputPath": "dist/apps/shop"}}
    files = {
        **NX,
        "apps/shop/project.json": {"targets": {"build": build}},
        "apps/shop/src/index.html": "<div>",
    }
    project = project_of(tmp_path, files)
    assert (project.kind, project.command, project.outputs[0]) == (
        "webpack",
        "nx build shop",
        "../../dist/apps/shop",
    )
    assert "@nx/webpack:webpack builds it by `nx build shop`" in project.reason


@pytest.mark.parametrize(
    ("aside", "word"),
    [
        (app_in("apps/docs", "docs"), "docs is named like documentation"),
        (app_in("apps/storybook", "storybook"), "storybook is named like"),
        (app_in("packages/playground"), "playground is named like"),
        (app_in("examples/basic"), "basic is named like"),
        (app_in("apps/more/web"), "it lies less deep than web"),
        (app_in("tools/admin"), "it lies in apps, admin lies elsewhere"),
        (app_in("apps/admin", "admin"), "it is named as the app usually is, admin has a name of its own"),
        (app_in("apps/e2e", "@acme/e2e"), "e2e is named like"),
        (app_in("apps/web-docs"), "web-docs is named like"),
        (
            {"apps/api/package.json": package("", dev=("vite",)), "apps/api/index.html": SOURCE_PAGE},
            "it has a build script, api has no build script",
        ),
    ],
)
def test_the_likeliest_app_is_taken_and_the_others_listed(tmp_path: Path, aside: Files, word: str) -> None:
    project = project_of(tmp_path, {"package.json": {"workspaces": ["**"]}, **aside, **WEB})
    assert project.root == tmp_path / "apps/web"
    assert len(project.candidates) == 2
    assert word in project.reason
    assert "of 2 apps the likeliest" in project.reason
    assert project.candidates[1].root.relative_to(tmp_path).as_posix() in project.reason


def test_a_build_that_is_there_decides_between_equals(tmp_path: Path) -> None:
    files = {
        "package.json": {"workspaces": ["apps/*"]},
        **app_in("apps/a"),
        **app_in("apps/b"),
        "apps/b/dist/index.html": "",
    }
    project = project_of(tmp_path, files)
    assert project.root == tmp_path / "apps/b"
    assert "is built already" in project.reason


EQUALS = {
    "package.json": {"workspaces": ["apps/*"]},
    **app_in("apps/admin", "@acme/admin"),
    **app_in("apps/shop", "@acme/shop"),
}


def test_equals_are_left_to_the_user(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        project_of(tmp_path, EQUALS)
    assert str(caught.value) == (
        f"{tmp_path} holds 2 apps and nothing tells which is meant: choose one with --app "
        "(@acme/admin in apps/admin, @acme/shop in apps/shop)."
    )


@pytest.mark.parametrize("app", ["@acme/shop", "shop", "apps/shop", "./apps/shop/"])
def test_an_app_is_chosen_by_name_or_path(tmp_path: Path, app: str) -> None:
    project = project_of(tmp_path, EQUALS, app=app)
    assert project.root == tmp_path / "apps/shop"
    assert f"chosen by --app {app}" in project.reason
    assert [one.name for one in project.candidates] == ["@acme/shop", "@acme/admin"]
    assert project.name == "@acme/shop"


def test_an_unknown_app_is_refused_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match=r"no app shap in .*: choose one of @acme/admin in apps/admin, @acme/shop"
    ):
        project_of(tmp_path, EQUALS, app="shap")
    with pytest.raises(UsageError, match="so leave --app out"):
        find_project(write_project(tmp_path / "site", {"index.html": "<p>"}), app="shop")


def test_an_app_of_a_name_that_two_have_needs_its_path(tmp_path: Path) -> None:
    files = {"package.json": {"workspaces": ["*/*"]}, **app_in("eu/shop"), **app_in("us/shop")}
    with pytest.raises(UsageError, match=r"--app shop is the name of 2 apps: give a path"):
        project_of(tmp_path, files, app="shop")
    assert project_of(tmp_path, files, app="us/shop").root == tmp_path / "us/shop"


@pytest.mark.parametrize(
    ("files", "place"),
    [
        (app_in("frontend"), "frontend"),
        ({**app_in("frontend"), "backend/pyproject.toml": ""}, "frontend"),
        ({**app_in("client"), "server/package.json": package("", "express")}, "client"),
        (app_in("code/web/ui"), "code/web/ui"),
        ({"package.json": package("cd client && npm run build"), **app_in("client")}, "client"),
        ({"package.json": package("npm --prefix client run build"), **app_in("client")}, "client"),
        ({"repo/package.json": {"workspaces": ["apps/*"]}, **app_in("repo/apps/web")}, "repo/apps/web"),
        ({**app_in("node_modules/x"), **app_in(".cache/x"), **app_in("app")}, "app"),
    ],
)
def test_a_project_in_a_plain_folder_is_found(tmp_path: Path, files: Files, place: str) -> None:
    project = project_of(tmp_path, files)
    assert project.root == tmp_path / place
    assert f"{place} is the only app of {tmp_path.name}" in project.reason
    assert project.workspace == (tmp_path / "repo" if place.startswith("repo/") else tmp_path / place)


def test_a_page_of_the_folder_itself_goes_before_projects_in_it(tmp_path: Path) -> None:
    assert find_project(write_project(tmp_path, {"index.html": "<p>", **app_in("tools")})) is None


def test_the_package_json_itself_may_be_named(tmp_path: Path) -> None:
    write_project(tmp_path, app_in("."))
    project = find_project(tmp_path / "package.json")
    assert project is not None
    assert project.root == tmp_path


def test_a_page_that_only_a_build_makes_run_stands_for_its_project(tmp_path: Path) -> None:
    write_project(tmp_path, {**app_in("."), "plain.html": "<p>", "other/a.html": SOURCE_PAGE})
    project = find_project(tmp_path / "index.html")
    assert project is not None
    assert project.root == tmp_path
    assert find_project(tmp_path / "plain.html") is None
    assert find_project(tmp_path / "other/a.html") is None


@pytest.mark.parametrize("target", ["", "https://example.com", "localhost:5173", "/no/such/folder"])
def test_what_is_no_folder_is_left_to_detect(target: str) -> None:
    assert find_project(target) is None


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + json.dumps(vite("react")),
        '{ // an app\n"scripts": {"build": "vite build",}, /* all */ "dependencies": {"react": "1", "vite": "https://a//b"},}',
        json.dumps(vite("react")).encode("utf-16"),
    ],
    ids=["byte order mark", "comments and commas", "utf-16"],
)
def test_a_package_json_is_read_leniently(tmp_path: Path, text: str | bytes) -> None:
    project = project_of(tmp_path, {"package.json": text, "index.html": SOURCE_PAGE})
    assert (project.kind, project.flavour, project.script) == ("vite", "react", "build")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"scripts": {', r"package\.json is no JSON \(.*line 1 column 1[34].*\): mend it"),
        ("[]", "holds no object"),
        ("", "is empty: write"),
    ],
)
def test_a_broken_package_json_is_said_in_a_sentence(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(AppError, match=words):
        project_of(tmp_path, {"package.json": text, "src/main.tsx": ""})
    page = write_project(tmp_path / "site", {"package.json": text, "index.html": "<p>"})
    assert find_project(page) is None, "a page that runs needs no package.json"


def test_a_broken_member_is_noted(tmp_path: Path) -> None:
    files = {"package.json": {"workspaces": ["apps/*"]}, **WEB, "apps/old/package.json": "{"}
    project = project_of(tmp_path, files)
    assert project.root == tmp_path / "apps/web"
    assert [note for note in project.notes if "apps/old/package.json is no JSON" in note]


@pytest.mark.parametrize(
    "odd", [{"scripts": []}, {"scripts": {"build": 1}}, {"dependencies": "x"}, {"workspaces": "apps"}]
)
def test_odd_fields_are_as_good_as_none(tmp_path: Path, odd: dict[str, Any]) -> None:
    assert find_project(write_project(tmp_path, {"package.json": odd, "src/a.ts": ""})) is None


# Builds that are there already.

OLD, BUILT, NEW = 1_000_000_000, 1_100_000_000, 1_200_000_000
APP = {
    "package.json": vite("react"),
    "index.html": SOURCE_PAGE,
    "src/main.tsx": "",
    "dist/index.html": "",
    "dist/a.js": "",
}


def dated(folder: Path, files: Files, **times: int) -> Project:
    """A project whose sources are old and whose dist is newer, but for the files with times of their own."""
    write_project(folder, files)
    for file in folder.rglob("*"):
        os.utime(file, (OLD, BUILT if "dist" in file.parts and file.name != "index.html" else OLD))
    for name, time in times.items():
        os.utime(folder / name, (time, time))
    found = find_project(folder)
    assert found is not None
    return found


def test_a_build_that_is_newer_than_its_sources_is_fresh(tmp_path: Path) -> None:
    project = dated(tmp_path, APP)
    assert (project.built, project.fresh) == (tmp_path / "dist", True)
    assert project.fresh_reason == (
        "dist is newer than every source file; it has no source maps, so coverage may be that of the built scripts"
    )
    assert "maps" not in dated(tmp_path, {**APP, "dist/a.js.map": "{}"}).fresh_reason


@pytest.mark.parametrize(
    "newer", ["src/main.tsx", "index.html", "package.json", ".env", "public/logo.svg", "src/a.md"]
)
def test_a_source_that_is_newer_makes_it_stale(tmp_path: Path, newer: str) -> None:
    project = dated(tmp_path, {**APP, newer: APP.get(newer, "")}, **{newer: NEW})
    assert (project.built, project.fresh) == (tmp_path / "dist", False)
    assert f"dist is older than {newer}" in project.fresh_reason


@pytest.mark.parametrize(
    "newer",
    [
        "README.md",
        "src/main.test.tsx",
        "tests/a.ts",
        ".git/index",
        "node_modules/a/index.js",
        "coverage/lcov.info",
    ],
)
def test_what_no_build_reads_leaves_it_fresh(tmp_path: Path, newer: str) -> None:
    assert dated(tmp_path, {**APP, newer: ""}, **{newer: NEW}).fresh


def test_a_library_of_the_workspace_that_the_app_needs_makes_it_stale(tmp_path: Path) -> None:
    files = {
        "package.json": {"workspaces": ["apps/*", "packages/*"]},
        **app_in("apps/web", dependencies={"@acme/ui": "*"}),
        "apps/web/dist/index.html": "",
        "apps/web/dist/a.js": "",
        **{f"packages/{name}/package.json": {"name": f"@acme/{name}", "dependencies": needs} for name, needs in
           (("ui", {"@acme/core": "*"}), ("core", {}), ("other", {}))},
        **{f"packages/{name}/index.ts": "" for name in ("ui", "core", "other")},
    }  # fmt: skip
    assert dated(tmp_path, files, **{"packages/other/index.ts": NEW}).fresh
    stale = dated(tmp_path, files, **{"packages/core/index.ts": NEW})
    assert not stale.fresh
    assert "../../packages/core/index.ts" in stale.fresh_reason
    assert stale.members == (tmp_path / "packages/ui", tmp_path / "packages/core")


@pytest.mark.parametrize(
    ("files", "built"),
    [
        ({"package.json": package("next build", "next"), "app/page.tsx": "", ".next/BUILD_ID": "x"}, ".next"),
        ({"package.json": package("next build", "next"), "app/page.tsx": "", ".next/dev/x": ""}, ""),
        ({"package.json": vite(), "index.html": SOURCE_PAGE, "dist/assets/a.js": ""}, ""),
        (
            {
                "package.json": package("nuxt build", "nuxt"),
                ".output/public/index.html": "",
                ".output/server/index.mjs": "",
            },
            ".output/public",
        ),
        ({"package.json": package("nuxt build", "nuxt"), ".output/public/index.html": ""}, ""),
        (
            {"package.json": vite(), "index.html": SOURCE_PAGE, "dist/page/x.html": ""},
            "dist",
        ),
        (
            {
                "package.json": package("webpack", dev=("html-webpack-plugin",)),
                "public/index.html": "<%= title %>",
            },
            "",
        ),
        (
            {
                "package.json": package("esbuild a.ts --outfile=js/a.js"),
                "index.html": '<script src="js/a.js">',
                "js/a.js": "",
            },
            ".",
        ),
        (
            {
                "package.json": package("esbuild a.ts --outfile=js/a.js"),
                "index.html": '<script src="js/a.js">',
            },
            "",
        ),
    ],
)
def test_only_a_finished_build_counts(tmp_path: Path, files: Files, built: str) -> None:
    project = project_of(tmp_path, files)
    assert project.built == (tmp_path / built if built else None)
    if not built:
        assert project.fresh_reason.startswith("no build is there")


def test_whether_to_build(tmp_path: Path) -> None:
    fresh = dated(tmp_path / "fresh", {**APP, "dist/a.js.map": "{}"})
    bare = dated(tmp_path / "bare", APP)
    inline = dated(
        tmp_path / "inline", {**APP, "dist/a.js": "//# sourceMappingURL=data:application/json;base64,e30="}
    )
    assert (decide(bare).use, decide(inline).use) == ("build", "built")
    assert "has no source maps that lead back to them" in decide(bare).reason
    assert decide(bare, "never").use == "built"
    stale = dated(tmp_path / "stale", APP, **{"src/main.tsx": NEW})
    none = project_of(tmp_path / "none", app_in("."))
    asked = {(name, mode): decide(project, mode) for name, project in (("fresh", fresh), ("stale", stale), ("none", none))
             for mode in ("always", "auto", "never") if (name, mode) != ("none", "never")}  # fmt: skip
    assert {key: decision.use for key, decision in asked.items()} == {
        ("fresh", "always"): "build",
        ("fresh", "auto"): "built",
        ("fresh", "never"): "built",
        ("stale", "always"): "build",
        ("stale", "auto"): "build",
        ("stale", "never"): "built",
        ("none", "always"): "build",
        ("none", "auto"): "build",
    }
    assert all((decision.folder is None) == (decision.use == "build") for decision in asked.values())
    assert "older than src/main.tsx" in asked["stale", "auto"].reason
    assert "older than src/main.tsx" in asked["stale", "never"].reason
    with pytest.raises(
        AppError, match=r"is not built \(no build is there \(dist\)\): build it, or leave out --build never"
    ):
        decide(none, "never")
    with pytest.raises(UsageError, match="no build mode often: choose one of always, auto, never"):
        decide(none, "often")  # type: ignore[arg-type]


def test_the_build_of_a_server_is_not_run_in_the_users_folder(tmp_path: Path) -> None:
    files = {"package.json": package("next build", "next"), "app/page.tsx": "", ".next/BUILD_ID": "x"}
    project = project_of(tmp_path, files)
    assert project.fresh
    assert decide(project).use == "build"
    assert "`next start`) runs in a work copy" in decide(project).reason
    with pytest.raises(AppError, match="start `next start` yourself and name its address"):
        decide(project, "never")


@pytest.mark.parametrize(
    ("modules", "installed"),
    [
        ((), False),
        (("apps/web/node_modules/react", "apps/web/node_modules/vite"), True),
        (("node_modules/react", "apps/web/node_modules/vite"), True),
        (("node_modules/react",), False),
    ],
)
def test_installed_means_every_package_is_there(
    tmp_path: Path, modules: tuple[str, ...], installed: bool
) -> None:
    there: Files = {f"{folder}/package.json": {} for folder in modules}
    assert (
        project_of(tmp_path, {"package.json": {"workspaces": ["apps/*"]}, **WEB, **there}).installed
        is installed
    )
