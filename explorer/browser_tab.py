"""One page of the browser: every call to it is bounded, and ends early when the page is gone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from playwright.async_api import BrowserContext, CDPSession, Frame, Page, Request
from playwright.async_api import Error as PlaywrightError

from explorer.browser_launch import Chromium, within
from explorer.browser_network import Wall
from explorer.browser_options import BrowserOptions
from graph.records import Liveness
from instrument.errors import BrowserError

_T = TypeVar("_T")

_MOVED_ON = (
    "context was destroyed",
    "navigated or closed",
    "Cannot find context",
    "uniqueContextId not found",
)
_ENDED = ("Target crashed", "has been closed", "Connection closed", "Session closed", "detached")


class Gone(Exception):
    """The page does not answer any more; private to the browser side, where it becomes an Observation."""

    def __init__(self, liveness: Liveness) -> None:
        super().__init__(liveness)
        self.liveness = liveness


class MovedOn(Exception):
    """The document that was asked is no longer there; the page is in another one, or on its way."""


class Tab:
    """A page with its own line to the browser, opened beforehand so that it works when the page hangs."""

    def __init__(
        self, page: Page, cdp: CDPSession, *, chromium: Chromium, options: BrowserOptions, main_frame: str
    ) -> None:
        self.page = page
        self.cdp = cdp
        self.options = options
        self.main_frame = main_frame
        self.gone: asyncio.Future[Liveness] = asyncio.get_running_loop().create_future()
        self.arrived = asyncio.Event()
        """Clear while a document is on its way."""
        self.arrived.set()
        self.documents = 0
        """Documents that the main frame has asked for."""
        self.next_files: list[str] = []
        """Sample files that the next file chooser is given instead of what would fit."""
        self._chromium = chromium
        self._tasks: set[asyncio.Task[object]] = set()
        page.on("crash", lambda _: self._end("crashed"))
        page.on("close", lambda _: self.start(self._closed()))
        page.on("framenavigated", self._navigated)
        page.on("requestfailed", self._request_failed)

    @classmethod
    async def open(
        cls, context: BrowserContext, *, chromium: Chromium, options: BrowserOptions, page: Page | None = None
    ) -> Tab:
        """A new page of the context (or the given one) with its line."""
        page = page or await context.new_page()
        cdp = await context.new_cdp_session(page)
        tree = await cdp.send("Page.getFrameTree")
        main_frame = tree["frameTree"]["frame"]["id"]
        return cls(page, cdp, chromium=chromium, options=options, main_frame=main_frame)

    def start(self, work: Coroutine[Any, Any, object]) -> None:
        """Runs something beside the current call; what Playwright raises there is of no interest any more."""

        async def guarded() -> None:
            await within(self.options.load_s, work)

        task: asyncio.Task[object] = asyncio.ensure_future(guarded())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def bounded(self, work: Awaitable[_T], seconds: float) -> _T:
        """The result of the work; Gone where the page died or the time ran out."""
        task = asyncio.ensure_future(work)
        waiting: set[asyncio.Future[Any]] = {task, self.gone}
        try:
            await asyncio.wait(waiting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not task.done():
                task.cancel()
        if task.done() and not task.cancelled():
            return await self._result(task)
        raise Gone(self.gone.result() if self.gone.done() else "hung")

    async def _result(self, task: asyncio.Future[_T]) -> _T:
        try:
            return task.result()
        except PlaywrightError as error:
            text = str(error)
            if any(part in text for part in _MOVED_ON):
                raise MovedOn from error
            if any(part in text for part in _ENDED):
                await asyncio.wait({self.gone}, timeout=0.5)
                raise Gone(self.gone.result() if self.gone.done() else "closed") from error
            raise

    async def send(self, method: str, params: dict[str, Any] | None = None, *, seconds: float = 0) -> Any:
        """One command of the DevTools protocol."""
        return await self.bounded(self.cdp.send(method, params or {}), seconds or self.options.gesture_s)

    async def evaluate(self, expression: str, *, seconds: float = 0) -> Any:
        """Value of an expression in the main document, promises awaited.

        Raises MovedOn where the document went away meanwhile, and BrowserError where the expression itself
        failed: it is the engine's own code.
        """
        command = {"expression": expression, "awaitPromise": True, "returnByValue": True, "userGesture": True}
        answer = await self.send("Runtime.evaluate", command, seconds=seconds or self.options.observe_s)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            text = details.get("exception", {}).get("description") or details.get("text", "")
            raise BrowserError(f"The observer failed in {self.page.url} ({text}): please report this page.")
        return answer["result"].get("value")

    async def answers(self) -> bool:
        """Whether the main thread runs; Gone where it does not answer for as long as an observation may take.

        False: it was busy changing documents.
        """
        try:
            await self.evaluate("1")
        except (MovedOn, PlaywrightError):
            return False
        return True

    async def interrupt(self) -> bool:
        """Stops the script that is running; whether the page answers again."""
        bound = self.options.recover_s
        if await within(bound, self.cdp.send("Runtime.terminateExecution")) is None:
            return False
        command = {"expression": "1", "returnByValue": True}
        return await within(bound, self.cdp.send("Runtime.evaluate", command)) is not None

    async def close(self) -> bool:
        """Closes the page; False where it did not in time."""
        if self.page.is_closed():
            return True

        async def closed() -> bool:
            await self.page.close()
            return True

        return bool(await within(self.options.recover_s, closed()))

    async def guard_documents(self, wall: Wall, blocked: Callable[[str, str, str], None]) -> None:
        """Lets documents of the app pass, answers others 204 (main frame) or not at all (iframes).

        `blocked` is told method, URL and resource of what was kept in.
        """

        async def decide(event: dict[str, Any]) -> None:
            url, method = event["request"]["url"], event["request"]["method"]
            main = event.get("frameId") == self.main_frame
            request = {"requestId": event["requestId"]}
            if wall.may_show(url) if main else wall.allows(url):
                if main:
                    self.documents += 1
                    self.arrived.clear()
                await self.cdp.send("Fetch.continueRequest", request)
                return
            blocked(method, url, "document")
            if main:
                await self.cdp.send("Fetch.fulfillRequest", {**request, "responseCode": 204})
            else:
                await self.cdp.send("Fetch.failRequest", {**request, "errorReason": "BlockedByClient"})

        self.cdp.on("Fetch.requestPaused", lambda event: self.start(decide(event)))
        pattern = {"urlPattern": "*", "resourceType": "Document", "requestStage": "Request"}
        await self.send("Fetch.enable", {"patterns": [pattern]})

    def _end(self, liveness: Liveness) -> None:
        if not self.gone.done():
            self.gone.set_result(liveness)

    async def _closed(self) -> None:
        """A lost browser closes its pages first: waits a moment to tell the two apart."""
        for _ in range(10):
            if self._chromium.lost.is_set():
                break
            await asyncio.sleep(0.01)
        self._end("browser-lost" if self._chromium.lost.is_set() else "closed")

    def _navigated(self, frame: Frame) -> None:
        if frame.parent_frame is None:
            self.arrived.set()

    def _request_failed(self, request: Request) -> None:
        """A document that never came: a download, 204, an abort."""
        if request.is_navigation_request():
            self.arrived.set()
