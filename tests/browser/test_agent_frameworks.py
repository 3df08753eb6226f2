# ruff: noqa: E501 - pages are html on long lines
"""Handlers are found whatever framework keeps them, and lead to the function in the coverage map."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.browser.agent_page import AgentBrowser, AgentPage, Wire, agent, events, named

pytestmark = pytest.mark.browser
__all__ = ["agent"]

ROOT = Path(__file__).parents[2]
COUNTERS = """<div id=root></div><script>
Object.defineProperty(globalThis, '__cov$', { value: { 'app.js': new Uint32Array(9) } });
Object.defineProperty(globalThis, '__cvKeys$', { value: { __cv00000000aa: 'app.js' } });
function __cv00000000aa() { return __cov$['app.js']; }
</script><script src=app.js></script>"""
ADD, EDIT, TYPE, OUTER = 1, 2, 3, 4


def handlers(element: Wire, event: str) -> list[tuple[int, int]]:
    """(slot, own) of the handlers of an event that have a counter."""
    return [(place[1], own) for name, place, own in element["handlers"] if name == event and place]


@pytest.mark.parametrize("variant", ["", "minify"])
@pytest.mark.parametrize("framework", ["react", "vue", "preact", "jquery", "jquery2", "svelte"])
@pytest.mark.skipif(not shutil.which("node"), reason="needs Node to bundle the frameworks' apps")
def test_handlers_of_frameworks(agent: AgentBrowser, framework: str, variant: str) -> None:
    build = ROOT / "tests" / "apps" / "frameworks" / "build.mjs"
    bundled = subprocess.run(
        ["node", str(build), framework, variant], check=True, capture_output=True, text=True
    )

    async def work(page: AgentPage) -> None:
        wire = await page.observe()
        assert page.errors == []
        add = named(wire, "Add")
        assert handlers(add, "click")[0] == (ADD, 1)
        assert (OUTER, 0) in handlers(add, "click")
        edit = named(wire, "Edit me")
        assert handlers(edit, "dblclick") == [(EDIT, 1)]
        assert handlers(named(wire, "Text"), "input") == [(TYPE, 1)]
        assert len(add["handlers"]) <= 3, add["handlers"]
        count = named(wire, "Count 0")
        assert "click" in events(count)
        wire = await page.click(count["locator"])
        assert named(wire, "Count 1")["family"] == count["family"].replace("0", "#")
        assert {**wire["hits"]} == {"app.js": [OUTER]}
        wire = await page.click(named(wire, "Add")["locator"])
        assert wire["hits"] == {"app.js": [ADD]}

    agent.run({"": COUNTERS, "app.js": bundled.stdout}, work)


def test_plain_handlers_of_every_kind(agent: AgentBrowser) -> None:
    body = "{ __cv00000000aa()[%d]++; }"
    html = (
        COUNTERS.replace("<script src=app.js></script>", "")
        + f"""
    <button id=a>listener</button><button id=b>removed</button><button id=c>once</button><button id=d>object</button><button id=e>property</button>
    <button id=f onclick="__cv00000000aa()[6]++">attribute</button><button id=g>bound</button><button id=h>aborted</button><button id=i>lost</button>
    <script>
    function one() {body % 1} function two() {body % 2}
    a.addEventListener('click', one); a.addEventListener('click', one); a.addEventListener('dblclick', one, true);
    b.addEventListener('click', one); b.removeEventListener('click', one);
    c.addEventListener('click', one, {{ once: true }});
    d.addEventListener('click', {{ handleEvent(event) {body % 3} }});
    e.onclick = two; g.addEventListener('keydown', one.bind(null).bind({{}}, 1));
    const stop = new AbortController(); h.addEventListener('click', one, {{ signal: stop.signal }}); stop.abort();
    i.onclick = two; i.onclick = null;
    </script>"""
    )

    async def work(page: AgentPage) -> None:
        wire = await page.observe()
        found = {
            e["name"]: [(event, place and place[1]) for event, place, own in e["handlers"] if own]
            for e in wire["elements"]
        }
        assert found == {
            "listener": [("click", 1), ("dblclick", 1)],
            "removed": [],
            "once": [("click", 1)],
            "object": [("click", 3)],
            "property": [("click", 2)],
            "attribute": [("click", 6)],
            "bound": [("keydown", 1)],
            "aborted": [],
            "lost": [],
        }
        wire = await page.click("#c")
        assert events(named(wire, "once")) == set()

    agent.run(html, work)


def test_leaves_of_a_delegating_handler_are_offered(agent: AgentBrowser) -> None:
    html = """<div id=board><div class=cell>1</div><div class=cell>2</div><div class=cell>3</div></div>
    <div id=card><p>one</p><p>two</p></div><p data-go=x>marked</p><p>plain</p><script>
    board.addEventListener('click', (event) => { event.target.textContent = 'x'; });
    card.addEventListener('click', () => {});
    document.addEventListener('click', (event) => event.target.closest('[data-go]'));
    </script>"""

    async def work(page: AgentPage) -> None:
        wire = await page.observe()
        assert [e["name"] for e in wire["elements"]] == ["1 2 3", "1", "2", "3", "one two", "marked"]
        assert named(wire, "1 2 3")["container"] is True
        assert len({e["family"] for e in wire["elements"] if e["name"] in "123"}) == 1

    agent.run(html, work)


def test_page_handlers_and_timers(agent: AgentBrowser) -> None:
    html = (
        COUNTERS.replace("<script src=app.js></script>", "")
        + """<script>
    function key() { __cv00000000aa()[1]++; } function tick() { __cv00000000aa()[2]++; }
    addEventListener('keydown', key); document.addEventListener('keydown', key); window.onresize = () => {};
    document.body.onhashchange = tick; addEventListener('load', key);
    setTimeout(tick, 5000); setInterval(key, 60000);
    </script>"""
    )

    async def work(page: AgentPage) -> None:
        wire = await page.observe()
        assert sorted(wire["page_handlers"], key=str) == [
            ["hashchange", ["app.js", 2]],
            ["keydown", ["app.js", 1]],
            ["resize", None],
        ]
        assert [(place, repeats) for _, place, repeats in wire["timers"]] == [
            (["app.js", 2], False),
            (["app.js", 1], True),
        ]

    agent.run(html, work)
