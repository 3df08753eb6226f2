"""The run folder: what refuses a run, and what a killed write leaves behind."""

from __future__ import annotations

import os
import shutil
from datetime import datetime
from pathlib import Path

import pytest

from explorer.opening import fresh_folder
from explorer.rundir import create_run_folder, disk_errors, write_bytes, write_text
from instrument.errors import UsageError

NOW = datetime(2026, 11, 30, 21, 5, 9)


def test_a_folder_is_made_with_its_parents_and_a_place_for_screenshots(tmp_path: Path) -> None:
    folder = create_run_folder(tmp_path / "a" / "b", target="./dist", now=NOW)
    assert folder == tmp_path / "a" / "b"
    assert [item.name for item in folder.iterdir()] == ["screenshots"]


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    assert create_run_folder(tmp_path, target="./dist", now=NOW) == tmp_path


def test_a_folder_with_files_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match=r"already holds thesis\.txt: name a new or an empty folder"):
        create_run_folder(tmp_path, target="./dist", now=NOW)
    assert [item.name for item in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_file_in_the_way_is_refused(tmp_path: Path) -> None:
    taken = tmp_path / "file"
    taken.write_text("")
    with pytest.raises(UsageError, match="is a file: name a folder with --out"):
        create_run_folder(taken, target="./dist", now=NOW)
    with pytest.raises(UsageError, match="a file is in the way"):
        create_run_folder(taken / "below", target="./dist", now=NOW)


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("/home/me/shop/dist", "shop"),
        ("/home/me/shop/dist/index.html", "shop"),
        ("/home/me/my app", "my-app"),
        ("https://example.com/notes?x=1#top", "notes"),
        ("https://example.com", "example.com"),
        ("/dist", "app"),
    ],
)
def test_without_out_a_fresh_folder_is_named_after_the_app_and_the_time(
    target: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first = create_run_folder(None, target=target, now=NOW)
    second = create_run_folder(None, target=target, now=NOW)
    assert first == tmp_path / "explorations" / f"{name}-20261130-210509"
    assert second.name == f"{first.name}-2"


@pytest.mark.parametrize("stands_in", [".", "src/deep"])
def test_a_served_app_that_is_explored_from_within_its_project_is_not_made_to_reload(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stands_in: str
) -> None:
    project, home = tmp_path / "project", tmp_path / "home"
    (project / "src/deep").mkdir(parents=True)
    (project / "package.json").write_text("{}")
    monkeypatch.chdir(project / stands_in)
    monkeypatch.setenv("XDG_DATA_HOME", str(home))
    told: list[str] = []

    with fresh_folder(None, target="http://localhost:1", now=NOW, say=told.append, served=True) as folder:
        (folder / "server.log").write_text("kept")
    assert folder == home / "explore-app/explorations/localhost-1-20261130-210509"
    assert told == [
        f"A dev server would see files in this project, so the run is written to {folder} (--out chooses)."
    ]
    assert sorted(path.name for path in project.iterdir()) == ["package.json", "src"]


@pytest.mark.parametrize(("served", "named"), [(False, None), (True, "mine")])
def test_all_other_runs_are_written_where_one_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, served: bool, named: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "package.json").write_text("{}")
    told: list[str] = []
    with fresh_folder(named, target="app", now=NOW, say=told.append, served=served) as folder:
        assert folder == tmp_path / (named or "explorations/app-20261130-210509")
    assert told == []


def test_outside_of_projects_runs_of_served_apps_are_written_where_one_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with fresh_folder(None, target="http://localhost:1", now=NOW, served=True) as folder:
        assert folder.parent == tmp_path / "explorations"


def test_a_full_disk_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(tmp_path)._replace(free=3 * 1024 * 1024)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    with pytest.raises(UsageError, match=r"Only 3 MB are free where .*: free some space, or choose another"):
        create_run_folder(tmp_path / "run", target="./dist", now=NOW)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (28, "no space is left on the disk; free some"),
        (13, "it is not writable; choose another place"),
        (30, "it is not writable; choose another place"),
        (36, "the name is too long"),
        (5, "choose another place with --out"),
    ],
)
def test_what_the_disk_refuses_is_said_in_words(number: int, words: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=words), disk_errors(tmp_path):
        raise OSError(number, os.strerror(number))


def test_a_write_that_breaks_off_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_text(tmp_path / "run.json", "old")

    def full(self: Path, content: bytes) -> int:
        with self.open("wb") as file:
            file.write(content[:1])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(UsageError, match="no space is left"):
        write_bytes(path, b"new and longer")
    assert path.read_text() == "old"
    assert [item.name for item in tmp_path.iterdir()] == ["run.json"]


def test_text_that_has_no_utf8_form_is_replaced_and_the_rest_kept(tmp_path: Path) -> None:
    path = write_text(tmp_path / "deep" / "a.txt", "x\ud800y \U0001f600")
    assert path.read_text(encoding="utf-8") == "x\ufffdy \U0001f600"
