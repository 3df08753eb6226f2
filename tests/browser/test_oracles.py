"""The oracles and the states on a real page: what is accused there, and what is not."""

from __future__ import annotations

import pytest

from explorer.oracles import Oracles
from graph.normalize import normalize, state_id
from graph.records import Action, Observation, Snapshot, StateId
from tests.browser.conftest import Browse, Visitor

pytestmark = pytest.mark.browser

DEAD = ("#dead", "#nowhere", "#void", "#hand")
LIVE = (
    "#style",
    "#text",
    "#value",
    "#focus",
    "#storage",
    "#canvas",
    "#scroll",
    "#dialog",
    "#request",
    "#later",
    "#copy",
)
OTHER = ("#tab", "#send", "#mailto", "#label")


class Judge:
    """Feeds an Oracles with what a Visitor does."""

    def __init__(self, page: Visitor) -> None:
        self.page = page
        self.oracles = Oracles()
        self.step = 0

    def look(self, before: Snapshot, action: Action | None, observation: Observation) -> list[str]:
        state = StateId(f"s{self.step}")
        found = self.oracles.look(before, action, observation, step=self.step, state=state)
        self.step += 1
        return [finding.kind for finding in found.findings]

    async def click(self, css: str) -> list[str]:
        before = self.page.last.snapshot
        target = self.page.target(css)
        action = Action(
            "click", "", ref=target.ref, locator=target.locator, name=target.name, family=target.family
        )
        observation = await self.page.do("click", css)
        assert observation.performed, (css, observation.failure)
        return self.look(before, action, observation)


def test_only_dead_controls_are_accused(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        judge = Judge(page)
        judge.look(page.last.snapshot, None, page.last)
        for css in (*DEAD, *LIVE, *OTHER, *LIVE, *DEAD, *LIVE, "#scroll", "#scroll", *OTHER, "#scroll"):
            await judge.click(css)
        found = judge.oracles.all()
        assert {finding.kind for finding in found} == {"dead-control"}, found
        assert sorted(finding.title for finding in found) == [
            'button "Share" does nothing',
            'div "Upgrade" does nothing',
            'link "Privacy" does nothing',
            'link "Terms" does nothing',
        ]

    browse("controls/", work)


def test_a_ripple_does_not_save_a_dead_button(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        judge = Judge(page)
        for _ in range(3):
            await judge.click("#rippling")
        [finding] = judge.oracles.all()
        assert finding.title == 'button "Follow" does nothing'
        assert "a handler is bound" in finding.detail

    browse("controls/", work)


def test_the_mouse_over_an_item_makes_no_state(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        before = page.last.snapshot
        after = (await page.do("hover", "#item")).snapshot
        assert before.digest != after.digest
        assert state_id(before) == state_id(after)
        assert state_id(before, abstraction="text") == state_id(after, abstraction="text")

    browse("controls/", work)


def test_faults_of_a_page_are_found_and_named(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        judge = Judge(page)
        assert await judge.click("#throw") == ["exception"]
        assert await judge.click("#throw") == []
        assert await judge.click("#reject") == ["rejection"]
        assert await judge.click("#console") == ["console-error"]
        assert sorted(await judge.click("#missing")) == ["http-error", "http-error"]
        assert await judge.click("#image") == ["broken-image"]
        assert "request-failed" in await judge.click("#dead")
        [thrown] = [finding for finding in judge.oracles.all() if finding.kind == "exception"]
        assert (thrown.title, thrown.count) == ("Error: thrown", 2)
        assert thrown.source.startswith("faults/:")

    browse("faults/", work)


def test_shadow_roots_and_frames_are_in_the_outline(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        outline = normalize(page.last.snapshot.html, abstraction="text")
        assert "x-frame" in outline

    browse("frames/", work)


def test_a_page_without_its_borrowed_library_is_not_called_blank(browse: Browse) -> None:
    async def borrowed(page: Visitor) -> None:
        judge = Judge(page)
        assert judge.look(page.last.snapshot, None, page.last) == []

    async def empty(page: Visitor) -> None:
        judge = Judge(page)
        assert judge.look(page.last.snapshot, None, page.last) == ["blank-page"]
        assert "http://cdn.example/style.css" in judge.oracles.all()[0].detail

    browse("borrowed/", borrowed)
    browse("borrowed/style.html", empty)
