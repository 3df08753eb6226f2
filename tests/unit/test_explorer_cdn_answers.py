"""What stands in for a CDN answers: the very bytes, 404 where the CDN has nothing either, else nothing of the right type."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from explorer.cdn_answers import Cdn, Reply
from explorer.cdn_scan import prefetch
from explorer.libraries import Libraries, Library
from explorer.npm import NpmError
from explorer.packages import PackageStore
from tests.registry import Registry, running


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Registry]:
    with (
        pytest.MonkeyPatch.context() as monkeypatch,
        running(tmp_path_factory.mktemp("registry"), monkeypatch) as found,
    ):
        files = {
            "index.js": "main",
            "dist/lib.js": "plain",
            "dist/lib.min.js": "small",
            "dist/other.js": "other",
            "dist/lib.css": "a{}",
        }
        found.publish(
            "lib",
            "1.2.0",
            {**files, "umd/deep/Lib.Name.js": "deep", "picture.svg": "<svg/>"},
            unpkg="dist/lib.js",
            jsdelivr="./dist/lib.js",
            main="index",
        )
        found.publish(
            "webfontloader",
            "1.6.28",
            {"webfontloader.js": "loader", "src/webfont.js": "source", "src/a/font.js": "source"},
        )
        found.publish("bare", "1.0.0", {"index.js": "bare"})
        found.publish("styled", "1.0.0", {"s/all.css": "b{}"}, style="s/all.css")
        face = "@font-face { src: url(./files/a.woff2), url('data:font/woff2,x'), url(https://host/b) }"
        found.publish("@fontsource/inter", "5.0.0", {"400.css": face, "files/a.woff2": b"wOF2"})
        yield found


@pytest.fixture
def cdn(registry: Registry) -> Cdn:
    return Cdn(PackageStore())


def reply(cdn: Cdn, url: str, resource: str = "script") -> Reply:
    found = asyncio.run(cdn.asked(url, resource))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("url", "body", "kind"),
    [
        ("https://unpkg.com/lib@1", b"plain", "text/javascript"),
        ("https://unpkg.com/lib@1.2.0/dist/lib.min.js#x", b"small", "text/javascript"),
        ("https://unpkg.com/lib@1/dist/lib", b"plain", "text/javascript"),
        ("https://unpkg.com/bare", b"bare", "text/javascript"),
        ("https://unpkg.com/lib@1/picture.svg", b"<svg/>", "image/svg+xml"),
        ("https://cdn.jsdelivr.net/npm/lib@1", b"small", "text/javascript"),
        ("https://cdn.jsdelivr.net/npm/styled@1", b"b{}", "text/css"),
        ("https://cdn.jsdelivr.net/npm/lib@1/dist/other.min.js", b"other", "text/javascript"),
        (
            "https://cdn.jsdelivr.net/combine/npm/lib@1/dist/other.js,npm/bare@1",
            b"other\n;\nbare",
            "text/javascript",
        ),
        ("https://cdnjs.cloudflare.com/ajax/libs/lib/1.2.0/lib.min.js", b"small", "text/javascript"),
        ("https://cdnjs.cloudflare.com/ajax/libs/lib/1.2.0/other.min.js", b"other", "text/javascript"),
        ("https://cdnjs.cloudflare.com/ajax/libs/lib/1.2.0/deep/lib.name.js", b"deep", "text/javascript"),
        ("https://ajax.googleapis.com/ajax/libs/webfont/1.6.28/webfont.js", b"loader", "text/javascript"),
        ("https://esm.sh/lib@1/dist/lib.css", b"a{}", "text/css"),
    ],
)
def test_files_of_packages(cdn: Cdn, url: str, body: bytes, kind: str) -> None:
    found = reply(cdn, url)
    assert (found.status, found.body, found.kind, found.reason) == (200, body, kind, "")


@pytest.mark.parametrize(
    ("url", "near"),
    [
        ("https://unpkg.com/lib@1.2.0/dist/lib.min.js", False),
        ("https://cdn.jsdelivr.net/npm/lib@1/dist/lib.js", False),
        ("https://cdn.jsdelivr.net/npm/lib@1/dist/other.min.js", True),
        ("https://cdnjs.cloudflare.com/ajax/libs/lib/1.2.0/lib.min.js", True),
    ],
)
def test_whether_the_bytes_are_the_very_ones(cdn: Cdn, url: str, near: bool) -> None:
    reply(cdn, url)
    assert cdn.near(url) is near


@pytest.mark.parametrize(
    "url",
    [
        "https://unpkg.com/lib@1/nothing.js",
        "https://unpkg.com/lib@9",
        "https://esm.sh/unheard-of",
        "https://cdn.jsdelivr.net/npm/lib@1/package/../../x",
    ],
)
def test_what_the_cdn_has_neither_is_404(cdn: Cdn, url: str) -> None:
    found = reply(cdn, url)
    assert found.status == 404 and not found.reason
    (row,) = cdn.libraries().unavailable
    assert row.url == url and row.answer == "404" and row.reason


@pytest.mark.parametrize(
    ("url", "resource", "kind", "body", "needed"),
    [
        ("https://cdn.jsdelivr.net/gh/a/b@1/x.js", "script", "text/javascript", b"", True),
        ("https://cdn.jsdelivr.net/gh/a/b@1/x.css", "stylesheet", "text/css", b"", True),
        ("https://cdn.jsdelivr.net/gh/a/b@1/x.js", "xhr", "text/javascript", b"", True),
        ("https://cdnjs.cloudflare.com/ajax/libs/lib/1.2.0/nothing.js", "script", "text/javascript", b"", True),
        ("https://fonts.googleapis.com/css2?family=Unheard+Of", "stylesheet", "text/css", b"", True),
        ("https://cdnjs.cloudflare.com/ajax/libs/webfontloader/1.6.28/font.js", "script", "text/javascript", b"", True),
        ("https://www.googletagmanager.com/gtag/js?id=1", "script", "text/javascript", b"", False),
        ("https://api.mixpanel.com/track", "fetch", "application/json", b"{}", False),
        ("https://www.google-analytics.com/collect", "ping", "text/plain", b"", False),
        ("https://picsum.photos/200", "image", "image/gif", None, False),
        ("https://example.com/theme.css", "stylesheet", "text/css", b"", False),
    ],
)  # fmt: skip
def test_what_cannot_be_had_is_nothing_of_the_right_type(
    cdn: Cdn, url: str, resource: str, kind: str, body: bytes | None, needed: bool
) -> None:
    found = reply(cdn, url, resource)
    assert (found.status, found.kind, found.needed) == (200, kind, needed) and found.reason
    assert found.body == body if body is not None else found.body.startswith(b"GIF89a")
    (row,) = cdn.libraries().unavailable
    assert row.url == url and row.needed is needed and row.reason in found.reason


@pytest.mark.parametrize(
    ("url", "resource"),
    [
        ("https://api.example.com/data", "fetch"),
        ("https://example.com/x.js", "script"),
        ("https://fonts.gstatic.com/s/x.woff2", "font"),
    ],
)
def test_the_wall_answers_the_rest(cdn: Cdn, url: str, resource: str) -> None:
    assert asyncio.run(cdn.asked(url, resource)) is None


def test_fonts_come_with_addresses_that_lead_to_them(cdn: Cdn) -> None:
    found = reply(cdn, "https://fonts.googleapis.com/css2?family=Inter:wght@400;800", "stylesheet")
    font = "https://cdn.jsdelivr.net/npm/@fontsource/inter@5.0.0/files/a.woff2"
    assert f"url({font})" in found.body.decode() and "url(https://host/b)" in found.body.decode()
    assert "url('data:font/woff2,x')" in found.body.decode()
    assert reply(cdn, font, "font").body == b"wOF2"


def test_what_was_served_is_remembered(cdn: Cdn) -> None:
    for url in (
        "https://unpkg.com/lib@1",
        "https://unpkg.com/lib",
        "https://cdn.jsdelivr.net/npm/lib@1.2.0/index.js",
    ):
        reply(cdn, url)
    hosts = ("cdn.jsdelivr.net", "unpkg.com")
    assert cdn.libraries() == Libraries((Library("lib", "1.2.0", hosts, 3, ("1", "latest")),))


def test_what_was_only_fetched_beforehand_is_not_told_of(cdn: Cdn) -> None:
    said: list[str] = []
    asyncio.run(
        prefetch(cdn, ["https://unpkg.com/lib@1", "https://unpkg.com/lib@1/nothing.js"], say=said.append)
    )
    assert cdn.libraries() == Libraries()
    assert cdn.libraries(all_fetched=True).served[0].name == "lib"
    assert any("lib@1.2.0" in line for line in said) and any("nothing.js" in line for line in said)


def test_without_a_registry_the_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def offline(specs: list[str], into: Path) -> list[object]:
        raise NpmError("npm failed: no network")

    monkeypatch.setattr("explorer.packages.pack", offline)
    cdn = Cdn(PackageStore(tmp_path))
    found = reply(cdn, "https://unpkg.com/lib@1/lib.js")
    assert found.status == 200 and found.body == b"" and "no network" in found.reason and found.needed
