"""The wall: what may be reached, and how addresses are written down."""

from __future__ import annotations

import pytest

from explorer.browser_network import Wall, origin_of

WALL = Wall("http://127.0.0.1:8123", ("*.example.com", "cdn.test"))


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("http://127.0.0.1:8123/a?b#c", "http://127.0.0.1:8123"),
        ("ws://127.0.0.1:8123/socket", "http://127.0.0.1:8123"),
        ("https://Example.com:443/", "https://example.com"),
        ("http://[::1]:80/x", "http://[::1]"),
        ("http://host:99999/", "http://host:0"),
        ("data:text/html,x", ""),
        ("about:blank", ""),
        ("", ""),
    ],
)
def test_origins(url: str, origin: str) -> None:
    assert origin_of(url) == origin


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("http://127.0.0.1:8123/x.js", True),
        ("ws://127.0.0.1:8123/live", True),
        ("blob:http://127.0.0.1:8123/1-2", True),
        ("data:image/png;base64,", True),
        ("http://127.0.0.1:8124/x.js", False),
        ("http://127.0.0.1.evil.test/", False),
        ("http://evil.test/?http://127.0.0.1:8123/", False),
        ("http://user@evil.test/", False),
        ("https://a.example.com/", True),
        ("https://example.com.evil.test/", False),
        ("https://cdn.test:8443/", True),
        ("ftp://files.test/", False),
    ],
)
def test_what_may_leave(url: str, allowed: bool) -> None:
    assert WALL.allows(url) is allowed
    assert Wall(WALL.origin, open=True).allows(url)


def test_the_page_itself_stays_with_the_app() -> None:
    wide_open = Wall(WALL.origin, ("cdn.test",), open=True)
    assert wide_open.may_show("http://127.0.0.1:8123/next")
    assert wide_open.may_show("blob:http://127.0.0.1:8123/1-2")
    assert wide_open.may_show("https://cdn.test/page")
    assert not wide_open.may_show("https://elsewhere.test/")
    assert not wide_open.may_show("about:blank")
    assert not wide_open.may_show("chrome-error://chromewebdata/")


def test_the_browser_resolves_the_app_and_what_was_allowed() -> None:
    rules = WALL.flags()[0]
    assert rules == (
        "--host-resolver-rules=EXCLUDE *.example.com, EXCLUDE cdn.test, "
        "MAP 127.0.0.1:8123 127.0.0.1:8123, MAP * ~NOTFOUND"
    )
    assert Wall(WALL.origin, open=True).flags() == []
    assert "MAP [::1]:80 [::1]:80" in Wall("http://[::1]").flags()[0]


def test_a_proxy_carries_http_alone_and_is_resolved_too() -> None:
    flags = Wall("http://localhost:5173", proxy="127.0.0.1:9").flags()
    assert "MAP localhost:5173 localhost:5173, MAP 127.0.0.1:9 127.0.0.1:9, MAP * ~NOTFOUND" in flags[0]
    assert flags[-2:] == ["--proxy-server=http=127.0.0.1:9", "--proxy-bypass-list=<-loopback>"]
    assert Wall("http://localhost:5173", open=True, proxy="127.0.0.1:9").flags() == flags[-2:]
    assert WALL.flags()[-1] == "--no-proxy-server"


def test_records_do_not_know_the_port() -> None:
    assert WALL.path("http://127.0.0.1:8123/a?b#c") == "/a?b#c"
    assert WALL.path("http://127.0.0.1:8123") == "/"
    assert WALL.path("http://127.0.0.1:81234/a") == "http://127.0.0.1:81234/a"
    assert WALL.relative("at http://127.0.0.1:8123/app.js:1:2") == "at /app.js:1:2"
