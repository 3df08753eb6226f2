"""Miniature servers: what each test needs of a web server, over loopback, with a memory of what was asked."""

from __future__ import annotations

import base64
import gzip
import hashlib
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

JS = "text/javascript"
HTML = "text/html; charset=utf-8"


@dataclass(frozen=True)
class Reply:
    """An answer: `etag` answers conditions with 304, `packed` compresses, `chunked` sends in frames, `hold` never ends."""

    body: bytes | str = b""
    kind: str = HTML
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    etag: str = ""
    packed: bool = False
    chunked: bool = False
    hold: bool = False

    @property
    def data(self) -> bytes:
        raw = self.body.encode() if isinstance(self.body, str) else self.body
        return gzip.compress(raw, mtime=0) if self.packed else raw


@dataclass(frozen=True)
class Asked:
    """A request as it arrived."""

    method: str
    target: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = b""


Answer = Reply | Callable[[Asked], Reply]


class MiniServer(ThreadingHTTPServer):
    """Answers by path, then by path and query; `/socket` echoes a WebSocket. Use as a context manager."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, routes: Mapping[str, Answer], *, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.routes = dict(routes)
        self.asked: list[Asked] = []
        self.hung_up = threading.Event()
        """A client went away from an answer that has no end."""
        self.stopping = threading.Event()
        self._thread = threading.Thread(
            target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def url(self) -> str:
        return f"{self.origin}/"

    def paths(self, method: str = "GET") -> list[str]:
        """What was asked by a method, in order."""
        return [asked.target for asked in self.asked if asked.method == method]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stopping.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients hang up when they like."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: MiniServer

    def log_message(self, format: str, *args: Any) -> None:
        """Silent."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):
            return self._respond
        raise AttributeError(name)

    def _respond(self) -> None:
        body = self._body()
        asked = Asked(
            self.command, self.path, {key.lower(): value for key, value in self.headers.items()}, body
        )
        self.server.asked.append(asked)
        if self.path == "/socket":
            return self._socket()
        found = self.server.routes.get(self.path) or self.server.routes.get(self.path.partition("?")[0])
        reply = found(asked) if callable(found) else found or Reply("nothing here", "text/plain", 404)
        return self._send(reply, asked)

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding"):
            parts = []
            while size := int(self.rfile.readline(), 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _send(self, reply: Reply, asked: Asked) -> None:
        status, data = reply.status, reply.data
        if reply.etag and asked.headers.get("if-none-match") == reply.etag:
            status, data = 304, b""
        self.send_response(status)
        self.send_header("Content-Type", reply.kind)
        for name, value in reply.headers:
            self.send_header(name, value)
        if reply.etag:
            self.send_header("ETag", reply.etag)
        if reply.packed and status == 200:
            self.send_header("Content-Encoding", "gzip")
        if reply.chunked or reply.hold:
            self.send_header("Transfer-Encoding", "chunked")
        elif status != 304:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command == "HEAD" or status == 304:
            return
        if not (reply.chunked or reply.hold):
            self.wfile.write(data)
            return
        self._chunks(data, hold=reply.hold)

    def _chunks(self, data: bytes, *, hold: bool) -> None:
        half = len(data) // 2
        for part in (data[:half], data[half:]):
            if part:
                self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part))
        self.wfile.flush()
        if hold:
            self.connection.settimeout(0.05)
            while not self.server.stopping.is_set():
                try:
                    if not self.connection.recv(1):
                        self.server.hung_up.set()
                        break
                except TimeoutError:
                    continue
                except OSError:
                    self.server.hung_up.set()
                    break
            self.close_connection = True
            return
        self.wfile.write(b"0\r\n\r\n")

    def _socket(self) -> None:
        """RFC 6455, as far as short texts of one frame need it."""
        salt = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header(
            "Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(salt.encode()).digest()).decode()
        )
        self.end_headers()
        self.close_connection = True
        while True:
            head = self.rfile.read(2)
            if len(head) < 2 or head[0] & 15 == 8:
                return
            size = head[1] & 127
            mask = self.rfile.read(4)
            text = bytes(byte ^ mask[at % 4] for at, byte in enumerate(self.rfile.read(size)))
            self.wfile.write(bytes((0x81, len(text))) + text)
