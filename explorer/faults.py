"""The oracles of a single step: what one observation shows to be a fault of the app. Pure functions.

`findings_of` looks at a single step; `explorer.oracles` remembers over steps, `explorer.deadcontrols` needs two.

What is no fault of the app: a request to another host that the engine kept in, and whatever says only that (the
console's echo, a fetch that fails for it); requests while the network is switched off; a missing favicon or source map.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from lxml import etree

from graph.normalize import visible
from graph.outline import parse
from graph.records import Action, Fault, Finding, FindingKind, Message, Observation, Request, Snapshot
from graph.routes import route
from graph.rules import clocks, counters, mask_ids, random_ids, timestamps
from graph.wording import describe

SourceOf = Callable[[str, int, int], str]
"""Served path without leading slash, line from 1, column from 1 -> "file:line:column" in the user's sources, the file
alone where the place in it is not known, or ""."""

DIALOG_LOOP = 5
"""Equal dialogs after one action that count as a loop."""

_LONGEST_TITLE = 160


@dataclass(frozen=True, slots=True)
class Context:
    """What findings need to know besides the observation."""

    step: int = 0
    state: str = ""
    source_of: SourceOf | None = None
    kept_out: frozenset[str] = frozenset()
    """Hosts that requests were not allowed to reach, in this run so far."""
    still_broken: frozenset[str] = frozenset()
    """Images that were broken before the action already."""


def findings_of(
    before: Snapshot | None, action: Action | None, observation: Observation, *, context: Context
) -> tuple[Finding, ...]:
    """The faults that one observation shows, in a fixed order; the same fault twice is one with its count.

    before: the snapshot that the action was made on, None for a load; action: None for a load.
    """
    context = _with_hosts(context, observation.requests)
    found: list[Finding] = []
    found += _liveness(action, observation, context)
    found += _faults(observation, context)
    found += _console(observation, context)
    found += _requests(observation, context)
    found += _images(observation, context)
    found += _overlay(observation, context)
    found += _dialogs(observation, action, context)
    found += _blank(before, action, observation, context)
    return merged(found)


def merged(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """One finding for each identity, counts added, first one kept otherwise."""
    first: dict[str, Finding] = {}
    counts: Counter[str] = Counter()
    for finding in findings:
        first.setdefault(finding.identity, finding)
        counts[finding.identity] += finding.count
    return tuple(_counted(finding, counts[identity]) for identity, finding in first.items())


def _counted(finding: Finding, count: int) -> Finding:
    return finding if finding.count == count else replace(finding, count=count)


def host_of(url: str) -> str:
    """The host of an absolute URL, "" for a path of the app itself."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _with_hosts(context: Context, requests: Iterable[Request]) -> Context:
    hosts = {host_of(request.url) for request in requests if request.blocked} - {""}
    return replace(context, kept_out=context.kept_out | hosts) if hosts - context.kept_out else context


def _finding(
    kind: FindingKind, key: str, title: str, *, context: Context, detail: str = "", source: str = ""
) -> Finding:
    title = " ".join(title.split())
    return Finding(
        kind=kind,
        identity=f"{kind}|{key}",
        title=title if len(title) <= _LONGEST_TITLE else title[: _LONGEST_TITLE - 1] + "…",
        detail=detail,
        step=context.step,
        state=context.state,
        source=source,
    )


# --- messages -----------------------------------------------------------------------------------------------

_LOOPBACK = re.compile(r"https?://(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?")
_FRAME = re.compile(r"(?P<url>(?:https?:/|blob:https?:/)?/[^\s()]*?):(?P<line>\d+):(?P<column>\d+)\)?\s*$")
_NETWORK_WORDS = re.compile(
    r"failed to fetch|networkerror|network error|load failed|net::err_|failed to load resource|err_network"
    r"|websocket connection to",
    re.IGNORECASE,
)


def masked(message: str) -> str:
    """First line of a message with ports, times, ids and numbers masked: the same from run to run."""
    text = _LOOPBACK.sub("", message.strip().split("\n", 1)[0])
    for rule in (timestamps, clocks, random_ids, counters):
        text = rule(text)
    return " ".join(text.split())[:300]


def frames_of(stack: str) -> Iterator[tuple[str, int, int]]:
    """(served path without leading slash, line, column) of each frame in code that was served, top first."""
    for line in stack.splitlines():
        if not line.lstrip().startswith("at ") or "<anonymous>:" in line:
            continue
        if match := _FRAME.search(line):
            path = urlsplit(_LOOPBACK.sub("", match["url"])).path
            yield path.removeprefix("/"), int(match["line"]), int(match["column"])


def place_of(stack: str, source_of: SourceOf | None) -> str:
    """Where it was thrown: the first frame that leads to the user's sources, else the top frame as served."""
    served = ""
    for path, line, column in frames_of(stack):
        if source_of is not None and (source := source_of(path, line, column)):
            return source
        served = served or f"{path or '/'}:{line}:{column}"
    return served


def in_sources(stack: str, source_of: SourceOf | None) -> str:
    """The stack with the frames that lead to the user's sources naming places there; the others are as served."""
    if source_of is None:
        return stack
    return "\n".join(_frame_in_sources(line, source_of) for line in stack.split("\n"))


def _frame_in_sources(line: str, source_of: SourceOf) -> str:
    match, frame = _FRAME.search(line), next(frames_of(line), None)
    if match is None or frame is None or not (source := source_of(*frame)):
        return line
    return f"{line[: match.start()]}{source}{line[match.end('column') :]}"


def _faults(observation: Observation, context: Context) -> Iterator[Finding]:
    for fault in observation.faults:
        if _only_network(fault.text, observation, context):
            continue
        kind: FindingKind = "rejection" if fault.rejection else "exception"
        place = place_of(fault.stack, context.source_of)
        title = fault.text.strip() or "an error without a message was thrown"
        yield _finding(
            kind,
            f"{masked(title)}|{place}",
            title.split("\n", 1)[0],
            context=context,
            detail=_fault_detail(fault, observation.requests, context.source_of),
            source=place,
        )


def _fault_detail(fault: Fault, requests: Iterable[Request], source_of: SourceOf | None) -> str:
    kept = sorted({request.url for request in requests if request.blocked and request.resource == "script"})
    note = (
        f"\nScripts of other hosts were kept out, which may be the cause: {', '.join(kept)}" if kept else ""
    )
    return (in_sources(fault.stack, source_of) or fault.text) + note


def _only_network(text: str, observation: Observation, context: Context) -> bool:
    """Whether a text says no more than that a request failed which the engine itself did not let through."""
    if any(host in text for host in context.kept_out):
        return bool(_NETWORK_WORDS.search(text) or "blocked by CORS policy" in text or "violates" in text)
    through = any(request.blocked or _offline(request) for request in observation.requests)
    return through and bool(_NETWORK_WORDS.search(text))


def _console(observation: Observation, context: Context) -> Iterator[Finding]:
    thrown = {masked(fault.text) for fault in observation.faults} - {""}
    for message in observation.messages:
        if message.level != "error" or _echo(message, thrown):
            continue
        if _only_network(message.text, observation, context):
            continue
        path = urlsplit(_LOOPBACK.sub("", message.url)).path.removeprefix("/")
        source = context.source_of(path, message.line, 1) if context.source_of and message.line else ""
        if not source and message.line:
            source = f"{path}:{message.line}"
        title = message.text.strip().split("\n", 1)[0] or "(empty)"
        yield _finding(
            "console-error", masked(title), title, context=context, detail=message.text, source=source
        )


def _echo(message: Message, thrown: set[str]) -> bool:
    """The console's own copy of a failed request or an uncaught error, which are findings already."""
    if message.text.startswith("Failed to load resource"):
        return True
    text = masked(message.text)
    return any(fault in text for fault in thrown)


# --- requests and images ------------------------------------------------------------------------------------

_UNASKED = re.compile(r"(?:favicon[^/]*\.(?:ico|png|svg)|apple-touch-icon[^/]*\.png|\.map)$")
_GIVEN_UP = ("ERR_ABORTED", "ERR_BLOCKED_BY_CLIENT", "NS_BINDING_ABORTED")


def _offline(request: Request) -> bool:
    return "ERR_INTERNET_DISCONNECTED" in request.reason


def _requests(observation: Observation, context: Context) -> Iterator[Finding]:
    broken = {_address(url) for url in observation.broken_images}
    for request in observation.requests:
        address = _address(request.url)
        path = urlsplit(address).path
        if request.blocked or _offline(request) or _UNASKED.search(path) or address in broken:
            continue
        what = f"{request.method} {address}"
        key = f"{request.method} {host_of(address)}{mask_ids(path)}"
        if request.status is None:
            if any(word in request.reason for word in _GIVEN_UP):
                continue
            reason = request.reason or "no answer"
            yield _finding(
                "request-failed",
                f"{key}|{reason}",
                f"{what} failed: {reason}",
                context=context,
                detail=_told(request),
            )
        elif request.status >= 400:
            title = f"{what} was answered with {request.status}"
            yield _finding(
                "http-error", f"{key}|{request.status}", title, context=context, detail=_told(request)
            )


def _told(request: Request) -> str:
    return " ".join(part for part in (request.resource, request.reason) if part)


def _address(url: str) -> str:
    """A URL without the app's own origin, which changes from run to run."""
    return _LOOPBACK.sub("", url) or "/"


def _images(observation: Observation, context: Context) -> Iterator[Finding]:
    for url in dict.fromkeys(observation.broken_images):
        address = _address(url)
        if (
            url in context.still_broken
            or host_of(address) in context.kept_out
            or _without_network(url, observation)
        ):
            continue
        shown = address if len(address) <= 120 else address[:119] + "…"
        yield _finding("broken-image", mask_ids(address[:300]), f"Image {shown} is broken", context=context)


def _without_network(url: str, observation: Observation) -> bool:
    return any(_offline(request) and request.url == url for request in observation.requests)


# --- the page as a whole ------------------------------------------------------------------------------------

_LOST: dict[str, tuple[FindingKind, str]] = {
    "hung": ("hang", "The page hangs"),
    "crashed": ("crash", "The page crashed"),
    "browser-lost": ("crash", "The browser went down with the page"),
    "closed": ("window-closed", "The page closed its own window"),
}


def _liveness(action: Action | None, observation: Observation, context: Context) -> Iterator[Finding]:
    if observation.liveness in _LOST:
        kind, what = _LOST[observation.liveness]
        key, when = _occasion(action)
        yield _finding(kind, key, f"{what} {when}", context=context, detail=observation.failure)


def _occasion(action: Action | None) -> tuple[str, str]:
    """What an action is in an identity, and in words."""
    if action is None:
        return "load", "on load"
    return f"{action.kind}|{action.family}|{masked(action.name)}", f"after {describe(action)}"


def _overlay(observation: Observation, context: Context) -> Iterator[Finding]:
    text = observation.overlay.strip()
    if text:
        title = f"Error overlay: {text.splitlines()[0]}"
        yield _finding("error-overlay", masked(text), title, context=context, detail=text)


def _dialogs(observation: Observation, action: Action | None, context: Context) -> Iterator[Finding]:
    counted = Counter((dialog.type, masked(dialog.text)) for dialog in observation.dialogs)
    (kind, text), most = counted.most_common(1)[0] if counted else (("dialog", ""), 0)
    # The page keeps the first few dialogs only; effects count them all.
    if most >= DIALOG_LOOP or (
        most == len(observation.dialogs) and observation.effects.dialogs >= DIALOG_LOOP
    ):
        times = max(most, observation.effects.dialogs)
        title = f'{kind} "{text}" opened {times} times in a row {_occasion(action)[1]}'
        yield _finding("dialog-loop", f"{kind}|{text}", title, context=context)


def _blank(
    before: Snapshot | None, action: Action | None, observation: Observation, context: Context
) -> Iterator[Finding]:
    snapshot = observation.snapshot
    if observation.liveness != "alive" or not snapshot.digest or not is_blank(snapshot):
        return
    if action is not None and before is not None and is_blank(before):
        return  # found when it became blank
    kept_in = [request for request in observation.requests if request.blocked]
    if any(request.resource == "script" for request in kept_in):
        return  # what would have shown the page was kept out by the engine
    where = route(snapshot.url)
    title = f"Nothing is visible at {where} {_occasion(action)[1]}"
    urls = ", ".join(sorted({request.url for request in kept_in}))
    detail = f"Requests to other hosts were kept in, which may be the cause: {urls}" if urls else ""
    yield _finding("blank-page", where, title, context=context, detail=detail)


_PICTURES = frozenset(
    "img svg canvas video audio object embed iframe x-frame input button select textarea progress meter hr".split()
)


def is_blank(snapshot: Snapshot) -> bool:
    """Whether a page shows nothing: no text, picture, control or frame. Colours alone count as nothing.

    A page with a timer that is about to fire may still be coming, and is not called blank.
    """
    if snapshot.targets or snapshot.canvas or any(not timer.repeats for timer in snapshot.timers):
        return False
    root = parse(snapshot.html)
    if root is None:
        return True
    return not any(_shows(element) for element in visible(root))


def _shows(element: etree._Element) -> bool:
    texts = (element.text, *(child.tail for child in element))
    return element.tag in _PICTURES or any(text and not text.isspace() for text in texts)
