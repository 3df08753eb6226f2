"""What the observer sends becomes records."""

from __future__ import annotations

from typing import Any

from explorer.browser_network import Wall
from explorer.browser_wire import Decoder
from graph.records import Field, Handler, PageHandler, Timer
from instrument.probes import ProbeMap


class _Probes(ProbeMap):
    asked = 0

    def function_of(self, script: str, slot: int) -> int | None:
        _Probes.asked += 1
        return slot * 10 if script == "app.js" else None


def _decoder() -> Decoder:
    probes = _Probes(files=(), probes=(), counters={"app.js": ((0,), (1, 2), ())})
    return Decoder(probes, Wall("http://127.0.0.1:8123"))


def _wire(**more: Any) -> dict[str, Any]:
    base = {
        "url": "http://127.0.0.1:8123/a?b#c",
        "title": "T",
        "viewport": [1280, 720],
        "scroll": [0, 10.4],
        "document": [1280, 2000],
        "focus": "e0",
        "html": "<a href='http://127.0.0.1:8123/x'>x</a>",
        "digest": "d1",
        "canvas": "",
        "elements": [],
    }
    return {**base, **more}


def test_a_snapshot_without_origin() -> None:
    snapshot = _decoder().snapshot(_wire(timers=[[10.2, ["app.js", 3], 1]]))
    assert snapshot.url == "/a?b#c"
    assert snapshot.html == "<a href='/x'>x</a>"
    assert (snapshot.scroll, snapshot.focus) == ((0, 10), "e0")
    assert snapshot.timers == (Timer(10, 30, True),)


def test_html_that_is_known_is_not_sent_again() -> None:
    decoder = _decoder()
    first = decoder.snapshot(_wire())
    assert decoder.html_digest == "d1"
    assert decoder.snapshot(_wire(html=None)) == first


def test_targets_with_handlers_and_fields() -> None:
    element = {
        "ref": "e3",
        "tag": "input",
        "role": "textbox",
        "name": "Age",
        "family": "form>input",
        "ordinal": 1,
        "locator": "#age",
        "box": [1.4, 2.6, 30, 40],
        "handlers": [["input", ["app.js", 2], 1], ["click", ["vendor.js", 0], 0], ["focus", None, 1]],
        "field": {
            "type": "number",
            "name": "age",
            "min": "1",
            "required": True,
            "valid": False,
            "maxlength": 3,
        },
        "href": "http://127.0.0.1:8123/next",
        "covered": 1,
        "checked": False,
    }
    (target,) = _decoder().snapshot(_wire(elements=[element])).targets
    assert target.box == (1, 3, 30, 40)
    assert target.handlers == (
        Handler("input", 20, True),
        Handler("click", None, False),
        Handler("focus", None, True),
    )
    assert target.field == Field(type="number", name="age", min="1", required=True, valid=False, maxlength=3)
    assert (target.href, target.covered, target.disabled, target.checked) == ("/next", True, False, False)


def test_page_handlers_are_listed_once_and_functions_asked_for_once() -> None:
    decoder = _decoder()
    _Probes.asked = 0
    handlers = [["keydown", ["app.js", 1]], ["keydown", ["app.js", 1]], ["resize", None]]
    snapshot = decoder.snapshot(_wire(page_handlers=handlers))
    decoder.snapshot(_wire(page_handlers=handlers))
    assert snapshot.page_handlers == (PageHandler("keydown", 10), PageHandler("resize", None))
    assert _Probes.asked == 1


def test_hits_are_probes() -> None:
    assert _decoder().hits({"app.js": [0, 1, 2, 99], "unknown.js": [0]}) == {0, 1, 2}
