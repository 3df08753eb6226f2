"""Which files name which: by plain search for addresses in the text of pages and scripts, before anything is parsed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import unquote, urljoin, urlsplit

_ORIGIN = "http://app.invalid/"
_QUOTED = re.compile(
    r"""["'`]([^"'`\s<>]{1,300}?\.(?:[cm]?js|jsx|tsx?|html?|xhtml)(?:[?#][^"'`\s<>]*)?)["'`]"""
)
_ATTRIBUTE = re.compile(r"""\b(?:src|href)\s*=\s*["']?\s*([^"'\s>]{1,300})""", re.IGNORECASE)
_MODULE = re.compile(r"""(?:\bfrom|\bimport|\brequire)\s*\(?\s*["']([./][^"']{1,300})["']""")
_SCRIPT_NAME = re.compile(r"\.(?:[cm]?js|jsx|tsx?)(?:[?#]|$)", re.IGNORECASE)
_SOURCE_PLACE = re.compile(
    r"""(?:(?:_jsxFileName|\bfileName|\b__file)["']?\s*[,:=]\s*|\bRefreshRuntime\.\w+\(\s*(?:\w+\s*,\s*)?)"""
    r"""["'][^"']{1,400}["']"""
)
_PAGE = re.compile(r"\.(html?|xhtml)$", re.IGNORECASE)


def local_path(address: str, base: str) -> str | None:
    """Path below root that an address in the file `base` means; None for another host or scheme."""
    try:
        parts = urlsplit(urljoin(_ORIGIN + base, address.strip()))
    except ValueError:
        return None
    if f"{parts.scheme}://{parts.netloc}/" != _ORIGIN:
        return None
    return unquote(parts.path).lstrip("/")


def existing(path: str, exists: Callable[[str], bool]) -> str | None:
    """The file that a path means: itself, or what is left when its first folders are dropped.

    A build made for a deeper place (`/repo/assets/x.js`) is found that way.
    """
    parts = path.split("/")
    return next((rest for at in range(len(parts)) if exists(rest := "/".join(parts[at:]))), None)


def mentions(path: str, text: str, exists: Callable[[str], bool]) -> Iterator[str]:
    """Files that a page or script names, as far as plain search can tell."""
    found = dict.fromkeys(_QUOTED.findall(text))
    if _PAGE.search(path):
        found |= dict.fromkeys(_ATTRIBUTE.findall(text))
    for address in found:
        for base in dict.fromkeys((path, "")):
            place = local_path(address, base)
            if place and (file := existing(place, exists)):
                yield file
                break
    for address in dict.fromkeys(_MODULE.findall(text)):
        place = local_path(address, path)
        if place:
            yield from (file for end in ("", ".js", ".mjs", "/index.js") if exists(file := place + end))


def reachable(
    entries: Iterable[str], text_of: Callable[[str], str], exists: Callable[[str], bool]
) -> dict[str, None]:
    """Files that the entries name, directly or through each other, in the order of discovery."""
    found = dict.fromkeys(entries)
    queue = list(found)
    while queue:
        path = queue.pop(0)
        for named in mentions(path, text_of(path), exists):
            if named not in found:
                found[named] = None
                queue.append(named)
    return found


def addresses(text: str) -> tuple[str, ...]:
    """Addresses of scripts that a script names: in quotes with a script's ending, or as what it imports.

    Places of sources on the disk, which compilers write beside the code for error messages, are none.
    """
    told = _SOURCE_PLACE.sub("", text)
    named = (address for address in _QUOTED.findall(told) if _SCRIPT_NAME.search(address))
    return tuple(dict.fromkeys((*named, *_MODULE.findall(text))))


def absolute(named: Iterable[str], base: str) -> tuple[str, ...]:
    """Where addresses lead, as far as they are of the same origin and no data."""
    origin = urlsplit(base)[:2]
    found: dict[str, None] = {}
    for address in named:
        try:
            url = urljoin(base, address.strip()).partition("#")[0]
        except ValueError:
            continue
        if urlsplit(url)[:2] == origin:
            found[url] = None
    return tuple(found)


def placed(text: str, url: str) -> Iterator[str]:
    """What a script names. Bundlers write the names of chunks from their base: `assets/b.js` in /shop/assets/a.js."""
    folder = urlsplit(url).path.rpartition("/")[0]
    for address in addresses(text):
        first, slash, _ = address.partition("/")
        if not slash or first in (".", "..", "") or ":" in first:
            yield address
        elif "/_next/" in url:
            yield f"{urlsplit(url).path.partition('/_next/')[0]}/_next/{address}"
        elif f"/{first}/" in f"{folder}/":
            yield f"{folder}/".rpartition(f"/{first}/")[0] + f"/{address}"
