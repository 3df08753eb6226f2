"""The record of libraries: written, read back, and merged when a run is resumed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from explorer.libraries import (
    LIBRARIES,
    Libraries,
    Library,
    Unavailable,
    libraries_json,
    load_libraries,
    merged,
)
from explorer.notices import from_npm, not_to_be_had
from instrument.errors import UsageError

REACT = Library("react", "18.3.1", ("unpkg.com",), 1, ("18",))
MISSING = Unavailable("https://unpkg.com/x", "an empty script", "there is no npm: install Node.js")
PICTURE = Unavailable("https://host/a.png", "a transparent picture", "is of another host", needed=False)
BOTH = Libraries((REACT,), (PICTURE, MISSING))


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    (tmp_path / LIBRARIES).write_text(json.dumps(libraries_json(BOTH)))
    assert load_libraries(tmp_path) == BOTH
    assert load_libraries(tmp_path / "other") == Libraries() and not Libraries() and BOTH


@pytest.mark.parametrize("text", ["", "{}", '{"served": [{}], "unavailable": []}'])
def test_a_damaged_record_is_told(tmp_path: Path, text: str) -> None:
    (tmp_path / LIBRARIES).write_text(text)
    with pytest.raises(UsageError, match="delete it"):
        load_libraries(tmp_path)


def test_a_resumed_run_has_what_either_part_saw() -> None:
    later = Libraries(
        (Library("react", "18.3.1", ("esm.sh",), 2), Library("vue", "3.0.0", ("esm.sh",), 1)), (MISSING,)
    )
    found = merged(BOTH, later)
    assert found.served == (Library("react", "18.3.1", ("esm.sh", "unpkg.com"), 2, ("18",)), later.served[1])
    assert found.unavailable == (PICTURE, MISSING)


def test_what_a_page_needed_is_a_notice() -> None:
    assert not_to_be_had(BOTH) == (
        "https://unpkg.com/x was answered by an empty script: there is no npm: install Node.js."
    )
    assert not_to_be_had(Libraries((REACT,), (PICTURE,))) == ""


def test_packages_are_named() -> None:
    assert from_npm(BOTH) == "react@18.3.1 served from npm in place of CDNs, not measured"
    assert from_npm(Libraries()) == ""
