"""A forward proxy between the browser and an app that is served elsewhere: scripts and pages get counters as they pass.

All else passes untouched as it comes: streams, ranges, uploads; sockets are tunnelled. It runs in a thread of its own
with the instrumenter, so that a busy engine never holds up the page's requests.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
import threading
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import urljoin, urlsplit

from explorer.browser_network import origin_of
from explorer.httpwire import (
    BadMessage,
    Framing,
    Head,
    end_to_end,
    framing_of_answer,
    framing_of_request,
    head_bytes,
    read_head,
    unpacked,
)
from explorer.site import COVERAGE_MAPS
from explorer.streams import Arrival, Pair, both_ways, bounded, hung_up, pour, pour_pieces
from explorer.traffic import Traffic
from instrument.asking import Asking
from instrument.cache import ResultCache, default_cache_dir
from instrument.errors import AppError, ExplorerError
from instrument.exchange import Answered, Asked, Role, asked_of
from instrument.growth import Growth
from instrument.node import WorkerPool
from instrument.probes import ProbeMap
from instrument.transit import SIZE_LIMIT, SourceRoots, Transit
from instrument.v8scripts import KnownScripts

HOST = "127.0.0.1"
_T = TypeVar("_T")
_LINE_LIMIT = 1 << 18
_FETCH_S = 60.0
_WHOLE_S = 15.0
"""Longest wait for a script or page to be whole; a page that is streamed for longer passes as it comes."""
_REDIRECTS = 5
_MAY_RUN = frozenset(("script", "worker", "sharedworker", "serviceworker", "document", "iframe", "frame", ""))
_CONDITIONS = ("if-none-match", "if-modified-since")
_GONE = (OSError, BadMessage, EOFError, ssl.SSLError)
_ENCODINGS = ("Accept-Encoding", "gzip, deflate")


@dataclass(frozen=True, slots=True)
class Upstream:
    """A connection to the app's server."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @classmethod
    async def to(cls, url: str) -> Upstream:
        """Connects to the server of an address."""
        parts = urlsplit(url)
        secure = parts.scheme in ("https", "wss")
        port = parts.port or (443 if secure else 80)
        context = ssl.create_default_context() if secure else None
        # Browsers take every name below localhost for this machine; not every resolver does.
        name = parts.hostname or ""
        host = "localhost" if name.endswith(".localhost") else name
        reader, writer = await asyncio.open_connection(
            host, port, ssl=context, server_hostname=name if secure else None, limit=_LINE_LIMIT
        )
        return cls(reader, writer)

    @property
    def pair(self) -> Pair:
        return self.reader, self.writer

    def close(self) -> None:
        self.writer.close()


class TransitProxy:
    """Carries requests of a browser to one app from `__enter__` to `__exit__`.

    url: the app's; scripts of its origin get counters. allows: which addresses may be reached at all. sources: where
    they are on the disk. known: the map of an earlier run, which is continued. plain: nothing gets counters.
    v8: nothing gets counters either, and each script is added to it.
    """

    def __init__(  # noqa: PLR0913 - each is a thing of its own, and two are what most need
        self,
        url: str,
        *,
        allows: Callable[[str], bool],
        sources: SourceRoots = SourceRoots(),  # noqa: B008 - a frozen record
        known: ProbeMap | None = None,
        plain: bool = False,
        v8: KnownScripts | None = None,
        cache_dir: Path | None = None,
        cache: bool = True,
    ) -> None:
        self.url = url
        self.origin = origin_of(url)
        self.port = 0
        self.traffic = Traffic()
        """Scripts and pages that are on their way."""
        self._allows = allows
        self._sources = sources
        self._known = known
        self._plain = plain
        self.v8 = v8
        """Scripts that V8's ranges measure; None where counters are put into what passes."""
        self._store = ResultCache((cache_dir or default_cache_dir()) if cache else None)
        self._transit: Transit | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._ready = threading.Event()
        self._error: BaseException | None = None
        self._clients: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(target=self._run, name="transit-proxy", daemon=True)

    @property
    def secure(self) -> bool:
        """Whether the app speaks https: the browser's own routes carry it, and `address` is of no use."""
        return self.origin.startswith("https:")

    @property
    def address(self) -> str:
        """host:port, for the browser."""
        return f"{HOST}:{self.port}"

    @property
    def transit(self) -> Transit:
        """What is instrumented; its coroutines run by `call`."""
        assert self._transit is not None, "the proxy is not running"
        return self._transit

    def bare(self) -> TransitProxy:
        """Another one for the same app, which puts no counters into it."""
        return TransitProxy(self.url, allows=self._allows, plain=True, cache=False)

    async def call(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Runs a coroutine where the instrumenter lives, and waits for it from another loop."""
        assert self._loop is not None, "the proxy is not running"
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    # --- life

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        if self._error is not None:
            if isinstance(self._error, ExplorerError):
                raise self._error
            raise AppError(f"No proxy could be opened on {HOST}: {self._error}.") from self._error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._loop is not None and self._stop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
        self._store.trim()
        if self._error is not None and kind is None:
            raise self._error

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:  # noqa: BLE001 - handed to the thread that waits for it
            self._error = error
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        async with WorkerPool() as pool:
            growth = Growth(self._known)
            asking = Asking(pool, self._store)
            self._transit = Transit(asking, self.fetch, self._sources, growth, plain=self._plain, v8=self.v8)
            server = await asyncio.start_server(self._accept, HOST, 0, limit=_LINE_LIMIT)
            self.port = server.sockets[0].getsockname()[1]
            self._ready.set()
            await self._stop.wait()
            server.close()
            for client in self._clients:
                client.cancel()
            await asyncio.gather(*self._clients, return_exceptions=True)

    # --- the browser's side

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._clients.add(task)
        try:
            while await self._exchange(reader, writer):
                pass
        except _GONE:
            writer.transport.abort()  # as a server that hangs up: a failed request, not an answer
        except asyncio.CancelledError:
            if self._stop is None or not self._stop.is_set():
                raise
        except ExplorerError as error:
            self._error = self._error or error  # raised when the run ends: the instrumenter itself failed
            writer.transport.abort()
        finally:
            self._clients.discard(task)
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """One request and its answer; whether the connection may go on."""
        head = await read_head(reader)
        if head is None:
            return False
        method, target, _ = head.first
        url = f"ws://{target}/" if method == "CONNECT" else target
        if not self._allows(url):
            raise BadMessage(f"{url} is out of bounds")
        if method == "CONNECT":
            return await self._tunnel(url, reader, writer)
        if url == f"{self.origin}/{COVERAGE_MAPS}":
            await self._send(writer, json.dumps(self.transit.coverage_maps(), separators=(",", ":")).encode())
            return True
        upstream = await Upstream.to(url)
        try:
            if head.get("upgrade"):
                return await self._upgrade(url, head, (reader, writer), upstream)
            with self.traffic.flight(url, head.get("sec-fetch-dest")):
                return await self._carry(url, head, (reader, writer), upstream)
        finally:
            upstream.close()

    async def _send(self, writer: asyncio.StreamWriter, body: bytes) -> None:
        headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
        writer.write(head_bytes(("HTTP/1.1", "200", "OK"), headers) + body)
        await writer.drain()

    async def _carry(
        self,
        url: str,
        head: Head,
        client: Pair,
        upstream: Upstream,
    ) -> bool:
        method = head.first[0]
        upstream.writer.write(head_bytes(_asking(head, url), self._request_headers(url, head)))
        body = framing_of_request(head)
        sending = asyncio.ensure_future(pour(client[0], body, upstream.writer, chunked=body.chunked))
        try:
            answer = await _answer(upstream.reader)
            framing = framing_of_answer(answer, method)
            asked = asked_of(url, head.headers)
            role = self._role(asked, head, answer)
            if role:
                await self._changed(role, asked, answer, framing, upstream, client)
            else:
                await self._passed(url, head, answer, framing, upstream, client)
        finally:
            done = sending.done()
            if not done:
                sending.cancel()
            with contextlib.suppress(asyncio.CancelledError, *_GONE):
                await sending
        return done and "close" not in head.get("connection").lower()

    def _role(self, asked: Asked, head: Head, answer: Head) -> Role:
        if head.first[0] != "GET" or origin_of(asked.url) != self.origin:
            return ""
        return self.transit.role(asked, answer.status, answer.get("content-type"))

    def _request_headers(self, url: str, head: Head) -> list[tuple[str, str]]:
        """As the browser sent them, but with encodings that we know, and without conditions on what we never sent."""
        drop = ["accept-encoding"]
        may_run = head.get("sec-fetch-dest") in _MAY_RUN or self.transit.worker_seen
        if may_run and not self.transit.delivered(url):
            drop += _CONDITIONS
        kept = end_to_end(head.headers, *drop)
        if head.get("transfer-encoding"):
            kept.append(("Transfer-Encoding", "chunked"))
        encodings = [_ENCODINGS] if head.get("accept-encoding") else []
        return [*kept, *encodings, ("Connection", "close")]

    async def _changed(
        self,
        role: Role,
        asked: Asked,
        answer: Head,
        framing: Framing,
        upstream: Upstream,
        client: Pair,
    ) -> None:
        reader, writer = client
        arrival = Arrival(upstream.reader, framing)
        try:
            raw, more = await arrival.whole(seconds=_WHOLE_S, most=SIZE_LIMIT)
            headers = end_to_end(answer.headers, "content-length")
            if more:
                self.transit.left(asked.url, f"{more}, so it passed as it is")
                headers = [*headers, ("Transfer-Encoding", "chunked")]
                writer.write(head_bytes(("HTTP/1.1", *answer.first[1:]), headers))
                writer.write(b"%x\r\n%b\r\n" % (len(raw), raw) if raw else b"")
                await pour_pieces(
                    arrival.rest(), writer, chunked=True, held=lambda: not hung_up(reader, writer)
                )
                return
        finally:
            arrival.close()
        await self._send_changed(role, asked, answer, (raw, headers), writer)

    async def _send_changed(
        self,
        role: Role,
        asked: Asked,
        answer: Head,
        came: tuple[bytes, list[tuple[str, str]]],
        writer: asyncio.StreamWriter,
    ) -> None:
        raw, headers = came
        sent, body = [*headers, ("Content-Length", str(len(raw)))], raw
        plain = unpacked(raw, answer.get("content-encoding"))
        if plain is None:
            encoding = answer.get("content-encoding")
            self.transit.left(
                asked.url, f"compressed as {encoding}, which was not asked for and cannot be read"
            )
        else:
            before = Answered(asked.url, answer.status, headers, plain)
            after = await self.transit.change(role, before, asked)
            if after is not before:
                sent, body = list(after.headers), after.body
        writer.write(head_bytes(("HTTP/1.1", *answer.first[1:]), sent))
        writer.write(body)
        await writer.drain()

    async def _passed(
        self,
        url: str,
        head: Head,
        answer: Head,
        framing: Framing,
        upstream: Upstream,
        client: Pair,
    ) -> None:
        reader, writer = client
        headers = end_to_end(answer.headers)
        chunked = framing.length is None
        if chunked:
            headers = [*end_to_end(headers, "content-length"), ("Transfer-Encoding", "chunked")]
        if self._is_text_of_script(url, head, answer):
            # Else the browser might run this text later, from its cache, where it needs the one with counters.
            headers = [*end_to_end(headers, "cache-control"), ("Cache-Control", "no-store")]
        writer.write(head_bytes(("HTTP/1.1", *answer.first[1:]), headers))
        await pour(
            upstream.reader, framing, writer, chunked=chunked, held=lambda: not hung_up(reader, writer)
        )

    def _is_text_of_script(self, url: str, head: Head, answer: Head) -> bool:
        plain = head.get("sec-fetch-dest") == "empty" and origin_of(url) == self.origin
        return plain and answer.status == 200 and "javascript" in answer.get("content-type")

    # --- what is no request

    async def _tunnel(self, url: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        try:
            upstream = await Upstream.to(url)
        except OSError:
            writer.write(head_bytes(("HTTP/1.1", "502", "Bad Gateway"), [("Content-Length", "0")]))
            await writer.drain()
            return False
        writer.write(head_bytes(("HTTP/1.1", "200", "Connection established"), []))
        await writer.drain()
        return await both_ways((reader, writer), upstream.pair)

    async def _upgrade(
        self,
        url: str,
        head: Head,
        client: Pair,
        upstream: Upstream,
    ) -> bool:
        headers = [*end_to_end(head.headers), ("Connection", "Upgrade"), ("Upgrade", head.get("upgrade"))]
        upstream.writer.write(head_bytes(_asking(head, url), headers))
        return await both_ways(client, upstream.pair)

    # --- the engine's own requests

    async def fetch(self, url: str) -> Answered | None:
        """GET of an address of the app's origin, redirects within it followed; None where it gives nothing."""
        for _ in range(_REDIRECTS):
            if origin_of(url) != self.origin:
                return None
            try:
                async with asyncio.timeout(_FETCH_S):
                    answered = await fetched(url)
            except (*_GONE, TimeoutError):
                return None
            location = next((value for name, value in answered.headers if name.lower() == "location"), "")
            if not (300 <= answered.status < 400 and location):
                return answered
            url = urljoin(url, location)
        return None


async def fetched(url: str, *, accept: str = "*/*") -> Answered:
    """One GET, redirects not followed; the body without encoding. Raises OSError or BadMessage where none comes."""
    parts = urlsplit(url)
    target = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
    host = parts.netloc.rpartition("@")[2]
    headers = [("Host", host), ("Accept", accept), _ENCODINGS, ("Connection", "close")]
    upstream = await Upstream.to(url)
    try:
        upstream.writer.write(head_bytes(("GET", target, "HTTP/1.1"), headers))
        answer = await _answer(upstream.reader)
        framing = framing_of_answer(answer, "GET")
        raw = b"".join([piece async for piece in bounded(upstream.reader, framing)])
    finally:
        upstream.close()
    body = unpacked(raw, answer.get("content-encoding"))
    if body is None:
        raise BadMessage(f"its encoding {answer.get('content-encoding')} is not known")
    return Answered(url, answer.status, end_to_end(answer.headers), body)


def _asking(head: Head, url: str) -> tuple[str, str, str]:
    """First line for the server itself: the path instead of the whole address."""
    parts = urlsplit(url)
    start = len(f"{parts.scheme}://{parts.netloc}")
    target = url[start:].partition("#")[0]
    return head.first[0], target if target.startswith("/") else f"/{target}", "HTTP/1.1"


async def _answer(reader: asyncio.StreamReader) -> Head:
    """The final answer's head: hints and the like before it are left out."""
    while True:
        head = await read_head(reader)
        if head is None:
            raise BadMessage("the server hung up without an answer")
        if not head.first[0].startswith("HTTP/"):
            raise BadMessage(f"it began with {' '.join(head.first)[:80]!r}")
        if head.status >= 200 or head.status == 101:
            return head
