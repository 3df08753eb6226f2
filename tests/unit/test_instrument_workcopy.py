"""Work copies: like the project, apart from it, and cheap the second time."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest

from instrument import workcopy
from instrument.environment import build_environment
from instrument.runner import run_command
from instrument.workcopy import WorkCopy, replace_text, work_copy
from tests.folders import digest


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    for path, text in {
        "package.json": '{"name": "shop"}',
        "src/main.js": "console.log(1);\n",
        ".env": "VITE_TITLE=Shop\n",
        ".git/HEAD": "ref",
        "dist/index.html": "<p>old</p>",
        "explorations/one/trace.jsonl": "{}",
        "explorations/one/run.json": "{}",
        "node_modules/lib/index.js": "module.exports = 1;\n",
        "node_modules/.vite/deps/lib.js": "old",
        "packages/ui/index.js": "export {};\n",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (root / "node_modules/@shop").mkdir()
    (root / "node_modules/@shop/ui").symlink_to("../../packages/ui")
    (root / "run.sh").write_text("#!/bin/sh\n")
    (root / "run.sh").chmod(0o555)
    return root


def copy_of(project: Path, cache: Path, *, installed: bool = True) -> WorkCopy:
    with work_copy(project, root=project, outputs=("dist",), installed=installed, folder=cache) as copy:
        return copy


def names(folder: Path) -> set[str]:
    return {
        str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()
    }


def test_results_histories_and_runs_are_left_out(project: Path, tmp_path: Path) -> None:
    copy = copy_of(project, tmp_path / "cache")
    assert names(copy.workspace) == {
        "package.json",
        "src/main.js",
        ".env",
        "run.sh",
        "node_modules/lib/index.js",
        "node_modules/@shop/ui",
        "packages/ui/index.js",
    }
    assert copy.of(project / "src") == copy.workspace / "src"
    assert copy.home.is_dir()


def test_links_of_a_workspace_stay_links_within_the_copy(project: Path, tmp_path: Path) -> None:
    (project / "absolute").symlink_to(project / "src")
    copy = copy_of(project, tmp_path / "cache")
    assert (copy.workspace / "node_modules/@shop/ui").readlink() == Path("../../packages/ui")
    assert (copy.workspace / "absolute").readlink() == Path("src")
    assert (copy.workspace / "node_modules/@shop/ui/index.js").is_file()


def test_links_that_lead_out_are_not_followed(project: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x")
    (project / "src/secret").symlink_to(secret)
    (project / "src/up").symlink_to("../../secret")
    copy = copy_of(project, tmp_path / "cache")
    assert not {"src/secret", "src/up"} & names(copy.workspace)
    assert copy.skipped == tuple(
        f"src/{name} is a link that leads out of the project" for name in ("secret", "up")
    )


def test_a_build_that_writes_everywhere_leaves_the_folder_as_it_was(project: Path, tmp_path: Path) -> None:
    before = digest(project)
    script = (
        "for file in node_modules/lib/index.js node_modules/@shop/ui/index.js src/main.js run.sh .env; do"
        " chmod u+w $file; echo changed >> $file; done; rm package.json; mkdir -p dist; echo x > dist/index.html"
    )
    with work_copy(project, root=project, installed=True, folder=tmp_path / "cache") as copy:
        env = build_environment(home=copy.home)
        done = asyncio.run(run_command(script, cwd=copy.workspace, env=env, log=copy.place / "build.log"))
        assert done.ok
        assert "changed" in (copy.workspace / "node_modules/lib/index.js").read_text()
    assert digest(project) == before


def test_the_second_copy_brings_back_what_a_build_changed(project: Path, tmp_path: Path) -> None:
    first = copy_of(project, tmp_path / "cache")
    (first.workspace / "node_modules/lib/index.js").write_text("spoilt")
    (first.workspace / "src/extra.js").write_text("extra")
    (first.workspace / "src/main.js").unlink()
    untouched = (first.workspace / "packages/ui/index.js").stat().st_ino
    (project / "src/main.js").write_text("console.log(2);\n")
    second = copy_of(project, tmp_path / "cache")
    assert second.workspace == first.workspace
    assert second.fingerprint != first.fingerprint
    assert copy_of(project, tmp_path / "cache").fingerprint == second.fingerprint
    assert (second.workspace / "node_modules/lib/index.js").read_text() == "module.exports = 1;\n"
    assert (second.workspace / "src/main.js").read_text() == "console.log(2);\n"
    assert not (second.workspace / "src/extra.js").exists()
    assert (second.workspace / "packages/ui/index.js").stat().st_ino == untouched


def test_what_was_installed_in_the_copy_stays_there(project: Path, tmp_path: Path) -> None:
    first = copy_of(project, tmp_path / "cache", installed=False)
    assert not (first.workspace / "node_modules").exists()
    (first.workspace / "node_modules/tool").mkdir(parents=True)
    second = copy_of(project, tmp_path / "cache", installed=False)
    assert (second.workspace / "node_modules/tool").is_dir()


def test_modules_above_the_project_are_found_from_the_copy(project: Path, tmp_path: Path) -> None:
    with work_copy(
        project / "packages/ui", root=project / "packages/ui", installed=True, folder=tmp_path / "cache"
    ) as copy:
        assert (copy.workspace.parent / "node_modules/lib/index.js").is_file()


def test_two_runs_at_once_have_copies_of_their_own(project: Path, tmp_path: Path) -> None:
    kept = tmp_path / "cache"
    with (
        work_copy(project, root=project, installed=True, folder=kept) as one,
        work_copy(project, root=project, installed=True, folder=kept) as other,
    ):
        assert one.place != other.place
    assert copy_of(project, kept).place == one.place


def test_the_copies_used_longest_ago_go_first(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "cache"
    first = copy_of(project, kept)
    (tmp_path / "other").mkdir()
    (tmp_path / "other/package.json").write_text("{}" * 50)
    second = copy_of(tmp_path / "other", kept)
    workcopy._trim(kept, limit=120)
    assert not first.place.exists()
    assert second.place.exists()


def test_what_a_build_made_counts_and_the_last_copy_stays(project: Path, tmp_path: Path) -> None:
    kept = tmp_path / "cache"
    with work_copy(project, root=project, installed=True, folder=kept) as copy:
        (copy.workspace / "made.bin").write_bytes(bytes(10_000))
    assert json.loads((copy.place / "copy.json").read_text())["bytes"] > 10_000
    workcopy._trim(kept, limit=5_000)
    assert copy.place.exists(), "the next run of the same project wants it"
    (tmp_path / "other").mkdir()
    other = copy_of(tmp_path / "other", kept)
    workcopy._trim(kept, limit=5_000)
    assert not copy.place.exists() and other.place.exists()


def test_downloads_begin_anew_where_they_outgrow_their_bound(project: Path, tmp_path: Path) -> None:
    kept = tmp_path / "cache"
    downloads = kept / "downloads"
    with work_copy(project, root=project, installed=True, folder=kept):
        downloads.mkdir()
        (downloads / "file").write_bytes(bytes(2_000))
        workcopy._trim_downloads(kept, limit=1_000)
        assert downloads.exists(), "a run may be installing"
    workcopy._trim_downloads(kept, limit=3_000)
    assert downloads.exists()
    workcopy._trim_downloads(kept, limit=1_000)
    assert not downloads.exists()


def test_a_rewritten_file_is_a_new_one(tmp_path: Path) -> None:
    (tmp_path / "one.js").write_text("1")
    os.link(tmp_path / "one.js", tmp_path / "two.js")
    replace_text(tmp_path / "one.js", "2")
    assert (tmp_path / "two.js").read_text() == "1"
    assert (tmp_path / "one.js").read_text() == "2"
