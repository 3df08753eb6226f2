"""What a folder of sources leads to: a build that is there, or a project to be built; how its server is started."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import pytest

from explorer import projects
from explorer.options import Options, check
from explorer.projects import plan_project
from explorer.request import Request
from instrument import sandbox
from instrument.detect import Build
from instrument.errors import AppError, UsageError
from instrument.project import Project
from instrument.runner import Finished
from instrument.sandbox import Sandbox, find_sandbox
from tests.standins import vite_project


def planned(root: Path, options: Options | None = None) -> Project | Build | None:
    return plan_project(Request(str(root), 10, 0, options or Options()))


def finish_build(root: Path) -> Path:
    (root / "dist").mkdir()
    page, maps = root / "dist/index.html", root / "dist/app.js.map"
    page.write_text("<!doctype html><p>built</p>")
    maps.write_text("{}")
    later = (root / "src/main.js").stat().st_mtime + 10
    os.utime(page, (later, later))
    return root / "dist"


def test_sources_are_a_project_to_be_built(tmp_path: Path) -> None:
    found = planned(vite_project(tmp_path))
    assert isinstance(found, Project)
    assert (found.kind, found.way, found.installed) == ("vite", "source", True)


def test_a_fresh_build_beside_them_is_taken_and_told(tmp_path: Path) -> None:
    root = vite_project(tmp_path)
    folder = finish_build(root)
    found = planned(root)
    assert isinstance(found, Build)
    assert (found.root, found.entry, found.sources) == (folder, "index.html", root)
    assert found.reason.startswith("dist is newer than every source file")
    assert isinstance(planned(root, Options(build="always")), Project)


def test_a_fresh_build_without_source_maps_is_taken_by_never_alone(tmp_path: Path) -> None:
    root = vite_project(tmp_path)
    folder = finish_build(root)
    (folder / "app.js.map").unlink()
    assert isinstance(planned(root), Project)
    found = planned(root, Options(build="never"))
    assert isinstance(found, Build)
    assert found.root == folder


def test_without_a_build_never_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(AppError, match="is not built"):
        planned(vite_project(tmp_path), Options(build="never"))


def test_plain_files_are_no_project(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<p>plain</p>")
    assert planned(tmp_path) is None


def test_a_server_cannot_be_compared_by_v8(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = planned(vite_project(tmp_path))
    assert isinstance(found, Project)
    served = replace(found, server="next start")
    monkeypatch.setattr(projects, "find_project", lambda path, app: served)
    with pytest.raises(UsageError, match="--verify-coverage needs an app of plain files"):
        planned(found.root, Options(verify_coverage=True))


@pytest.mark.parametrize(
    ("server", "command"),
    [
        ("next start", "next start -p 4000 -H 127.0.0.1"),
        ("astro preview", "astro preview --port 4000 --host 127.0.0.1"),
        ("vite preview", "vite preview --port 4000 --strictPort --host 127.0.0.1"),
        ("node .output/server/index.mjs", "node .output/server/index.mjs"),
    ],
)
def test_servers_are_told_where_to_listen(tmp_path: Path, server: str, command: str) -> None:
    found = planned(vite_project(tmp_path))
    assert isinstance(found, Project)
    assert projects._command(replace(found, server=server), 4000) == command


@pytest.mark.parametrize(
    ("base", "path"), [("/repo/", "/repo/"), ("/repo", "/repo/"), ("./", "/"), ("", "/")]
)
def test_a_server_is_opened_below_its_base(base: str, path: str) -> None:
    assert projects._path(base) == path


def test_a_build_needs_time() -> None:
    with pytest.raises(UsageError, match="builds nothing"):
        check(Options(build_timeout=0), budget=1)


def test_a_sandbox_that_cannot_be_had_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    async def refused(_: Sandbox) -> Finished:
        return Finished(125, ("[Errno 1] unshare: Operation not permitted",), 0.1)

    monkeypatch.setattr(sandbox, "_tried", refused)
    with pytest.raises(UsageError, match=r"--sandbox cannot be had here \(.*Operation not permitted\)"):
        asyncio.run(find_sandbox())


def test_bubblewrap_gets_the_same_view(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "_hidden", lambda: [Path("/home")])
    command = Sandbox("bubblewrap").wrapped(
        ["npm", "run", "build"], place=tmp_path, cwd=tmp_path / "shop", path="/usr/bin:/home/me/.nvm/bin"
    )
    assert command[0] == "bwrap"
    assert command[-3:] == ["npm", "run", "build"]
    text = " ".join(command)
    assert "--unshare-all" in text
    assert "--ro-bind / /" in text
    assert "--tmpfs /home" in text
    assert f"--bind {tmp_path} {tmp_path} --chdir {tmp_path / 'shop'}" in text
