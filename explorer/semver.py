"""Which version a range means: node's semantic versioning, as package.json and the addresses of CDNs write it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

Version = tuple[int, int, int, tuple[tuple[int, int, str], ...]]
"""Major, minor, patch and the parts of a pre-release, comparable; a release has one part that sorts after them."""

_EXACT = re.compile(r"^[v=]*(\d+)\.(\d+)\.(\d+)(?:-([\w.-]+))?(?:\+[\w.-]+)?$")
_PARTIAL = re.compile(
    r"^([~^]|[<>]=?|=)?\s*v?([\dxX*]+)(?:\.([\dxX*]+))?(?:\.([\dxX*]+))?(?:-([\w.-]+))?(?:\+[\w.-]+)?$"
)
_RELEASED = ((2, 0, ""),)
_ENDLESS = 1 << 40


def parse_version(text: str) -> Version | None:
    """The exact version that the text is; None for a range or a tag."""
    found = _EXACT.match(text.strip())
    return (int(found[1]), int(found[2]), int(found[3]), _pre(found[4])) if found else None


def satisfies(version: str, wanted: str) -> bool:
    """Whether a version lies in a range; False for tags. A pre-release only where the range names one of the same release."""
    exact = parse_version(version)
    return exact is not None and any(_within(exact, part) for part in wanted.split("||"))


def best(versions: Iterable[str], wanted: str) -> str:
    """The highest of the versions that lies in the range, "" where none does."""
    fitting = [(parse_version(version), version) for version in versions if satisfies(version, wanted)]
    return max(fitting, default=(None, ""), key=lambda pair: pair[0] or (0, 0, 0, ()))[1]


def _pre(text: str | None) -> tuple[tuple[int, int, str], ...]:
    if not text:
        return _RELEASED
    return tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in text.split("."))


def _within(version: Version, text: str) -> bool:
    """Whether all comparators of one alternative hold."""
    text = text.strip()
    hyphen = re.match(r"^(\S+)\s+-\s+(\S+)$", text)
    if hyphen:
        text = f">={hyphen[1]} <={hyphen[2]}"
    words = re.sub(r"([~^<>=]+)\s+", r"\1", text).split() or ["*"]
    bounds = [_bounds(word) for word in words]
    if any(bound is None for bound in bounds):
        return False
    known = [bound for bound in bounds if bound is not None]
    if version[3] != _RELEASED and not any(_names_pre(version, word) for word in words):
        return False
    return all(low <= version < high for low, high in known)


def _names_pre(version: Version, word: str) -> bool:
    found = _PARTIAL.match(word)
    if not found or not found[5]:
        return False
    return (found[2], found[3], found[4]) == tuple(str(part) for part in version[:3])


def _bounds(word: str) -> tuple[Version, Version] | None:
    """Lowest version of a comparator, and the first above it."""
    found = _PARTIAL.match(word)
    if not found:
        return None
    numbers = [None if not part or part in "xX*" else int(part) for part in found.group(2, 3, 4)]
    low: Version = (numbers[0] or 0, numbers[1] or 0, numbers[2] or 0, _pre(found[5]))
    return _ranged(found[1] or "", numbers, low)


def _ranged(operator: str, numbers: list[int | None], low: Version) -> tuple[Version, Version]:
    bottom: Version = (0, 0, 0, ())
    top: Version = (_ENDLESS, 0, 0, ())
    above = _above(numbers, low)
    if operator == "^":
        return low, _caret(numbers, low)
    if operator == "~":
        return low, _first(low[0] + 1) if numbers[1] is None else _first(low[0], low[1] + 1)
    if operator == ">=":
        return low, top
    if operator == ">":
        return above, top
    if operator == "<":
        return bottom, low
    if operator == "<=":
        return bottom, above
    return low, above


def _above(numbers: list[int | None], low: Version) -> Version:
    """The first version that a partial one does not cover."""
    if numbers[0] is None:
        return (_ENDLESS, 0, 0, ())
    if numbers[1] is None:
        return _first(low[0] + 1)
    if numbers[2] is None:
        return _first(low[0], low[1] + 1)
    return (*low[:3], (*low[3], (-1, 0, "")))


def _caret(numbers: list[int | None], low: Version) -> Version:
    if numbers[0] is None:
        return (_ENDLESS, 0, 0, ())
    if low[0] or numbers[1] is None:
        return _first(low[0] + 1)
    if low[1] or numbers[2] is None:
        return _first(0, low[1] + 1)
    return _first(0, 0, low[2] + 1)


def _first(major: int, minor: int = 0, patch: int = 0) -> Version:
    """Below every pre-release of this version."""
    return (major, minor, patch, ())
