"""Finds the addresses of CDNs in an app's own files, and fetches what they name before a page waits for it."""

from __future__ import annotations

import asyncio
import html
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from explorer.cdn import HOSTS, CdnFile, parse
from explorer.cdn_answers import Cdn
from explorer.npm import NpmError
from explorer.wording import plural
from instrument.folder import Listing

_TEXT = re.compile(r"\.(?:x?html?|m?jsx?|tsx?|css|json|vue|svelte)$", re.IGNORECASE)
_LARGEST = 2 << 20
"""Bytes of a file that is read; larger ones are bundles, whose addresses are looked up when the page asks."""
_MOST = 400
"""Addresses and modules that are fetched beforehand."""
_SECONDS = 240.0
_ADDRESS = re.compile(
    rf"(?:https?:)?//(?:{'|'.join(map(re.escape, HOSTS))})(?:[/?][^\s\"'`<>)\\]*|(?=[\"'`>\s]))"
)
_OTHER_HOST = re.compile(
    r"<(?:img|script|link|source|video|audio|iframe)\b[^>]*?\s(?:src|srcset|href)\s*=\s*[\"']?(?:https?:)?//",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Mentions:
    """What the files of an app say of other hosts."""

    urls: tuple[str, ...] = ()
    """Addresses of CDNs, in order of their first mention."""
    outside: bool = False
    """A page takes something from another host, or a file names a CDN."""


def mentions(texts: Iterable[str]) -> Mentions:
    """Addresses in the texts. Those with `${` in them are known when the app runs only; comments count as well."""
    urls: dict[str, None] = {}
    outside = False
    for text in texts:
        found = [whole_address(match[0]) for match in _ADDRESS.finditer(text)]
        urls |= dict.fromkeys(url for url in found if "${" not in url and "{{" not in url)
        outside = outside or bool(found) or bool(_OTHER_HOST.search(text))
    return Mentions(tuple(urls), outside)


def whole_address(address: str) -> str:
    """An address as a page has it, as the browser asks for it: entities, a missing scheme, https for http."""
    address = html.unescape(address).rstrip(".,;")
    return f"https:{address}" if address.startswith("//") else re.sub("^http:", "https:", address)


def texts_of(listing: Listing) -> Iterator[str]:
    """Text files of an app that may name a CDN."""
    for path, size in listing.files.items():
        if size <= _LARGEST and _TEXT.search(path):
            try:
                yield listing.read(path).decode("utf-8", "replace")
            except OSError:
                continue  # the bundle lists what cannot be read


async def prefetch(cdn: Cdn, urls: Iterable[str], *, say: Callable[[str], None]) -> None:
    """Brings all that the addresses name into the cache, what modules import included; bounded, and never an error.

    What cannot be had is answered so when the page asks for it.
    """
    wanted = [url for url in urls if (file := parse(url)) and file.form != "none"]
    if not wanted:
        return
    files = [file for url in wanted for file in _packages(parse(url))]
    missing = [file for file in files if not cdn.store.known(file.package, file.version)]
    if missing:
        names = sorted({f"{file.package}@{file.version or 'latest'}" for file in missing})
        say(f"fetching {plural(len(names), 'package')} in place of CDNs: {', '.join(names)}")
    try:
        async with asyncio.timeout(_SECONDS):
            await cdn.store.fetch_all([(file.package, file.version) for file in files])
            cdn.modules.pins = await _pins(cdn, files)
            await _warm(cdn, wanted)
    except TimeoutError:
        say(f"fetching took longer than {_SECONDS:.0f} s; the rest is fetched when the page asks for it")
    _tell(cdn, say)


def _packages(file: CdnFile | None) -> list[CdnFile]:
    if file is None:
        return []
    return [part for part in (file.parts or (file,)) if part.package]


async def _pins(cdn: Cdn, files: Iterable[CdnFile]) -> dict[str, list[str]]:
    """Versions that the app itself names: what its libraries import is taken from these where it fits."""
    pins: dict[str, list[str]] = {}
    for file in files:
        if file.form != "module":
            continue
        try:
            pins.setdefault(file.package, []).append(await cdn.store.version(file.package, file.version))
        except NpmError:
            continue  # told when the page asks for it
    return pins


async def _warm(cdn: Cdn, urls: Iterable[str]) -> None:
    """Makes all modules, those that are imported included; two at a time."""
    seen: set[str] = set()
    layer = [
        url for url in dict.fromkeys(urls) if not url.endswith("/")
    ]  # a prefix of an import map is no file
    while layer and len(seen) < _MOST:
        seen |= set(layer)
        replies = await asyncio.gather(*(cdn.reply(url, "script") for url in layer))
        found = (address for reply in replies if reply for address in reply.imports)
        layer = [address for address in dict.fromkeys(found) if address not in seen]
        await cdn.store.fetch_all([(f.package, f.version) for url in layer if (f := parse(url))])


def _tell(cdn: Cdn, say: Callable[[str], None]) -> None:
    found = cdn.libraries(all_fetched=True)
    if found.served:
        told = ", ".join(f"{item.name}@{item.version}" for item in found.served)
        say(f"in place of CDNs, {plural(sum(item.files for item in found.served), 'file')} of npm's {told}")
    for item in found.unavailable:
        say(f"{item.url} cannot be had ({item.reason}): answered by {item.answer}")
