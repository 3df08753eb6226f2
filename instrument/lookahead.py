"""A look ahead: the scripts that a page and its scripts name are fetched before exploring, for a denominator worth the name.

Only addresses of scripts are asked for, by GET, within bounds; links to pages are never followed.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from instrument.transit import Transit

MOST = 500
"""Addresses that are asked for."""
MOST_BYTES = 48 << 20
SECONDS = 30.0
_AT_ONCE = 6


@dataclass(frozen=True, slots=True)
class Ahead:
    """What looking ahead came to."""

    asked: int
    scripts: int
    bytes: int
    ended: str = ""
    """Which bound ended it, in words; "" where all was fetched."""

    def __str__(self) -> str:
        more = (
            f"; {self.ended}, so what is named beyond that is counted when the app fetches it"
            if self.ended
            else ""
        )
        count = "1 script was" if self.scripts == 1 else f"{self.scripts} scripts were"
        return f"{count} fetched ahead, as far as pages and scripts name them{more}"


async def look_ahead(transit: Transit, url: str, *, most: int = MOST, seconds: float = SECONDS) -> Ahead:
    """Fetches the page and, breadth first, the scripts that it leads to."""
    end, asked, scripts, size = time.monotonic() + seconds, 0, 0, 0
    known, front, ended = {url}, [url], ""
    while front and not ended:
        batch = front[: min(_AT_ONCE, most - asked)]
        front = front[len(batch) :]
        for made in await asyncio.gather(*(transit.look_ahead(name, entry=name == url) for name in batch)):
            if made is None:
                continue
            scripts += not made.library
            size += len(made.original)
            fresh = [name for name in made.names if name not in known and not _on_disk(name)]
            known.update(fresh)
            front += fresh
        asked += len(batch)
        ended = (
            _bound(asked=asked if asked >= most else 0, size=size >= MOST_BYTES, time=time.monotonic() >= end)
            if front
            else ""
        )
    return Ahead(asked - 1, max(0, scripts - 1), size, ended)


def _on_disk(url: str) -> bool:
    """Whether an address is a file's place on this machine, as compilers write it beside the code for messages.

    Dev servers would answer to it, and the file be counted twice.
    """
    return Path(unquote(urlsplit(url).path)).is_file()


def _bound(*, asked: int, size: bool, time: bool) -> str:
    if asked:
        return f"looking ahead ends after {asked} addresses"
    if size:
        return f"looking ahead ends after {MOST_BYTES >> 20} MB"
    return "looking ahead took its time" if time else ""
