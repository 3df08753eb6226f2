"""Whether a version of Node lies in the range that a package's `engines` asks for (npm's semver ranges)."""

from __future__ import annotations

import re
from collections.abc import Iterator

Version = tuple[int, int, int]
_COMPARATOR = re.compile(
    r"(>=|<=|>|<|=|\^|~>?)?\s*v?(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?(?:[-+][\w.-]+)?"
)
_ANY = ("x", "X", "*", None)
_MOST = 1 << 30


def parse_version(text: str) -> Version:
    """`v22.12.0` as numbers; zeros for what is missing."""
    found = [int(number) for number in re.findall(r"\d+", text)[:3]]
    return (*found, 0, 0, 0)[:3]  # type: ignore[return-value]


def satisfies(version: Version, wanted: str) -> bool:
    """`wanted` such as `^20.19.0 || >=22.12.0`; an empty or unreadable range admits every version."""
    choices = [list(_bounds(choice)) for choice in wanted.split("||")]
    if not any(choices):
        return True
    return any(all(low <= version < high for low, high in bounds) for bounds in choices)


def _bounds(choice: str) -> Iterator[tuple[Version, Version]]:
    """Half-open intervals that all must hold."""
    hyphen = re.fullmatch(r"\s*(\S+)\s+-\s+(\S+)\s*", choice)
    if hyphen:
        choice = f">={hyphen[1]} <={hyphen[2]}"
    for sign, *parts in _COMPARATOR.findall(choice):
        numbers = [None if part in _ANY or not part else int(part) for part in parts]
        yield _interval(sign, *numbers)


def _interval(sign: str, major: int | None, minor: int | None, patch: int | None) -> tuple[Version, Version]:
    least: Version = (0, 0, 0)
    most: Version = (_MOST, 0, 0)
    if major is None:
        return least, most
    low: Version = (major, minor or 0, patch or 0)
    if minor is None:
        after: Version = (major + 1, 0, 0)
    elif patch is None:
        after = (major, minor + 1, 0)
    else:
        after = (major, minor, patch + 1)
    if sign == ">=":
        return low, most
    if sign == ">":
        return after, most
    if sign == "<":
        return least, low
    if sign == "<=":
        return least, after
    if sign == "^":
        return low, (major + 1, 0, 0) if major else (0, (minor or 0) + 1, 0)
    if sign.startswith("~"):
        return low, (major, minor + 1, 0) if minor is not None else (major + 1, 0, 0)
    return low, after
