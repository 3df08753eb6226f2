"""Carries a site's answers over loopback HTTP/1.1; the only file that opens sockets.

It runs in threads of its own, so that a busy engine never holds up the page's requests.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import socket
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import BaseServer, TCPServer
from types import TracebackType
from typing import Any

from explorer.answers import Answer, Ask, Slice
from explorer.site import Served, Site
from instrument.errors import AppError, UsageError

HOST = "127.0.0.1"
_USUAL_PORTS = range(21000, 29000)
_IDLE_SECONDS = 600
_DRAINED = 64_000_000
_GONE = (BrokenPipeError, ConnectionResetError, ConnectionAbortedError, TimeoutError)


class AppServer:
    """Serves an app from the moment it is made until `close()`; `with` closes it.

    `port` is used as given (UsageError where it is taken); without one (or with 0) each app has its usual port,
    so that what it shows of its own address is the same in every run, or any free one while that is taken.
    """

    def __init__(self, served: Served, *, port: int | None = None) -> None:
        self.site = Site(served)
        self._http = _bound(self.site, port, usual=_usual_port(served.root.name))
        self.port: int = self._http.server_address[1]
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, name="app-server", daemon=True
        )
        self._thread.start()

    @property
    def origin(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def url(self) -> str:
        """The page to open."""
        return self.origin + self.site.start

    def close(self) -> None:
        """Stops listening and hangs up on every client; may be called again."""
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def __enter__(self) -> AppServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _usual_port(name: str) -> int:
    digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).digest()
    return _USUAL_PORTS[int.from_bytes(digest[:4], "big") % len(_USUAL_PORTS)]


def _bound(site: Site, port: int | None, *, usual: int) -> _Server:
    if port is not None and not 0 <= port <= 65535:
        raise UsageError(f"Port {port} does not exist: give one from 1 to 65535, or none for a free one.")
    choices = [port] if port else [usual, 0]
    for choice in choices:
        try:
            return _Server(site, choice)
        except OSError as error:
            if choice != choices[-1]:
                continue
            raise _port_error(choice, error) from error
    raise AssertionError("choices is never empty")


def _port_error(port: int, error: OSError) -> UsageError | AppError:
    if error.errno == errno.EADDRINUSE:
        return UsageError(f"Port {port} is in use: give another with --port, or none for a free one.")
    if error.errno == errno.EACCES:
        return UsageError(
            f"Port {port} may not be opened by you: give one above 1023, or none for a free one."
        )
    return AppError(f"No server could be opened on {HOST}: {error.strerror or error}.")


class _Server(ThreadingHTTPServer):
    """Loopback only; remembers its connections so that closing ends them."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    # Elsewhere than on POSIX the option would let two servers share a port.
    allow_reuse_address = os.name == "posix"

    def __init__(self, site: Site, port: int) -> None:
        self.site = site
        self._clients: set[Any] = set()
        super().__init__((HOST, port), _Handler)

    def server_bind(self) -> None:
        # HTTPServer's own would look the host's name up, which takes seconds on some networks.
        TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        self._clients.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._clients.discard(request)
        super().shutdown_request(request)

    def server_close(self) -> None:
        super().server_close()
        for client in list(self._clients):
            with contextlib.suppress(OSError):  # it hung up meanwhile
                # Wakes the thread that waits for the next request; that thread closes the connection.
                client.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A browser that navigates away hangs up in the middle of answers: no news.
        if not isinstance(sys.exception(), _GONE):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """Reads requests of one connection and writes the site's answers."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = _IDLE_SECONDS
    server_version = "explore-app"
    sys_version = ""

    def __init__(self, request: Any, client_address: Any, server: BaseServer) -> None:
        assert isinstance(server, _Server)
        self._site = server.site
        super().__init__(request, client_address, server)

    def __getattr__(self, name: str) -> Any:
        # The base class looks for do_GET and so on; the site knows all methods.
        if name.startswith("do_"):
            return self._respond
        raise AttributeError(name)

    def _respond(self) -> None:
        self._drain()
        headers = {name.lower(): value for name, value in self.headers.items()}
        if _foreign(headers.get("host", "")):
            self._send(Answer(421, {"Content-Length": "0"}))
            return
        self._send(self._site.answer(Ask(self.command, self.path, headers)))

    def _drain(self) -> None:
        """Reads the request's body away, so that the connection can be used again."""
        length = self.headers.get("Content-Length", "0")
        if self.headers.get("Transfer-Encoding") or not length.isdigit() or int(length) > _DRAINED:
            self.close_connection = True
            return
        left = int(length)
        while left > 0 and (chunk := self.rfile.read(min(left, 1 << 16))):
            left -= len(chunk)

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self._send_body(answer.body)

    def _send_body(self, body: bytes | Slice) -> None:
        if isinstance(body, bytes):
            self.wfile.write(body)
            return
        with body.path.open("rb") as file:
            sent = self.connection.sendfile(file, body.start, body.length) if body.length else 0
        # A file that was cut short meanwhile: only a closed connection tells the client.
        self.close_connection |= sent < body.length

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are the page's business: the engine records them from the browser's side."""


def _foreign(host: str) -> bool:
    """Whether a Host header shows a name that is not ours: another site's page had its name bound to loopback."""
    name = host.rpartition(":")[0] if ":" in host else host
    return name not in ("", HOST, "localhost")
