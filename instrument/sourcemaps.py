"""Where a script's source map is: in a data: URL, in the file that it names, or hidden beside it."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from instrument.folder import Listing
from instrument.mentions import existing, local_path

_COMMENT = re.compile(
    r"[#@][ \t]*sourceMappingURL[ \t]*=[ \t]*([^\s'\"`*]+)[ \t]*(?:\*/)?\s*(?://[^\n]*\s*)*$"
)
_SIZE_LIMIT = 200 << 20


@dataclass(frozen=True, slots=True)
class SourceMap:
    """A source map's text and where it lies, below root."""

    text: str
    path: str


def find_map(path: str, text: str, listing: Listing) -> SourceMap | str:
    """The map of a script, or why there is none ("" where the script names none)."""
    address = map_address(text)
    if not address:
        return _read(f"{path}.map", listing) if f"{path}.map" in listing else ""
    if address.startswith("data:"):
        return map_in_data(address, path)
    place = local_path(address, path)
    found = existing(place, listing.__contains__) if place else None
    if found is None and f"{path}.map" in listing:
        found = f"{path}.map"
    if found is None:
        return f"the source map {address[:100]} is not there"
    return _read(found, listing)


def map_address(text: str) -> str:
    """The address that a script gives of its map, a data: URL perhaps; "" where it gives none."""
    at = text.rfind("sourceMappingURL")
    comment = _COMMENT.search(text, max(0, at - 4)) if at >= 0 else None
    return comment[1] if comment else ""


def _read(path: str, listing: Listing) -> SourceMap | str:
    if listing.files.get(path, 0) > _SIZE_LIMIT:
        return f"the source map {path} is larger than {_SIZE_LIMIT >> 20} MB"
    try:
        return SourceMap(listing.read(path).decode("utf-8-sig", "replace"), path)
    except OSError as error:
        return f"the source map {path} cannot be read ({error.strerror})"


def map_in_data(address: str, path: str) -> SourceMap | str:
    """The map that a data: URL holds, or why it cannot be read; `path` is the script's."""
    head, _, body = address.partition(",")
    try:
        raw = base64.b64decode(unquote_to_bytes(body)) if head.endswith(";base64") else unquote_to_bytes(body)
    except binascii.Error:
        return "the source map in the file is damaged"
    return SourceMap(raw.decode("utf-8", "replace"), path)
