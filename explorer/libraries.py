"""Which libraries an app took from CDNs, and what it asked for and could not have: the record that reports show."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from instrument.errors import UsageError

LIBRARIES = "libraries.json"
"""Name in the run folder."""


@dataclass(frozen=True, slots=True)
class Library:
    """An npm package that files were served from in place of a CDN."""

    name: str
    version: str
    hosts: tuple[str, ...]
    """CDNs that were asked."""
    files: int
    """Different addresses."""
    wanted: tuple[str, ...] = ()
    """Ranges and tags that the app asked for, where they are not the version itself; "latest" for none."""


@dataclass(frozen=True, slots=True)
class Unavailable:
    """An address that was answered without what it asked for."""

    url: str
    answer: str
    """What the page got, in words: "an empty style sheet", "404"."""
    reason: str
    needed: bool = True
    """False for what an app works without: pictures, and what counts its visitors."""


@dataclass(frozen=True, slots=True)
class Libraries:
    """All of a run."""

    served: tuple[Library, ...] = ()
    unavailable: tuple[Unavailable, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.served or self.unavailable)


def merged(earlier: Libraries, later: Libraries) -> Libraries:
    """Of a run that was resumed: what either part saw."""
    known = {(item.name, item.version): item for item in earlier.served}
    for item in later.served:
        before = known.get((item.name, item.version))
        known[item.name, item.version] = _both(before, item) if before else item
    missing = {item.url: item for item in (*earlier.unavailable, *later.unavailable)}
    return Libraries(
        tuple(known[key] for key in sorted(known)), tuple(missing[url] for url in sorted(missing))
    )


def _both(before: Library, item: Library) -> Library:
    hosts, wanted = {*before.hosts, *item.hosts}, {*before.wanted, *item.wanted}
    files = max(before.files, item.files)
    return Library(item.name, item.version, tuple(sorted(hosts)), files, tuple(sorted(wanted)))


def libraries_json(libraries: Libraries) -> dict[str, object]:
    """Plain data for json.dumps."""
    return {
        "served": [asdict(item) for item in libraries.served],
        "unavailable": [asdict(item) for item in libraries.unavailable],
    }


def load_libraries(folder: Path) -> Libraries:
    """Reads libraries.json back; nothing where a run had none. Raises UsageError for a damaged one."""
    path = folder / LIBRARIES
    if not path.exists():
        return Libraries()
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return Libraries(
            tuple(_library(row) for row in found["served"]),
            tuple(Unavailable(**row) for row in found["unavailable"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path} cannot be read ({error}): delete it.") from error


def _library(row: dict[str, object]) -> Library:
    listed = {key: tuple(_texts(row[key])) for key in ("hosts", "wanted")}
    return Library(str(row["name"]), str(row["version"]), files=int(str(row["files"])), **listed)


def _texts(value: object) -> Iterable[str]:
    return [str(item) for item in value] if isinstance(value, list) else []
