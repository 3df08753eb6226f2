"""A page that runs the in-page agent alone: no engine around it, html given as text."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, BrowserContext, Page, Route, async_playwright

from explorer.provision import find_browser

AGENT = Path(__file__).parents[2] / "instrument" / "_js" / "agent.js"
ORIGIN = "http://127.0.0.1:1"
"""Never asked: all requests are answered by the driver."""
TYPES = {
    "js": "text/javascript",
    "json": "application/json",
    "svg": "image/svg+xml",
    "xml": "application/xml",
    "css": "text/css",
}

Wire = dict[str, Any]


@dataclass
class AgentPage:
    """What a test does with the page."""

    page: Page
    context: BrowserContext
    errors: list[str] = field(default_factory=list)
    console: list[str] = field(default_factory=list)
    flushed: list[Wire] = field(default_factory=list)

    async def observe(self, **options: Any) -> Wire:
        """One observation, decoded."""
        wire: Wire = json.loads(await self.call(f"__explorer$.observe({json.dumps(options)})"))
        return wire

    async def call(self, expression: str) -> Any:
        """Value of an expression in the page; asked without the driver's own scripts, which apps can break."""
        session = await self.context.new_cdp_session(self.page)
        asked = {"expression": expression, "awaitPromise": True, "returnByValue": True}
        answer = await asyncio.wait_for(session.send("Runtime.evaluate", asked), 20)
        await session.detach()
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    async def click(self, locator: str) -> Wire:
        """Clicks with the mouse and observes."""
        x, y, width, height, hit = await self.call(f"__explorer$.point({json.dumps(locator)})")
        assert hit == 1, f"{locator} is covered"
        await self.page.mouse.click(x + width / 2, y + height / 2)
        return await self.observe()


Work = Callable[[AgentPage], Coroutine[Any, Any, None]]


class AgentBrowser:
    """One browser for all tests, in a thread with a loop of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._browser: Browser = self.do(self._launch())

    def do(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(90)

    async def _launch(self) -> Browser:
        self._driver = await async_playwright().start()
        program = find_browser()
        return await self._driver.chromium.launch(
            executable_path=str(program.executable), args=["--no-sandbox"]
        )

    def run(
        self,
        pages: str | Mapping[str, str],
        work: Work,
        *,
        before: str = "",
        config: Mapping[str, Any] | None = None,
    ) -> None:
        """Opens the html (or the one named "" of several files) and does the work.

        before: a script that runs ahead of the agent. config: of the agent.
        """
        self.do(self._run({"": pages} if isinstance(pages, str) else pages, work, before, config or {}))

    async def _run(
        self, pages: Mapping[str, str], work: Work, before: str, config: Mapping[str, Any]
    ) -> None:
        context = await self._browser.new_context(viewport={"width": 1280, "height": 720})

        async def serve(route: Route) -> None:
            name = route.request.url.removeprefix(ORIGIN + "/").split("?")[0]
            if name not in pages:
                await route.fulfill(status=404, body="none")
                return
            kind = TYPES.get(name.rsplit(".", 1)[-1], "text/html; charset=utf-8")
            await route.fulfill(body=pages[name], content_type=kind)

        try:
            await context.route("**/*", serve)
            page = await context.new_page()
            agent = AgentPage(page, context)
            await context.expose_binding(
                "__explorerFlush$", lambda _, text: agent.flushed.append(json.loads(text))
            )
            script = f"{before};\nglobalThis.__explorerConfig$ = {json.dumps(config)};\n"
            await context.add_init_script(script + AGENT.read_text("utf-8"))
            page.on("pageerror", lambda error: agent.errors.append(error.message))
            page.on("console", lambda message: agent.console.append(message.text))
            await page.goto(ORIGIN + "/")
            await work(agent)
        finally:
            await context.close()

    def close(self) -> None:
        """Ends browser, driver and thread."""

        async def end() -> None:
            await self._browser.close()
            await self._driver.stop()

        self.do(end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)


@pytest.fixture(scope="session")
def agent() -> Iterator[AgentBrowser]:
    """The browser that all agent tests share."""
    browser = AgentBrowser()
    yield browser
    browser.close()


def named(wire: Wire, name: str) -> Wire:
    """The only element with that accessible name."""
    found = [element for element in wire["elements"] if element["name"] == name]
    assert len(found) == 1, f"{name!r}: {[element['name'] for element in wire['elements']]}"
    element: Wire = found[0]
    return element


def events(element: Wire, *, own: bool = True) -> set[str]:
    """Event types that an element has handlers for."""
    return {event for event, _, is_own in element["handlers"] if bool(is_own) == own}
