"""The browser's own coverage of scripts that carry no counters: V8's ranges over the DevTools protocol, as counter hits.

V8 counts in all documents of a process at once, frames and tabs that the app opens included, and hands over what was
counted since it was last asked; what runs while a document is left comes with the next answer. Workers are processes
of V8's own: each has its own line. One is heard of when it already runs, so what it did until then is known function
by function only, and what branches guard is left out.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from urllib.parse import unquote, urlsplit

from playwright.async_api import CDPSession, Page

from explorer.browser_launch import within
from instrument.places import utf16
from instrument.strangers import Outline, Stranger, digest_of
from instrument.v8ranges import Flattener
from instrument.v8scripts import KnownScripts

Take = Callable[[Mapping[str, Iterable[int]]], None]
Event = dict[str, Any]

_ARMING: tuple[tuple[str, Event], ...] = (
    ("Profiler.enable", {}),
    ("Debugger.enable", {}),
    # The app's own `debugger` statements would stop it for ever.
    ("Debugger.setSkipAllPauses", {"skip": True}),
    ("Profiler.startPreciseCoverage", {"callCount": True, "detailed": True}),
)
_WEB = ("http:", "https:")
_SHARED = ("service_worker", "shared_worker")
_BEFORE = "Profiler.getBestEffortCoverage"
"""What ran before counting began, by function."""
_TAKE = "Profiler.takePreciseCoverage"
_LINE_END = re.compile(r"\r\n|[\n\r\u2028\u2029]")
_SHA256 = 64
"""Hex digits of the checksums that Chromium gives since 2024; older ones mean something else."""


@dataclass(slots=True)
class _Seen:
    """A script that V8 told of."""

    url: str
    key: str | None
    """None where the app has no such script."""
    at: tuple[int, int] = (0, 0)
    """Line and column where it begins in its file, from 0."""
    hashed: bool = True
    """False where its checksum is not ours to compare: its text must be asked for."""


@dataclass
class _Isolate:
    """One V8: the page's process, or a worker."""

    scripts: dict[str, _Seen] = field(default_factory=dict)
    thrown: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    """Where uncaught exceptions left scripts since the last question: line and column in the file, from 0."""


class V8Coverage:
    """Counts by ranges in one tab, with the tabs and workers that it opens."""

    def __init__(
        self,
        cdp: CDPSession,
        known: KnownScripts,
        *,
        take: Take,
        seconds: float,
        inside: Callable[[str], bool] = lambda _: True,
    ) -> None:
        """`cdp`: the tab's. `take` is given hits as counters would give them. `seconds` bounds each question.

        `inside` tells which URLs are the app's own.
        """
        self._inside = inside
        self._strange: list[Event] = []
        """Scripts of the app that are not known: made while it runs, or never parsed."""
        self._functions: dict[str, set[tuple[int, int]]] = {}
        """Of those scripts: start and end of their functions."""
        self._cdp = cdp
        self._known = known
        self._take = take
        self._seconds = seconds
        self._flatteners: dict[str, Flattener] = {}
        self._page = _Isolate()
        self._tabs: list[_Isolate] = []
        self._workers: dict[str, _Worker] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def arm(self, browser: CDPSession) -> None:
        """Begins to count; before the app's first document. `browser`: a line to the browser itself."""
        self._cdp.on("Debugger.scriptParsed", lambda event: self._note(self._page, event))
        self._cdp.on("Runtime.exceptionThrown", lambda event: _note_exception(self._page, event))
        for line in (self._cdp, browser):
            line.on("Target.attachedToTarget", lambda event, line=line: self._attached(event, line))
            line.on("Target.detachedFromTarget", self._detached)
            line.on("Target.receivedMessageFromTarget", self._heard)
        for method, params in _ARMING:
            await self._cdp.send(method, params)
        # Not flat: Playwright delivers no messages of sessions that it does not know.
        attach = {"autoAttach": True, "waitForDebuggerOnStart": False, "flatten": False}
        await self._cdp.send("Target.setAutoAttach", attach)
        # Workers that belong to no one tab are the browser's.
        browser.on("Target.targetCreated", lambda event: self._start(self._attach(event, browser)))
        filters = [{"type": kind} for kind in _SHARED]
        await browser.send("Target.setDiscoverTargets", {"discover": True, "filter": filters})

    async def read(self) -> None:
        """Takes what ran since the last time; costs a round trip, and one for each worker."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=self._seconds)
        answer = await within(self._seconds, self._cdp.send(_TAKE))
        if answer is not None:
            await self._count(self._page, answer["result"], self._cdp)
        if self._workers:
            await asyncio.gather(*(self._read(worker) for worker in list(self._workers.values())))

    async def identify(self, page: Page) -> None:
        """Learns which scripts another tab runs; its process must be the page's, or it counts for nothing."""
        tab = _Isolate()
        session = await page.context.new_cdp_session(page)
        session.on("Debugger.scriptParsed", lambda event: self._note(tab, event))
        await session.send("Debugger.enable")
        await session.send("Debugger.setSkipAllPauses", {"skip": True})
        self._tabs.append(tab)

    async def strangers(self) -> list[Stranger]:
        """Scripts of the app that ran in this tab and are not known, each text once."""
        found: dict[str, Stranger] = {}
        for event in list(self._strange):
            text = await self.source(event["scriptId"])
            if text.strip() and text not in found:
                found[text] = self._stranger(event, text)
        return list(found.values())

    def _stranger(self, event: Event, text: str) -> Stranger:
        frames = event.get("stackTrace", {}).get("callFrames", ())
        address = event.get("embedderName") or ("" if event["hasSourceURL"] else event["url"])
        return Stranger(
            script=event["scriptId"],
            text=text,
            path=_path(address),
            at=(event["startLine"], event["startColumn"]),
            name=event["url"].rpartition("/")[2] if event["hasSourceURL"] else "",
            module=bool(event.get("isModule")),
            map_url=event.get("sourceMapURL") or "",
            maker=next((self._maker(frame["url"]) for frame in frames if frame["url"]), ""),
            functions=tuple(sorted(self._functions.get(event["scriptId"], ()))),
        )

    def _maker(self, url: str) -> str:
        """Path of a script of the app; the whole address of another."""
        return _path(url) if self._inside(url) else url

    async def outline(self, stranger: Stranger) -> Outline:
        """Where V8 could stop in a script, by function; [] where it does not say."""
        text = utf16(stranger.text)
        starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
        first, column = stranger.at

        def offset(place: Event) -> int:
            line = place["lineNumber"] - first
            return int(starts[line] + place["columnNumber"] - (column if line == 0 else 0))

        async def places(start: Event, **more: Any) -> list[Event]:
            command = {"start": start, "end": last, **more}
            answer = await within(self._seconds, self._cdp.send("Debugger.getPossibleBreakpoints", command))
            return list(answer["locations"]) if answer else []

        end = (first + len(starts) - 1, len(text) - starts[-1] + (column if len(starts) == 1 else 0))
        last = {"scriptId": stranger.script, "lineNumber": end[0], "columnNumber": end[1] + 1}
        begin = {"scriptId": stranger.script, "lineNumber": first, "columnNumber": column}
        left = await places(begin)
        top = {offset(place) for place in await places(begin, restrictToFunction=True)}
        found = [_stops([(offset(one), one.get("type", "")) for one in left if offset(one) in top], text)]
        left = [place for place in left if offset(place) not in top]
        while left:
            start = {name: left[0][name] for name in ("scriptId", "lineNumber", "columnNumber")}
            inside = {offset(place) for place in await places(start, restrictToFunction=True)} or {
                offset(left[0])
            }
            mine = [place for place in left if offset(place) in inside]
            left = [place for place in left if offset(place) not in inside]
            found.append(_stops([(offset(place), place.get("type", "")) for place in mine], text))
        return found

    async def source(self, script_id: str) -> str:
        """Text of one of the page's scripts; "" where it is gone."""
        answer = await within(
            self._seconds, self._cdp.send("Debugger.getScriptSource", {"scriptId": script_id})
        )
        return str(answer["scriptSource"]) if answer else ""

    # --- which script is which

    def _note(self, isolate: _Isolate, event: Event) -> None:
        hashed = len(event["hash"]) == _SHA256
        key = self._find(event["hash"], event) if hashed else None
        at = (event["startLine"], event["startColumn"])
        isolate.scripts[event["scriptId"]] = _Seen(event["url"], key, at, hashed)
        if key is None and isolate is self._page and self._of_the_app(event):
            self._strange.append(event)
            self._functions[event["scriptId"]] = set()

    def _of_the_app(self, event: Event) -> bool:
        """Whether the app brought a script: it is at an address of the app's, or code that has any address made it."""
        if event["url"].startswith(_WEB):
            return self._inside(event["url"])
        if event.get("isModule"):
            # One that was written into the page while it ran has no address, and nothing of who made it. Ours are no modules.
            return bool(event.get("executionContextAuxData", {}).get("isDefault"))
        frames = event.get("stackTrace", {}).get("callFrames", ())
        return any(frame["url"].startswith(_WEB) for frame in frames)

    def _find(self, digest: str, event: Event) -> str | None:
        at = (event["startLine"], event["startColumn"])
        return self._known.find(digest, path=_path(event["url"]), at=at)

    def _seen(self, isolate: _Isolate, script: Event) -> _Seen | None:
        for one in (isolate, *self._tabs):
            seen = one.scripts.get(script["scriptId"])
            # Another process numbers its scripts from the beginning.
            if seen is not None and (seen.url == script["url"] or not script["url"]):
                return seen
        return None

    async def _count(self, isolate: _Isolate, scripts: list[Event], cdp: CDPSession | None) -> None:
        found: dict[str, list[int]] = {}
        thrown, isolate.thrown = isolate.thrown, {}
        for script in scripts:
            seen = self._seen(isolate, script)
            if seen is None:
                continue
            if not seen.hashed and cdp is not None:
                await self._hash(script, seen)
            if seen.key is None and script["scriptId"] in self._functions:
                self._functions[script["scriptId"]].update(map(_whole, script["functions"]))
            elif seen.key is not None:
                flattener = self._flattener(seen.key)
                places = [_inside(place, seen.at) for place in thrown.get(script["scriptId"], ())]
                slots = flattener.hits(script["functions"], [flattener.offset(*place) for place in places])
                found.setdefault(seen.key, []).extend(slots)
        if found:
            self._take(found)

    async def _hash(self, script: Event, seen: _Seen) -> None:
        text = await self.source(script["scriptId"])
        seen.key = self._find(digest_of(text), {"url": seen.url, "startLine": 0, "startColumn": 0})
        seen.hashed = True

    def _flattener(self, key: str) -> Flattener:
        if key not in self._flatteners:
            self._flatteners[key] = Flattener(self._known.places[key])
        return self._flatteners[key]

    # --- workers

    async def _attach(self, event: Event, browser: CDPSession) -> None:
        target = {"targetId": event["targetInfo"]["targetId"], "flatten": False}
        await within(self._seconds, browser.send("Target.attachToTarget", target))

    def _attached(self, event: Event, line: CDPSession) -> None:
        if event["targetInfo"]["type"] not in ("worker", *_SHARED):
            return
        worker = _Worker(line, event["sessionId"])
        self._workers[event["sessionId"]] = worker
        self._start(self._begin(worker))

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _detached(self, event: Event) -> None:
        worker = self._workers.pop(event["sessionId"], None)
        if worker is not None:
            worker.end()

    def _heard(self, event: Event) -> None:
        worker = self._workers.get(event["sessionId"])
        if worker is None:
            return
        message = json.loads(event["message"])
        if message.get("method") == "Debugger.scriptParsed":
            self._note(worker.isolate, message["params"])
        elif "id" in message:
            worker.answered(message)

    async def _begin(self, worker: _Worker) -> None:
        calls = [_ARMING[0], _ARMING[1], (_BEFORE, {}), *_ARMING[2:]]
        answers = await within(self._seconds, asyncio.gather(*(worker.ask(*call) for call in calls)))
        if answers:
            functions = answers[2].get("result", {}).get("result", [])
            await self._count(worker.isolate, functions, None)

    async def _read(self, worker: _Worker) -> None:
        answer = await within(self._seconds, worker.ask(_TAKE, {}))
        if answer:
            await self._count(worker.isolate, answer.get("result", {}).get("result", []), None)


class _Worker:
    """A worker's line, by messages through the page's."""

    def __init__(self, cdp: CDPSession, session: str) -> None:
        self.isolate = _Isolate()
        self._cdp = cdp
        self._session = session
        self._numbers = count(1)
        self._waiting: dict[int, asyncio.Future[Event]] = {}

    async def ask(self, method: str, params: Event) -> Event:
        """The whole answer, `{id, result}` or `{id, error}`; {} where the worker ended meanwhile."""
        number = next(self._numbers)
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        message = json.dumps({"id": number, "method": method, "params": params})
        await self._cdp.send("Target.sendMessageToTarget", {"sessionId": self._session, "message": message})
        found: Event = await answer
        return found

    def answered(self, message: Event) -> None:
        """Takes an answer in."""
        waiting = self._waiting.pop(message["id"], None)
        if waiting is not None and not waiting.done():
            waiting.set_result(message)

    def end(self) -> None:
        """Answers all that is still asked with nothing."""
        for number in list(self._waiting):
            self.answered({"id": number})


def _whole(function: Event) -> tuple[int, int]:
    whole = function["ranges"][0]
    return whole["startOffset"], whole["endOffset"]


def _note_exception(isolate: _Isolate, event: Event) -> None:
    """Only of the function that threw it is it sure that the exception left it: its callers may be the browser."""
    details = event["exceptionDetails"]
    frames = details.get("stackTrace", {}).get("callFrames") or [details]
    place = (frames[0]["lineNumber"], frames[0]["columnNumber"])
    isolate.thrown.setdefault(frames[0].get("scriptId", ""), []).append(place)


def _inside(place: tuple[int, int], at: tuple[int, int]) -> tuple[int, int]:
    """A position in a file as one in a script that begins there."""
    line = place[0] - at[0]
    return line, place[1] - (at[1] if line == 0 else 0)


def _path(url: str) -> str:
    """Path of a URL below its root; that of a folder is its index.html, as servers have it."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https"):
        return ""
    path = unquote(parts.path).lstrip("/")
    return f"{path}index.html" if path.endswith("/") or not path else path


def _stops(places: list[tuple[int, str]], text: str) -> list[tuple[int, bool]]:
    """The places that begin a statement or return: a call within a statement is none of its own."""
    return [
        (offset, kind == "return")
        for offset, kind in places
        if kind != "call" or text[:offset].rstrip()[-1:] in ("", ";", "{", "}")
    ]
