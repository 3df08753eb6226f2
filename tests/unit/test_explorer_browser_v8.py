"""V8's coverage over a line that is played: which script is which, and what is asked of whom."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

from playwright.async_api import CDPSession

from explorer.browser_v8 import V8Coverage
from instrument.strangers import digest_of
from instrument.v8scripts import KnownScripts
from tests.ranges import places, ran

TEXT = "one(); two();"


class _Line:
    """A DevTools session: remembers what it was asked, answers from a table, tells what a test tells."""

    def __init__(self, **answers: dict[str, Any]) -> None:
        self.asked: list[str] = []
        self.answers = answers
        self._listeners: dict[str, list[Callable[[dict[str, Any]], Any]]] = {}

    def on(self, event: str, listener: Callable[[dict[str, Any]], Any]) -> None:
        self._listeners.setdefault(event, []).append(listener)

    def tell(self, event: str, **parameters: Any) -> None:
        for listener in self._listeners.get(event, ()):
            listener(parameters)

    async def send(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        self.asked.append(method)
        return self.answers.get(method.partition(".")[2], {})


def _parsed(line: _Line, script: str, **more: Any) -> None:
    event = {"url": "http://app/a.js", "startLine": 0, "startColumn": 0, "hash": digest_of(TEXT)}
    event |= {"hasSourceURL": False, "isModule": False}
    line.tell("Debugger.scriptParsed", **{"scriptId": script, **event, **more})


def _report(script: str, url: str = "http://app/a.js") -> dict[str, Any]:
    functions = [ran((0, len(TEXT), 1), (7, 13, 0))]
    return {"result": [{"scriptId": script, "url": url, "functions": functions}]}


def _watch(line: _Line, play: Callable[[], None], **options: Any) -> list[dict[str, Any]]:
    """What is taken once `play` has told what happens; two statements, of which the first ran."""
    taken: list[dict[str, Any]] = []
    known = KnownScripts({"a.js": replace(places([(0, -1), (7, -1)], text=TEXT), digest=digest_of(TEXT))})

    async def work() -> None:
        watching = V8Coverage(
            cast(CDPSession, line),
            known,
            take=lambda hits: taken.append(cast(Any, hits)),
            seconds=1,
            **options,
        )
        await watching.arm(cast(CDPSession, _Line()))
        play()
        await watching.read()
        taken.extend({"strangers": [one.script]} for one in await watching.strangers())

    asyncio.run(work())
    return taken


def test_pauses_are_off_and_counting_is_on_before_anything_else() -> None:
    line = _Line(takePreciseCoverage={"result": []})
    assert _watch(line, lambda: None) == []
    begun = line.asked.index("Profiler.startPreciseCoverage")
    assert line.asked.index("Debugger.setSkipAllPauses") < begun < line.asked.index("Target.setAutoAttach")


def test_a_script_is_known_by_its_checksum() -> None:
    line = _Line(takePreciseCoverage=_report("7"))
    assert _watch(line, lambda: _parsed(line, "7")) == [{"a.js": [0]}]


def test_a_browser_with_other_checksums_is_asked_for_the_text() -> None:
    line = _Line(takePreciseCoverage=_report("7"), getScriptSource={"scriptSource": TEXT})
    assert _watch(line, lambda: _parsed(line, "7", hash="abc"))[0] == {"a.js": [0]}
    assert "Debugger.getScriptSource" in line.asked


def test_another_process_may_use_the_same_number() -> None:
    line = _Line(takePreciseCoverage=_report("7", url="http://app/other.js"))
    assert _watch(line, lambda: _parsed(line, "7")) == []


def test_an_uncaught_exception_cuts_what_stands_behind_it() -> None:
    whole = {"result": [{"scriptId": "7", "url": "http://app/a.js", "functions": [ran((0, 13, 1))]}]}

    def play(line: _Line) -> None:
        _parsed(line, "7", startLine=4, startColumn=8)
        frame = {"scriptId": "7", "lineNumber": 4, "columnNumber": 10}
        line.tell("Runtime.exceptionThrown", exceptionDetails={"stackTrace": {"callFrames": [frame]}})

    thrown, calm = _Line(takePreciseCoverage=whole), _Line(takePreciseCoverage=whole)
    assert _watch(thrown, lambda: play(thrown)) == [{"a.js": [0]}]
    assert _watch(calm, lambda: _parsed(calm, "7")) == [{"a.js": [0, 1]}]


def test_strangers_are_the_apps_own_and_what_it_made() -> None:
    line = _Line(takePreciseCoverage={"result": []}, getScriptSource={"scriptSource": "made();"})

    def play() -> None:
        _parsed(line, "1", hash="0" * 64, url="http://elsewhere/lib.js")
        _parsed(line, "2", hash="0" * 64, url="")
        frames = {"callFrames": [{"url": "", "lineNumber": 0}, {"url": "http://app/a.js", "lineNumber": 1}]}
        _parsed(line, "3", hash="0" * 64, url="", stackTrace=frames)

    found = _watch(line, play, inside=lambda url: url.startswith("http://app/"))
    assert found == [{"strangers": ["3"]}]
