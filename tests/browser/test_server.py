"""The server's answers as a real browser takes them: what loads, what runs, what the app sees of its address."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import pytest
from playwright.async_api import Page, async_playwright

from explorer.provision import Browser
from explorer.server import AppServer

pytestmark = pytest.mark.browser
Result = TypeVar("Result")
Visit = Callable[[str, Callable[[Page], Awaitable[Result]]], Result]

# (module (func (export "seven") (result i32) i32.const 7))
SEVEN = bytes.fromhex("0061736d010000000105016000017f0302010007090105736576656e00000a0601040041070b")


@dataclass
class Folder:
    root: Path
    entry: str = "index.html"
    overlay: dict[str, bytes] = field(default_factory=dict)
    coverage_maps: bytes = b"{}"


@pytest.fixture
def visit(found_browser: Browser) -> Iterator[Visit[object]]:
    """Opens a URL and hands the page to a function; any failed request or console error fails the test."""

    def go(url: str, work: Callable[[Page], Awaitable[object]]) -> object:
        return asyncio.run(_visited(found_browser, url, work))

    yield go


async def _visited(program: Browser, url: str, work: Callable[[Page], Awaitable[object]]) -> object:
    troubles: list[str] = []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=str(program.executable), chromium_sandbox=program.sandbox
        )
        page = await browser.new_page()
        page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: troubles.append(str(error)))
        await page.goto(url)
        result = await work(page)
        await browser.close()
    assert troubles == []
    return result


async def _text(page: Page) -> str:
    return await page.inner_text("#out")


def test_an_app_built_for_a_sub_path_finds_its_parts_and_its_router_works(
    tmp_path: Path, visit: Visit[object]
) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text(
        "<!doctype html><link rel=stylesheet href=/repo/assets/a.css><p id=out></p>"
        "<script type=module src=/repo/assets/main.js></script>"
    )
    (tmp_path / "assets" / "a.css").write_text("p{color:red}")
    (tmp_path / "assets" / "main.js").write_text("import './part.js'; out.textContent += location.pathname")
    (tmp_path / "assets" / "part.js").write_text("out.textContent = 'part '")
    with AppServer(Folder(tmp_path)) as server:
        assert visit(server.origin, _text) == "part /repo/"
        assert visit(f"{server.origin}/repo/users/7", _text) == "part /repo/users/7"


def test_a_base_href_and_a_deep_entry_keep_relative_addresses(tmp_path: Path, visit: Visit[object]) -> None:
    (tmp_path / "examples" / "one").mkdir(parents=True)
    (tmp_path / "lib.js").write_text(
        "out.textContent = document.currentScript.src.replace(location.origin, '')"
    )
    (tmp_path / "examples" / "one" / "index.html").write_text(
        "<p id=out></p><script src=../../lib.js></script>"
    )
    with AppServer(Folder(tmp_path, "examples/one/index.html")) as server:
        assert visit(server.url, _text) == "/lib.js"
        assert visit(server.origin, _text) == "/lib.js"
    (tmp_path / "index.html").write_text("<base href=/deep/><p id=out></p><script src=lib.js></script>")
    with AppServer(Folder(tmp_path)) as server:
        assert visit(server.url, _text) == "/deep/lib.js"


def test_wasm_streams_and_packed_code_runs(tmp_path: Path, visit: Visit[object]) -> None:
    (tmp_path / "seven.wasm").write_bytes(SEVEN)
    (tmp_path / "main.js.gz").write_bytes(
        gzip.compress(
            b"const {instance} = await WebAssembly.instantiateStreaming(fetch('seven.wasm'));"
            b"out.textContent = instance.exports.seven(); document.title = 'done'"
        )
    )
    (tmp_path / "index.html").write_text("<p id=out></p><script type=module src=main.js></script>")

    async def done(page: Page) -> str:
        await page.wait_for_function("document.title === 'done'")
        return await _text(page)

    with AppServer(Folder(tmp_path)) as server:
        assert visit(server.url, done) == "7"


def test_an_old_page_is_read_in_its_own_encoding(tmp_path: Path, visit: Visit[object]) -> None:
    (tmp_path / "index.html").write_bytes("<meta charset=windows-1252><p id=out>grün</p>".encode("cp1252"))
    (tmp_path / "bare.html").write_bytes("<p id=out>grün</p>".encode())
    with AppServer(Folder(tmp_path)) as server:
        assert visit(server.url, _text) == "grün"
        assert visit(f"{server.origin}/bare.html", _text) == "grün"


def test_a_reload_after_a_change_shows_the_change(tmp_path: Path, visit: Visit[object]) -> None:
    (tmp_path / "index.html").write_text("<p id=out></p><script src=a.js></script>")
    (tmp_path / "a.js").write_text("out.textContent = 'old'")

    async def changed(page: Page) -> tuple[str, str]:
        before = await _text(page)
        (tmp_path / "a.js").write_text("out.textContent = 'newer'")
        await page.reload()
        return before, await _text(page)

    with AppServer(Folder(tmp_path)) as server:
        assert visit(server.url, changed) == ("old", "newer")
