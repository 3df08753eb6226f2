"""Versions and ranges as npm reads them (package.json, engines, addresses of CDNs): a thin layer over node-semver."""

from __future__ import annotations

from collections.abc import Iterable

import nodesemver


def exact_version(text: str) -> str:
    """The exact version that the text is, without a leading v; "" for a range or a tag."""
    found = nodesemver.valid(text.strip(), loose=True) if text.strip() else None
    return str(found or "")


def satisfies(version: str, wanted: str) -> bool:
    """Whether a version lies in a range; False for tags and for what is no version.

    A pre-release lies only in a range that names one of the same release.
    """
    try:
        return bool(exact_version(version)) and bool(nodesemver.satisfies(version, wanted, loose=True))
    except ValueError:
        return False


def best(versions: Iterable[str], wanted: str) -> str:
    """The highest of the versions that lies in the range, "" where none does."""
    fitting = [version for version in versions if satisfies(version, wanted)]
    found = nodesemver.max_satisfying(fitting, wanted, loose=True) if fitting else None
    return str(found or "")


def is_range(wanted: str) -> bool:
    """Whether a text can be read as a range at all: a tag such as "lts" cannot."""
    try:
        return nodesemver.valid_range(wanted, loose=True) is not None
    except ValueError:
        return False
