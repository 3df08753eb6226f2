"""Counters are read wherever code runs, and never lost when its document goes away."""

from __future__ import annotations

import asyncio
import functools
from pathlib import Path

import pytest

from explorer.browser import BrowserPage
from explorer.browser_options import BrowserOptions
from explorer.provision import Browser
from graph.records import Action
from instrument.probes import ProbeMap
from tests.browser.conftest import AppsServer, Browse, Visitor, probe

pytestmark = pytest.mark.browser


@pytest.fixture(params=[False, True], ids=["counters", "v8"])
def browse(request: pytest.FixtureRequest, browse: Browse) -> Browse:
    """Each behaviour, measured in both ways."""
    return functools.partial(browse, v8=request.param)


def test_a_document_that_is_left_hands_over_its_counters(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        assert page.last.hits == {probe("one", 0)}
        seen = await page.do("click", "#next")
        assert seen.hits == {probe("one", 1), probe("one", 2), probe("two", 0)}
        assert (await page.do("click", "#previous")).hits == frozenset()

    browse("pages/", work)


def test_code_that_runs_again_is_no_hit_and_yet_it_ran(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        assert page.last.ran
        assert (await page.do("click", "#again")).hits == {probe("two", 1)}
        seen = await page.do("click", "#again")
        assert seen.ran and not seen.hits
        assert not (await page.do("hover", "#previous")).ran

    browse("pages/two.html", work)


def test_code_that_runs_again_in_a_sandboxed_frame_ran(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        assert (await page.do("click", "#apart")).hits == {probe("sandboxed", 1)}
        seen = await page.do("click", "#apart")
        assert seen.ran and not seen.hits

    browse("frames/", work)


def test_a_reload_hands_over_too(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        assert (await page.do("reload")).hits == {probe("one", 2)}

    browse("pages/", work)


def test_opening_again_empties_the_storage_and_keeps_what_was_seen(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        await page.do("reload")
        assert "visit 2" in page.last.snapshot.html
        again = await page.open()
        assert "visit 1" in again.snapshot.html
        assert again.hits == frozenset()
        assert (await page.do("back")).failure == "there is no earlier page"

    browse("pages/", work)


def test_frames_nested_and_sandboxed(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        loaded = {probe("top", 0), probe("inner", 0), probe("nested", 0), probe("sandboxed", 0)}
        assert page.last.hits == loaded

    browse("frames/", work)


def test_a_frame_that_is_left_hands_over_its_counters(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        await page.js("document.getElementById('inner').contentDocument.getElementById('go').click()")
        page.seen = await page.page.observe()
        assert page.last.hits == {probe("inner", 1), probe("inner", 2)}

    browse("frames/", work)


def test_workers_of_both_kinds(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        seen = set(page.last.hits)
        seen |= (await page.page.observe()).hits
        assert seen == {probe("worker", 0), probe("service", 0)}
        assert (await page.do("click", "#ask")).hits == {probe("worker", 1)}

    browse("workers/", work)


@pytest.mark.parametrize(
    ("target", "url"), [("#own", "/popups/two.html"), ("#blank", "/popups/two.html?blank")]
)
def test_tabs_of_the_app_are_followed_in_the_one_tab(browse: Browse, target: str, url: str) -> None:
    async def work(page: Visitor) -> None:
        seen = await page.do("click", target)
        assert seen.popups == (url,)
        assert seen.effects.popups == 1
        assert seen.hits == {probe("two", 1)}
        assert seen.snapshot.url == url
        assert (await page.do("back")).snapshot.url == "/popups/"
        visit = page.page._visit
        assert visit is not None
        assert len(visit.context.pages) == 1

    browse("popups/", work)


def test_an_app_that_arrives_instrumented(apps_server: AppsServer, program: Browser, tmp_path: Path) -> None:
    async def work() -> None:
        page = BrowserPage(
            f"{apps_server.origin}/instrumented/",
            probes=ProbeMap(files=(), probes=(), counters={}),
            run_dir=tmp_path,
            program=program,
            options=BrowserOptions(istanbul=("__coverage__",)),
        )
        try:
            opened = await page.open()
            kinds = sorted(page.probes.probes[item].kind for item in opened.hits)
            assert kinds == ["statement"]
            clicked = await page.perform(Action("click", "test", locator=opened.snapshot.targets[0].locator))
            kinds = sorted(page.probes.probes[item].kind for item in clicked.hits)
            assert kinds == ["branch", "function", "statement"]
        finally:
            await page.close()

    asyncio.run(work())
