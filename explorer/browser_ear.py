"""Hears what the browser reports between two observations: messages, faults, requests, dialogs, files, tabs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.async_api import CDPSession, Download, Response, WebSocket
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Request as PlaywrightRequest

from explorer.browser_network import Wall
from graph.records import Dialog, Fault, Message, Request

_MOST = 200
"""Messages, faults and requests kept of one action."""
_LONGEST = 4000
_LEVELS = {
    "warning": "warning",
    "error": "error",
    "assert": "error",
    "debug": "debug",
    "info": "info",
    "verbose": "debug",
}
_OFF_SITE = "kept in: only the app's own origin may be reached"
_STACK = re.compile(r"\n\s+at ")


@dataclass
class Heard:
    """All that was reported since the last observation."""

    messages: list[Message] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    dialogs: list[Dialog] = field(default_factory=list)
    downloads: list[str] = field(default_factory=list)
    popups: list[str] = field(default_factory=list)
    dialog_count: int = 0


class Ear:
    """Collects; `drain` hands over and begins anew."""

    def __init__(self, wall: Wall) -> None:
        self._wall = wall
        self.heard = Heard()
        self.stood_in: set[str] = set()
        """Addresses of other hosts that were answered in their place."""

    def drain(self) -> Heard:
        """What was heard, requests in an order that does not depend on the network's timing."""
        heard, self.heard = self.heard, Heard()
        unique = dict.fromkeys(heard.requests)
        heard.requests = sorted(
            unique, key=lambda item: (item.url, item.method, item.status or 0, item.reason)
        )
        return heard

    async def attach(self, cdp: CDPSession) -> None:
        """Listens to a page's console and faults, those from before included."""
        cdp.on("Runtime.consoleAPICalled", self._console)
        cdp.on("Runtime.exceptionThrown", self._exception)
        cdp.on("Log.entryAdded", self._log)
        await cdp.send("Runtime.enable")
        await cdp.send("Log.enable")

    def failed(self, request: PlaywrightRequest) -> None:
        """A request without an answer."""
        reason = request.failure or ""
        allowed = self._wall.allows(request.url) or request.url in self.stood_in
        if request.url.startswith(("mailto:", "tel:", "sms:")) or (allowed and "ERR_ABORTED" in reason):
            return  # given up by the app itself, by a download, or by leaving the page
        if allowed:
            self._request(request.method, request.url, None, reason, request.resource_type)
        else:
            self.blocked(request.method, request.url, request.resource_type)

    def answered(self, response: Response) -> None:
        """A response; errors are kept."""
        if response.status >= 400 and not response.url.endswith("/favicon.ico"):
            request = response.request
            self._request(
                request.method, response.url, response.status, response.status_text, request.resource_type
            )

    def socket(self, socket: WebSocket) -> None:
        """A WebSocket that is being opened."""
        if not self._wall.allows(socket.url):
            self.blocked("GET", socket.url, "websocket")

    def blocked(self, method: str, url: str, resource: str, *, reason: str = _OFF_SITE) -> None:
        """A request that was not allowed out."""
        if len(self.heard.requests) < _MOST:
            request = Request(method, self._wall.path(url), None, reason, blocked=True, resource=resource)
            if request not in self.heard.requests:
                self.heard.requests.append(request)

    def dialog(self, dialog: Dialog, *, most: int) -> None:
        """A dialog that was answered; all are counted, the first `most` kept."""
        self.heard.dialog_count += 1
        if len(self.heard.dialogs) < most:
            self.heard.dialogs.append(dialog)

    def message(self, level: str, text: str, *, url: str = "", line: int = 0) -> None:
        """One console message."""
        if len(self.heard.messages) < _MOST:
            text = self._wall.relative(text[:_LONGEST])
            self.heard.messages.append(Message(level, text, self._wall.path(url) if url else "", line))

    def _request(self, method: str, url: str, status: int | None, reason: str, resource: str) -> None:
        if len(self.heard.requests) < _MOST and not url.endswith("/favicon.ico"):
            self.heard.requests.append(
                Request(method, self._wall.path(url), status, reason, resource=resource)
            )

    def _console(self, event: Mapping[str, Any]) -> None:
        frames = event.get("stackTrace", {}).get("callFrames") or [{}]
        text = " ".join(_shown(argument) for argument in event["args"])
        url, line = frames[0].get("url", ""), frames[0].get("lineNumber", -1) + 1
        self.message(_LEVELS.get(event["type"], "log"), text, url=url, line=line)

    def _exception(self, event: Mapping[str, Any]) -> None:
        if len(self.heard.faults) < _MOST:
            self.heard.faults.append(fault_of(event["exceptionDetails"], wall=self._wall))

    def _log(self, event: Mapping[str, Any]) -> None:
        entry = event["entry"]
        text, url, line = entry["text"], entry.get("url", ""), entry.get("lineNumber", -1) + 1
        if entry["source"] == "network":
            return  # in `requests`
        if entry["source"] == "worker" and text.startswith("Uncaught") and len(self.heard.faults) < _MOST:
            self.heard.faults.append(_worker_fault(text, f"{url}:{line}", wall=self._wall))
        else:
            self.message(_LEVELS.get(entry["level"], "info"), text, url=url, line=line)


_UNCAUGHT = re.compile(r"^Uncaught (\(in promise\) )?")


def _worker_fault(text: str, place: str, *, wall: Wall) -> Fault:
    """An uncaught exception or rejection of a worker, which reaches the page as a line of text."""
    said = wall.relative(_UNCAUGHT.sub("", text)[:_LONGEST])
    return Fault(said, f"{said}\n    at worker ({wall.relative(place)})", "(in promise" in text)


def _shown(argument: Mapping[str, Any]) -> str:
    """A console argument as text."""
    if "value" in argument:
        value = argument["value"]
        if value is None or isinstance(value, bool):
            return {None: "null", True: "true", False: "false"}[value]
        return str(value)
    if "unserializableValue" in argument:
        return str(argument["unserializableValue"])
    return str(argument.get("description") or argument.get("type", ""))


_IN_JSON = re.compile(r"\bSyntaxError: .*\bJSON\b", re.DOTALL)
"""What `response.json()` rejects with: Chromium names the page, with line and column of the text that was parsed."""


def fault_of(details: Mapping[str, Any], *, wall: Wall) -> Fault:
    """An uncaught exception or rejection as Chromium's Runtime.exceptionThrown describes it."""
    exception = details.get("exception") or {}
    described = _shown(exception) if exception else str(details.get("text", ""))
    text = _STACK.split(described, maxsplit=1)[0]
    stack = described if _STACK.search(described) else f"{described}{_places(details)}"
    rejection = str(details.get("text", "")).startswith("Uncaught (in promise")
    return Fault(wall.relative(text[:_LONGEST]), wall.relative(stack[:_LONGEST]), rejection)


def _places(details: Mapping[str, Any]) -> str:
    """Where it was thrown, for what carries no stack of its own."""
    frames = (details.get("stackTrace") or {}).get("callFrames") or []
    if not frames and details.get("url") and not _IN_JSON.search(str(details.get("text", ""))):
        frames = [details]
    return "".join(
        f"\n    at {frame.get('functionName') or '<anonymous>'} "
        f"({frame.get('url', '')}:{frame.get('lineNumber', 0) + 1}:{frame.get('columnNumber', 0) + 1})"
        for frame in frames
    )


_UNSAFE = re.compile(r"[^\w.() -]+")


def safe_name(suggested: str, taken: set[str]) -> str:
    """A file name that stays in its folder, is valid on every system, and was not used before."""
    name = _UNSAFE.sub("_", suggested.replace("\\", "/").rsplit("/", 1)[-1]).strip(" .")[-100:] or "download"
    stem, dot, suffix = name.rpartition(".")
    if not dot or not stem:
        stem, suffix = name, ""
    ending = f".{suffix}" if suffix else ""
    if stem.upper() in ("CON", "PRN", "AUX", "NUL", "COM1", "LPT1"):
        stem = f"_{stem}"
    candidate, number = f"{stem}{ending}", 1
    while candidate.lower() in taken:
        number += 1
        candidate = f"{stem}-{number}{ending}"
    taken.add(candidate.lower())
    return candidate


async def keep_download(download: Download, *, folder: Path, name: str) -> bool:
    """Saves a download under its safe name; False where the browser gave it up."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        await download.save_as(folder / name)
    except PlaywrightError:
        return False
    return True
