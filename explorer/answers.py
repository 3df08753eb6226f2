"""How a resource becomes an HTTP answer: type, validators, ranges and encodings, as plain static hosts do it."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from email.utils import formatdate, parsedate_to_datetime
from http import HTTPStatus
from pathlib import Path

from explorer.media import is_text, media_type

_SNIFFED = 4_000_000
_RANGE = re.compile(r"bytes=(\d*)-(\d*)$")


@dataclass(frozen=True, slots=True)
class Ask:
    """A request: method, target as it stood in the request line, header names in lower case."""

    method: str
    target: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of a file, to be streamed."""

    path: Path
    start: int
    length: int


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, headers (Content-Length included) and body."""

    status: int
    headers: Mapping[str, str]
    body: bytes | Slice = b""


@dataclass(frozen=True, slots=True)
class Resource:
    """What lies at a path: bytes of the overlay, or a file."""

    name: str
    """Path whose extension tells the media type."""
    body: bytes | None
    path: Path | None
    """The file; for a body of the overlay the file it takes the place of, if there is one."""
    encoding: str = ""
    """Content-Encoding of the stored bytes."""


@dataclass(frozen=True, slots=True)
class _Facts:
    """What was found out about a resource, good as long as `version` is the same."""

    version: object
    tag: str
    kind: str


class Delivery:
    """Makes answers of resources, and remembers what it found out about each."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], _Facts] = {}

    def answer(self, found: Resource, ask: Ask, *, status: int = 200) -> Answer:
        """The resource, or the part of it that was asked for, or the word that it has not changed."""
        facts = self._facts(found)
        # Reloads ask again and get 304: the browser keeps its compiled code, and never shows stale content.
        headers = {"Content-Type": facts.kind, "ETag": facts.tag, "Cache-Control": "no-cache"}
        if found.path is not None:
            headers["Last-Modified"] = formatdate(found.path.stat().st_mtime, usegmt=True)
        found, encoding = _acceptable(found, ask.headers.get("accept-encoding", ""))
        if encoding == "unacceptable":
            return error(406)
        if encoding:
            headers |= {"Content-Encoding": encoding, "Vary": "Accept-Encoding"}
        if status == 200 and _unchanged(ask.headers, headers, overlaid=found.body is not None):
            return Answer(304, headers)
        size = len(found.body) if found.body is not None else _file_of(found).stat().st_size
        part = _part(ask.headers, headers, size) if status == 200 else None
        return _whole(found, size, status, headers) if part is None else _partial(found, size, part, headers)

    def _facts(self, found: Resource) -> _Facts:
        """Entity tag and Content-Type, worked out once for each version of a resource."""
        key = (found.name, "overlay" if found.body is not None else str(found.path))
        version: object = found.body
        if found.body is None:
            stat = _file_of(found).stat()
            version = (stat.st_mtime_ns, stat.st_size)
        known = self._known.get(key)
        if known is not None and (known.version is version or known.version == version):
            return known
        digest = hashlib.sha256(found.body if found.body is not None else repr(version).encode())
        facts = _Facts(version, f'"{digest.hexdigest()[:20]}"', _content_type(found))
        self._known[key] = facts
        return facts


def _file_of(found: Resource) -> Path:
    if found.path is None:
        raise FileNotFoundError(found.name)
    return found.path


def content(found: Resource) -> bytes:
    """The resource's bytes as stored, unpacked where that needs no library."""
    if found.body is not None:
        return found.body
    stored = _file_of(found).read_bytes()
    return gzip.decompress(stored) if found.encoding == "gzip" else stored


def _content_type(found: Resource) -> str:
    kind = media_type(found.name)
    return f"{kind}; charset=utf-8" if is_text(kind) and _is_utf8(found) else kind


def _is_utf8(found: Resource) -> bool:
    """False leaves the choice to the page's own `<meta charset>` or byte order mark."""
    if found.encoding:
        return True
    start = found.body
    if start is None:
        with _file_of(found).open("rb") as file:
            start = file.read(_SNIFFED)
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start[:_SNIFFED], final=len(start) < _SNIFFED)
    except UnicodeDecodeError:
        return False
    return True


def _acceptable(found: Resource, accepted: str) -> tuple[Resource, str]:
    """The resource in a form that the client takes, and its Content-Encoding or "unacceptable"."""
    names = {name for name, weight in _weighted(accepted) if weight > 0}
    if not found.encoding or found.encoding in names:
        return found, found.encoding
    if found.encoding == "gzip":
        return Resource(found.name, content(found), found.path), ""
    return found, "unacceptable"


def _weighted(accepted: str) -> Iterator[tuple[str, float]]:
    """Names and weights of an Accept-Encoding header; a weight that is no number counts as none."""
    for token in accepted.lower().split(","):
        name, *parameters = (part.strip() for part in token.split(";"))
        weight = next((value[2:] for value in parameters if value.startswith("q=")), "1")
        yield name, float(weight) if re.fullmatch(r"[01](\.\d{0,3})?", weight) else 0.0


def _unchanged(asked: Mapping[str, str], headers: Mapping[str, str], *, overlaid: bool) -> bool:
    """RFC 9110, 13.2.2: If-None-Match wins; the date of a file says nothing about its overlay."""
    tags = asked.get("if-none-match")
    if tags is not None:
        return tags.strip() == "*" or headers["ETag"] in [
            tag.strip().removeprefix("W/") for tag in tags.split(",")
        ]
    since = asked.get("if-modified-since", "")
    if overlaid or not since or "Last-Modified" not in headers:
        return False
    try:
        return parsedate_to_datetime(headers["Last-Modified"]) <= parsedate_to_datetime(since)
    except (ValueError, TypeError):
        return False


def _part(asked: Mapping[str, str], headers: Mapping[str, str], size: int) -> tuple[int, int] | None:
    """First byte and length of the one range that was asked for; None for the whole, length 0 for none at all.

    Several ranges, other units and a range of an outdated version get the whole, as RFC 9110, 14.2 allows.
    """
    match = _RANGE.match(asked.get("range", "").replace(" ", ""))
    if not match or match[0] == "bytes=-":
        return None
    if asked.get("if-range") not in (None, headers["ETag"], headers.get("Last-Modified")):
        return None
    first, last = match[1], match[2]
    if not first:
        start, end = max(size - int(last), 0), size - 1
    else:
        start, end = int(first), min(int(last), size - 1) if last else size - 1
        if last and int(last) < start:
            return None
    return start, max(end - start + 1, 0)


def _whole(found: Resource, size: int, status: int, headers: Mapping[str, str]) -> Answer:
    body = found.body if found.body is not None else Slice(_file_of(found), 0, size)
    return Answer(status, {**headers, "Content-Length": str(size), "Accept-Ranges": "bytes"}, body)


def _partial(found: Resource, size: int, part: tuple[int, int], headers: Mapping[str, str]) -> Answer:
    start, length = part
    if not length:
        return error(416, **{"Content-Range": f"bytes */{size}"})
    span = {"Content-Range": f"bytes {start}-{start + length - 1}/{size}", "Content-Length": str(length)}
    whole = found.body
    body = whole[start : start + length] if whole is not None else Slice(_file_of(found), start, length)
    return Answer(206, {**headers, **span, "Accept-Ranges": "bytes"}, body)


def redirect(place: str, target: str) -> Answer:
    """302, not 301: browsers remember a 301, and the next app may be served on the same port."""
    query = target.partition("#")[0].partition("?")[2]
    return Answer(302, {"Location": f"{place}?{query}" if query else place, "Content-Length": "0"})


def error(status: int, **headers: str) -> Answer:
    body = f"{status} {HTTPStatus(status).phrase}\n".encode()
    plain = {"Content-Type": "text/plain; charset=utf-8", "Content-Length": str(len(body))}
    return Answer(status, {**plain, "Cache-Control": "no-store", **headers}, body)
