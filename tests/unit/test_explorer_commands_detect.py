"""explorer.commands_detect: `explore-app detect` says the verdict, all evidence with its file, and what would be run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from explorer.cli import main
from tests.bundling import write_app
from tests.projects import SOURCE_PAGE, app_in, package, vite, write_project


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of `explore-app detect`."""
    try:
        main(["detect", *arguments])
        code = 0
    except SystemExit as done:
        code = int(done.code or 0)
    out, err = capsys.readouterr()
    return code, out, err


WORKSPACE = {
    "package.json": {"workspaces": ["apps/*"], "packageManager": "pnpm@9.1.0"},
    "pnpm-lock.yaml": "",
    **app_in("apps/web", "web", engines={"node": ">=20"}),
    **app_in("apps/docs", "docs"),
    "apps/web/vite.config.ts": "import react from '@vitejs/plugin-react'",
}


def test_a_project_with_all_that_is_known(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, str(write_project(tmp_path, WORKSPACE)))
    assert code == 0
    for line in (
        f"{tmp_path}/apps/web: sources of an app, vite with react",
        "apps/web/package.json: the script `build` runs `vite build`",
        "apps/web/vite.config.ts: vite.config.ts names @vitejs/plugin-react, so it is react",
        "package.json: package.json makes apps/web a member of the workspace",
        f"Package manager: pnpm 9.1.0: the packageManager field of {tmp_path.name}/package.json says pnpm@9.1.0",
        "* web: vite in",
        "docs: vite in",
        "build?    yes: no build is there (dist)",
        f"install   pnpm install --frozen-lockfile in {tmp_path}",
        "build     pnpm run build (vite build)",
        "result    dist, static files",
        "counters  in the sources, before the build",
        "node      >=20",
    ):
        assert line in out


def test_a_project_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, str(write_project(tmp_path, WORKSPACE)), "--app", "docs", "--json")
    row = json.loads(out)
    assert code == 0
    assert (row["verdict"], row["kind"], row["name"]) == ("project", "vite", "docs")
    assert row["run"]["install"] == ["pnpm", "install", "--frozen-lockfile"]
    assert row["run"]["build"] == ["pnpm", "run", "build"]
    assert row["manager"]["lockfile"] == str(tmp_path / "pnpm-lock.yaml")
    assert [one["name"] for one in row["candidates"]] == ["docs", "web"]
    assert all(set(one) == {"kind", "by", "words", "file"} for one in row["evidence"])
    assert row["decision"]["use"] == "build"


def test_a_build_that_would_be_taken_and_a_server(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {"package.json": package("next build", "next"), "app/page.tsx": "", ".next/BUILD_ID": "x",
             "node_modules/next/package.json": {}}  # fmt: skip
    _, out, _ = said(capsys, str(write_project(tmp_path, files)))
    assert "build?    yes: its server (`next start`) runs in a work copy, which is built anew" in out
    assert "install   nothing, the packages are there" in out
    assert "result    .next, served by `next start`" in out
    built = {"package.json": vite(), "index.html": SOURCE_PAGE, "dist/index.html": ""}
    _, out, _ = said(capsys, str(write_project(tmp_path / "vite", built)))
    assert "build?    yes: dist is newer than every source file, but has no source maps" in out
    _, out, _ = said(capsys, str(write_project(tmp_path / "vite", {"dist/a.js.map": "{}"})))
    assert "build?    no: dist is newer than every source file" in out


def test_without_a_script_the_tool_itself_would_be_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"package.json": package("", dev=("vite",)), "index.html": SOURCE_PAGE}
    _, out, _ = said(capsys, str(write_project(tmp_path, files)))
    assert "build     vite build, for no script builds it" in out


def test_a_result_and_plain_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = '<script type="module" crossorigin src="/assets/index-D64VDMd1.js"></script>'
    built = write_app(tmp_path / "dist", {"index.html": page, "b.html": ""})
    code, out, _ = said(capsys, str(built))
    assert code == 0
    assert f"{built}: the result of vite, nothing to build" in out
    assert "index.html: the page loads <name>-<hash>.js as a module with crossorigin" in out
    assert "Pages (2; --entry chooses)" in out
    assert json.loads(said(capsys, str(built), "--json")[1])["verdict"] == "built"
    plain = write_app(tmp_path / "plain", {"index.html": "<p>"})
    assert "plain files, nothing to build" in said(capsys, str(plain))[1]
    assert json.loads(said(capsys, str(plain), "--json")[1])["verdict"] == "static"


@pytest.mark.parametrize("address", ["http://localhost:5173/app", "localhost:5173"])
def test_an_address_is_a_running_server(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, address)
    assert code == 0
    assert "a running server, nothing to build" in out
    assert json.loads(said(capsys, address, "--json")[1])["verdict"] == "server"


def test_wrong_use_is_2_and_nothing_to_explore_is_3(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_project(tmp_path, {**WORKSPACE, "empty/readme.txt": "", "broken/package.json": "{", "two/package.json":
                             {"workspaces": ["*"]}, **app_in("two/a"), **app_in("two/b")})  # fmt: skip
    cases = {
        (str(tmp_path), "--app", "shop"): (2, "There is no app shop"),
        (str(tmp_path / "two"),): (2, "choose one with --app (a in a, b in b)"),
        (str(tmp_path / "gone"),): (2, "does not exist"),
        (str(tmp_path / "empty"),): (3, "has no html page"),
        (str(tmp_path / "broken"),): (3, "is no JSON"),
    }
    for arguments, (code, words) in cases.items():
        got, out, err = said(capsys, *arguments)
        assert (got, out) == (code, "")
        assert words in err
        assert len(err.splitlines()) == 1


def test_nothing_is_run_or_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trap = {**vite(), "scripts": {"build": "vite build", "prepare": "touch ran"}}
    write_project(
        tmp_path, {"package.json": trap, "index.html": SOURCE_PAGE, "vite.config.js": "throw new Error()"}
    )
    before = sorted(tmp_path.rglob("*"))
    assert said(capsys, str(tmp_path))[0] == 0
    assert sorted(tmp_path.rglob("*")) == before
