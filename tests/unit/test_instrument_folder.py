"""instrument.folder: which files are the app's."""

from __future__ import annotations

from pathlib import Path

import pytest

from instrument.detect import detect
from instrument.errors import AppError
from instrument.folder import list_folder
from tests.bundling import bundle_of, write_app

APP = {"game.html": "<script src=game.js></script>", "game.js": "play();"}
CUT_OFF = ("request.json", "probes.json.gz", "report.html", "shots/1.html")
FINISHED = ("trace.jsonl", "run.json", "report.html")


def run_folder(place: str, names: tuple[str, ...]) -> dict[str, str]:
    return {f"{place}/{name}": "<script>ours()</script>" for name in names}


@pytest.mark.parametrize("names", [CUT_OFF, FINISHED])
@pytest.mark.parametrize("place", ["explorations/dist-20261130-213512", "a/first"])
def test_folders_that_explore_app_wrote_are_no_part_of_the_app(
    tmp_path: Path, place: str, names: tuple[str, ...]
) -> None:
    app = write_app(tmp_path, APP | run_folder(place, names) | run_folder(f"{place}-2", names))
    assert set(list_folder(app).files) == set(APP)
    assert detect(app).candidates == ("game.html",)
    assert {source.path for source in bundle_of(app).probes.files} == {"game.js"}


def test_a_folder_of_the_app_keeps_its_name(tmp_path: Path) -> None:
    files = {**APP, "explorations/mars.html": "<p>", "api/request.json": "{}", "data/run.json": "{}"}
    app = write_app(tmp_path, files | run_folder("explorations/run-1", FINISHED))
    assert set(list_folder(app).files) == set(files)


def test_only_reports_are_no_app(tmp_path: Path) -> None:
    with pytest.raises(AppError, match="has no html page"):
        detect(write_app(tmp_path, run_folder("explorations/run-1", FINISHED)))


def test_a_run_folder_that_is_named_itself_is_listed(tmp_path: Path) -> None:
    app = write_app(tmp_path, run_folder("run-1", FINISHED)) / "run-1"
    assert set(list_folder(app).files) == set(FINISHED)
