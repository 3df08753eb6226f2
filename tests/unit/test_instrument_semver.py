"""Ranges as npm reads them."""

from __future__ import annotations

import pytest

from instrument.semver import best, exact_version, is_range, satisfies


@pytest.mark.parametrize(
    ("version", "wanted", "within"),
    [
        ("18.3.1", "18", True),
        ("18.3.1", "^18.2.0", True),
        ("19.0.0", "^18.2.0", False),
        ("0.23.2", "^0.23.0", True),
        ("0.24.0", "^0.23.0", False),
        ("0.0.4", "^0.0.3", False),
        ("1.2.9", "~1.2.3", True),
        ("1.3.0", "~1.2", False),
        ("1.9.0", "~1", True),
        ("1.2.3", "1.x", True),
        ("1.2.3", "1.2.*", True),
        ("1.2.3", "*", True),
        ("1.2.3", "", True),
        ("2.0.0", "1 - 2", True),
        ("3.0.0", "1 - 2", False),
        ("1.2.3", ">=1 <2", True),
        ("1.2.3", ">= 1.2.0", True),
        ("1.2.3", ">1.2.3", False),
        ("1.3.0", ">1.2", True),
        ("2.0.0", "<2", False),
        ("2.0.1", "<=2", True),
        ("19.1.0", "^18 || ^19", True),
        ("1.2.4", "1.2.3", False),
        ("1.2.3", "v1.2.3", True),
        ("1.0.0-beta", "*", False),
        ("1.0.0-beta.2", "^1.0.0-beta.1", True),
        ("1.0.1-beta", "^1.0.0-beta.1", False),
        ("2.0.0-alpha", "^1.0.0", False),
        ("1.0.0-alpha.10", ">1.0.0-alpha.9", True),
        ("1.0.0", "latest", False),
    ],
)
def test_ranges(version: str, wanted: str, within: bool) -> None:
    assert satisfies(version, wanted) is within


def test_the_best_is_the_highest_by_number() -> None:
    assert best(["1.9.0", "1.10.0", "2.0.0"], "1") == "1.10.0"
    assert best(["1.0.0", "folder", "2.0.0-rc.1"], "*") == "1.0.0"
    assert best(["1.0.0"], "2") == ""


def test_a_release_comes_after_its_previews() -> None:
    assert best(["1.0.0-rc.1", "1.0.0"], ">=1.0.0-rc.1") == "1.0.0"


@pytest.mark.parametrize(
    ("text", "exact"),
    [("1.2.3", True), ("1.2.3-beta.1+5", True), ("1.2", False), ("^1.2.3", False), ("next", False)],
)
def test_what_is_exact(text: str, exact: bool) -> None:
    assert bool(exact_version(text)) is exact


@pytest.mark.parametrize(
    ("wanted", "fits", "fits_not"),
    [
        ("^20.19.0 || >=22.12.0", ["20.20.2", "22.12.0", "26.1.0"], ["20.18.9", "21.5.0", "22.11.0"]),
        (">=18 <21", ["18.0.0", "20.99.0"], ["17.9.0", "21.0.0"]),
        ("16.0.0 - 18.2", ["16.0.0", "18.2.5"], ["18.3.0", "15.0.0"]),
    ],
)
def test_ranges_of_engines(wanted: str, fits: list[str], fits_not: list[str]) -> None:
    assert all(satisfies(version, wanted) for version in fits)
    assert not any(satisfies(version, wanted) for version in fits_not)


@pytest.mark.parametrize(("text", "range_"), [("18.x", True), ("*", True), ("", True), ("lts", False)])
def test_what_is_a_range(text: str, range_: bool) -> None:
    assert is_range(text) is range_


def test_a_leading_v_is_dropped() -> None:
    assert exact_version("v20.20.2\n") == "20.20.2"
