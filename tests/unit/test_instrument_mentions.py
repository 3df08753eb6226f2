"""instrument.mentions: which files name which."""

from __future__ import annotations

import pytest

from instrument.mentions import existing, local_path, mentions, reachable

FILES = {
    "index.html": "<script src='js/a.js'></script><a href=sub/page.html?x=1#y>p</a><iframe src=\"/frame.html\">",
    "js/a.js": "import './b.js'; import('./lazy/c.mjs'); location = 'sub/late.html'; new Worker('js/w.js')",
    "js/b.js": "import x from './lib'; require('./mod')",
    "js/lib/index.js": "",
    "js/mod.js": "",
    "js/lazy/c.mjs": "",
    "js/w.js": "",
    "sub/page.html": "",
    "sub/late.html": "",
    "frame.html": "",
    "never.html": "",
    "js/never.js": "",
}


def test_all_that_is_named_is_reached_and_nothing_else() -> None:
    found = reachable(["index.html"], FILES.__getitem__, FILES.__contains__)
    assert set(found) == set(FILES) - {"never.html", "js/never.js"}
    assert next(iter(found)) == "index.html"


@pytest.mark.parametrize(
    ("address", "base", "path"),
    [
        ("a.js", "sub/page.html", "sub/a.js"),
        ("/a.js?v=1#x", "sub/page.html", "a.js"),
        ("../a%20b.js", "sub/page.html", "a b.js"),
        ("../../../a.js", "sub/page.html", "a.js"),
        ("https://cdn.test/a.js", "page.html", None),
        ("//cdn.test/a.js", "page.html", None),
        ("data:text/javascript,1", "page.html", None),
        ("http://[broken", "page.html", None),
    ],
)
def test_addresses(address: str, base: str, path: str | None) -> None:
    assert local_path(address, base) == path


def test_a_deeper_place_is_dropped_until_the_file_is_there() -> None:
    assert existing("repo/js/a.js", FILES.__contains__) == "js/a.js"
    assert existing("repo/js/gone.js", FILES.__contains__) is None


def test_a_file_that_does_not_exist_is_not_named() -> None:
    assert list(mentions("index.html", "<script src=gone.js></script>'x.js'", FILES.__contains__)) == []
