"""Frames that the page cannot look into: what is in them is listed, acted on, and part of the state."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer import explore
from tests.browser.conftest import Browse, Visitor

pytestmark = pytest.mark.browser


def test_elements_of_sandboxed_frames_are_listed_where_they_are(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        found = {
            target.locator.partition(" >>| ")[2] or target.locator: target
            for target in page.last.snapshot.targets
        }
        assert {"#go", "#word", "#outer"} <= set(found)
        left, top = await page.js(
            "(({ x, y }) => [x, y])(document.getElementById('preview').getBoundingClientRect())"
        )
        go = found["#go"]
        assert left < go.box[0] < left + 100 and top < go.box[1] < top + 100
        assert go.offscreen and any(handler.event == "click" for handler in go.handlers)
        assert found["#word"].field is not None and found["#word"].field.label == "Word"

    browse("sandbox/", work)


def test_gestures_reach_into_sandboxed_frames(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        seen = await page.do("click", "#go")
        assert seen.performed and "went" in seen.snapshot.html and seen.snapshot.scroll[1] > 0
        seen = await page.do("fill", "#word", "longer")
        assert seen.performed and "a long word" in seen.snapshot.html
        assert 'data-x-value="longer"' in seen.snapshot.html
        seen = await page.do("press", "#word", "Enter")
        assert seen.performed and "entered" in seen.snapshot.html
        button = next(item for item in seen.snapshot.targets if item.name == "Write")
        seen = await page.do("click", button.locator)
        assert seen.performed and "Written" in seen.snapshot.html

    browse("sandbox/", work)


def test_what_lies_over_a_frame_covers_what_is_in_it(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        await page.js(
            "document.body.append(Object.assign(document.createElement('div'),"
            " { style: 'position: fixed; inset: 0; background: white' }))"
        )
        seen = await page.do("click", "#go")
        assert not seen.performed and "covered" in seen.failure

    browse("sandbox/", work)


def test_a_frame_that_is_taken_away_takes_its_elements_along(browse: Browse) -> None:
    async def work(page: Visitor) -> None:
        go = page.target("#go")
        await page.js("document.getElementById('preview').remove()")
        seen = await page.do("click", "#go")
        assert not seen.performed
        assert go.locator not in [item.locator for item in seen.snapshot.targets]
        assert (await page.do("click", "#outer")).performed

    browse("sandbox/", work)


def test_code_in_sandboxed_frames_is_explored(apps: Path, tmp_path: Path) -> None:
    run = explore(apps / "sandbox", budget=10, out=tmp_path / "run")
    inner = next(source for source in run.probes.files if source.path == "inner.html")
    assert run.hits.issuperset(inner.statements)
    again = explore(apps / "sandbox", budget=10, out=tmp_path / "again")
    acts = [[(step.action, step.after) for step in each.trace.steps] for each in (run, again)]
    assert acts[0] == acts[1]
