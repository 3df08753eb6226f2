"""explorer.running: which addresses are explored, and what is said of those that cannot be."""

from __future__ import annotations

import asyncio
import socket
import ssl
import subprocess
import threading
from pathlib import Path

import pytest

from explorer.options import Options
from explorer.running import Running, carried_bundle, first_answer, learned, plan_running, whole_target
from explorer.scene import Subject
from instrument.asking import Asking
from instrument.cache import ResultCache
from instrument.detect import Build
from instrument.errors import AppError, UsageError
from instrument.exchange import Answered, Asked
from instrument.node import WorkerPool
from instrument.transit import Transit
from tests.miniserver import MiniServer, Reply


@pytest.mark.parametrize(
    ("target", "url"),
    [
        ("http://localhost:5173", "http://localhost:5173/"),
        ("http:/localhost:5173/a?b=1", "http://localhost:5173/a?b=1"),
        ("localhost:5173", "http://localhost:5173/"),
        ("127.0.0.1:80/app/", "http://127.0.0.1:80/app/"),
        ("https://example.org/shop", "https://example.org/shop"),
        ("http://[::1]:3000/", "http://[::1]:3000/"),
    ],
)
def test_an_address_is_a_target(target: str, url: str) -> None:
    assert plan_running(target, Options()) == Running(url)


def test_a_folder_alone_is_not(tmp_path: Path) -> None:
    assert plan_running(str(tmp_path), Options()) is None
    assert plan_running("", Options()) is None


def test_a_folder_and_an_address_are_a_project_where_it_is_served(tmp_path: Path) -> None:
    options = Options(url="localhost:3000", start="npm run dev")
    assert plan_running(str(tmp_path), options) == Running("http://localhost:3000/", tmp_path, "npm run dev")
    assert plan_running(str(tmp_path), Options(url="http://localhost:3000")) == Running(
        "http://localhost:3000/", tmp_path
    )


def test_a_target_that_is_not_given_stands_for_itself_when_a_run_is_resumed() -> None:
    assert whole_target("", Options(url="localhost:1")) == "localhost:1"
    assert whole_target("", Options(url="localhost:1", start="x")) == "."
    assert whole_target("app", Options(url="localhost:1", start="x")) == "app"


@pytest.mark.parametrize(
    ("target", "options", "said"),
    [
        (".", Options(start="npm start"), "add --url"),
        ("http://a/", Options(url="http://b/"), "Two addresses"),
        ("http://a/", Options(url="http://a/", start="x"), "name that as the target"),
        ("missing", Options(url="http://a/"), "no folder"),
        ("", Options(url="ftp://a/"), "no address that can be explored"),
        ("", Options(url="http://"), "no address that can be explored"),
        ("", Options(url="http://a:99999/"), "no address that can be explored"),
        ("http://me:secret@a/", Options(), "would end up in the run folder"),
        ("http://a/", Options(verify_coverage=True), "--verify-coverage needs the app's files"),
    ],
)
def test_what_does_not_go_together_is_said(target: str, options: Options, said: str) -> None:
    with pytest.raises(UsageError, match=said) as refused:
        plan_running(target, options)
    assert "secret" not in str(refused.value)


def first(url: str) -> Answered:
    return asyncio.run(first_answer(url))


def test_the_first_page_is_found_within_its_origin() -> None:
    routes = {
        "/": Reply("", status=307, headers=(("Location", "/en/"),)),
        "/en/": Reply("<p>hello"),
        "/round": Reply("", status=302, headers=(("Location", "round"),)),
        "/broken": Reply("oh no", status=500),
        "/closed": Reply("", status=401, headers=(("WWW-Authenticate", "Basic"),)),
        "/data": Reply("{}", "application/json; charset=utf-8"),
        "/words": Reply("<p>words", "text/plain"),
        "/file": Reply("<p>file", headers=(("Content-Disposition", "attachment; filename=a.html"),)),
        "/nothing": Reply("", status=204),
    }
    with MiniServer(routes) as other, MiniServer(routes) as server:
        server.routes["/away"] = Reply("", status=301, headers=(("Location", other.url),))
        assert first(server.url).body == b"<p>hello"
        for path, said in {
            "away": f"leads to {other.origin}, which is another host: name {other.url} itself",
            "round": "without an end",
            "broken": "answers with status 500",
            "missing": "answers with status 404",
            "closed": "asks for a password",
            "data": f"{server.url}data answers with application/json and no page: name the address at which the app opens",
            "words": "answers with text/plain and no page",
            "file": "answers with a download and no page",
            "nothing": "answers with status 204 and no page",
        }.items():
            with pytest.raises(AppError) as refused:
                first(server.url + path)
            assert said in str(refused.value)
        assert other.asked == []


def test_nothing_that_answers_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(
        AppError,
        match=rf"Nothing answers at http://127\.0\.0\.1:{port}/ \(connection refused\): start the app first",
    ) as error:
        first(f"http://127.0.0.1:{port}/")
    assert error.value.exit_code == 3
    with pytest.raises(AppError, match=r"Nothing answers at http://no-such-host\.invalid/"):
        first("http://no-such-host.invalid/")


def test_https_where_there_is_none_or_whose_certificate_is_not_trusted(tmp_path: Path) -> None:
    with MiniServer({"/": Reply("hello")}) as server, pytest.raises(AppError, match="does not speak https"):
        first(server.url.replace("http:", "https:"))
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    made += ["-keyout", str(key), "-out", str(certificate), "-days", "1", "-subj", "/CN=localhost"]
    try:
        subprocess.run([*made, "-addext", "subjectAltName=DNS:localhost"], check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("no openssl to make a certificate")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        line, _ = listener.accept()
        try:
            context.wrap_socket(line, server_side=True).close()
        except OSError:
            line.close()

    threading.Thread(target=serve, daemon=True).start()
    with listener, pytest.raises(AppError, match=r"certificate of https://localhost.* is not trusted here"):
        first(f"https://localhost:{listener.getsockname()[1]}/")


def test_a_bundle_says_what_was_fetched_and_grows_with_it(tmp_path: Path) -> None:
    build = Build("server", tmp_path, "index.html", "it answers there")

    async def work() -> None:
        async def fetch(url: str) -> Answered | None:
            return None

        async with WorkerPool(size=1) as pool:
            transit = Transit(Asking(pool, ResultCache(None)), fetch)
            empty = carried_bundle(build, transit, notes=("looked ahead",))
            assert (empty.mode, empty.reason) == (
                "none",
                "nothing that was fetched so far is code of the app",
            )
            for path, code in {"a.js": b"go();", "b.js": b"let let"}.items():
                answered = Answered(f"http://a/{path}", 200, [("Content-Type", "text/javascript")], code)
                await transit.change("script", answered, Asked(answered.url, "script"))
            transit.role(Asked("http://a/@vite/client", "script"), 200, "text/javascript")

            class Carrier:
                def __init__(self) -> None:
                    self.transit = transit

            subject = Subject(empty, "http://a/", carrier=Carrier())  # type: ignore[arg-type]
            now = learned(subject)
            assert (now.mode, now.scripts, now.notes) == ("istanbul", ("a.js",), ("looked ahead",))
            assert "what was fetched is what is counted" in now.reason
            assert [item.path for item in now.failed] == ["b.js"]
            assert now.unmeasured[-1].reason.startswith("1 script of libraries")
            assert b"__cov$" in now.overlay["a.js"]
            assert learned(Subject(empty, "http://a/")) is empty

    asyncio.run(work())
