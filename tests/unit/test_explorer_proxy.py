"""explorer.proxy: what passes passes untouched, scripts and pages get counters, and nothing else is reached."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse, RemoteDisconnected
from typing import Any

import pytest

from explorer import proxy as proxy_module
from explorer.browser_network import Wall
from explorer.httpwire import BadMessage
from explorer.proxy import TransitProxy, fetched
from instrument.transit import SourceRoots
from tests.miniserver import HTML, JS, Asked, MiniServer, Reply

CODE = "function add(a) { return a + 1; }\nadd(1);\n"
SCRIPT = {"Sec-Fetch-Dest": "script"}
PAGE = {"Sec-Fetch-Dest": "document"}
TEXT = {"Sec-Fetch-Dest": "empty"}


@contextmanager
def carried(routes: dict[str, Reply | Callable[[Asked], Reply]]) -> Iterator[tuple[MiniServer, TransitProxy]]:
    with MiniServer(routes) as server:
        wall = Wall(server.origin)
        with TransitProxy(server.url, allows=wall.allows, cache=False) as proxy:
            yield server, proxy


def ask(
    proxy: TransitProxy,
    path: str,
    headers: dict[str, str] | None = None,
    method: str = "GET",
    body: Any = None,
) -> tuple[HTTPResponse, bytes]:
    """One request through the proxy, on a connection of its own."""
    connection = HTTPConnection("127.0.0.1", proxy.port, timeout=20)
    try:
        url = path if "://" in path else proxy.origin + path
        connection.request(method, url, body=body, headers=headers or {}, encode_chunked=body is not None)
        answer = connection.getresponse()
        return answer, answer.read()
    finally:
        connection.close()


def digest(text: bytes | str, algorithm: str = "sha256") -> str:
    raw = text.encode() if isinstance(text, str) else text
    return f"{algorithm}-{base64.b64encode(hashlib.new(algorithm, raw).digest()).decode()}"


def counted(body: bytes) -> bool:
    return b"__cov$" in body


def test_what_is_no_script_passes_untouched() -> None:
    picture = bytes(range(256)) * 500
    cookies = (("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"), ("X-Odd", "yes"))
    routes: dict[str, Reply | Callable[[Asked], Reply]] = {
        "/a.png": Reply(picture, "image/png", headers=cookies),
        "/b.png": Reply(picture, "image/png", chunked=True),
        "/part": Reply(b"123", "video/mp4", 206, (("Content-Range", "bytes 1-3/9"),)),
        "/data.json": Reply('{"a": 1}', "application/json", packed=True),
        "/gone.js": Reply("no", JS, 404),
    }
    with carried(routes) as (server, proxy):
        answer, body = ask(proxy, "/a.png", {"Sec-Fetch-Dest": "image"})
        assert (answer.status, body, answer.headers.get_all("Set-Cookie")) == (200, picture, ["a=1", "b=2"])
        assert (answer.headers["X-Odd"], answer.headers["Content-Length"]) == ("yes", str(len(picture)))
        assert ask(proxy, "/b.png")[1] == picture
        answer, body = ask(proxy, "/part", {"Range": "bytes=1-3"})
        assert (answer.status, body, answer.headers["Content-Range"]) == (206, b"123", "bytes 1-3/9")
        assert server.asked[-1].headers["range"] == "bytes=1-3"
        answer, body = ask(proxy, "/data.json", {"Accept-Encoding": "gzip, br", **TEXT})
        assert (answer.headers["Content-Encoding"], body) == ("gzip", routes["/data.json"].data)  # type: ignore[union-attr]
        assert server.asked[-1].headers["accept-encoding"] == "gzip, deflate"
        answer, body = ask(proxy, "/a.png", method="HEAD")
        assert (body, answer.headers["Content-Length"]) == (b"", str(len(picture)))
        answer, body = ask(proxy, "/gone.js", SCRIPT)
        assert (answer.status, body) == (404, b"no")


def test_bodies_of_requests_arrive_whole_and_connections_go_on() -> None:
    with carried({"/echo": lambda asked: Reply(asked.body, "text/plain")}) as (server, proxy):
        connection = HTTPConnection("127.0.0.1", proxy.port, timeout=20)
        for body in (b"x" * 300_000, b"", b"last"):
            connection.request("POST", f"{server.origin}/echo", body=body)
            assert connection.getresponse().read() == body
        connection.request(
            "PUT", f"{server.origin}/echo", body=iter([b"in ", b"pieces"]), encode_chunked=True
        )
        assert connection.getresponse().read() == b"in pieces"
        connection.close()
        assert [asked.method for asked in server.asked] == ["POST", "POST", "POST", "PUT"]
        assert server.asked[0].headers["host"] == server.origin.removeprefix("http://")


def test_scripts_get_counters_and_headers_that_fit() -> None:
    headers = (("Cache-Control", "no-cache"), ("Accept-Ranges", "bytes"), ("X-Odd", "yes"))
    routes: dict[str, Reply | Callable[[Asked], Reply]] = {
        "/a.js": Reply(CODE, JS, headers=headers, etag='W/"1"', packed=True),
        "/plain.js": Reply(CODE, JS, chunked=True),
    }
    with carried(routes) as (_, proxy):
        answer, body = ask(proxy, "/a.js", SCRIPT)
        assert counted(body) and b"function add(a) {" in body
        assert answer.headers["Content-Length"] == str(len(body))
        assert (answer.headers["ETag"], answer.headers["Cache-Control"]) == ('W/"1"', "no-cache")
        assert (answer.headers["Content-Encoding"], answer.headers["Accept-Ranges"]) == (None, None)
        assert answer.headers["X-Odd"] == "yes"
        assert counted(ask(proxy, "/plain.js", SCRIPT)[1])
        probes = proxy.transit.probes()
        assert [(file.path, file.file_class, len(file.statements)) for file in probes.files] == [
            ("a.js", "own", 2),
            ("plain.js", "own", 2),
        ]


@pytest.mark.parametrize("dest", ["script", "worker", "serviceworker", "sharedworker", ""])
def test_whatever_runs_a_script_gets_counters(dest: str) -> None:
    with carried({"/a.js": Reply(CODE, JS)}) as (_, proxy):
        assert counted(ask(proxy, "/a.js", {"Sec-Fetch-Dest": dest} if dest else {})[1])


def test_a_script_that_is_read_as_text_stays_text_and_is_not_kept_for_running() -> None:
    headers = (("Cache-Control", "max-age=600"),)
    with carried({"/a.js": Reply(CODE, JS, headers=headers)}) as (_, proxy):
        answer, body = ask(proxy, "/a.js", TEXT)
        assert body == CODE.encode()
        assert answer.headers.get_all("Cache-Control") == ["no-store"]
        answer, body = ask(proxy, "/a.js", {**TEXT, "Sec-Purpose": "prefetch"})
        assert counted(body) and answer.headers["Cache-Control"] == "max-age=600"


def test_what_a_service_worker_keeps_has_counters() -> None:
    routes: dict[str, Reply | Callable[[Asked], Reply]] = {
        "/sw.js": Reply("addEventListener('fetch', () => {});", JS),
        "/a.js": Reply(CODE, JS),
        "/page": Reply("<!doctype html><script>go()</script>"),
        "/part": Reply("<script>go()</script>"),
    }
    with carried(routes) as (_, proxy):
        assert not counted(ask(proxy, "/page", TEXT)[1])
        ask(proxy, "/sw.js", {"Sec-Fetch-Dest": "serviceworker"})
        assert counted(ask(proxy, "/a.js", TEXT)[1])
        assert counted(ask(proxy, "/page", TEXT)[1])
        assert not counted(ask(proxy, "/part", TEXT)[1]), "a part of a page may be shown as text"


def test_conditions_hold_only_for_what_was_sent_with_counters() -> None:
    with carried({"/a.js": Reply(CODE, JS, etag='"1"')}) as (server, proxy):
        answer, body = ask(proxy, "/a.js", {**SCRIPT, "If-None-Match": '"1"'})
        assert (answer.status, counted(body)) == (200, True)
        answer, body = ask(proxy, "/a.js", {**SCRIPT, "If-None-Match": '"1"'})
        assert (answer.status, body) == (304, b"")
        assert ask(proxy, "/a.js", {**TEXT, "If-None-Match": '"1"'})[0].status == 304
        assert [asked.headers.get("if-none-match") for asked in server.asked] == [None, '"1"', '"1"']


def test_policies_and_hashes_fit_the_scripts_with_counters() -> None:
    inline = "go(1);"
    page = (
        f'<!doctype html><script src="a.js" integrity="{digest(CODE, "sha384")}"></script>'
        f'<script src="a.js" integrity="{digest("another")}"></script><script>{inline}</script>'
    )
    policy = f"script-src 'self' '{digest(inline)}' '{digest(CODE)}'; object-src 'none'"
    routes: dict[str, Reply | Callable[[Asked], Reply]] = {
        "/": Reply(
            page,
            HTML,
            headers=(("Content-Security-Policy", policy), ("Content-Security-Policy", "img-src *")),
        ),
        "/a.js": Reply(CODE, JS),
    }
    with carried(routes) as (_, proxy):
        answer, body = ask(proxy, "/", PAGE)
        script = ask(proxy, "/a.js", SCRIPT)[1]
        assert counted(body) and counted(script)
        stated = re.findall(rb'integrity="([^"]+)"', body)
        assert stated == [digest(script, "sha384").encode(), digest("another").encode()]
        sent = answer.headers.get_all("Content-Security-Policy")
        assert sent is not None and sent[1] == "img-src *"
        code = re.search(rb"</script><script>(.*)</script>$", body, re.DOTALL)
        assert code is not None
        assert digest(script) in sent[0] and digest(code[1]) in sent[0] and digest(inline) in sent[0]


def test_hashes_that_a_script_states_of_another_are_renewed_too() -> None:
    late = "late(1);"
    loader = f'load("/late.js", "{digest(late)}");'
    page = f'<script src="loader.js" integrity="{digest(loader)}"></script>'
    with carried({"/": Reply(page), "/late.js": Reply(late, JS), "/loader.js": Reply(loader, JS)}) as (
        _,
        proxy,
    ):
        body, changed, last = (
            ask(proxy, *each)[1] for each in (("/", PAGE), ("/loader.js", SCRIPT), ("/late.js", SCRIPT))
        )
        assert digest(changed).encode() in body
        assert digest(last).encode() in changed


def test_nothing_but_the_app_is_reached() -> None:
    with MiniServer({"/": Reply("secret")}) as other, carried({"/": Reply("app")}) as (_, proxy):
        assert ask(proxy, "/")[1] == b"app"
        for url in (other.url, "http://elsewhere.example/", "/relative", "file:///etc/passwd"):
            with pytest.raises((RemoteDisconnected, ConnectionResetError)):
                connection = HTTPConnection("127.0.0.1", proxy.port, timeout=20)
                connection.request("GET", url)
                connection.getresponse()
        with socket.create_connection(("127.0.0.1", proxy.port)) as line:
            line.sendall(f"CONNECT {other.url.split('/')[2]} HTTP/1.1\r\n\r\n".encode())
            assert gone(line)
        assert other.asked == []


def gone(line: socket.socket) -> bool:
    """Whether the other side hangs up without a word."""
    try:
        return line.recv(100) == b""
    except ConnectionResetError:
        return True


def test_a_server_that_went_away_is_a_failed_request_and_no_answer() -> None:
    with carried({}) as (server, proxy):
        server.shutdown()
        server.server_close()
        with pytest.raises((RemoteDisconnected, ConnectionResetError)):
            ask(proxy, "/")


def test_an_unknown_compression_passes_and_is_told() -> None:
    headers = (("Content-Encoding", "br"),)
    with carried({"/a.js": Reply(b"\x0b\x02\x80\x03", JS, headers=headers)}) as (_, proxy):
        answer, body = ask(proxy, "/a.js", SCRIPT)
        assert (answer.headers["Content-Encoding"], body) == ("br", b"\x0b\x02\x80\x03")
        [left] = proxy.transit.tally().unmeasured
        assert (left.path, left.reason) == (
            "a.js",
            "compressed as br, which was not asked for and cannot be read",
        )


def test_a_stream_comes_piece_by_piece_and_ends_when_nobody_listens() -> None:
    with carried({"/events": Reply("data: 1\n\ndata: 2\n\n", "text/event-stream", hold=True)}) as (
        server,
        proxy,
    ):
        with socket.create_connection(("127.0.0.1", proxy.port), timeout=20) as line:
            line.sendall(f"GET {server.origin}/events HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            got = b""
            while b"data: 2" not in got:
                got += line.recv(1000)
            assert b"text/event-stream" in got
        assert server.hung_up.wait(20), "the server is told that the browser left"


@pytest.mark.parametrize("tunnel", [True, False])
def test_web_sockets_pass(tunnel: bool) -> None:
    with (
        carried({}) as (server, proxy),
        socket.create_connection(("127.0.0.1", proxy.port), timeout=20) as line,
    ):
        place = server.origin.removeprefix("http://")
        if tunnel:
            line.sendall(f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n\r\n".encode())
            assert line.recv(1000).startswith(b"HTTP/1.1 200")
        target = "/socket" if tunnel else f"http://{place}/socket"
        line.sendall(
            f"GET {target} HTTP/1.1\r\nHost: {place}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        )
        got = b""
        while b"\r\n\r\n" not in got:
            got += line.recv(1000)
        assert b"101" in got and b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" in got
        line.sendall(b"\x82\x82\0\0\0\0hi"[:0] + b"\x81\x82\0\0\0\0hi")
        assert line.recv(100) == b"\x81\x02hi"


def test_the_maps_of_what_was_sent_are_there_for_the_coverage_object() -> None:
    with carried({"/a.js": Reply(CODE, JS)}) as (server, proxy):
        ask(proxy, "/a.js", SCRIPT)
        answer, body = ask(proxy, "/__explorer__/coverage-maps.json", TEXT)
        assert answer.status == 200 and json.loads(body)["a.js"]["path"] == "a.js"
        assert server.paths() == ["/a.js"]


def test_the_engine_fetches_within_the_app_only() -> None:
    with MiniServer({"/map": Reply("{}")}) as other:
        routes: dict[str, Reply | Callable[[Asked], Reply]] = {
            "/a": Reply("", status=302, headers=(("Location", "/b"),)),
            "/b": Reply("here", packed=True),
            "/out": Reply("", status=302, headers=(("Location", other.url),)),
            "/round": Reply("", status=302, headers=(("Location", "/round"),)),
        }
        with carried(routes) as (server, proxy):

            async def bodies(*urls: str) -> list[bytes | None]:
                found = [await proxy.call(proxy.fetch(url)) for url in urls]
                return [answered.body if answered else None for answered in found]

            urls = [f"{server.origin}{path}" for path in ("/a", "/out", "/round")]
            assert asyncio.run(bodies(*urls, other.url)) == [b"here", None, None, None]
        assert other.asked == []


def test_what_speaks_no_http_is_said_in_words() -> None:
    listener = socket.create_server(("127.0.0.1", 0))

    async def work() -> None:
        await fetched(f"http://127.0.0.1:{listener.getsockname()[1]}/")

    def answer() -> None:
        line, _ = listener.accept()
        line.sendall(b"220 mail.example ready\r\n\r\n")
        line.close()

    import threading

    threading.Thread(target=answer, daemon=True).start()
    with listener, pytest.raises((BadMessage, OSError)):
        asyncio.run(work())


def test_sources_of_the_project_are_named_as_they_lie_there(tmp_path: Any) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "app.ts").write_text("go(1 as number);")
    table = {
        "version": 3,
        "sources": ["app.ts", "https://cdn.example/lib.ts"],
        "names": [],
        "mappings": "AAAA,MCAA",
    }
    table["sourcesContent"] = ["go(1 as number);", "lib()"]
    routes: dict[str, Reply | Callable[[Asked], Reply]] = {
        "/base/src/app.ts": Reply("go(1);lib();", JS, headers=(("SourceMap", "app.ts.map"),)),
        "/base/src/app.ts.map": Reply(json.dumps(table), "application/json"),
    }
    with MiniServer(routes) as server:
        wall, roots = Wall(server.origin), SourceRoots((tmp_path,))
        with TransitProxy(server.url, allows=wall.allows, sources=roots, cache=False) as proxy:
            ask(proxy, "/base/src/app.ts?t=1", SCRIPT)
            files = proxy.transit.probes().files
            assert [(file.path, file.file_class) for file in files] == [
                ("src/app.ts", "own"),
                ("lib.ts", "vendor"),
            ]


def test_a_page_that_never_ends_passes_as_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy_module, "_WHOLE_S", 0.2)
    page = "<!doctype html><script>go()</script><p>more is to come"
    with carried({"/": Reply(page, hold=True)}) as (server, proxy):
        with socket.create_connection(("127.0.0.1", proxy.port), timeout=20) as line:
            line.sendall(f"GET {server.url} HTTP/1.1\r\nHost: x\r\nSec-Fetch-Dest: document\r\n\r\n".encode())
            got = b""
            while b"more is to come" not in got:
                got += line.recv(1000)
            assert b"Transfer-Encoding: chunked" in got and not counted(got)
        assert server.hung_up.wait(20)
        [left] = proxy.transit.tally().unmeasured
        assert left.reason == "it was still coming after 0.2 seconds, so it passed as it is"


def test_a_script_that_is_too_large_passes_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy_module, "SIZE_LIMIT", 1 << 20)
    code = "x;" * (1 << 20)
    with carried({"/a.js": Reply(code, JS)}) as (_, proxy):
        assert ask(proxy, "/a.js", SCRIPT)[1] == code.encode()
        [left] = proxy.transit.tally().unmeasured
        assert left.reason == "larger than 1 MB, so it passed as it is"


def test_names_below_localhost_are_this_machine() -> None:
    with MiniServer({"/": Reply("here")}) as server:
        url = server.url.replace("127.0.0.1", "shop.localhost")
        assert asyncio.run(fetched(url)).body == b"here"
