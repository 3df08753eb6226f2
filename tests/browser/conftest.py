"""Fixtures of the browser tests: a server with odd habits over tests/apps, and a page at one of the apps."""

from __future__ import annotations

import asyncio
import functools
import re
import threading
from collections.abc import Awaitable, Callable, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from explorer.browser import BrowserPage
from explorer.browser_options import BrowserOptions
from explorer.provision import Browser, find_browser
from graph.records import Action, Observation, Target
from instrument.bundle import Bundle
from instrument.probes import ProbeMap
from instrument.v8scripts import KnownScripts
from tests.bundling import bundle_of, text_at

APPS = Path(__file__).parent.parent / "apps"
COUNT_JS = b"""
function hit(key, slot) {
  if (!globalThis.__cov$) Object.defineProperty(globalThis, '__cov$', { value: Object.create(null) });
  (__cov$[key] || (__cov$[key] = new Uint32Array(8)))[slot]++;
}
"""
SCRIPTS = (
    "hang close two top inner nested sandboxed worker service one loop".split()
)  # keys that the apps' counters use; `probe(key, slot)` is their probe id


def probe(key: str, slot: int) -> int:
    """Probe id of a counter of the miniature apps."""
    return SCRIPTS.index(key) * 8 + slot


class _Probes(ProbeMap):
    """Counters stand for themselves, and none is a function's."""

    def function_of(self, script: str, slot: int) -> int | None:
        return None


PROBES = _Probes(
    files=(),
    probes=(),
    counters={key: tuple((probe(key, slot),) for slot in range(8)) for key in SCRIPTS},
)


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Silent."""

    def do_GET(self) -> None:
        if self.path == "/count.js":
            self._send(200, "text/javascript", COUNT_JS)
        elif self.path.startswith("/never"):
            self.server.stopping.wait(60)  # type: ignore[attr-defined]
        elif self.path == "/endless":
            self._endless()
        elif self.path.startswith("/status/"):
            self._send(int(self.path.rsplit("/", 1)[1]), "text/plain", b"no")
        elif self.path == "/cut":
            self.close_connection = True
        else:
            super().do_GET()

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _endless(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        number = 0
        while not self.server.stopping.wait(0.02):  # type: ignore[attr-defined]
            number += 1
            try:
                self.wfile.write(f"data: {number}\n\n".encode())
            except OSError:
                return


class AppsServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        self.stopping = threading.Event()
        super().__init__(("127.0.0.1", 0), lambda *args: _Handler(*args, directory=str(APPS)))
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that hangs up is no news."""

    def stop(self) -> None:
        self.stopping.set()
        self.shutdown()
        self.server_close()


@pytest.fixture(scope="session")
def apps_server() -> Iterator[AppsServer]:
    """The miniature apps over HTTP."""
    server = AppsServer()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def program() -> Browser:
    """The browser that the tests run in."""
    return find_browser(install=False)


class Visitor:
    """A BrowserPage with a few words for tests."""

    def __init__(self, page: BrowserPage) -> None:
        self.page = page
        self.seen: Observation | None = None

    @property
    def last(self) -> Observation:
        assert self.seen is not None
        return self.seen

    async def open(self) -> Observation:
        self.seen = await self.page.open()
        return self.seen

    async def do(self, kind: Any, css: str = "", value: str = "", **more: Any) -> Observation:
        """Performs one action on the target whose locator matches the id in `css`, or on the page."""
        target = self.target(css) if css else None
        action = Action(
            kind=kind,
            reason="test",
            ref=target.ref if target else "",
            locator=target.locator if target else "",
            role=target.role if target else "",
            name=target.name if target else "",
            family=target.family if target else "",
            value=value,
            **more,
        )
        self.seen = await self.page.perform(action)
        return self.seen

    def target(self, css: str) -> Target:
        found = [item for item in self.last.snapshot.targets if item.locator.endswith(css)]
        assert found, f"no target {css} among {[item.locator for item in self.last.snapshot.targets]}"
        return found[0]

    async def js(self, expression: str) -> Any:
        """Value of an expression in the page."""
        visit = self.page._visit
        assert visit is not None
        return await visit.tab.evaluate(expression)

    async def log(self) -> str:
        return str(await self.js("document.getElementById('log').textContent"))


Browse = Callable[..., None]
_HIT = re.compile(r"hit\(['\"](\w+)['\"], (\d+|event\.data)\)")
"""A call of `hit`; the worker is asked to count in slot 1."""


@functools.cache
def _by_v8(app: str) -> tuple[ProbeMap, KnownScripts]:
    """What measures an app of tests/apps by V8's ranges: its calls of `hit` stand for the same probes as its counters."""
    bundle = bundle_of(APPS / app, v8=True)
    counters: dict[str, tuple[tuple[int, ...], ...]] = {}
    for unit in bundle.units:
        slots = bundle.probes.counters[unit.key]
        counters[unit.key] = tuple(_stands_for(bundle, slot) for slot in slots)
    return _Probes(files=(), probes=(), counters=counters), KnownScripts(bundle.places)


def _stands_for(bundle: Bundle, slot: tuple[int, ...]) -> tuple[int, ...]:
    texts = {source.path: source.text for source in bundle.probes.files}
    for one in slot:
        found = bundle.probes.probes[one]
        if found.kind == "statement" and (match := _HIT.match(text_at(texts[found.file], found.position))):
            return (probe(match[1], int(match[2]) if match[2].isdigit() else 1),)
    return ()


@pytest.fixture
def browse(apps_server: AppsServer, program: Browser, tmp_path: Path) -> Browse:
    """`browse(app, work, **options)` opens an app and runs the coroutine function `work(visitor)` on it."""

    def run(
        app: str,
        work: Callable[[Visitor], Awaitable[None]],
        *,
        opened: bool = True,
        v8: bool = False,
        **options: Any,
    ) -> None:
        async def visit() -> None:
            probes, known = _by_v8(app) if v8 else (PROBES, None)
            page = BrowserPage(
                f"{apps_server.origin}/{app}",
                probes=probes,
                run_dir=tmp_path,
                program=program,
                options=BrowserOptions(**options),
                v8=known,
            )
            visitor = Visitor(page)
            try:
                if opened:
                    await visitor.open()
                await work(visitor)
            finally:
                await page.close()

        asyncio.run(asyncio.wait_for(visit(), 60))

    return run
