"""The cache tells what it takes, part by part, and frees what no run is using."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.cacheparts import parts
from explorer.cli import main
from explorer.wording import size
from instrument.foldersize import bytes_in
from instrument.workcopy import work_copy


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with something in each of its parts."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for name, megabytes in (("builds/downloads/npm", 2), ("packages/files/lib/1.0.0", 3), ("scripts/ab", 4)):
        folder = tmp_path / "explore-app" / name
        folder.mkdir(parents=True)
        (folder / "file").write_bytes(bytes(megabytes << 20))
    return tmp_path / "explore-app"


def test_it_tells_where_it_is_and_what_each_part_takes(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["cache"])
    lines = capsys.readouterr().out.splitlines()

    assert lines[0] == f"{cache}: 9 MB"
    assert [line.split()[:3] for line in lines[1:4]] == [
        ["builds", "2", "MB"],
        ["packages", "3", "MB"],
        ["scripts", "4", "MB"],
    ]


def test_a_part_is_freed_alone(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["cache", "--clear", "packages"])

    assert capsys.readouterr().out == "packages: 3 MB freed.\n"
    assert [part.bytes() >> 20 for part in parts()] == [2, 0, 4]


def test_all_is_freed(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["cache", "--clear"])

    assert capsys.readouterr().out == "builds: 2 MB freed.\npackages: 3 MB freed.\nscripts: 4 MB freed.\n"
    assert bytes_in(cache) == 0
    main(["cache", "--clear"])
    assert "builds: nothing freed." in capsys.readouterr().out


def test_a_copy_that_a_run_uses_stays(
    cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "package.json").write_text("{}")
    with work_copy(project, root=project, installed=True) as copy:
        main(["cache", "--clear", "builds"])
        assert "1 folder stayed, in use by a run" in capsys.readouterr().out
        assert (copy.workspace / "package.json").is_file()
        assert (cache / "builds/downloads/npm/file").is_file(), "it may be installing from there"
    main(["cache", "--clear", "builds"])
    assert not copy.place.exists()


def test_files_of_several_names_count_once(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(bytes(1000))
    (tmp_path / "two").hardlink_to(tmp_path / "one")
    (tmp_path / "link").symlink_to("/usr")

    assert 1000 <= bytes_in(tmp_path) < 1100
    assert bytes_in(tmp_path / "nowhere") == 0


@pytest.mark.parametrize(
    ("number", "said"),
    [(0, "nothing"), (10, "under 1 MB"), (5 << 20, "5 MB"), (1_500 << 20, "1.5 GB"), (3 << 30, "3.0 GB")],
)
def test_bytes_in_words(number: int, said: str) -> None:
    assert size(number) == said
