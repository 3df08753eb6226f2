"""The same page is one state, whichever way led to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer import Exploration, explore

pytestmark = pytest.mark.browser


def ways(run: Exploration, page: str) -> set[str]:
    """How steps came to a page from another: load, click, back, ..."""
    found, was = set[str](), ""
    for step in run.trace.steps:
        if step.url.endswith(page) and not was.endswith(page):
            found.add(step.action.kind if step.action else "load")
        was = step.url
    return found


def test_a_page_by_link_by_load_and_back_again_is_one_state(apps: Path, tmp_path: Path) -> None:
    run = explore(apps / "announced", budget=40, out=tmp_path / "run")

    homes = {step.after for step in run.trace.steps if not step.url.endswith("about.html")}
    abouts = {step.after for step in run.trace.steps if step.url.endswith("about.html")}
    assert "back" in ways(run, "index.html") and "click" in ways(run, "about.html")
    assert (len(homes), len(abouts)) == (1, 2), "About is empty or says something"
