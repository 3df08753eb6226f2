"""What a plain static host would answer to a request for the app, with the instrumented copy laid over it.

Pure apart from reading the app's folder: no socket, no threads. `explorer.server` carries the answers.
"""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Protocol
from urllib.parse import quote, unquote_to_bytes

from explorer.answers import Answer, Ask, Delivery, Resource, content, error, redirect
from explorer.media import media_type
from explorer.mount import mount_path

COVERAGE_MAPS = "__explorer__/coverage-maps.json"
"""Path of Istanbul's static maps, which the page fetches when something reads window.__coverage__."""

_INDEXES = ("index.html", "index.htm")
_ALLOWED = "GET, HEAD, OPTIONS"
_PACKED = {".gz": "gzip", ".br": "br"}
_WINDOWS_DEVICE = re.compile(r"(?i)(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?$")


class Served(Protocol):
    """What is served; `instrument.bundle.Bundle` is one."""

    @property
    def root(self) -> Path:
        """The app's folder; never written to."""

    @property
    def entry(self) -> str:
        """The page to open, below root, with `/`."""

    @property
    def overlay(self) -> Mapping[str, bytes]:
        """Bodies that take the place of files, by path below root with `/`."""

    @property
    def coverage_maps(self) -> bytes | Callable[[], bytes]:
        """Istanbul's static maps as JSON, or what makes them."""


class Site:
    """The app as a set of answers. `mount` is the URL path it lives under, `start` the path to open."""

    def __init__(self, served: Served) -> None:
        self._served = served
        self._root = served.root.resolve()
        self._delivery = Delivery()
        self.mount = self._mount()
        self.start = self._start()

    @cached_property
    def _coverage_maps(self) -> bytes:
        """Made when first asked for, and then once: large apps have megabytes of them."""
        maps = self._served.coverage_maps
        return maps if isinstance(maps, bytes) else maps()

    def _mount(self) -> str:
        entry = self._find(self._served.entry)
        try:
            html = content(entry).decode("utf-8", "replace") if entry else ""
        except (OSError, EOFError, zlib.error):
            html = ""  # The same trouble is the answer when the page is asked for.
        return mount_path(html, self._served.entry, self._exists)

    def _start(self) -> str:
        folder, _, name = self._served.entry.rpartition("/")
        if name not in _INDEXES:
            return self.mount + quote(self._served.entry)
        return self.mount + (f"{quote(folder)}/" if folder else "")

    def answer(self, ask: Ask) -> Answer:
        """The answer to any request; never raises for what was asked."""
        path = _decoded_path(ask.target)
        if ask.method == "OPTIONS":
            return Answer(204, {"Allow": _ALLOWED})
        if path is None:
            return error(404)
        try:
            if ask.method not in ("GET", "HEAD"):
                return error(404) if self._locate(path) is None else error(405, Allow=_ALLOWED)
            return self._get(path, ask)
        except PermissionError:
            return error(403)
        except FileNotFoundError:
            return error(404)
        except (OSError, EOFError, zlib.error):
            return error(500)

    def _get(self, path: str, ask: Ask) -> Answer:
        if path == COVERAGE_MAPS:
            return self._delivery.answer(Resource(path, self._coverage_maps, None), ask)
        found = self._locate(path)
        if found is not None:
            return self._delivery.answer(found, ask)
        if path in ("", self.mount[1:], self.mount[1:-1]) and f"/{quote(path)}" != self.start:
            return redirect(self.start, ask.target)
        if not path.endswith("/") and self._locate(f"{path}/") is not None:
            return redirect(f"/{quote(path)}/", ask.target)
        if path == "favicon.ico":
            # Browsers ask for it unbidden; an error would look like a fault of the app.
            return Answer(204, {})
        return self._fallback(path, ask)

    def _fallback(self, path: str, ask: Ask) -> Answer:
        """Routes that exist in the app's own router only: a page was asked for, by a name without extension."""
        name = path.rstrip("/").rpartition("/")[2]
        if "." in name or "text/html" not in ask.headers.get("accept", ""):
            return error(404)
        if own := self._find("404.html"):
            return self._delivery.answer(own, ask, status=404)
        entry = self._find("200.html") or self._find("index.html") or self._find(self._served.entry)
        return self._delivery.answer(entry, ask) if entry else error(404)

    def _locate(self, path: str) -> Resource | None:
        """The resource that a URL path names: below the mount first, then as if there were none."""
        mount = self.mount[1:]
        places = [path] if path or not mount else []
        if mount and path.startswith(mount):
            places.insert(0, path[len(mount) :])
        for place in places:
            found = self._index(place) if place == "" or place.endswith("/") else self._named(place)
            if found is not None:
                return found
        return None

    def _index(self, folder: str) -> Resource | None:
        return next((found for name in _INDEXES if (found := self._find(folder + name))), None)

    def _named(self, place: str) -> Resource | None:
        """A file, or the page that static hosts show for a name without `.html`."""
        return self._find(place) or (None if "." in place.rpartition("/")[2] else self._find(f"{place}.html"))

    def _find(self, place: str) -> Resource | None:
        """The overlay's body, the file, or the compressed file that stands for it."""
        path = self._file(place)
        body = self._served.overlay.get(place)
        if body is not None:
            return Resource(place, body, path)
        if path is not None:
            encoding = _implied_encoding(path)
            return Resource(place.removesuffix(path.suffix) if encoding else place, None, path, encoding)
        for suffix, encoding in _PACKED.items():
            packed = self._file(place + suffix)
            if packed is not None:
                return Resource(place, None, packed, encoding)
        return None

    def _exists(self, place: str) -> bool:
        if self._find(place) is not None:
            return True
        try:
            return (self._root / place).is_dir()
        except (OSError, ValueError):
            return False

    def _file(self, place: str) -> Path | None:
        """A regular file inside the folder; None for anything else, links that lead out included."""
        if not place or place.endswith("/") or (os.name == "nt" and windows_hazard(place)):
            return None
        try:
            path = (self._root / place).resolve()
            inside = path.is_relative_to(self._root) and path.is_file()
        except (OSError, ValueError, RuntimeError):  # too long a name, a null byte, a loop of links
            return None
        return path if inside else None


def windows_hazard(place: str) -> bool:
    """Whether Windows would read the path as something else: a device, a stream, a drive, a trimmed name."""
    return any(
        ":" in part or part != part.rstrip(". ") or _WINDOWS_DEVICE.match(part)
        for part in re.split(r"[/\\]", place)
    )


def _decoded_path(target: str) -> str | None:
    """The path of a request target below `/`, decoded once; None where it names no place of a folder."""
    raw = re.sub(r"^https?://[^/?#]*", "", target)
    raw = re.split(r"[?#]", raw, maxsplit=1)[0]
    if not raw.startswith("/"):
        return None
    try:
        parts = [unquote_to_bytes(part.encode("latin-1")).decode("utf-8") for part in raw.split("/")]
    except UnicodeError:
        return None
    if any(part in (".", "..") or "\0" in part for part in parts):
        return None
    # A router may have an encoded slash in a route's name; no file has one, so the part stays as it was sent.
    path = "/".join(quote(part, safe="") if re.search(r"[/\\]", part) else part for part in parts if part)
    return f"{path}/" if path and raw.endswith("/") else path


def _implied_encoding(path: Path) -> str:
    """Content-Encoding of a file that pages name with its `.gz` or `.br`, as Unity's loader does.

    Archives and data that the page unpacks itself stay as they are: only code is meant to arrive unpacked, and
    data that lies beside Unity's code.
    """
    encoding = _PACKED.get(path.suffix, "")
    kind = media_type(path.stem) if encoding else ""
    if kind in ("text/javascript", "application/wasm", "text/css", "text/html"):
        return encoding
    if path.stem.endswith((".data", ".symbols.json")) and any(
        path.parent.glob(f"*.framework.js{path.suffix}")
    ):
        return encoding
    return ""
