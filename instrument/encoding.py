"""Text of a served file and back: decoded as a browser would, encoded again into the very same encoding."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_META = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_META_WINDOW = 1024
"""Bytes in which browsers look for <meta charset>."""

# Names that the web means differently than Python does (https://encoding.spec.whatwg.org/#names-and-labels).
_WEB_NAMES = {"iso-8859-1": "cp1252", "latin1": "cp1252", "ascii": "cp1252", "us-ascii": "cp1252"} | {
    "windows-1252": "cp1252", "x-cp1252": "cp1252", "gb2312": "gbk", "shift_jis": "cp932", "shift-jis": "cp932",
    "x-sjis": "cp932", "euc-kr": "cp949", "ks_c_5601-1987": "cp949", "iso-8859-9": "cp1254", "big5": "big5hkscs",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Decoded:
    """A file's text and what it takes to make the same bytes from it."""

    text: str
    encoding: str
    mark: bytes = b""
    """Byte order mark in front."""

    def encode(self, text: str) -> bytes:
        """Bytes of a changed text, in the file's own encoding and with its mark."""
        return self.mark + text.encode(self.encoding, "surrogatepass" if "utf" in self.encoding else "strict")


def decode(body: bytes, *, charset: str = "") -> Decoded:
    """Text of a script or page.

    A byte order mark decides, then UTF-8 if the bytes are that (our server says so to the browser), then
    `charset` or the page's own <meta>, then windows-1252. The choice always encodes back to the same bytes.
    """
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            rest = body[len(mark) :]
            return _round_trip(rest, encoding, mark) or Decoded(body.decode("latin-1"), "latin-1")
    if found := _round_trip(body, "utf-8"):
        return found
    meta = _META.search(body[:_META_WINDOW])
    for name in (charset, meta[1].decode("ascii") if meta else "", "cp1252"):
        encoding = _WEB_NAMES.get(name.strip().lower(), name.strip().lower())
        if encoding and (found := _round_trip(body, encoding)):
            return found
    return Decoded(body.decode("latin-1"), "latin-1")


def _round_trip(body: bytes, encoding: str, mark: bytes = b"") -> Decoded | None:
    try:
        found = Decoded(body.decode(encoding), encoding, mark)
        return found if encoding == "utf-8" or found.encode(found.text) == mark + body else None
    except (UnicodeError, LookupError):
        return None
