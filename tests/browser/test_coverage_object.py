"""`window.__coverage__` in the real browser: Istanbul's object, made from the app's server, with live counts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import sync_playwright

from explorer.provision import Browser
from explorer.server import AppServer
from tests.bundling import bundle_of, write_app

pytestmark = pytest.mark.browser

APP = {
    "index.html": """<!doctype html><title>App</title><button onclick="go(); go()">Go</button>
<script>var asked = [];</script>
<script src="app.js"></script>
<script type="module">import { tell } from './part.mjs'; asked.push(tell(false)); window.done = true</script>
""",
    "app.js": "function go(x = 1) {\n  if (x > 1) return;\n  asked.push(x || 'none');\n}\n",
    "part.mjs": "export const tell = (yes) => yes ? 'yes' : 'no';\n",
}


@pytest.fixture(scope="module")
def chromium(program: Browser) -> Iterator[Chromium]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(program.executable), args=["--no-sandbox"])
        yield browser
        browser.close()


def look(chromium: Chromium, folder: Path, expression: str, *, click: bool = True) -> Any:
    """What an expression gives after the app was loaded and its button pressed twice."""
    page = chromium.new_page()
    with AppServer(bundle_of(folder)) as server:
        page.goto(server.url)
        while not page.evaluate("Boolean(window.done)"):
            page.wait_for_timeout(20)
        if click:
            page.click("button")
            page.click("button")
        found = page.evaluate(expression)
    page.close()
    return found


def test_counts_of_all_kinds_of_scripts(chromium: Chromium, tmp_path: Path) -> None:
    found = look(chromium, write_app(tmp_path, APP), "JSON.parse(JSON.stringify(__coverage__))")
    assert sorted(found) == ["app.js", "index.html", "part.mjs"]
    app = found["app.js"]
    assert app["s"] == {"0": 4, "1": 0, "2": 4}
    assert app["f"] == {"0": 4}
    assert [branch["type"] for branch in app["branchMap"].values()] == ["default-arg", "if", "binary-expr"]
    assert app["b"] == {"0": [4], "1": [0, 4], "2": [4, 0]}
    assert app["statementMap"]["1"]["start"] == {"line": 2, "column": 13}
    assert found["part.mjs"]["b"] == {"0": [0, 1]}
    # The handler's two calls, then `[]`, `asked.push(...)` and `window.done = true` of the inline scripts.
    assert sorted(found["index.html"]["s"].values()) == [1, 1, 1, 2, 2]


def test_it_is_made_when_it_is_read_and_lives_on(chromium: Chromium, tmp_path: Path) -> None:
    asked, before, after = look(
        chromium,
        write_app(tmp_path, APP),
        """() => {
          const asked = performance.getEntriesByName(new URL('/__explorer__/coverage-maps.json', location).href).length;
          const { f } = __coverage__['app.js'];
          const before = f[0];
          go();
          return [asked, before, f[0]];
        }""",
    )
    assert (asked, before, after) == (0, 4, 5)


def test_a_policy_against_requests_leaves_plain_counts(chromium: Chromium, tmp_path: Path) -> None:
    policy = "<meta http-equiv=Content-Security-Policy content=\"connect-src 'none'\">"
    page = APP["index.html"].replace("<title>", policy + "<title>")
    entry = look(
        chromium,
        write_app(tmp_path, {**APP, "index.html": page}),
        "({...__coverage__['app.js'], counts: [...__coverage__['app.js'].counts]})",
    )
    assert (entry["path"], entry["s"], entry["statementMap"]) == ("app.js", {}, {})
    assert max(entry["counts"]) == 4
