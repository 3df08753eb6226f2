"""Every kind of action reaches the page as a user's gesture would."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from graph.records import Action, Observation
from tests.browser.conftest import Browse, Visitor

pytestmark = pytest.mark.browser


def test_the_mouse_is_real_and_reaches_what_must_be_scrolled_to(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        await page.do("click", "#button")
        await page.do("double-click", "#button")
        await page.do("right-click", "#button")
        await page.do("click", "#far")
        lines = (await page.log()).splitlines()
        assert lines.count("button click") == 3
        assert lines.count("button dblclick") == 1
        assert lines.count("button contextmenu") == 1
        assert lines.count("button mouseenter") == 1
        assert lines.count("far click") == 1
        assert "synthetic" not in "".join(line for line in lines if "click" in line)

    browse("gestures/", work)


@pytest.mark.parametrize(
    ("kind", "target", "value", "expected"),
    [
        ("fill", "#text", "new", "text = new"),
        (
            "fill",
            "#text",
            "a text that is too long to be typed key by key",
            "text = a text that is too long to be",
        ),
        ("fill", "#text", "", "text = \n"),
        ("fill", "#area", "two\nlines", "area = two\nlines"),
        ("fill", "#date", "2024-05-15", "date = 2024-05-15"),
        ("select", "#select", "Two", "select = Two"),
        ("check", "#check", "", "check = true"),
        ("check", "#hidden-check", "", "hidden-check = true"),
        ("slide", "#range", "End", "range = 10"),
        ("slide", "#range", "3", "range = 3"),
        ("swipe", "#pad", "-120,0", "pad touchend"),
        ("wheel", "#pad", "0,240", "pad wheel"),
        ("wheel", "", "0,240", "window scroll"),
        ("scroll", "", "0,300", "window scroll"),
        ("scroll", "#box", "0,100", "box scroll"),
        ("press", "", "Control+k", "keydown Control+k"),
        ("press", "", "ArrowLeft", "keydown ArrowLeft"),
        ("press", "#a", "Enter", "form submit"),
        ("submit", "#form", "", "form submit"),
        ("resize", "", "390,844", "window resize"),
        ("network", "", "offline", "window offline"),
        ("storage", "", "event", "window storage"),
        ("advance-time", "", "61000", "a minute has passed"),
        ("hover", "#button", "", "button mouseenter"),
    ],
)
def test_the_page_notices(browse: Browse, kind: Any, target: str, value: str, expected: str) -> None:
    async def work(page: Visitor) -> None:
        seen = await page.do(kind, target, value)
        assert seen.performed, seen.failure
        if kind == "fill":
            await page.js("document.activeElement.blur()")
        assert expected in await page.log() + "\n"

    browse("gestures/", work)


def test_typing_adds_to_what_is_there(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        await page.do("fill", "#text", "one")
        await page.do("press", "#text", "End")
        await page.do("type", value=" two")
        assert await page.js("document.getElementById('text').value") == "one two"

    browse("gestures/", work)


def test_a_form_is_filled_and_sent_in_one_action(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        fields = ((page.target("#a").locator, "first"), (page.target("#b").locator, "second"))
        seen = await page.do("fill-form", "#send", fields=fields)
        assert seen.performed, seen.failure
        assert await page.js("[...document.querySelectorAll('form input')].map((e) => e.value)") == [
            "first",
            "second",
        ]
        assert "form submit" in await page.log()

    browse("gestures/", work)


def test_a_press_without_a_target_is_not_typed_into_the_last_field(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        await page.do("fill", "#text", "same")
        await page.do("press", value="x")
        assert await page.js("document.getElementById('text').value") == "same"
        assert "keydown x" in await page.log()

    browse("gestures/", work)


def test_what_cannot_be_done_says_why(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        covered = await page.do("click", "#under")
        assert not covered.performed
        assert "covered" in covered.failure
        gone = await page.page.perform(Action("click", "test", locator="#nowhere", name="Nowhere"))
        assert (gone.performed, gone.liveness) == (False, "alive")
        assert "gone" in gone.failure
        unknown = await page.do("press", value="NoSuchKey")
        assert "no key 'NoSuchKey'" in unknown.failure
        early = await page.do("back")
        assert early.failure == "there is no earlier page"
        assert early.snapshot.url == "/gestures/"

    browse("gestures/", work)


def test_a_stale_ref_is_found_by_its_locator_and_then_by_its_family(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        button = page.target("#button")
        stale = Action("click", "test", ref="e9999", locator=button.locator)
        assert (await page.page.perform(stale)).performed
        moved = Action("click", "test", locator="#elsewhere", family=button.family, ordinal=button.ordinal)
        assert (await page.page.perform(moved)).performed
        assert (await page.log()).count("button click") == 2

    browse("gestures/", work)


def test_a_new_size_stays_until_the_app_is_opened_again(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        assert (await page.do("resize")).snapshot.viewport == (390, 844)
        assert (await page.do("click", "#button")).snapshot.viewport == (390, 844)
        assert (await page.do("resize")).snapshot.viewport == (1280, 720)
        await page.do("resize")
        assert (await page.open()).snapshot.viewport == (1280, 720)

    browse("gestures/", work)


def test_dragging_an_element_onto_another(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        lane = page.target("#lane").locator
        seen = await page.do("drag", "#card", f"to {lane}")
        assert seen.performed, seen.failure
        assert await page.log() == "dropped card; "

    browse("drag/", work)


def test_dragging_with_the_mouse(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        await page.do("drag", "#handle", "50,70")
        await page.do("drag", "#handle", "to " + "#goal")
        assert (await page.log()).startswith("moved 50,70 onto ")
        assert (await page.log()).endswith("onto goal; ")
        after = await page.do("click", "#handle")  # the mouse still works
        assert after.performed

    browse("drag/", work)


def test_history_moves_within_the_app(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        assert (await page.do("click", "#next")).snapshot.url == "/pages/two.html"
        assert (await page.do("back")).snapshot.url == "/pages/"
        assert (await page.do("forward")).snapshot.url == "/pages/two.html"
        assert (await page.do("forward")).failure == "there is no later page"
        await page.do("back")
        assert (await page.do("click", "#hash")).snapshot.url == "/pages/#part"
        assert (await page.do("back")).snapshot.url == "/pages/"

    browse("pages/", work)


def test_equal_gestures_give_equal_observations(browse: Browse) -> None:
    runs: list[list[Observation]] = []

    async def work(page: Visitor) -> None:
        seen = [page.last]
        for kind, target, value in _STROLL:
            seen.append(await page.do(kind, target, value))
        runs.append([replace(one, ms=()) for one in seen])

    browse("gestures/", work)
    browse("gestures/", work)
    assert runs[0] == runs[1]
    assert len({one.snapshot.digest for one in runs[0]}) > 5


_STROLL: tuple[tuple[Any, str, str], ...] = (
    ("click", "#button", ""),
    ("fill", "#text", "words"),
    ("check", "#check", ""),
    ("drag", "#pad", "40,10"),
    ("press", "", "ArrowLeft"),
    ("advance-time", "", "60000"),
    ("click", "#far", ""),
    ("reload", "", ""),
    ("select", "#select", "Two"),
)
