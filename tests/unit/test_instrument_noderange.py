"""Ranges of Node versions, as package.json files write them."""

from __future__ import annotations

import pytest

from instrument.noderange import parse_version, satisfies


@pytest.mark.parametrize(
    ("wanted", "fits", "fits_not"),
    [
        (
            "^20.19.0 || >=22.12.0",
            ["20.19.0", "20.20.2", "22.12.0", "26.1.0"],
            ["20.18.9", "21.5.0", "22.11.0"],
        ),
        (">=22.12.0", ["22.12.0", "30.0.0"], ["22.11.9"]),
        (">=18 <21", ["18.0.0", "20.99.0"], ["17.9.0", "21.0.0"]),
        ("18.x", ["18.0.0", "18.99.1"], ["19.0.0"]),
        ("20", ["20.1.0"], ["21.0.0", "19.9.9"]),
        ("~20.4", ["20.4.9"], ["20.5.0"]),
        ("16.0.0 - 18.2", ["16.0.0", "18.2.5"], ["18.3.0", "15.0.0"]),
        (">20", ["21.0.0"], ["20.9.9"]),
        ("<=20.1", ["20.1.7", "4.0.0"], ["20.2.0"]),
        ("*", ["1.0.0", "99.0.0"], []),
        ("", ["1.0.0"], []),
        ("lts", ["1.0.0"], []),
    ],
)
def test_ranges(wanted: str, fits: list[str], fits_not: list[str]) -> None:
    assert [satisfies(parse_version(version), wanted) for version in fits] == [True] * len(fits)
    assert [satisfies(parse_version(version), wanted) for version in fits_not] == [False] * len(fits_not)


def test_a_version_is_three_numbers() -> None:
    assert parse_version("v20.20.2") == (20, 20, 2)
    assert parse_version("22") == (22, 0, 0)
