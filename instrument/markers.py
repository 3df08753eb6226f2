"""What built an app, told from the result: names of files, and what pages and their scripts hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from instrument.folder import Listing
from instrument.toolnames import Tool

BuildKind = Literal["static", Tool, "server"]
"""static: plain files; server: a running one that no tool is seen of; the others: what such a tool built or serves."""

_SCRIPTS_READ, _SCRIPT_LIMIT = 4, 3_000_000
"""Scripts of the page that are looked into, and the bytes of each."""


@dataclass(frozen=True, slots=True)
class Marker:
    """A sign of one tool."""

    kind: BuildKind
    words: str
    page: str = ""
    """Pattern in the page that is opened."""
    file: str = ""
    """A file of the folder, or with `/` at the end a folder."""
    script: str = ""
    """Pattern in a script that the page loads from its own folder."""


MARKERS: tuple[Marker, ...] = (
    Marker("next", "the folder holds _next/static/", file="_next/static/"),
    Marker(
        "next",
        "the page loads _next/static or carries Next.js data",
        page=r"/_next/static/|self\.__next_f|id=\"__NEXT_DATA__\"",
    ),
    Marker("astro", "the folder holds _astro/", file="_astro/"),
    Marker(
        "astro",
        "the page loads _astro files or holds astro islands",
        page=r"/_astro/[^\"']+\.(js|css)|<astro-island|data-astro-cid-",
    ),
    Marker("sveltekit", "the folder holds _app/immutable/", file="_app/immutable/"),
    Marker(
        "sveltekit",
        "the page loads _app/immutable or starts SvelteKit",
        page=r"/_app/immutable/|\b__sveltekit_\w+\s*=",
    ),
    Marker("nuxt", "the folder holds _nuxt/", file="_nuxt/"),
    Marker(
        "nuxt",
        "the page loads _nuxt files or carries Nuxt's data",
        page=r"/_nuxt/[^\"']+\.(js|css)|id=\"__NUXT_DATA__\"|window\.__NUXT__",
    ),
    Marker("angular", "the page says its Angular version", page=r"<[\w-]+\b[^>]*\sng-version="),
    Marker(
        "angular",
        "the page loads main-<HASH>.js or Angular's runtime, polyfills and main",
        page=r"<app-root\b.*\bsrc=\"main[-.](?:[A-Z0-9]{8}|[0-9a-f]{16,20})\.js\""
        r"|\bsrc=\"runtime\.[0-9a-f]{16,20}\.js\".*\bsrc=\"polyfills\.[0-9a-f]{16,20}\.js\"",
    ),
    Marker("gatsby", "the folder holds page-data/", file="page-data/"),
    Marker(
        "gatsby",
        "the page holds ___gatsby",
        page=r"id=[\"']?___gatsby\b|window\.___webpackCompilationHash",
    ),
    Marker("create-react-app", "the folder holds asset-manifest.json", file="asset-manifest.json"),
    Marker(
        "create-react-app",
        "the page loads static/js/main.<hash>.js",
        page=r"/static/js/main\.[0-9a-f]{8}(\.chunk)?\.js",
    ),
    Marker("vite", "the folder holds .vite/manifest.json", file=".vite/manifest.json"),
    Marker(
        "vite",
        "the page loads <name>-<hash>.js as a module with crossorigin",
        page=r"<script\b[^>]*\bcrossorigin\b[^>]*\bsrc=[\"'][^\"'>]*/[\w.-]+-[\w-]{8}\.js",
    ),
    Marker("parcel", "{script} is bundled by Parcel", script=r"\bparcelRequire[0-9a-f]{0,8}\b"),
    Marker(
        "webpack",
        "{script} is bundled by webpack",
        script=r"\bwebpackChunk\w*\s*=|\bwebpackJsonp\b|\b__webpack_require__\b|webpackBootstrap"
        r"|function (\w+)\(\w+\)\{(?:var|const|let) (\w+)=\w+\[\w+\];if\(void 0!==\2\)return \2\.exports",
    ),
    Marker(
        "webpack",
        "the page loads its script as html-webpack-plugin writes it",
        page=r"<script defer=\"defer\" src=|<script defer src=[\"']?[^\"'\s>]*\.[0-9a-f]{20}\.(?:\w+\.)?js\b",
    ),
    Marker(
        "parcel",
        "the page loads <name>.<hash>.js as a module from its own folder",
        page=r"<script type=[\"']?module[\"']? src=[\"']?/?[\w.-]+\.[0-9a-f]{8}\.js\b",
    ),
)
_BUNDLE = re.compile(
    r"(?:^|/)(?:main|bundle|app|index|runtime|client|script|src)\b[\w.~-]*\.js$|[.-][0-9a-f]{8,20}\.js$"
)
"""Names of an app's own bundle; a library that some bundler made is no sign of what built the page."""
_TAG = re.compile(r"<script\b[^>]*?\bsrc\s*=\s*[\"']?([^\"'\s>?#]+)", re.IGNORECASE)


def signs(
    listing: Listing, html: str, *, page: str, text_of: Callable[[str], str]
) -> Iterator[tuple[BuildKind, str]]:
    """Every marker that is there, the most specific first: the kind and what was seen, as a clause."""
    scripts = _own_scripts(listing, html, page)
    for marker in MARKERS:
        if marker.file:
            if _holds(listing, marker.file):
                yield marker.kind, marker.words
        elif marker.page:
            if re.search(marker.page, html, re.DOTALL):
                yield marker.kind, marker.words
        else:
            for script in scripts:
                if re.search(marker.script, text_of(script)):
                    yield marker.kind, marker.words.format(script=script)
                    break


def _holds(listing: Listing, name: str) -> bool:
    return name in listing or (name.endswith("/") and any(path.startswith(name) for path in listing.files))


def _own_scripts(listing: Listing, html: str, page: str) -> list[str]:
    """Scripts that the page loads and that are named as bundles are, by path below the folder."""
    folder = PurePosixPath(page).parent
    found = []
    for address in _TAG.findall(html):
        path = (PurePosixPath(address.lstrip("/")) if address[0] == "/" else folder / address).as_posix()
        if listing.files.get(path, _SCRIPT_LIMIT) < _SCRIPT_LIMIT and _BUNDLE.search(path):
            found.append(path)
    return found[:_SCRIPTS_READ]
