"""The page stage: an app that is open in a real browser, observed and acted on; nothing it does is an exception."""

from __future__ import annotations

import asyncio
import base64
import json
import time
from importlib.resources import files
from pathlib import Path
from typing import Any

from playwright.async_api import Error as PlaywrightError

from explorer.browser_axe import MOST_AUDITS, audit
from explorer.browser_dialogs import DialogPolicy
from explorer.browser_ear import Ear, Heard
from explorer.browser_frames import frames_by_name, merged
from explorer.browser_gestures import Gestures
from explorer.browser_launch import Chromium, within
from explorer.browser_network import Wall, origin_of
from explorer.browser_options import BrowserOptions
from explorer.browser_tab import Gone, MovedOn
from explorer.browser_target import Missed
from explorer.browser_visit import COUNTERS, Counts, Visit
from explorer.browser_wire import Decoder, Wire, audited, looks_of
from explorer.cdn_answers import Cdn
from explorer.functiontexts import FunctionTexts
from explorer.provision import Browser as Program
from explorer.proxy import TransitProxy
from graph.records import Action, Effects, Liveness, Looks, Observation, Snapshot
from instrument.errors import AppError, BrowserError
from instrument.istanbul import probe_map_of
from instrument.probes import ProbeMap
from instrument.strangers import Outline, Stranger
from instrument.v8scripts import KnownScripts

_NOWHERE = Snapshot(url="", title="", html="", digest="")
_DOCUMENTS = 8
"""Documents that may follow one another in one action; more, and the page never rests."""
_RESTLESS = "the page never stops loading documents"


class BrowserPage:
    """An app in Chromium, behind the Page protocol.

    url: where the app is served; its origin is all that the browser may reach (see BrowserOptions.network).
    probes: leads from the page's counters to probes. run_dir: screenshots/, downloads/ and samples/ go there.
    program: the browser to start. v8: scripts without counters, which the browser itself measures.
    Every verb is bounded by `options` and reports a fault of the app as data.
    cdn: answers in place of CDNs; None for nobody. carrier: instruments an app that is served elsewhere on its way,
    and says what hits mean as its map grows; None for an app that is served with its counters.
    Raises BrowserError where the browser does not start, AppError where nothing answers at the URL.
    """

    def __init__(  # noqa: PLR0913 - each is a thing of its own, and only four are ever needed
        self,
        url: str,
        *,
        probes: ProbeMap,
        run_dir: Path,
        program: Program,
        options: BrowserOptions | None = None,
        v8: KnownScripts | None = None,
        cdn: Cdn | None = None,
        carrier: TransitProxy | None = None,
    ) -> None:
        self.url = url
        self.cdn = cdn
        self.carrier = carrier
        self.options = options or BrowserOptions()
        self.wall = Wall(
            origin_of(url),
            self.options.allow_hosts,
            open=self.options.network == "open",
            proxy=carrier.address if carrier and not carrier.secure else "",
        )
        self.ear = Ear(self.wall)
        self.dialogs = DialogPolicy()
        self.run_dir = run_dir
        self.script = _init_script(self.options, texts=v8 is not None)
        self._program = program
        self.v8 = v8
        self._decoder = Decoder(probes, self.wall, FunctionTexts(v8) if v8 else None)
        self._chromium: Chromium | None = None
        self._visit: Visit | None = None
        self._gestures: Gestures | None = None
        self._snapshot = _NOWHERE
        self._dead: Liveness | None = None
        self._arrived = False
        """The app brought its own counters and map."""
        self._seen: set[int] = set()
        self._new: set[int] = set()
        self._ran = False
        self._audits = 0

    @property
    def probes(self) -> ProbeMap:
        """What hits mean, as it stands now; made from the app's own coverage at its first load where it was empty."""
        self._grow()
        return self._decoder.probes

    def _grow(self) -> None:
        """Takes the map of what has been fetched by now; an app that arrived instrumented speaks for itself."""
        if self.carrier is not None and not self._arrived:
            probes = self.carrier.transit.probes()
            if probes is not self._decoder.probes:
                self._decoder.learn(probes)

    # --- the six verbs

    async def open(self) -> Observation:
        """Loads the app with empty storage; the first time in a fresh context, later in the same one."""
        begun = time.perf_counter()
        if self._visit is None or self._dead or (self._chromium and self._chromium.lost.is_set()):
            return await self.restart()
        try:
            await self._reset(self._visit)
        except Gone:
            return await self.restart()
        return await self._load(self._visit, begun)

    async def restart(self) -> Observation:
        """A fresh context, in a fresh browser where the old one is lost, and the app loaded in it."""
        begun = time.perf_counter()
        ended = await self._visit.end() if self._visit else True
        self._visit = None
        if self._chromium and (not ended or self._chromium.lost.is_set()):
            await self._chromium.stop()
            self._chromium = None
        try:
            visit = await self._begin()
        except PlaywrightError:
            # The browser went away between the check and its use: one more, from nothing.
            await self._stop_browser()
            visit = await self._begin()
        return await self._load(visit, begun)

    async def perform(self, action: Action) -> Observation:
        """Makes one gesture, waits until the page rests, and observes it."""
        if self._dead or self._visit is None or self._gestures is None:
            return self._gone(self._dead or "closed", failure="the page is not open", performed=False)
        begun = time.perf_counter()
        failure = ""
        self._visit.tab.documents = 0
        try:
            await self._gestures.make(action)
            if self._visit.tab.documents:  # the new one is observed when it has been loaded
                await self._arrive(self._visit)
        except Missed as missed:
            failure = str(missed)
        except Gone as gone:
            return await self._died(self._visit, gone.liveness)
        return await self._look(self._visit, act_ms=_ms(begun), failure=failure)

    async def observe(self) -> Observation:
        """Observes the page as it is."""
        if self._dead or self._visit is None:
            return self._gone(self._dead or "closed", failure="the page is not open")
        return await self._look(self._visit)

    async def screenshot(self, name: str) -> str:
        """Writes screenshots/NAME.jpg, a picture of the viewport; leaves hover, focus and document alone."""
        if self._dead or self._visit is None:
            return ""
        relative = f"screenshots/{name}.jpg"
        command = {"format": "jpeg", "quality": 60, "optimizeForSpeed": True}
        work = self._visit.tab.cdp.send("Page.captureScreenshot", command)
        answer = await within(self.options.gesture_s, work)
        if answer is None:
            return ""
        path = self.run_dir / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(answer["data"]))
        return relative

    async def looks(self) -> Looks | None:
        """Measures how the page looks; None where it is gone, or changes documents just now."""
        if self._dead or self._visit is None:
            return None
        try:
            text = await self._visit.tab.evaluate(
                "typeof __explorer$ === 'undefined' ? '' : __explorer$.looks()"
            )
            looks = looks_of(json.loads(text)) if text else None
            if looks and self.options.axe and self._audits < MOST_AUDITS:
                self._audits += 1
                looks = audited(looks, *await audit(self._visit.tab))
        except (Gone, MovedOn, PlaywrightError):
            return None  # the next gesture finds out what became of it
        return looks

    async def close(self) -> None:
        """Closes page and browser, by force where they do not answer; never raises."""
        if self._visit is not None:
            await self._visit.end()
            self._visit = None
        await self._stop_browser()

    # --- what the browser knows of scripts that nothing measures

    async def strangers(self) -> list[Stranger]:
        """Scripts of the app that ran since the last restart and that nothing measures; needs `v8`."""
        ranges = self._visit.ranges if self._visit else None
        return await ranges.strangers() if ranges else []

    async def outline(self, stranger: Stranger) -> Outline:
        """Where V8 could stop in one of them, by function."""
        ranges = self._visit.ranges if self._visit else None
        return await ranges.outline(stranger) if ranges else []

    # --- loading

    async def _begin(self) -> Visit:
        if self._chromium is None:
            self._chromium = await Chromium.start(self._program, wall=self.wall, options=self.options)
        self._visit = await Visit.begin(self, self._chromium)
        self._gestures = Gestures(self._visit.tab, samples=self.run_dir / "samples")
        self._dead = None
        return self._visit

    async def _stop_browser(self) -> None:
        if self._chromium is not None:
            await self._chromium.stop()
            self._chromium = None

    async def _reset(self, visit: Visit) -> None:
        """Leaves the app (what it stores on its way out included), then empties its storage."""
        tab = visit.tab
        await tab.bounded(tab.page.goto("about:blank", wait_until="commit"), self.options.gesture_s)
        await tab.send("Storage.clearDataForOrigin", {"origin": self.wall.origin, "storageTypes": "all"})
        await tab.bounded(visit.context.set_offline(False), self.options.gesture_s)
        await tab.bounded(tab.page.mouse.move(0, 0), self.options.gesture_s)  # hovers over nothing
        width, height = self.options.viewport
        size = tab.page.set_viewport_size({"width": width, "height": height})
        await tab.bounded(size, self.options.gesture_s)

    async def _load(self, visit: Visit, begun: float) -> Observation:
        self.dialogs.reset()
        visit.tab.documents = 0
        try:
            await self._go(visit, self.url)
            await visit.tab.send("Page.resetNavigationHistory")  # the app's tab begins with the app
            await self._learn_probes(visit)
        except Gone as gone:
            return await self._died(visit, gone.liveness)
        return await self._look(visit, act_ms=_ms(begun))

    async def _learn_probes(self, visit: Visit) -> None:
        """An app that arrived instrumented says itself what it counts, where nobody knew before."""
        names = self.options.istanbul
        if self._decoder.probes.counters or not names:
            return
        merged = f"Object.assign({{}}, ...{json.dumps(names)}.map((name) => globalThis[name] || {{}}))"
        try:
            text = await visit.tab.evaluate(f"JSON.stringify({merged})")
        except MovedOn:
            return  # on its way to another document: the next load asks again
        if coverage := json.loads(text):
            self._arrived = True
            self._decoder.learn(probe_map_of(coverage))

    async def _go(self, visit: Visit, url: str) -> None:
        """Loads a URL of the app; AppError where nothing answers there."""
        tab = visit.tab
        going = asyncio.ensure_future(
            tab.page.goto(url, wait_until="commit", timeout=self.options.load_s * 1000)
        )
        either: set[asyncio.Future[Any]] = {going, tab.gone}
        try:
            while not (await asyncio.wait(either, timeout=0.5, return_when=asyncio.FIRST_COMPLETED))[0]:
                # A main thread that does not answer is hung, however long loading may take.
                await tab.answers()
            await tab.bounded(going, self.options.recover_s)
        except MovedOn:
            pass  # replaced by another document before it was there: the wait below sees that one
        except PlaywrightError as error:
            reason = str(error).splitlines()[0].removeprefix("Page.goto: ")
            raise AppError(f"{url} does not open ({reason}): check that the app is served there.") from error
        finally:
            going.cancel()
        await self._arrive(visit)

    async def _arrive(self, visit: Visit) -> None:
        """Waits until the document is parsed, and a little longer for its load event."""
        tab = visit.tab
        await within(self.options.load_s, tab.arrived.wait())
        tab.arrived.set()
        parsing = asyncio.ensure_future(tab.page.wait_for_load_state("domcontentloaded"))
        either: set[asyncio.Future[Any]] = {parsing, tab.gone}
        try:
            async with asyncio.timeout(self.options.load_s):
                while not (await asyncio.wait(either, timeout=0.5, return_when=asyncio.FIRST_COMPLETED))[0]:
                    await tab.answers()
                    if tab.documents > _DOCUMENTS:
                        await tab.send("Page.stopLoading")
                        return
        except TimeoutError:
            return
        finally:
            parsing.cancel()
        await within(self.options.rest_s, tab.page.wait_for_load_state("load"))

    # --- observing

    async def _look(self, visit: Visit, *, act_ms: float = 0.0, failure: str = "") -> Observation:
        begun = time.perf_counter()
        try:
            wire = await self._wire(visit)
            if visit.expected or visit.popups:
                opened = await visit.visit_popups(self._observe_call())
                if opened:
                    # A user goes on in the tab that came to the front; "back" leads to where it was opened.
                    await self._go(visit, opened)
                    wire = await self._wire(visit)
        except Gone as gone:
            return await self._died(visit, gone.liveness)
        waited = _ms(begun)
        self._snapshot = self._decoder.snapshot(wire)
        if self._gestures:
            self._gestures.see(self._snapshot)
        heard = self.ear.drain()
        settle_ms, observe_ms = float(wire["settle"]["ms"]), float(wire.get("ms") or 0)
        engine_ms = _ms(begun) - waited
        return Observation(
            snapshot=self._snapshot,
            hits=self._drain_hits(),
            ran=self._drain_ran(wire),
            performed=not failure,
            failure=failure,
            messages=tuple(heard.messages),
            faults=tuple(heard.faults),
            requests=tuple(heard.requests),
            dialogs=tuple(heard.dialogs),
            downloads=tuple(sorted(heard.downloads)),
            popups=tuple(heard.popups),
            broken_images=tuple(self.wall.path(url) for url in wire.get("broken_images") or ()),
            overlay=self.wall.relative(wire.get("overlay") or ""),
            effects=_effects(wire, heard),
            settle=str(wire["settle"]["why"]),
            ms=(
                ("act", round(act_ms, 1)),
                ("settle", round(settle_ms, 1)),
                ("observe", round(observe_ms, 1)),
                ("trip", round(max(waited - settle_ms - observe_ms, 0), 1)),
                ("engine", round(engine_ms, 1)),
            ),
        )

    def _observe_call(self) -> str:
        options = self.options
        arguments = {
            "max": options.settle_ms,
            "horizon": options.horizon_ms,
            "limit": options.targets,
            "html": self._decoder.html_digest,
        }
        return f"__explorer$.observe({json.dumps(arguments)})"

    async def _wire(self, visit: Visit) -> Wire:
        """What the agent says once the page rests, after following the documents that the gesture led to."""
        tab = visit.tab
        ask = f"typeof __explorer$ === 'undefined' ? '' : {self._observe_call()}"
        for turn in range(_DOCUMENTS + 4):
            restless = tab.documents > _DOCUMENTS
            if restless:
                await tab.send("Page.stopLoading")
                tab.arrived.set()
            try:
                text = await tab.evaluate(ask)
            except (MovedOn, PlaywrightError):
                await self._arrive(visit)
                continue
            wire: dict[str, Any] = json.loads(text) if text else {"url": "", "hits": {}}
            self.take(wire["hits"])
            apart = await visit.read_elsewhere()
            if not tab.arrived.is_set():
                await self._arrive(visit)
            elif self._astray(wire["url"]):
                await self._come_home(visit)
            elif not (await visit.finish_files() or await self._scripts_came(turn)):
                # A page that was given a file, or that scripts still came for, has more to do.
                if restless:
                    wire["settle"] = {**wire["settle"], "why": _RESTLESS}
                if self._gestures:
                    self._gestures.frames = frames_by_name(apart)
                return merged(wire, apart, html=self._decoder.html)
        raise Gone("hung")

    async def _scripts_came(self, turn: int) -> bool:
        """Waits, bounded, while a carrier brings scripts that the page asked for; whether there were any."""
        if self.carrier is None or turn >= _DOCUMENTS:
            return False
        return await self.carrier.traffic.settled(self.options.load_s)

    def _astray(self, url: str) -> bool:
        return not self.wall.may_show(url)

    async def _come_home(self, visit: Visit) -> None:
        """Back to where the app was last, from a page that is not the app's: an error page, about:blank."""
        where = self._snapshot.url
        await self._go(visit, self.wall.origin + where if where.startswith("/") else self.url)

    def take(self, counts: Counts) -> None:
        """Counters that were read somewhere; what was seen before is not news."""
        self._grow()
        self._ran |= any(counts.values())
        fresh = self._decoder.hits(counts) - self._seen
        self._seen |= fresh
        self._new |= fresh

    def _drain_hits(self) -> frozenset[int]:
        hits, self._new = frozenset(self._new), set()
        return hits

    def _drain_ran(self, wire: Wire) -> bool:
        """Whether code ran, by the counters of the agent or V8's ranges; so it is taken to have where nothing counts."""
        ran, self._ran = self._ran, False
        return ran or wire.get("ran", True) or not len(self._decoder.probes.counters)

    # --- after a death

    async def _died(self, visit: Visit, liveness: Liveness) -> Observation:
        """Reads what can still be read, makes sure that nothing runs on, and reports."""
        if liveness == "hung":
            if await visit.tab.interrupt():
                await self._last_counters(visit)
            if not await visit.tab.close() and not await visit.end() and self._chromium:
                self._chromium.kill()
        self._dead = liveness
        return self._gone(liveness)

    async def _last_counters(self, visit: Visit) -> None:
        command = {"expression": COUNTERS, "returnByValue": True}
        answer = await within(self.options.recover_s, visit.tab.cdp.send("Runtime.evaluate", command))
        if answer and isinstance(answer["result"].get("value"), str):
            self.take(json.loads(answer["result"]["value"]))
        await visit.read_ranges()

    def _gone(self, liveness: Liveness, *, failure: str = "", performed: bool = True) -> Observation:
        heard = self.ear.drain()
        return Observation(
            snapshot=self._snapshot,
            hits=self._drain_hits(),
            liveness=liveness,
            performed=performed,
            failure=failure,
            messages=tuple(heard.messages),
            faults=tuple(heard.faults),
            requests=tuple(heard.requests),
            dialogs=tuple(heard.dialogs),
            downloads=tuple(sorted(heard.downloads)),
            popups=tuple(heard.popups),
            effects=Effects(
                dialogs=heard.dialog_count, downloads=len(heard.downloads), popups=len(heard.popups)
            ),
        )


def _effects(wire: Wire, heard: Heard) -> Effects:
    counts = wire.get("effects") or {}
    return Effects(
        requests=int(counts.get("requests") or 0),
        storage=int(counts.get("storage") or 0),
        mutations=int(counts.get("mutations") or 0),
        navigations=int(counts.get("navigations") or 0),
        media=int(counts.get("media") or 0),
        dialogs=max(heard.dialog_count, int(counts.get("dialogs") or 0)),
        downloads=len(heard.downloads),
        popups=len(heard.popups),
    )


def _ms(since: float) -> float:
    return (time.perf_counter() - since) * 1000


def _init_script(options: BrowserOptions, *, texts: bool) -> str:
    """The agent with its configuration, as one script for every document."""
    config = {
        "seed": options.seed,
        "clock": options.clock,
        "dialogs": options.dialogs,
        "istanbul": list(options.istanbul) or False,
        "texts": texts,
    }
    agent = files("instrument").joinpath("_js", "agent.js")
    if not agent.is_file():
        raise BrowserError(
            "The in-page observer is not built: run `node js/build.mjs` in the project's folder."
        )
    return f"globalThis.__explorerConfig$ = {json.dumps(config)};\n{agent.read_text(encoding='utf-8')}"
