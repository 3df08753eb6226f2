"""Compares an app with its instrumented self: only what two plain loads agree on can tell the two apart."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from explorer.browser import BrowserPage
from explorer.browser_options import BrowserOptions
from explorer.cdn_answers import Cdn
from explorer.provision import Browser
from explorer.proxy import TransitProxy
from graph.records import Observation
from instrument.probes import ProbeMap

Aspect = Literal["liveness", "title", "outline", "console", "faults", "requests", "dialogs", "picture"]

_COUNTER = re.compile(r"__cv[0-9a-f]{10}_?\(\)\[\d+\]\+\+[;,]?")
_POSITION = re.compile(r":\d+(?::\d+)?(?=\D|$)")
_INTEGRITY = re.compile(r'\s(?:integrity|nonce)="[^"]*"|(?<=<astro-island)\s+uid="[^"]*"')
"""Attributes that are checksums, of scripts or of what an island is made of."""
_SCRIPT = re.compile(r'(\s[\w:-]+=")[^"\s]*?\.[cm]?js(?=["?])')
"""The address of a script in any attribute: bundlers put a checksum of its text into it, counters included."""
_TAG = re.compile(r"(?=<)")
_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that the app does otherwise when it is instrumented."""

    aspect: Aspect
    plain: str
    """What both plain loads show, cut to where they begin to differ."""
    instrumented: str

    def __str__(self) -> str:
        return f"{self.aspect}: plain {self.plain!r}, instrumented {self.instrumented!r}"


async def compare(
    plain_url: str,
    instrumented_url: str,
    *,
    program: Browser,
    run_dir: Path,
    options: BrowserOptions | None = None,
    cdn: Cdn | None = None,
    carriers: tuple[TransitProxy, TransitProxy] | None = None,
) -> tuple[Difference, ...]:
    """Loads the plain app twice and the instrumented one once; differences that instrumentation explains.

    The URLs are of two servers, one with and one without the instrumented copy, or the same where two
    `carriers` bring it, the second one with counters. What the plain loads do not
    agree on themselves (times, random ids) is left out. Pictures go to run_dir/screenshots/verify-*.jpg.
    Raises AppError where nothing answers, BrowserError without a browser.
    """
    options = options or BrowserOptions()

    def look(url: str, name: str, by: TransitProxy | None = None) -> Awaitable[Mapping[Aspect, str]]:
        plain = replace(options, istanbul=())
        none = ProbeMap(files=(), probes=(), counters={})
        page = BrowserPage(
            url, probes=none, run_dir=run_dir, program=program, options=plain, cdn=cdn, carrier=by
        )
        return _look(page, name, run_dir=run_dir)

    bare, counting = carriers or (None, None)
    first = await look(plain_url, "verify-plain-1", bare)
    second = await look(plain_url, "verify-plain-2", bare)
    return differences(first, second, await look(instrumented_url, "verify-instrumented", counting))


async def _look(page: BrowserPage, name: str, *, run_dir: Path) -> Mapping[Aspect, str]:
    try:
        seen = await page.open()
        picture = await page.screenshot(name)
        return aspects(seen, picture=run_dir / picture if picture else None)
    finally:
        await page.close()


def aspects(seen: Observation, *, picture: Path | None) -> dict[Aspect, str]:
    """What is compared, each as a text without counters, positions in code, and checksums and names of scripts."""
    faults = [fault.text for fault in seen.faults]
    requests = [f"{item.method} {item.url} {item.status or item.reason}" for item in seen.requests]
    return {
        "liveness": seen.liveness,
        "title": seen.snapshot.title,
        "outline": "\n".join(
            _TAG.split(_SCRIPT.sub(r"\1*.js", _INTEGRITY.sub("", _plain(seen.snapshot.html))))
        ),
        # What two workers or sockets say has no order of its own.
        "console": _lines(sorted(f"{item.level}: {item.text}" for item in seen.messages)),
        "faults": _lines(faults),
        "requests": _lines(requests),
        "dialogs": _lines(f"{item.type}: {item.text}" for item in seen.dialogs),
        "picture": hashlib.sha256(picture.read_bytes()).hexdigest()[:12] if picture else "",
    }


def differences(
    first: Mapping[Aspect, str], second: Mapping[Aspect, str], other: Mapping[Aspect, str]
) -> tuple[Difference, ...]:
    """Aspects on which two plain loads agree and the other does not."""
    return tuple(
        Difference(aspect, *_apart(text, other[aspect]))
        for aspect, text in first.items()
        if second[aspect] == text != other[aspect]
    )


def _apart(plain: str, other: str) -> tuple[str, str]:
    """The first lines that differ, cut to a length that fits a report."""
    ours: Sequence[str] = plain.split("\n")
    theirs: Sequence[str] = other.split("\n")
    for mine, yours in zip(ours, theirs, strict=False):
        if mine != yours:
            return mine[:_SHOWN], yours[:_SHOWN]
    shared = min(len(ours), len(theirs))
    return "\n".join(ours[shared:])[:_SHOWN], "\n".join(theirs[shared:])[:_SHOWN]


def _plain(text: str) -> str:
    return _COUNTER.sub("", text)


def _lines(texts: Iterable[str]) -> str:
    """Texts one a line, without what instrumentation moves: counters, and positions in the code."""
    return "\n".join(_POSITION.sub("", _plain(text)) for text in texts)
