"""Whatever an app does to its page, the run goes on and nothing that was seen is lost."""

from __future__ import annotations

import os
import signal

import pytest

from graph.records import Action, Observation
from tests.browser.conftest import Browse, Visitor, probe

pytestmark = pytest.mark.browser
_CLICK = Action("click", "test", locator="button")


async def _works_again(page: Visitor) -> Observation:
    dead = await page.page.perform(_CLICK)
    assert not dead.performed
    seen = await page.page.restart()
    page.seen = seen
    assert seen.liveness == "alive"
    assert seen.snapshot.targets
    return seen


def test_an_endless_loop_is_noticed_and_its_counters_are_kept(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        assert probe("hang", 0) in page.last.hits
        seen = await page.do("click", "#loop")
        assert seen.liveness == "hung"
        assert seen.hits == {probe("hang", 1)}
        assert seen.snapshot.title == "Hangs when clicked"
        again = await _works_again(page)
        assert again.hits == frozenset()

    browse("hang-click/", work, gesture_s=1.0)


def test_a_page_that_hangs_while_it_loads(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        assert page.last.liveness == "hung"
        assert page.last.hits == {probe("hang", 0)}
        assert (await page.page.restart()).liveness == "hung"

    browse("hang-load/", work, observe_s=1.0)


def test_a_crashed_renderer(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        visit = page.page._visit
        assert visit is not None
        visit.tab.start(visit.tab.cdp.send("Page.crash"))
        assert (await page.do("click", "#button")).liveness == "crashed"
        await _works_again(page)

    browse("gestures/", work)


def test_a_browser_that_was_killed(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        chromium = page.page._chromium
        assert chromium is not None
        assert chromium.pid > 0
        os.kill(chromium.pid, signal.SIGKILL)
        assert (await page.do("click", "#button")).liveness == "browser-lost"
        await _works_again(page)
        assert page.page._chromium is not chromium

    browse("gestures/", work)


def test_opening_again_survives_a_lost_browser(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        chromium = page.page._chromium
        assert chromium is not None
        os.kill(chromium.pid, signal.SIGKILL)
        assert (await page.open()).liveness == "alive"

    browse("gestures/", work)


def test_a_window_that_closes_itself(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        seen = await page.do("click", "#close")
        assert seen.liveness == "closed"
        await _works_again(page)

    browse("window-close/", work)


def test_what_never_ends_costs_a_bounded_wait(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        assert page.last.liveness == "alive"
        seen = await page.do("click", "#button")
        assert (seen.liveness, seen.performed) == ("alive", True)
        assert any(target.name == "clicked" for target in seen.snapshot.targets)
        assert dict(seen.ms)["settle"] <= 1500
        assert await page.page.screenshot("endless") == "screenshots/endless.jpg"

    browse("endless/", work)


def test_dialogs_without_end_are_stopped_and_counted(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        seen = await page.do("click", "#loop")
        assert seen.liveness == "alive"
        assert seen.effects.dialogs > 10
        assert len(seen.dialogs) == 10
        other = await page.do("click", "#other")
        assert any(target.name == "still here" for target in other.snapshot.targets)

    browse("dialog-loop/", work, dialogs=10)


def test_a_page_that_never_stops_loading_is_given_up(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        assert probe("loop", 0) in page.last.hits
        assert page.last.liveness == "hung" or "never stops" in page.last.settle

    browse("reload-loop/", work, rest_s=0.5, observe_s=3.0)
