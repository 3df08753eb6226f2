# ruff: noqa: E501 - pages are html on long lines
"""The live DOM as html, its digest, counters, pictures of canvases, gestures made of events."""

from __future__ import annotations

import asyncio
import json

import pytest

from tests.browser.agent_page import AgentBrowser, AgentPage, agent, named

pytestmark = pytest.mark.browser
__all__ = ["agent"]


def test_html_holds_state_that_attributes_do_not(agent: AgentBrowser) -> None:
    html = """<head><title>T</title><style>.x{}</style><link rel=icon href=data:,><meta name=a content=b></head><body class="a&b"><p title='"q"'>1 &lt; 2</p>
    <input id=i value=old><textarea id=t>old</textarea><select id=s><option>one<option>two</select><input type=checkbox id=c>
    <noscript><p>no script</p></noscript><script>var secret = 1</script><template><b>never</b></template><img src=data:,><br>
    <div hidden>gone <b>inner</b></div><div style="visibility:hidden">veiled <i style="visibility:visible">seen</i></div><div style="opacity:0">clear</div></body>"""

    async def work(page: AgentPage) -> None:
        await page.call("i.value = 'new <x>'; t.value = 'typed'; s.selectedIndex = 1; c.checked = true;")
        text = (await page.observe())["html"]
        assert '<body class="a&amp;b"><p title="&quot;q&quot;">1 &lt; 2</p>' in text
        assert '<input id="i" value="old" data-x-value="new &lt;x>">' in text
        assert '<textarea id="t" data-x-value="typed"></textarea>' in text
        assert '<select id="s" data-x-value="two">' in text
        assert 'id="c" data-x-checked="true"' in text
        assert "<p>no script</p></noscript>" in text
        assert "secret" not in text
        assert "never" not in text
        assert "<style" not in text
        assert '<meta name="a" content="b">' in text
        assert '<div hidden="" data-x-hidden="">gone <b>inner</b></div>' in text
        assert (
            '<div style="visibility:hidden" data-x-hidden="">veiled <i style="visibility:visible">seen</i></div>'
            in text
        )
        assert '<div style="opacity:0" data-x-hidden="">clear</div>' in text
        assert "</br>" not in text

    agent.run(html, work)


def test_toolbars_of_dev_servers_are_no_part_of_the_app(agent: AgentBrowser) -> None:
    html = """<button>Mine</button><astro-dev-toolbar></astro-dev-toolbar><nextjs-portal></nextjs-portal><div id=__vue-devtools-container__><button>Vue</button></div>
    <script>for (const host of document.querySelectorAll('astro-dev-toolbar, nextjs-portal'))
      host.attachShadow({ mode: 'open' }).innerHTML = '<button>Tool</button>';</script>"""

    async def work(page: AgentPage) -> None:
        seen = await page.observe()
        assert [item["name"] for item in seen["elements"]] == ["Mine"]
        assert "Tool" not in seen["html"] and "Vue" not in seen["html"]
        await page.call(
            "document.querySelector('nextjs-portal').shadowRoot.innerHTML = '<div role=dialog><p>Error</p><button>Dismiss</button></div>';"
        )
        seen = await page.observe()
        assert [item["name"] for item in seen["elements"]] == ["Mine", "Dismiss"]
        assert seen["overlay"] == "Error Dismiss"

    agent.run(html, work)


def test_html_that_did_not_change_is_not_sent(agent: AgentBrowser) -> None:
    async def work(page: AgentPage) -> None:
        first = await page.observe()
        again = await page.observe(html=first["digest"])
        assert again["html"] is None
        assert again["digest"] == first["digest"]
        await page.call("document.querySelector('p').textContent = 'b'")
        changed = await page.observe(html=first["digest"])
        assert changed["html"] is not None
        assert changed["digest"] != first["digest"]

    agent.run("<p>a", work)


@pytest.mark.parametrize(
    ("depth", "hidden"), [(1500, ""), (10000, "hidden")]
)  # Chromium's layout ends before 4,000
def test_deep_nesting(agent: AgentBrowser, depth: int, hidden: str) -> None:
    html = f"""<body><p {hidden}></p><script>
    let at = document.querySelector('p');
    for (let i = 0; i < {depth}; i++) at = at.appendChild(document.createElement('div'));
    at.innerHTML = '<button>Bottom</button>';
    </script>"""

    async def work(page: AgentPage) -> None:
        wire = await page.observe(max=8000)
        assert wire["html"].count("<div") == depth
        assert "<button>Bottom</button></div>" in wire["html"]
        if not hidden:
            bottom = named(wire, "Bottom")
            assert (
                await page.call(f"__explorer$.find({json.dumps(bottom['locator'])}).textContent") == "Bottom"
            )

    agent.run(html, work)


def test_counters_are_read_as_differences(agent: AgentBrowser) -> None:
    html = """<script>
    Object.defineProperty(globalThis, '__cov$', { value: { 'a.js': new Uint32Array([1, 0, 3]) } });
    </script>"""

    async def work(page: AgentPage) -> None:
        assert (await page.observe())["hits"] == {"a.js": [0, 2]}
        assert (await page.observe())["hits"] == {}
        await page.call("__cov$['a.js'][1]++; __cov$['late.js'] = new Uint32Array([0, 0, 0, 9]); void 0")
        assert (await page.observe())["hits"] == {"a.js": [1], "late.js": [3]}

    agent.run(html, work)


def test_counters_of_an_app_that_arrives_instrumented(agent: AgentBrowser) -> None:
    html = """<script>
    globalThis.__coverage__ = { '/src/a.js': { s: { 0: 1, 1: 0 }, f: { 0: 2 }, b: { 0: [0, 1], 1: [0] } } };
    </script>"""

    async def work(page: AgentPage) -> None:
        assert (await page.observe())["hits"] == {"/src/a.js": [0, 2, 4]}
        await page.call("__coverage__['/src/a.js'].b[1][0]++")
        assert (await page.observe())["hits"] == {"/src/a.js": [5]}

    agent.run(html, work, config={"istanbul": ["__coverage__"]})


def test_a_document_that_is_left_sends_its_counters(agent: AgentBrowser) -> None:
    html = """<script>
    Object.defineProperty(globalThis, '__cov$', { value: { 'a.js': new Uint32Array(4) } });
    __cov$['a.js'][0]++;
    addEventListener('beforeunload', () => __cov$['a.js'][1]++);
    addEventListener('pagehide', () => __cov$['a.js'][2]++);
    </script>"""

    async def work(page: AgentPage) -> None:
        await page.call("void setTimeout(() => { location.href = 'next.html'; __cov$['a.js'][3]++; }, 1)")
        await page.call("void __explorer$.advance(10)")
        await page.page.wait_for_url("**/next.html")
        wire = await page.observe()
        for _ in range(100):  # what a document sends on its way out may come after the next one is there
            if (
                sum(len(sent["hits"]["a.js"]) for sent in page.flushed) + len(wire["hits"].get("a.js", []))
                >= 4
            ):
                break
            await asyncio.sleep(0.05)
        slots = [slot for sent in page.flushed for slot in sent["hits"]["a.js"]] + wire["hits"].get(
            "a.js", []
        )
        assert sorted(slots) == [0, 1, 2, 3]

    agent.run({"": html, "next.html": "<p>next"}, work)


@pytest.mark.parametrize("kind", ["2d", "webgl"])
def test_canvases_have_a_coarse_digest(agent: AgentBrowser, kind: str) -> None:
    html = f"""<canvas id=c width=200 height=100></canvas><script>
    let color = 0.1;
    const pen = c.getContext('{kind}');
    function draw() {{
      if (pen.fillRect) {{ pen.fillStyle = `rgb(${{color * 255}} 0 0)`; pen.fillRect(0, 0, 200, 100); }}
      else {{ pen.clearColor(color, 0, 0, 1); pen.clear(pen.COLOR_BUFFER_BIT); }}
      requestAnimationFrame(draw);
    }}
    draw();</script>"""

    async def work(page: AgentPage) -> None:
        first = (await page.observe())["canvas"]
        assert first
        assert (await page.observe())["canvas"] == first
        await page.call("color = 1")
        assert (await page.observe())["canvas"] != first

    agent.run(html, work)


def test_a_page_without_canvas_has_no_digest_of_one(agent: AgentBrowser) -> None:
    async def work(page: AgentPage) -> None:
        wire = await page.observe()
        assert (wire["canvas"], wire["overlay"], wire["broken_images"]) == ("", "", [])

    agent.run("<p>x", work)


def test_a_canvas_that_may_not_be_read_is_left_out(agent: AgentBrowser) -> None:
    html = """<canvas id=c width=9 height=9></canvas><canvas id=d width=9 height=9></canvas><script>
    const image = new Image(); image.src = 'http://localhost:1/other.svg';
    image.onload = () => { c.getContext('2d').drawImage(image, 0, 0); document.title = 'tainted'; };
    d.getContext('2d').fillRect(0, 0, 9, 9);</script>"""

    async def work(page: AgentPage) -> None:
        picture = (
            '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"><rect width="4" height="4"/></svg>'
        )
        await page.page.route(
            "**/other.svg", lambda route: route.fulfill(body=picture, content_type="image/svg+xml")
        )
        await page.page.reload()
        wire = await page.observe()
        assert wire["title"] == "tainted"
        assert wire["canvas"]

    agent.run(html, work)


def test_broken_images_and_overlays(agent: AgentBrowser) -> None:
    html = """<img src=missing.png><img src=data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=><img><svg><image href=lost.png></image></svg>
    <vite-error-overlay></vite-error-overlay><script>
    document.querySelector('vite-error-overlay').attachShadow({ mode: 'open' }).innerHTML = '<style>a{}</style><pre>Failed to resolve import</pre>';
    </script>"""

    async def work(page: AgentPage) -> None:
        wire = await page.observe()
        assert [url.rsplit("/", 1)[1] for url in wire["broken_images"]] == ["missing.png", "lost.png"]
        assert wire["overlay"] == "Failed to resolve import"

    agent.run(html, work)


def test_drag_and_drop_made_of_events(agent: AgentBrowser) -> None:
    html = """<div id=a draggable=true style="width:50px">a</div><div id=b style="height:90px">b</div><div id=c>c</div><script>
    a.addEventListener('dragstart', (event) => event.dataTransfer.setData('text/plain', 'moved'));
    b.addEventListener('dragover', (event) => event.preventDefault());
    b.addEventListener('drop', (event) => { event.preventDefault();
      const file = event.dataTransfer.files[0];
      if (file) file.text().then((text) => { b.textContent = file.name + ' ' + text; });
      else b.textContent = event.dataTransfer.getData('text/plain'); });
    a.addEventListener('dragend', () => { c.textContent = 'ended'; });
    </script>"""

    async def work(page: AgentPage) -> None:
        wire = await page.observe()
        assert named(wire, "a")["draggable"] is True
        assert named(wire, "b")["droppable"] is True
        assert await page.call("__explorer$.drag('#a', '#b')") is True
        text = (await page.observe())["html"]
        assert ">moved<" in text
        assert ">ended<" in text
        assert await page.call("__explorer$.drag('#a', '#c')") is False
        assert await page.call("__explorer$.drop('#b', [['x.txt', 'text/plain', 'hello']])") is True
        assert "x.txt hello" in (await page.observe())["html"]
        assert await page.call("__explorer$.drag('#a', '#none')") is None

    agent.run(html, work)


def test_fingers(agent: AgentBrowser) -> None:
    html = """<div id=d style="height:300px">d</div><script>
    let from; d.addEventListener('touchstart', (event) => { from = event.touches[0].clientX; });
    d.addEventListener('touchend', (event) => { d.textContent = `moved ${event.changedTouches[0].clientX - from} of ${event.touches.length}`; });
    d.addEventListener('pointerup', (event) => { d.title = event.pointerType; });</script>"""

    async def work(page: AgentPage) -> None:
        await page.observe()
        assert await page.call("__explorer$.swipe(100, 100, -60, 0)") is True
        text = (await page.observe())["html"]
        assert "moved -60 of 0" in text
        assert 'title="touch"' in text

    agent.run(html, work)


@pytest.mark.parametrize(
    ("field", "value", "shown"),
    [
        ("<input type=date id=f>", "2024-05-06", "input 2024-05-06 change 2024-05-06"),
        ("<input type=color id=f>", "#ff0000", "input #ff0000 change #ff0000"),
        (
            "<select id=f><option value=1>One<option value=2>Two  words</select>",
            "Two words",
            "input 2 change 2",
        ),
        ("<select id=f multiple><option>a<option>b<option>c</select>", "a\nc", "input a change a"),
        ("<textarea id=f></textarea>", "text", "input text change text"),
    ],
)
def test_fields_that_no_keyboard_fills(agent: AgentBrowser, field: str, value: str, shown: str) -> None:
    html = (
        field
        + """<p id=p></p><script>
    for (const type of ['input', 'change']) f.addEventListener(type, () => { p.textContent += `${type} ${f.value} `; });</script>"""
    )

    async def work(page: AgentPage) -> None:
        await page.observe()
        assert await page.call(f"__explorer$.set('#f', {json.dumps(value)})") is True
        assert await page.call("p.textContent.trim()") == shown
        assert await page.call("__explorer$.set('p', 'x')") is False

    agent.run(html, work)


def test_whether_the_mouse_is_alive(agent: AgentBrowser) -> None:
    async def work(page: AgentPage) -> None:
        assert await page.call("__explorer$.mouseAlive()") is False
        await page.page.mouse.move(30, 30)
        assert await page.call("__explorer$.mouseAlive()") is True
        assert await page.call("__explorer$.mouseAlive()") is False

    agent.run("<p>x", work)


def test_a_window_that_shows_a_second_document(agent: AgentBrowser) -> None:
    async def work(page: AgentPage) -> None:
        await page.call("__explorer$.advance(5000)")
        async with page.page.expect_popup() as opening:
            await page.call("void open('two.html', 'two', 'width=300,height=200')")
        popup = await opening.value
        await popup.wait_for_load_state()
        other = AgentPage(popup, page.context)
        wire = await other.observe()
        assert "later" in wire["html"]
        assert [e["name"] for e in wire["elements"]] == ["Two"]
        assert wire["clock"] >= 5000

    two = "<button>Two</button><p id=p><script>setTimeout(() => { p.textContent = 'later'; }, 20)</script>"
    agent.run({"": "<p>one", "two.html": two}, work, config={"start_ms": 0})


def test_what_an_element_without_a_box_of_its_own_holds_is_seen(agent: AgentBrowser) -> None:
    html = """<div style="display:contents"><button>In</button><div style="display:contents">text</div></div>
    <div style="display:contents;visibility:hidden"><button>Veiled</button></div>
    <div hidden><div style="display:contents"><button>Gone</button></div></div>"""

    async def work(page: AgentPage) -> None:
        wire = await page.observe()
        assert [element["name"] for element in wire["elements"]] == ["In"]
        assert "data-x-hidden" not in wire["html"].split("Veiled")[0].split("In</button>")[0]

    agent.run(html, work)
