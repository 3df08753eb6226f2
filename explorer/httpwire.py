"""HTTP/1.1 as it travels: heads and bodies read from a stream and written to one. Knows no sockets."""

from __future__ import annotations

import asyncio
import re
import zlib
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass

from instrument.exchange import Headers, header

_HEAD_LIMIT = 1 << 18
PIECE = 1 << 16
HOP_BY_HOP = frozenset(
    (
        *("connection", "proxy-connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"),
        *("proxy-authorization", "proxy-authenticate"),
    )
)
_NO_BODY = frozenset((204, 205, 304))
_CHUNK_SIZE = re.compile(rb"\s*([0-9a-fA-F]{1,15})\s*(?:;.*)?\r?\n", re.DOTALL)


class BadMessage(Exception):
    """What came is no HTTP/1.1; `str()` says what was wrong."""


@dataclass(frozen=True, slots=True)
class Head:
    """First line and headers of a request or an answer."""

    first: tuple[str, str, str]
    """Method, target, version; or version, status, reason."""
    headers: Headers

    @property
    def status(self) -> int:
        return int(self.first[1])

    def get(self, name: str) -> str:
        """Value of a header, by its name in small letters; "" without one."""
        return header(self.headers, name)


@dataclass(frozen=True, slots=True)
class Framing:
    """Where a body ends: after `length` bytes, with its last chunk, or (both unset) with the connection."""

    length: int | None = None
    chunked: bool = False


async def read_head(reader: asyncio.StreamReader) -> Head | None:
    """The next head; None where the other side has hung up. Raises BadMessage."""
    lines: list[str] = []
    size = 0
    while True:
        try:
            line = await reader.readline()
        except ValueError as error:
            raise BadMessage("a header is too long") from error
        size += len(line)
        if size > _HEAD_LIMIT:
            raise BadMessage("the headers are too long")
        if not line.endswith(b"\n"):
            if lines or line:
                raise BadMessage("the connection ended within the headers")
            return None
        text = line.decode("latin-1").rstrip("\r\n")
        if text:
            lines.append(text)
        elif lines:
            return _head(lines)


def _head(lines: list[str]) -> Head:
    parts = [*lines[0].split(" ", 2), "", ""][:3]
    headers: list[tuple[str, str]] = []
    for line in lines[1:]:
        name, colon, value = line.partition(":")
        if line[0] in " \t" and headers:  # a folded line, as old servers send
            headers[-1] = (headers[-1][0], f"{headers[-1][1]} {line.strip()}")
        elif colon:
            headers.append((name.strip(), value.strip()))
    head = Head((parts[0], parts[1], parts[2]), headers)
    if parts[0].startswith("HTTP/") and not parts[1].isdecimal():
        raise BadMessage(f"{lines[0][:80]!r} has no status")
    return head


def framing_of_request(head: Head) -> Framing:
    """How long a request's body is."""
    if "chunked" in head.get("transfer-encoding").lower():
        return Framing(chunked=True)
    return Framing(length=_length(head) or 0)


def framing_of_answer(head: Head, method: str) -> Framing:
    """How long an answer's body is."""
    if method == "HEAD" or head.status in _NO_BODY or head.status < 200:
        return Framing(length=0)
    if "chunked" in head.get("transfer-encoding").lower():
        return Framing(chunked=True)
    return Framing(length=_length(head))


def _length(head: Head) -> int | None:
    value = head.get("content-length").split(",")[0].strip()
    return int(value) if value.isdecimal() else None


async def pieces(reader: asyncio.StreamReader, framing: Framing) -> AsyncIterator[bytes]:
    """The body as it arrives, without its chunks' frames. Raises BadMessage where it breaks off."""
    if framing.chunked:
        while size := await _chunk_size(reader):
            async for piece in _exactly(reader, size):
                yield piece
            await reader.readline()
        while (await reader.readline()).strip():
            pass  # trailers
    elif framing.length is not None:
        async for piece in _exactly(reader, framing.length):
            yield piece
    else:
        while piece := await reader.read(PIECE):
            yield piece


async def _chunk_size(reader: asyncio.StreamReader) -> int:
    line = await reader.readline()
    found = _CHUNK_SIZE.fullmatch(line)
    if not found:
        raise BadMessage("a chunk has no size")
    return int(found[1], 16)


async def _exactly(reader: asyncio.StreamReader, size: int) -> AsyncIterator[bytes]:
    while size > 0:
        piece = await reader.read(min(size, PIECE))
        if not piece:
            raise BadMessage("the body ended too early")
        size -= len(piece)
        yield piece


def head_bytes(first: Iterable[str], headers: Headers) -> bytes:
    """A head as it is written."""
    lines = [" ".join(part for part in first if part), *(f"{name}: {value}" for name, value in headers)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")


def end_to_end(headers: Headers, *drop: str) -> list[tuple[str, str]]:
    """Headers that are meant for the other end: without those of this connection, those it names, and `drop`."""
    named = {name.strip().lower() for name in header(headers, "connection").split(",")}
    gone = HOP_BY_HOP | named | set(drop)
    return [(name, value) for name, value in headers if name.lower() not in gone]


def unpacked(body: bytes, encoding: str) -> bytes | None:
    """A body without its Content-Encoding; None for an encoding that is not known or is not kept to."""
    for name in reversed([part.strip().lower() for part in encoding.split(",") if part.strip()]):
        if name == "identity":
            continue
        if name not in ("gzip", "x-gzip", "deflate"):
            return None
        try:
            body = _inflated(body, zipped=name != "deflate")
        except zlib.error:
            return None
    return body


def _inflated(body: bytes, *, zipped: bool) -> bytes:
    if zipped:
        return zlib.decompress(body, 31)
    try:
        return zlib.decompress(body)
    except zlib.error:
        return zlib.decompress(body, -15)  # raw, as some servers understand "deflate"
