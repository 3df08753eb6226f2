"""What a CDN would have answered: files and modules of npm's packages, and empty answers for what npm does not have.

A version or a file that does not exist is answered 404, as the CDN does: that is the app's fault and a finding. What
exists but cannot be had here is answered by nothing of the right type, and listed with its reason.
"""

from __future__ import annotations

import asyncio
import base64
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import urljoin, urlsplit

from explorer.cdn import CdnFile, file_url, parse
from explorer.cdn_fonts import FontSheet, sheets
from explorer.cdn_names import FILES, FIRST
from explorer.esmodules import ModuleMaker
from explorer.libraries import Libraries, Library, Unavailable
from explorer.media import media_type
from explorer.npm import NpmError
from explorer.packages import PackageStore

_PIXEL = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
_EMPTY = {
    "stylesheet": ("text/css", b"", "an empty style sheet"),
    "script": ("text/javascript", b"", "an empty script"),
    "image": ("image/gif", _PIXEL, "a transparent picture"),
    "fetch": ("application/json", b"{}", "an empty object"),
    "xhr": ("application/json", b"{}", "an empty object"),
}
"""By Playwright's type of the request."""
_NOTHING = ("text/plain", b"", "nothing")
_BY_ENDING = {".css": "stylesheet", ".js": "script", ".mjs": "script", ".cjs": "script"}
_PLACES = ("", "dist", "build", "umd", "lib", "min", "js", "css", "dist/js", "dist/css", "dist/umd")
_SOURCES = re.compile(r"(^|/)(src|source|tests?|demos?|docs?)/")
"""Folders whose files only share their names with what a CDN serves."""
_MAIN_FIELDS = {"unpkg.com": ("unpkg", "main"), "cdn.jsdelivr.net": ("jsdelivr", "browser", "main")}
_MOST_SECONDS = 90.0
"""For one answer: a page waits for it."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer to the browser."""

    status: int
    kind: str
    """Media type."""
    body: bytes
    reason: str = ""
    """Why it is empty, in words; "" for the real thing."""
    needed: bool = True
    """False for what an app works without: pictures, and what counts its visitors."""
    imports: tuple[str, ...] = ()
    """Addresses that the module needs."""


class _Refused(Exception):
    """Not to be had; `str()` says why. `missing`: the CDN has it neither."""

    def __init__(self, reason: str, *, missing: bool = False) -> None:
        super().__init__(reason)
        self.missing = missing


class Cdn:
    """Answers in place of CDNs and remembers what it answered. `modules.pins` says what the app itself names."""

    def __init__(self, store: PackageStore) -> None:
        self.store = store
        self.modules = ModuleMaker(store)
        self._replies: dict[str, Reply] = {}
        self._files: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        self._hosts: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        self._wanted: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        self._unavailable: dict[str, Unavailable] = {}
        self._asked: set[str] = set()
        self._near: set[str] = set()
        self._trees: dict[Path, list[str]] = {}

    async def reply(self, url: str, resource: str = "") -> Reply | None:
        """The answer; None where the address is no CDN's and no picture's or style's of another host.

        resource: what the page wants it for, as Playwright names it.
        """
        url = url.partition("#")[0]
        known = self._replies.get(url) or await self._made(url, resource)
        if known is not None and known.status == 200 and not known.reason:
            self._replies[url] = known
        return known

    async def asked(self, url: str, resource: str) -> Reply | None:
        """The answer to the page itself: from now on it is told of in `libraries`."""
        self._asked.add(url.partition("#")[0])
        return await self.reply(url, resource)

    def libraries(self, *, all_fetched: bool = False) -> Libraries:
        """What the page was served and what not, in a fixed order; with `all_fetched` what was fetched beforehand too."""
        files = {
            key: urls if all_fetched else urls & self._asked for key, urls in sorted(self._files.items())
        }
        served = [
            Library(*key, tuple(sorted(self._hosts[key])), len(urls), tuple(sorted(self._wanted[key])))
            for key, urls in files.items()
            if urls
        ]
        missing = [
            item for url, item in sorted(self._unavailable.items()) if all_fetched or url in self._asked
        ]
        return Libraries(tuple(served), tuple(missing))

    def near(self, url: str) -> bool:
        """Whether an address was answered by the file that is nearest to what its host has: no hash need match."""
        return url in self._near

    async def _made(self, url: str, resource: str) -> Reply | None:
        file = parse(url)
        if file is None:
            if resource in ("image", "stylesheet"):
                return self._empty(url, resource, "is of another host", needed=False)
            return None
        try:
            async with asyncio.timeout(_MOST_SECONDS):
                return await self._served(file, url)
        except _Refused as refused:
            return self._refused(file, url, resource, refused)
        except TimeoutError:
            reason = f"did not come within {_MOST_SECONDS:.0f} s"
            return self._empty(url, resource, reason, needed=True)

    def _refused(self, file: CdnFile, url: str, resource: str, refused: _Refused) -> Reply | None:
        if refused.missing and file.form in ("file", "module", "combined"):
            self._unavailable[url] = Unavailable(url, "404", str(refused))
            return Reply(404, "text/plain", f"Not found: {refused}\n".encode())
        if resource == "font" or file.host == "fonts.gstatic.com":
            return None  # an empty font is a broken one: better none
        return self._empty(url, resource, str(refused), needed=file.form != "none" or not _counts(refused))

    def _empty(self, url: str, resource: str, reason: str, *, needed: bool) -> Reply:
        ending = PurePosixPath(urlsplit(url).path).suffix.lower()
        kind, body, words = _EMPTY.get(_BY_ENDING.get(ending, resource), _NOTHING)
        self._unavailable[url] = Unavailable(url, words, reason, needed)
        return Reply(200, kind, body, f"answered by {words}: {reason}", needed)

    async def _served(self, file: CdnFile, url: str) -> Reply:
        """The real thing; raises _Refused."""
        if file.form == "none":
            raise _Refused(file.reason)
        if file.form == "fonts":
            return await self._font_sheets(file, url)
        if file.form == "combined":
            return await self._combined(file, url)
        if file.form == "module":
            return await self._module(file, url)
        version = await self._version(file)
        folder = self.store.files(file.package, version)
        path = self._found(file, version) if file.form == "found" else self._exact(file, version)
        self._note(file, version, url)
        if file.form == "found" or path != file.path:
            self._near.add(url)
        return Reply(200, media_type(path), (folder / path).read_bytes())

    async def _module(self, file: CdnFile, url: str) -> Reply:
        try:
            made = await self.modules.text(file, url)
        except NpmError as error:
            raise _Refused(f"{_name(file)}: {error}", missing=error.missing) from error
        self._note(file, made.version, url)
        return Reply(200, "text/javascript", made.text.encode(), imports=made.imports)

    async def _combined(self, file: CdnFile, url: str) -> Reply:
        replies = [await self._served(part, url) for part in file.parts]
        between = b"\n;\n" if replies[0].kind == "text/javascript" else b"\n"
        return Reply(200, replies[0].kind, between.join(reply.body for reply in replies))

    async def _font_sheets(self, file: CdnFile, url: str) -> Reply:
        texts = [await self._font_sheet(file, sheet, url) for sheet in sheets(file.options)]
        if not texts:
            raise _Refused("names no font family")
        return Reply(200, "text/css", "\n".join(texts).encode())

    async def _font_sheet(self, file: CdnFile, sheet: FontSheet, url: str) -> str:
        font = CdnFile(file.host, "file", sheet.package)
        try:
            version = await self._version(font)
        except _Refused as refused:
            raise _Refused(f"the font {sheet.family} is not to be had ({refused})") from refused
        folder, texts = self.store.files(sheet.package, version), []
        for path in sheet.paths:
            if (
                folder / path
            ).is_file():  # a weight that the family does not have is left out, as Google does
                base = file_url(sheet.package, version, path)
                texts.append(_absolute((folder / path).read_text(encoding="utf-8"), base))
        self._note(font, version, url)
        return "\n".join(texts)

    async def _version(self, file: CdnFile) -> str:
        try:
            return await self.store.version(file.package, file.version)
        except NpmError as error:
            raise _Refused(f"{_name(file)}: {error}", missing=error.missing) from error

    def _note(self, file: CdnFile, version: str, url: str) -> None:
        key = (file.package, version)
        self._files[key].add(url)
        self._hosts[key].add(file.host)
        if file.version != version:
            self._wanted[key].add(file.version or "latest")

    # --- files of a package

    def _exact(self, file: CdnFile, version: str) -> str:
        """The path of the very file; raises _Refused where the package has none."""
        tree = self._tree(file.package, version)
        for path in self._candidates(file, version):
            if path in tree:
                return path
        raise _Refused(f"{file.package}@{version} has no file {file.path or 'of its own'}", missing=True)

    def _candidates(self, file: CdnFile, version: str) -> Iterable[str]:
        path = file.path.rstrip("/")
        if not path:
            manifest = self.store.manifest(file.package, version)
            named = [manifest.get(field) for field in _MAIN_FIELDS.get(file.host, ("main",))]
            path = next((item for item in named if isinstance(item, str) and item), "index.js").removeprefix(
                "./"
            )
            if file.host == "cdn.jsdelivr.net":
                yield re.sub(r"(?<!\.min)\.(js|css)$", r".min.\1", path)
            yield from (path, f"{path}.js", f"{path}/index.js", str(manifest.get("style", "")))
        yield path
        if file.host == "unpkg.com":
            yield from (f"{path}.js", f"{path}.mjs", f"{path}/index.js")
        elif ".min." in path:
            # jsdelivr makes smaller files of those that have none; what they do is the same.
            yield path.replace(".min.", ".")

    def _found(self, file: CdnFile, version: str) -> str:
        """The file that another host has under this path; raises _Refused where none looks like it."""
        tree = self._tree(file.package, version)
        named = FILES.get((file.package, file.path), file.path)
        small = re.sub(r"(?<!min)\.(js|css)$", r".min.\1", named)
        for path in (named, named.replace(".min.", "."), named.replace("-min.", "."), small):
            folders = (*FIRST.get(file.package, ()), *_PLACES)
            for candidate in (f"{folder}/{path}".lstrip("/") for folder in folders):
                if candidate in tree:
                    return candidate
            ending = f"/{path}".lower()
            built = (item for item in tree if not _SOURCES.search(item))
            if fitting := [item for item in built if f"/{item}".lower().endswith(ending)]:
                return min(fitting, key=lambda item: (item.count("/"), len(item), item))
        raise _Refused(f"npm's {file.package}@{version} has no file {file.path}")

    def _tree(self, package: str, version: str) -> list[str]:
        folder = self.store.files(package, version)
        if folder not in self._trees:
            files = (path for path in folder.rglob("*") if path.is_file())
            self._trees[folder] = sorted(path.relative_to(folder).as_posix() for path in files)
        return self._trees[folder]


def _name(file: CdnFile) -> str:
    return f"{file.package}@{file.version}" if file.version else file.package


def _counts(refused: _Refused) -> bool:
    return "visitors" in str(refused)


_URL = re.compile(r"url\(\s*(['\"]?)(?!data:|https?:|#)([^'\")]+)\1\s*\)")


def _absolute(css: str, base: str) -> str:
    """A style sheet whose relative addresses start from `base`, where it is served from elsewhere."""
    return _URL.sub(lambda match: f"url({urljoin(base, match[2])})", css)
