"""Paths that Windows would read as something else."""

from __future__ import annotations

import pytest

from explorer.site import windows_hazard


@pytest.mark.parametrize(
    "place",
    ["con", "NUL.txt", "a/COM1", "aux.js", "C:/x", "app.js::$DATA", "app.js.", "app.js ", "lpt¹", "a\\prn"],
)
def test_device_names_streams_and_trimmed_names_are_hazards(place: str) -> None:
    assert windows_hazard(place)


@pytest.mark.parametrize("place", ["console.js", "a/icon.png", "com10.js", "nullable.html", ".well-known/x"])
def test_ordinary_names_are_none(place: str) -> None:
    assert not windows_hazard(place)
