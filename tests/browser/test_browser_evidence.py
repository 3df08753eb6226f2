"""What the browser reports beside the page: messages, faults, requests, dialogs, files, pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from graph.records import Dialog
from tests.browser.conftest import Browse, Visitor

pytestmark = pytest.mark.browser


def test_exceptions_and_rejections_carry_text_and_stack_without_the_port(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        (thrown,) = (await page.do("click", "#throw")).faults
        assert (thrown.text, thrown.rejection) == ("Error: thrown", False)
        assert "at fail (/faults/:" in thrown.stack
        (rejected,) = (await page.do("click", "#reject")).faults
        assert (rejected.text, rejected.rejection) == ("TypeError: rejected", True)
        (text,) = (await page.do("click", "#text")).faults
        assert text.text == "only a text"
        assert "/faults/:" in text.stack

    browse("faults/", work)


def test_workers_are_heard_too(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        await page.do("click", "#ask")
        seen = [page.last, await page.page.observe()]
        faults = sorted((fault.text, fault.rejection) for one in seen for fault in one.faults)
        assert faults == [("Error: rejected in the worker", True), ("Error: thrown in the worker", False)]
        assert "from the worker" in [message.text for one in seen for message in one.messages]

    browse("workers/", work)


def test_console_messages(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        bad, careful = (await page.do("click", "#console")).messages
        assert (bad.level, bad.text, bad.url) == ("error", "bad Object /faults/", "/faults/")
        assert bad.line > 0
        assert (careful.level, careful.text) == ("warning", "careful")

    browse("faults/", work)


def test_requests_that_fail(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        seen = await page.do("click", "#missing")
        assert [(item.url, item.status, item.resource) for item in seen.requests] == [
            ("/faults/missing.json", 404, "fetch"),
            ("/status/503", 503, "fetch"),
        ]
        assert seen.messages == ()
        (cut,) = (await page.do("click", "#dead")).requests
        assert (cut.url, cut.status, cut.blocked) == ("/cut", None, False)
        assert cut.reason.startswith("net::ERR_")
        assert (await page.do("click", "#image")).broken_images == ("/faults/missing.png",)

    browse("faults/", work)


def test_dialogs_are_answered_both_ways(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        assert (await page.do("click", "#alert")).dialogs == (Dialog("alert", "Saved", True),)
        assert (await page.do("click", "#confirm")).dialogs == (Dialog("confirm", "Delete all?", True),)
        assert (await page.do("click", "#confirm")).dialogs == (Dialog("confirm", "Delete all?", False),)
        prompt = await page.do("click", "#prompt")
        assert prompt.dialogs == (Dialog("prompt", "Type DELETE to go on", True, "DELETE"),)
        assert prompt.effects.dialogs == 1
        log = "alert undefined; confirm true; confirm false; prompt DELETE; "
        assert await page.log() == log

    browse("dialogs/", work)


def test_leaving_is_allowed(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        seen = await page.do("click", "#leave")
        assert [(item.type, item.accepted) for item in seen.dialogs] == [("beforeunload", True)]
        assert seen.snapshot.url == "/dialogs/?left"

    browse("dialogs/", work)


@pytest.mark.parametrize(
    ("target", "said"), [("#print", "printed"), ("#full", "full"), ("#ask", "at 52.52"), ("#copy", "copied")]
)
def test_nothing_waits_for_a_person(browse: Browse, target: str, said: str) -> None:
    async def work(page: Visitor) -> None:
        seen = await page.do("click", target)
        assert seen.liveness == "alive"
        assert said in await page.log()
        assert (await page.do("click", "#alert")).dialogs

    browse("dialogs/", work)


def test_a_locked_pointer_does_not_block(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        await page.do("click", "#lock")
        await page.do("click", "#alert")
        assert "lock asked" in await page.log()

    browse("dialogs/", work)


def test_downloads_are_kept_under_safe_names(browse: Browse, tmp_path: Path) -> None:
    async def work(page: Visitor) -> None:
        first = await page.do("click", "#save")
        assert first.downloads == ("notes.txt",)
        assert first.effects.downloads == 1
        assert (await page.do("click", "#save")).downloads == ("notes-2.txt",)
        (evil,) = (await page.do("click", "#evil")).downloads
        assert "/" not in evil
        assert ":" not in evil
        assert {path.read_text() for path in (tmp_path / "downloads").iterdir()} == {"hello"}
        assert not [path for path in tmp_path.parent.iterdir() if "evil" in path.name]

    browse("files/", work)


def test_file_inputs_and_choosers_get_samples(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        assert (await page.do("upload", "#file", "broken.json")).performed
        assert (await page.do("upload", "#choose", "drawing.svg")).performed
        await page.do("click", "#choose")
        given = [part.split()[0] for part in (await page.log()).split("; ") if part]
        assert given == ["broken.json", "drawing.svg", "picture.png"]
        assert "no sample file" in (await page.do("upload", "#file", "nothing.bin")).failure

    browse("files/", work)


def test_a_picture_leaves_the_page_alone(browse: Browse, tmp_path: Path) -> None:
    async def work(page: Visitor) -> None:
        await page.do("fill", "#text", "focus")
        before = await page.js("[document.activeElement.id, document.documentElement.outerHTML]")
        assert await page.page.screenshot("0007") == "screenshots/0007.jpg"
        assert await page.js("[document.activeElement.id, document.documentElement.outerHTML]") == before
        picture = (tmp_path / "screenshots" / "0007.jpg").read_bytes()
        assert picture.startswith(b"\xff\xd8\xff")

    browse("gestures/", work)


def test_an_observation_takes_one_round_trip(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        visit = page.page._visit
        assert visit is not None
        sent, send = [], visit.tab.cdp.send

        async def counted(method: str, params: dict[str, Any] | None = None) -> Any:
            sent.append(method)
            return await send(method, params or {})

        visit.tab.cdp.send = counted  # type: ignore[method-assign, assignment]
        await page.page.observe()
        await page.page.observe()
        assert sent == ["Runtime.evaluate"] * 2

    browse("gestures/", work)
