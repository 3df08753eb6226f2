"""Under which URL path an app must be served: `/`, unless its entry page was built for a deeper one (`/repo/`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from html.parser import HTMLParser
from urllib.parse import unquote, urljoin, urlsplit

_ORIGIN = "http://app.invalid"
_ASSETS = {
    "script": "src",
    "link": "href",
    "img": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
    "astro-island": "component-url",
}


def mount_path(html: str, entry: str, exists: Callable[[str], bool]) -> str:
    """The path that the app's own addresses start with, with a slash at both ends.

    `html` is the entry page, `entry` its path below the app's folder, `exists` tells whether a path below that
    folder is there. Each address in the page votes: one that is there counts for `/`; one that is there once its
    first folders are dropped counts for those folders. A `<base href>` decides where no address can.
    """
    page = _Addresses()
    page.feed(html)
    origin = f"{_ORIGIN}/{entry}"
    base = urljoin(origin, page.base)
    votes = Counter(
        prefix
        for address in page.assets
        if (path := _own_path(urljoin(base, address)))
        and (prefix := _missing_prefix(path, exists)) is not None
    )
    if votes:
        return votes.most_common(1)[0][0]
    folder = _own_path(urljoin(base, ".")) if page.base else ""
    return f"/{folder}" if folder and not exists(folder.rstrip("/")) else "/"


def _own_path(url: str) -> str:
    """Decoded path of a URL without its first slash; "" for another origin."""
    parts = urlsplit(url)
    if f"{parts.scheme}://{parts.netloc}" != _ORIGIN:
        return ""
    return unquote(parts.path).lstrip("/")


def _missing_prefix(path: str, exists: Callable[[str], bool]) -> str | None:
    """The folders to drop from `path` until it is there; None where it never is."""
    parts = path.split("/")
    for dropped in range(len(parts)):
        if exists("/".join(parts[dropped:])):
            prefix = "/".join(parts[:dropped])
            return f"/{prefix}/" if prefix else "/"
    return None


class _Addresses(HTMLParser):
    """Collects the first `<base href>` and the addresses of scripts, islands, styles, icons and pictures."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.base = ""
        self.assets: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "base" and not self.base:
            self.base = values.get("href") or ""
        address = values.get(_ASSETS.get(tag, ""))
        if address and not address.startswith("data:"):
            self.assets.append(address.strip())

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
