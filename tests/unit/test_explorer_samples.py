"""Sample files: real ones, always the same bytes, chosen by what an input accepts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from explorer.actions import SAMPLES
from explorer.samples import fitting, samples, write_samples


def test_testers_name_samples_that_exist() -> None:
    assert set(SAMPLES) <= set(samples())


def test_contents_are_what_the_names_say(tmp_path: Path) -> None:
    paths = {path.name: path for path in write_samples(tmp_path / "new", list(samples()))}
    assert json.loads(paths["valid.json"].read_text())["items"]
    with pytest.raises(json.JSONDecodeError):
        json.loads(paths["broken.json"].read_text())
    assert paths["picture.png"].read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert paths["page.pdf"].read_bytes().startswith(b"%PDF-")
    assert samples() == samples()


@pytest.mark.parametrize(
    ("accept", "names"),
    [
        (".json", ["valid.json", "broken.json", "valid.json"]),
        ("image/*", ["picture.png", "drawing.svg", "picture.png"]),
        ("text/csv, .txt", ["table.csv", "text.txt", "table.csv"]),
        (".xyz", ["valid.json", "broken.json", "table.csv"]),
        ("", ["valid.json", "broken.json", "table.csv"]),
    ],
)
def test_choosers_get_what_they_accept(accept: str, names: list[str]) -> None:
    assert [fitting(accept, nth=n) for n in range(3)] == names
