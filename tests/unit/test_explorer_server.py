"""The server as a browser or an attacker meets it: raw requests over a real loopback socket."""

from __future__ import annotations

import gzip
import http.client
import os
import socket
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from explorer.server import AppServer
from instrument.errors import UsageError

PAGE = b"<!doctype html><title>app</title><script src='app.js'></script>"
NAVIGATION = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@dataclass
class Folder:
    """A bundle of nothing but its folder and a few bodies laid over it."""

    root: Path
    entry: str = "index.html"
    overlay: Mapping[str, bytes] = field(default_factory=dict)
    coverage_maps: bytes = b'{"maps":1}'


@dataclass
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes


class Client:
    def __init__(self, server: AppServer) -> None:
        self.port = server.port

    def ask(self, target: str, method: str = "GET", **headers: str) -> Reply:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.putrequest(method, target, skip_accept_encoding=True, skip_host="Host" in named)
        for name, value in named.items():
            connection.putheader(name, value)
        connection.endheaders()
        response = connection.getresponse()
        reply = Reply(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        connection.close()
        return reply


@pytest.fixture
def site(tmp_path: Path) -> Path:
    root = tmp_path / "app"
    (root / "docs").mkdir(parents=True)
    (root / "index.html").write_bytes(PAGE)
    (root / "app.js").write_text("let a = 'ä';")
    (root / "docs" / "index.html").write_text("<p>docs")
    (root / "about.html").write_text("<p>about")
    (root / "film.mp4").write_bytes(bytes(range(256)) * 40)
    (root / "blank").write_bytes(b"\x00\xff")
    (tmp_path / "secret.txt").write_text("secret")
    return root


@pytest.fixture
def client(site: Path) -> Iterator[Client]:
    with AppServer(Folder(site)) as server:
        yield Client(server)


def _serve(root: Path, **fields: object) -> AppServer:
    return AppServer(Folder(root, **fields))  # type: ignore[arg-type]


def test_the_app_opens_at_the_root(client: Client) -> None:
    reply = client.ask("/")
    assert (reply.status, reply.body) == (200, PAGE)
    assert reply.headers["content-type"] == "text/html; charset=utf-8"


def test_the_overlay_takes_the_place_of_a_file_and_adds_new_ones(site: Path) -> None:
    with _serve(site, overlay={"app.js": b"counted()", "made/up.mjs": b"new"}) as server:
        client = Client(server)
        assert client.ask("/app.js?v=3").body == b"counted()"
        assert client.ask("/made/up.mjs").body == b"new"
        assert client.ask("/made/up.mjs").headers["content-type"] == "text/javascript; charset=utf-8"


def test_coverage_maps_have_an_address(client: Client) -> None:
    reply = client.ask("/__explorer__/coverage-maps.json")
    assert (reply.status, reply.body) == (200, b'{"maps":1}')
    assert reply.headers["content-type"].startswith("application/json")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.js", "text/javascript; charset=utf-8"),
        ("a.mjs", "text/javascript; charset=utf-8"),
        ("A.CSS", "text/css; charset=utf-8"),
        ("a.wasm", "application/wasm"),
        ("a.svg", "image/svg+xml; charset=utf-8"),
        ("a.woff2", "font/woff2"),
        ("a.webmanifest", "application/manifest+json; charset=utf-8"),
        ("a.avif", "image/avif"),
        ("a.unheard-of", "application/octet-stream"),
    ],
)
def test_media_types_are_our_own(site: Path, name: str, kind: str) -> None:
    (site / name).write_bytes(b"x")
    with _serve(site) as server:
        assert Client(server).ask(f"/{name}").headers["content-type"] == kind


def test_a_page_in_another_encoding_keeps_the_word(site: Path) -> None:
    (site / "old.html").write_bytes("<meta charset=windows-1252>é".encode("cp1252"))
    with _serve(site) as server:
        assert Client(server).ask("/old.html").headers["content-type"] == "text/html"


def test_only_navigations_to_extensionless_routes_fall_back(client: Client) -> None:
    assert client.ask("/users/7", **NAVIGATION).body == PAGE
    assert client.ask("/users/a%2Fb?tab=1", **NAVIGATION).body == PAGE
    assert client.ask("/users/7", Accept="*/*").status == 404
    assert client.ask("/missing.js", **NAVIGATION).status == 404
    assert client.ask("/missing.js", Accept="*/*").status == 404


def test_an_own_404_page_stands_for_unknown_routes(site: Path) -> None:
    (site / "404.html").write_text("<p>lost")
    with _serve(site) as server:
        reply = Client(server).ask("/users/7", **NAVIGATION)
        assert (reply.status, reply.body) == (404, b"<p>lost")


def test_folders_redirect_to_their_slash_and_pages_need_no_extension(client: Client) -> None:
    reply = client.ask("/docs?x=1")
    assert (reply.status, reply.headers["location"]) == (302, "/docs/?x=1")
    assert client.ask("/docs/").body == b"<p>docs"
    assert client.ask("/about").body == b"<p>about"
    assert client.ask("//docs//index.html").body == b"<p>docs"
    assert client.ask("//docs").headers["location"] == "/docs/"


@pytest.mark.parametrize(
    "target",
    [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/docs/../../secret.txt",
        "/docs/%2E%2e/%2e%2E/secret.txt",
        "/..%2fsecret.txt",
        "/..%5csecret.txt",
        "/..\\secret.txt",
        "/%2e%2e%2fsecret.txt",
        "/%252e%252e/secret.txt",
        "/secret.txt%00.html",
        "/%00",
        "/%ff%fe",
        "/link.txt",
        "/linked/secret.txt",
        "/C:/secret.txt",
        "secret.txt",
        "/" + "a/" * 3000 + "x.js",
        "/" + "a" * 5000 + ".js",
    ],
)
def test_nothing_outside_the_folder_is_served(site: Path, target: str) -> None:
    (site / "link.txt").symlink_to(site.parent / "secret.txt")
    (site / "linked").symlink_to(site.parent)
    with _serve(site) as server:
        reply = Client(server).ask(target)
        assert reply.status == 404
        assert b"secret" not in reply.body


def test_an_absolute_path_is_not_served(site: Path) -> None:
    with _serve(site) as server:
        for target in (f"/{site.parent / 'secret.txt'}", f"{site.parent / 'secret.txt'}"):
            assert Client(server).ask(target).status == 404


def test_a_symlink_that_stays_inside_is_followed(site: Path) -> None:
    (site / "alias.js").symlink_to(site / "app.js")
    (site.parent / "door").symlink_to(site)
    with _serve(site.parent / "door") as server:
        assert Client(server).ask("/alias.js").status == 200


def test_names_are_decoded(site: Path) -> None:
    (site / "grün & so.js").write_text("1")
    (site / "100%.js").write_text("2")
    with _serve(site) as server:
        assert Client(server).ask("/gr%C3%BCn%20&%20so.js").body == b"1"
        assert Client(server).ask("/100%25.js").body == b"2"


@pytest.mark.parametrize(
    ("wanted", "status", "span"),
    [
        ("bytes=0-9", 206, "bytes 0-9/10240"),
        ("bytes=10000-", 206, "bytes 10000-10239/10240"),
        ("bytes=-5", 206, "bytes 10235-10239/10240"),
        ("bytes=0-999999", 206, "bytes 0-10239/10240"),
        ("bytes=10240-", 416, "bytes */10240"),
        ("bytes=-0", 416, "bytes */10240"),
        ("bytes=9-3", 200, None),
        ("bytes=0-1,4-5", 200, None),
        ("lines=0-1", 200, None),
        ("bytes=-", 200, None),
    ],
)
def test_ranges(client: Client, wanted: str, status: int, span: str | None) -> None:
    film = bytes(range(256)) * 40
    reply = client.ask("/film.mp4", Range=wanted)
    assert (reply.status, reply.headers.get("content-range")) == (status, span)
    if status == 206 and span:
        first, last = span.split()[1].split("/")[0].split("-")
        assert reply.body == film[int(first) : int(last) + 1]


def test_ranges_of_the_overlay_and_of_an_outdated_version(site: Path) -> None:
    with _serve(site, overlay={"app.js": b"0123456789"}) as server:
        client = Client(server)
        assert client.ask("/app.js", Range="bytes=2-4").body == b"234"
        assert client.ask("/app.js", Range="bytes=2-4", If_Range='"older"').body == b"0123456789"


def test_head_tells_the_length_without_the_body(client: Client) -> None:
    reply = client.ask("/film.mp4", "HEAD")
    assert (reply.status, reply.headers["content-length"], reply.body) == (200, "10240", b"")


def test_an_unchanged_file_is_not_sent_again(site: Path) -> None:
    with _serve(site, overlay={"app.js": b"counted()"}) as server:
        client = Client(server)
        for target in ("/film.mp4", "/app.js"):
            first = client.ask(target)
            again = client.ask(target, If_None_Match=first.headers["etag"])
            assert (again.status, again.body) == (304, b"")
        dated = client.ask("/film.mp4", If_Modified_Since=client.ask("/film.mp4").headers["last-modified"])
        assert dated.status == 304
        # The overlay may change while the file beneath does not.
        assert client.ask("/app.js", If_Modified_Since=first.headers["last-modified"]).status == 200


def test_a_changed_file_is_sent_again(site: Path, client: Client) -> None:
    tag = client.ask("/app.js").headers["etag"]
    (site / "app.js").write_text("changed()")
    assert client.ask("/app.js", If_None_Match=tag).body == b"changed()"


def test_a_file_that_exists_compressed_only(site: Path) -> None:
    (site / "packed.js.gz").write_bytes(gzip.compress(b"packed()"))
    (site / "brotli.js.br").write_bytes(b"not looked into")
    with _serve(site) as server:
        client = Client(server)
        packed = client.ask("/packed.js", Accept_Encoding="gzip, br")
        assert packed.headers["content-encoding"] == "gzip"
        assert packed.headers["content-type"].startswith("text/javascript")
        assert gzip.decompress(packed.body) == b"packed()"
        assert client.ask("/packed.js").body == b"packed()"
        for refused in ("gzip;q=0", "gzip; q=0.000", "gzip;q=none", "gzip;q=1..0", "deflate, br"):
            assert client.ask("/packed.js", Accept_Encoding=refused).body == b"packed()"
        for taken in ("GZIP", "deflate;q=0, gzip; q=0.1"):
            assert client.ask("/packed.js", Accept_Encoding=taken).headers["content-encoding"] == "gzip"
        assert client.ask("/brotli.js", Accept_Encoding="br").headers["content-encoding"] == "br"
        assert client.ask("/brotli.js").status == 406


def test_a_compressed_file_beside_the_plain_one_is_not_needed(site: Path) -> None:
    (site / "app.js.gz").write_bytes(gzip.compress(b"stale"))
    with _serve(site) as server:
        reply = Client(server).ask("/app.js", Accept_Encoding="gzip")
        assert "content-encoding" not in reply.headers
        assert reply.body == "let a = 'ä';".encode()


def test_code_that_a_loader_names_with_its_gz_arrives_unpacked_and_archives_do_not(site: Path) -> None:
    names = ("game.framework.js.gz", "game.wasm.gz", "game.data.gz", "rows.csv.gz")
    for name in names:
        (site / name).write_bytes(gzip.compress(b"x"))
    with _serve(site) as server:
        client = Client(server)
        answers = {name: client.ask(f"/{name}", Accept_Encoding="gzip").headers for name in names}
        assert answers["game.wasm.gz"]["content-type"] == "application/wasm"
        assert [n for n, h in sorted(answers.items()) if "content-encoding" in h] == [
            "game.data.gz",
            "game.framework.js.gz",
            "game.wasm.gz",
        ]


def test_a_broken_archive_is_an_answer_not_a_crash(site: Path) -> None:
    (site / "packed.js.gz").write_bytes(b"no gzip at all")
    with _serve(site) as server:
        assert Client(server).ask("/packed.js").status == 500
        assert Client(server).ask("/").status == 200


def test_other_methods_are_refused_as_static_hosts_do(client: Client) -> None:
    refused = client.ask("/app.js", "POST", Content_Length="0")
    assert (refused.status, refused.headers["allow"]) == (405, "GET, HEAD, OPTIONS")
    assert client.ask("/api/save", "POST", Content_Length="0").status == 404
    assert client.ask("/app.js", "DELETE").status == 405
    assert client.ask("/api/save", "OPTIONS").status == 204


def test_a_connection_survives_a_refused_body(client: Client) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", client.port, timeout=20)
    connection.request("POST", "/app.js", body=b"x" * 300_000)
    assert connection.getresponse().read()
    connection.request("GET", "/app.js")
    assert connection.getresponse().status == 200


def test_a_missing_favicon_is_no_fault_of_the_app(site: Path, client: Client) -> None:
    assert client.ask("/favicon.ico").status == 204
    (site / "favicon.ico").write_bytes(b"icon")
    assert client.ask("/favicon.ico").body == b"icon"


def test_an_unreadable_file_is_forbidden(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Path.open

    def refuse(self: Path, *rest: object, **more: object) -> object:
        if self.name == "app.js":
            raise PermissionError(self)
        return opened(self, *rest, **more)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", refuse)
    with _serve(site) as server:
        assert Client(server).ask("/app.js").status == 403


@pytest.mark.parametrize(
    ("entry", "start"),
    [
        ("index.html", "/"),
        ("docs/index.html", "/docs/"),
        ("about.html", "/about.html"),
        ("a b/ü.html", "/a%20b/%C3%BC.html"),
    ],
)
def test_an_entry_page_elsewhere_is_opened_where_it_lies(site: Path, entry: str, start: str) -> None:
    (site / entry).parent.mkdir(exist_ok=True)
    (site / entry).write_text("<p>entry")
    with _serve(site, entry=entry) as server:
        assert server.url == server.origin + start
        assert Client(server).ask(start).body == b"<p>entry"


def test_the_root_leads_to_an_entry_page_elsewhere(site: Path) -> None:
    (site / "index.html").unlink()
    with _serve(site, entry="about.html") as server:
        reply = Client(server).ask("/?q=1")
        assert (reply.status, reply.headers["location"]) == (302, "/about.html?q=1")


@pytest.mark.parametrize(
    ("html", "mount"),
    [
        ("<script src=/repo/app.js></script>", "/repo/"),
        ("<link href='/a/b/app.js'><img src=/a/b/film.mp4>", "/a/b/"),
        ("<base href=/repo/><script src=app.js></script>", "/repo/"),
        ("<base href='/repo/'>", "/repo/"),
        ("<base href=/docs/><p>", "/"),
        ("<script src=/app.js></script>", "/"),
        ("<script src=/gone/gone.js></script>", "/"),
        ("<script src=https://cdn.example/repo/app.js></script>", "/"),
        ("<script src='/repo/app.js?v=1'></script><link href=/repo/gone.css>", "/repo/"),
    ],
)
def test_an_app_that_was_built_for_a_folder_is_served_under_it(site: Path, html: str, mount: str) -> None:
    (site / "index.html").write_text(html)
    with _serve(site) as server:
        client = Client(server)
        assert server.url == server.origin + mount
        assert client.ask(f"{mount}app.js").status == 200
        assert client.ask(mount).body == html.encode()
        if mount != "/":
            assert client.ask("/").headers["location"] == mount
            assert client.ask(mount[:-1]).headers["location"] == mount
            assert client.ask(f"{mount}route/7", **NAVIGATION).body == html.encode()


def test_a_taken_port_is_one_sentence(site: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"Port {port} is in use: give another"):
            AppServer(Folder(site), port=port)
    with pytest.raises(UsageError, match="Port 70000 does not exist"):
        AppServer(Folder(site), port=70000)


def test_an_app_gets_its_usual_port_again_and_another_while_that_is_taken(site: Path) -> None:
    # The port follows from the folder's name; other tests, perhaps at the same time, serve one named "app".
    site = site.rename(site.parent / f"app-{os.getpid()}")
    with _serve(site) as server:
        port = server.port
        with _serve(site) as second:
            assert second.port != port
            assert Client(second).ask("/").status == 200
    with _serve(site) as server:
        assert server.port == port


def test_it_listens_on_loopback_only(site: Path) -> None:
    with _serve(site) as server:
        assert server.origin.startswith("http://127.0.0.1:")
        with socket.socket() as other:
            # Bound to every interface: possible only while ours is bound to one.
            other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            assert other.connect_ex(("127.0.0.2", server.port)) != 0


def test_a_name_bound_to_loopback_by_another_site_is_refused(client: Client) -> None:
    assert client.ask("/", Host="evil.example:80").status == 421
    assert client.ask("/", Host=f"localhost:{client.port}").status == 200


def test_a_large_file_is_streamed_to_many_clients_at_once(site: Path) -> None:
    size = 40_000_000
    with (site / "large.bin").open("wb") as file:
        file.truncate(size)
    got: list[int] = []
    with _serve(site) as server:
        client = Client(server)
        threads = [
            threading.Thread(target=lambda: got.append(len(client.ask("/large.bin").body))) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert got == [size] * 4


def test_a_client_that_hangs_up_is_no_news(site: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with (site / "large.bin").open("wb") as file:
        file.truncate(40_000_000)
    with _serve(site) as server:
        for _ in range(5):
            with socket.create_connection(("127.0.0.1", server.port)) as raw:
                raw.sendall(b"GET /large.bin HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                raw.recv(10)
        assert Client(server).ask("/").status == 200
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    "raw", [b"\r\n\r\n", b"nonsense\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x00" * 9]
)
def test_noise_is_answered_or_dropped(site: Path, raw: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    with _serve(site) as server:
        with socket.create_connection(("127.0.0.1", server.port)) as noisy:
            noisy.sendall(raw)
            noisy.shutdown(socket.SHUT_WR)
            noisy.recv(1000)
        assert Client(server).ask("/").status == 200
    assert capfd.readouterr().err == ""


def test_closing_ends_open_connections_and_may_be_repeated(site: Path) -> None:
    before = set(threading.enumerate())
    server = _serve(site)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.request("GET", "/")
    assert connection.getresponse().read() == PAGE
    server.close()
    server.close()
    with pytest.raises((ConnectionError, http.client.HTTPException)):
        connection.request("GET", "/")
        connection.getresponse()
    for thread in set(threading.enumerate()) - before:
        thread.join(20)
        assert not thread.is_alive()
