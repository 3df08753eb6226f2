"""explorer.httpwire: heads, bodies and encodings as servers really send them."""

from __future__ import annotations

import asyncio
import gzip
import zlib

import pytest

from explorer.httpwire import (
    BadMessage,
    Framing,
    Head,
    end_to_end,
    framing_of_answer,
    framing_of_request,
    head_bytes,
    pieces,
    read_head,
    unpacked,
)


def reader_of(data: bytes, *, limit: int = 1 << 16) -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit=limit)
    reader.feed_data(data)
    reader.feed_eof()
    return reader


def head_of(data: bytes) -> Head | None:
    async def read() -> Head | None:
        return await read_head(reader_of(data))

    return asyncio.run(read())


def body_of(data: bytes, framing: Framing) -> tuple[bytes, bytes]:
    """The body, and what is left in the stream."""

    async def read() -> tuple[bytes, bytes]:
        reader = reader_of(data)
        body = b"".join([piece async for piece in pieces(reader, framing)])
        return body, await reader.read()

    return asyncio.run(read())


def test_heads_are_read_as_they_come() -> None:
    head = head_of(b"\r\nHTTP/1.1 200\r\nA: 1\r\nb:2\nLong: x\r\n  y\r\n\r\n")
    assert head is not None
    assert (head.first, head.status) == (("HTTP/1.1", "200", ""), 200)
    assert head.headers == [("A", "1"), ("b", "2"), ("Long", "x y")]
    assert (head.get("a"), head.get("missing")) == ("1", "")
    assert head_of(b"") is None


@pytest.mark.parametrize(
    "data", [b"GET / HTTP/1.1\r\nA", b"HTTP/1.1 no status\r\n\r\n", b"A: " + b"x" * 300_000]
)
def test_what_is_no_head_is_said(data: bytes) -> None:
    with pytest.raises(BadMessage):
        head_of(data)


def head(first: str, **headers: str) -> Head:
    one, two, *rest = first.split(" ", 2)
    return Head(
        (one, two, " ".join(rest)), [(name.replace("_", "-"), value) for name, value in headers.items()]
    )


@pytest.mark.parametrize(
    ("answer", "method", "framing"),
    [
        (head("HTTP/1.1 200 OK", Content_Length="5"), "GET", Framing(5)),
        (head("HTTP/1.1 200 OK", Content_Length="5"), "HEAD", Framing(0)),
        (head("HTTP/1.1 304 x", Content_Length="5"), "GET", Framing(0)),
        (head("HTTP/1.1 204 x"), "GET", Framing(0)),
        (
            head("HTTP/1.1 200 OK", Transfer_Encoding="gzip, Chunked", Content_Length="5"),
            "GET",
            Framing(None, True),
        ),
        (head("HTTP/1.0 200 OK"), "GET", Framing()),
        (head("HTTP/1.1 200 OK", Content_Length="none"), "GET", Framing()),
    ],
)
def test_where_an_answer_ends(answer: Head, method: str, framing: Framing) -> None:
    assert framing_of_answer(answer, method) == framing


def test_where_a_request_ends() -> None:
    assert framing_of_request(head("GET / HTTP/1.1")) == Framing(0)
    assert framing_of_request(head("POST / HTTP/1.1", Content_Length="3")) == Framing(3)
    assert framing_of_request(head("POST / HTTP/1.1", Transfer_Encoding="chunked")) == Framing(chunked=True)


def test_bodies_end_where_they_should() -> None:
    assert body_of(b"12345next", Framing(5)) == (b"12345", b"next")
    chunks = b"3;name=value\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: x\r\n\r\nnext"
    assert body_of(chunks, Framing(chunked=True)) == (b"abcde", b"next")
    assert body_of(b"to the end", Framing()) == (b"to the end", b"")


@pytest.mark.parametrize(
    ("data", "framing"),
    [(b"123", Framing(5)), (b"zz\r\nabc", Framing(chunked=True)), (b"5\r\nabc", Framing(chunked=True))],
)
def test_bodies_that_break_off_are_said(data: bytes, framing: Framing) -> None:
    with pytest.raises(BadMessage):
        body_of(data, framing)


def test_headers_of_a_connection_stay_with_it() -> None:
    headers = [
        ("Connection", "close, X-Mine"),
        ("X-Mine", "1"),
        ("Keep-Alive", "5"),
        ("A", "1"),
        ("B", "2"),
        ("A", "3"),
    ]
    assert end_to_end(headers, "b") == [("A", "1"), ("A", "3")]


def test_heads_are_written() -> None:
    assert head_bytes(("HTTP/1.1", "200", ""), [("A", "\xfc")]) == b"HTTP/1.1 200\r\nA: \xfc\r\n\r\n"


def test_encodings_are_taken_off() -> None:
    body = b"hello" * 100
    raw = zlib.compressobj(wbits=-15)
    assert unpacked(body, "") == unpacked(body, "identity") == body
    assert unpacked(gzip.compress(body), "GZIP") == unpacked(zlib.compress(body), "deflate") == body
    assert unpacked(raw.compress(body) + raw.flush(), "deflate") == body
    assert unpacked(gzip.compress(zlib.compress(body)), "deflate, gzip") == body
    assert unpacked(body, "br") is None
    assert unpacked(body, "gzip") is None
