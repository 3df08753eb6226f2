"""One thing is one thing, wherever things are counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from instrument.coverage import Count
from instrument.detect import detect
from instrument.wording import plural
from tests.bundling import write_app


@pytest.mark.parametrize(
    ("count", "word", "said"),
    [
        (1, "source", "1 source"),
        (0, "page", "0 pages"),
        (1200, "state", "1,200 states"),
        (2, "branch", "2 branches"),
    ],
)
def test_plurals(count: int, word: str, said: str) -> None:
    assert plural(count, word) == said
    assert plural(3, "criterion", many="criteria") == "3 criteria"


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("<p>alone</p>", "only the page itself belongs to the app"),
        (
            "<script src=a.js></script>",
            "only the page and one page or script that it leads to belong to the app",
        ),
        (
            "<script src=a.js></script><script src=b.js></script>",
            "only the page and 2 pages and scripts that it leads to belong to the app",
        ),
    ],
)
def test_a_page_that_is_given_alone_says_what_belongs_to_it(tmp_path: Path, page: str, said: str) -> None:
    write_app(tmp_path, {"index.html": page, "a.js": "1", "b.js": "2", "c.js": "3"})

    assert said in detect(tmp_path / "index.html").reason


def test_of_nothing_there_is_no_percentage() -> None:
    assert Count().as_json() == {"covered": 0, "total": 0, "pct": None}
    assert Count(0, 3).as_json()["pct"] == 0.0
