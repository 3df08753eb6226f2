"""Decides whether an app gets its libraries from npm, fetches them, and says in the Bundle what became of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePosixPath

from explorer.cdn import parse
from explorer.cdn_answers import Cdn
from explorer.cdn_scan import Mentions, mentions, prefetch, texts_of, whole_address
from explorer.options import Options
from explorer.packages import PackageStore
from instrument.bundle import Bundle
from instrument.encoding import decode
from instrument.folder import list_folder

_PAGES = (".html", ".htm", ".xhtml")


async def cdn_of(bundle: Bundle, options: Options, *, say: Callable[[str], None]) -> Cdn | None:
    """What will answer in place of CDNs, filled with what the app's own files name; None where nothing shall.

    The mode "auto" means an app of plain html that takes something from another host.
    """
    if options.network not in ("auto", "cdn"):
        return None
    if options.network == "auto" and bundle.build.kind != "static":
        return None
    found = _mentions(bundle)
    if options.network == "auto" and not found.outside:
        return None
    cdn = Cdn(PackageStore())
    await prefetch(cdn, found.urls, say=say)
    return cdn


def with_libraries(bundle: Bundle, cdn: Cdn) -> Bundle:
    """The bundle without what the report lists of CDNs anyway, and without checksums that npm's nearest file cannot match."""
    told = tuple(item for item in bundle.unmeasured if parse(whole_address(item.path)) is None)
    pages = {path: body for path in _pages(bundle) if (body := _unsealed(bundle, path, cdn)) is not None}
    return replace(bundle, unmeasured=told, overlay={**bundle.overlay, **pages})


def _mentions(bundle: Bundle) -> Mentions:
    if bundle.build.only:
        return mentions(_text(bundle, path) for path in bundle.build.only)
    return mentions(texts_of(list_folder(bundle.root)))


_TAG = re.compile(r"<(?:script|link)\b[^>]*>", re.IGNORECASE)
_ADDRESS = re.compile(r"\s(?:src|href)\s*=\s*[\"']?([^\s\"'>]+)", re.IGNORECASE)
_INTEGRITY = re.compile(r"\sintegrity\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s>]+)", re.IGNORECASE)


def _unsealed(bundle: Bundle, path: str, cdn: Cdn) -> bytes | None:
    """A page without the integrity of files that are npm's nearest and not the CDN's own; None where it has none."""
    if b"integrity" not in (bundle.overlay.get(path) or (bundle.root / path).read_bytes()):
        return None
    page = decode(bundle.overlay.get(path) or (bundle.root / path).read_bytes())

    def unsealed(match: re.Match[str]) -> str:
        address = _ADDRESS.search(match[0])
        near = address is not None and cdn.near(whole_address(address[1]))
        return _INTEGRITY.sub("", match[0]) if near else match[0]

    text = _TAG.sub(unsealed, page.text)
    return page.encode(text) if text != page.text else None


def _pages(bundle: Bundle) -> list[str]:
    named = bundle.build.only or bundle.build.candidates
    return [
        path
        for path in named
        if PurePosixPath(path).suffix.lower() in _PAGES and (bundle.root / path).is_file()
    ]


def _text(bundle: Bundle, path: str) -> str:
    return decode((bundle.root / path).read_bytes()).text
