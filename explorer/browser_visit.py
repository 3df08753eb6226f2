"""One browser context with the app in it: its wiring, its dialogs, its downloads, its file choosers, its other tabs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from playwright.async_api import (
    BrowserContext,
    CDPSession,
    Dialog,
    Download,
    FileChooser,
    Frame,
    Page,
    WebSocket,
    Worker,
)

from explorer.browser_cdn import serve_cdn
from explorer.browser_dialogs import DialogPolicy
from explorer.browser_ear import Ear, keep_download, safe_name
from explorer.browser_frames import FrameApart, find_apart
from explorer.browser_launch import Chromium, within
from explorer.browser_network import Wall
from explorer.browser_options import BrowserOptions
from explorer.browser_tab import Tab
from explorer.browser_transit import carry_by_route
from explorer.browser_v8 import V8Coverage
from explorer.cdn_answers import Cdn
from explorer.proxy import TransitProxy
from explorer.samples import fitting, write_samples
from graph.records import Dialog as DialogRecord
from instrument.v8scripts import KnownScripts

Counts = Mapping[str, Iterable[int]]
"""Script key -> counter slots that are not zero."""

COUNTERS = """(() => {
  const all = globalThis.__cov$, found = {};
  const seen = globalThis.__cvRead$ || (globalThis.__cvRead$ = Object.create(null));
  for (const key of all ? Object.getOwnPropertyNames(all) : []) {
    const counters = all[key], read = seen[key] || (seen[key] = new Uint8Array(counters.length)), slots = [];
    for (let slot = 0; slot < counters.length; slot++) {
      if (counters[slot] && !read[slot]) { read[slot] = 1; slots.push(slot); }
    }
    if (slots.length) found[key] = slots;
  }
  return JSON.stringify(found);
})()"""
"""Reads the counters of a place that the agent does not reach: workers, sandboxed frames, interrupted pages."""
_FRAME_COUNTERS = """(async () => {
  const own = globalThis.__explorer$;
  return own && own.observe ? own.observe({ max: 300, limit: 100 }) : COUNTERS;
})()""".replace("COUNTERS", COUNTERS)
"""The same in a frame; one of another origin has an agent and a clock of its own."""
_MOST_FRAMES = 20
_WITHOUT_ADDRESS = ("about:", "data:", "blob:null")
"""Documents that the app wrote itself."""


class Opener(Protocol):
    """What a Visit needs of the page that it belongs to."""

    wall: Wall
    options: BrowserOptions
    ear: Ear
    dialogs: DialogPolicy
    run_dir: Path
    script: str
    """Runs in every document before the app's code."""
    cdn: Cdn | None
    """Answers in place of CDNs; None where all other hosts are behind the wall."""
    carrier: TransitProxy | None
    """Instruments an app that is served elsewhere; None where it is served with its counters."""
    v8: KnownScripts | None
    """Scripts that the browser itself measures; None where all carry counters."""

    def take(self, counts: Counts) -> None:
        """Counters that were read somewhere."""


@dataclass
class Visit:
    """A context and the page that is driven in it."""

    opener: Opener
    context: BrowserContext
    tab: Tab
    popups: list[Page] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)
    """URLs of tabs that are being opened."""
    files: list[asyncio.Task[None]] = field(default_factory=list)
    """Downloads and choosers at work."""
    names: set[str] = field(default_factory=set)
    chosen: int = 0
    """Samples that choosers were given because they fit."""
    given: int = 0
    """Choosers that were given a file."""
    ranges: V8Coverage | None = None
    line: CDPSession | None = None
    """To the browser itself, for workers that belong to no one tab."""

    @classmethod
    async def begin(cls, opener: Opener, chromium: Chromium) -> Visit:
        """A fresh context with one blank page, wired."""
        context = await chromium.new_context(origin=opener.wall.origin)
        await context.expose_binding("__explorerFlush$", lambda _, text: _flushed(opener.take, text))
        await context.add_init_script(opener.script)
        tab = await Tab.open(context, chromium=chromium, options=opener.options)
        visit = cls(opener, context, tab)
        visit._names_on_disk()
        ear = opener.ear
        context.on("dialog", visit._dialog)
        context.on("requestfailed", ear.failed)
        context.on("response", ear.answered)
        context.on("page", visit._new_page)
        visit._watch(tab.page)
        tab.cdp.on("Page.windowOpen", lambda event: visit.expected.append(event["url"]))
        await tab.cdp.send("Page.enable")
        await ear.attach(tab.cdp)
        await tab.guard_documents(opener.wall, ear.blocked)
        if opener.carrier is not None and opener.carrier.secure:
            await carry_by_route(context, opener.carrier, wall=opener.wall)
        if opener.cdn is not None:
            await serve_cdn(context, opener.cdn, wall=opener.wall, ear=ear)
        if opener.v8 is not None:
            bound = opener.options.recover_s
            visit.ranges = V8Coverage(
                tab.cdp, opener.v8, take=opener.take, seconds=bound, inside=opener.wall.inside
            )
            visit.line = await chromium.line()
            await visit.ranges.arm(visit.line)
        return visit

    async def end(self) -> bool:
        """Closes the context; False where the browser did not in time."""
        if not self.tab.gone.done():
            await self.read_ranges()

        if self.line is not None:
            await within(self.opener.options.recover_s, self.line.detach())

        async def closed() -> bool:
            await self.context.close()
            return True

        return bool(await within(self.opener.options.recover_s, closed()))

    def _watch(self, page: Page) -> None:
        page.on("download", self._download)
        page.on("filechooser", self._chooser)
        page.on("websocket", self._socket)
        page.on("worker", self._worker)

    def _socket(self, socket: WebSocket) -> None:
        self.opener.ear.socket(socket)

    def _worker(self, worker: Worker) -> None:
        self.tab.start(self._read(worker))

    # --- counters out of the agent's reach

    async def read_elsewhere(self) -> tuple[FrameApart, ...]:
        """Reads what the agent does not: counters of workers, service workers and child frames, and V8's ranges.

        Returns the app's frames that have an agent of their own. Costs nothing where there are none.
        """
        workers = [*self.tab.page.workers, *self.context.service_workers]
        frames = self.tab.page.frames[1:_MOST_FRAMES]
        found = await asyncio.gather(
            *map(self._read, workers), *map(self._read_frame, frames, range(len(frames)))
        )
        await self.read_ranges()
        return tuple(apart for apart in found if apart is not None)

    async def read_ranges(self) -> None:
        """Takes what V8 counted, where it counts."""
        if self.ranges is not None:
            await self.ranges.read()

    async def _read(self, worker: Worker) -> None:
        text = await within(self.opener.options.recover_s, worker.evaluate(COUNTERS))
        if isinstance(text, str):
            self.opener.take(json.loads(text))

    async def _read_frame(self, frame: Frame, nth: int) -> FrameApart | None:
        """Takes a frame's counters; what its agent says where it is a frame of the app that has one."""
        bound = self.opener.options.recover_s
        text = await within(bound, frame.evaluate(_FRAME_COUNTERS))
        said = json.loads(text) if isinstance(text, str) else {}
        if "elements" not in said:
            self.opener.take(said)
            return None
        self.opener.take(said["hits"])
        if not self._is_own(frame):
            return None
        return await within(bound, find_apart(frame, said, nth=nth))

    def _is_own(self, frame: Frame) -> bool:
        """Whether a frame shows the app, not something that it embeds."""
        return self.opener.wall.inside(frame.url) or frame.url.startswith(_WITHOUT_ADDRESS)

    # --- dialogs

    async def _dialog(self, dialog: Dialog) -> None:
        ear, options = self.opener.ear, self.opener.options
        reply = self.opener.dialogs.reply(dialog.type, dialog.message, default=dialog.default_value)
        text = self.opener.wall.relative(dialog.message[:2000])
        ear.dialog(DialogRecord(dialog.type, text, reply.accept, reply.text), most=options.dialogs)
        if ear.heard.dialog_count >= options.dialogs and dialog.type != "beforeunload":
            # Takes effect, and is answered, when the script goes on after this dialog.
            self.tab.start(self.tab.cdp.send("Runtime.terminateExecution"))
        closing = dialog.accept(reply.text) if reply.accept else dialog.dismiss()
        await within(options.recover_s, closing)

    # --- files

    def _download(self, download: Download) -> None:
        name = safe_name(download.suggested_filename, self.names)
        self.files.append(asyncio.ensure_future(self._keep(download, name)))

    async def _keep(self, download: Download, name: str) -> None:
        folder = self.opener.run_dir / "downloads"
        if await within(self.opener.options.gesture_s, keep_download(download, folder=folder, name=name)):
            self.opener.ear.heard.downloads.append(name)

    async def finish_files(self) -> bool:
        """Waits, bounded, for the downloads and choosers of this action; whether the page was given a file."""
        given = self.given
        tasks, self.files = self.files, []
        if tasks:
            await asyncio.wait(tasks, timeout=self.opener.options.gesture_s)
        return self.given > given

    def _names_on_disk(self) -> None:
        folder = self.opener.run_dir / "downloads"
        if folder.is_dir():
            self.names.update(path.name.lower() for path in folder.iterdir())

    def _chooser(self, chooser: FileChooser) -> None:
        self.files.append(asyncio.ensure_future(self._choose(chooser)))

    async def _choose(self, chooser: FileChooser) -> None:
        """A chooser that an ordinary gesture opened gets a sample that it accepts, the next one each time."""
        bound = self.opener.options.recover_s
        names, self.tab.next_files = self.tab.next_files, []
        if not names:
            accept = await within(bound, chooser.element.get_attribute("accept"))
            names = [fitting(accept or "", nth=self.chosen)]
            self.chosen += 1
        await within(bound, chooser.set_files(write_samples(self.opener.run_dir / "samples", names)))
        self.given += 1

    # --- other tabs

    def _new_page(self, page: Page) -> None:
        if page is not self.tab.page:
            self.popups.append(page)
            self._watch(page)

    async def visit_popups(self, observe: str) -> str:
        """Looks at tabs that were opened, reads the counters of those of the app, and closes all but the first.

        Returns the address of the last one that shows a page of the app, "" where none does.
        """
        urls, self.expected = self.expected, []
        for _ in range(round(self.opener.options.rest_s / 0.01)):
            if len(self.popups) >= len(urls):
                break
            await asyncio.sleep(0.01)
        popups, self.popups = self.popups, []
        front = ""
        for page in popups:
            await self._look_at(page, observe, blank="about:blank" in urls)
            front = page.url if self.opener.wall.inside(page.url) and not page.is_closed() else front
            await within(self.opener.options.recover_s, page.close())
        urls += [page.url for page in popups[len(urls) :]]
        self.opener.ear.heard.popups += [self.opener.wall.path(url) for url in urls]
        return front

    async def _look_at(self, page: Page, observe: str, *, blank: bool) -> None:
        """Takes a tab's counters if it is the app's; waits until it has left about:blank unless it may stay there."""
        bound = self.opener.options.rest_s
        if not blank:
            await within(bound, page.wait_for_url(_not_blank, wait_until="commit"))
        await within(bound, page.wait_for_load_state("domcontentloaded"))
        if self.opener.wall.inside(page.url) or page.url.startswith("about:"):
            text = await within(self.opener.options.gesture_s, page.evaluate(observe))
            if isinstance(text, str):
                self.opener.take(json.loads(text)["hits"])
            if self.ranges is not None:
                await within(bound, self.ranges.identify(page))
                await self.ranges.read()


def _not_blank(url: str) -> bool:
    return url not in ("", "about:blank")


def _flushed(take: Callable[[Counts], None], text: Any) -> None:
    """Counters that a document sent as it was left."""
    counts = json.loads(text) if isinstance(text, str) else text
    if isinstance(counts, dict):
        take(counts.get("hits", counts))
