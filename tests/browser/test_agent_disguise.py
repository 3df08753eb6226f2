# ruff: noqa: E501 - pages are html on long lines
"""The app cannot tell that it is watched, and what it does to its own world does not blind the observer."""

from __future__ import annotations

import pytest

from tests.browser.agent_page import AgentBrowser, AgentPage, agent, events, named

pytestmark = pytest.mark.browser
__all__ = ["agent"]

PATCHED = """[
  [window, 'setTimeout'], [window, 'setInterval'], [window, 'clearTimeout'], [window, 'requestAnimationFrame'], [window, 'Date'],
  [window, 'fetch'], [window, 'WebSocket'], [window, 'Worker'], [URL, 'createObjectURL'], [window, 'print'], [Math, 'random'], [Function.prototype, 'bind'], [Function.prototype, 'toString'],
  [EventTarget.prototype, 'addEventListener'], [EventTarget.prototype, 'removeEventListener'], [Element.prototype, 'attachShadow'],
  [Performance.prototype, 'now'], [XMLHttpRequest.prototype, 'send'], [History.prototype, 'pushState'], [Storage.prototype, 'setItem'],
]"""
ACCESSORS = "[[Event.prototype, 'timeStamp'], [Document.prototype, 'cookie'], [HTMLElement.prototype, 'onclick'], [HTMLImageElement.prototype, 'src'], [HTMLScriptElement.prototype, 'text']]"
LOOK = f"""(() => {{
  const out = [];
  const see = (fn) => [fn.name, fn.length, Function.prototype.toString.call(fn), String(fn), fn + ''];
  for (const [owner, name] of {PATCHED}) {{
    const found = Object.getOwnPropertyDescriptor(owner, name);
    out.push([name, found.enumerable, found.writable, found.configurable, ...see(found.value)]);
  }}
  for (const [owner, name] of {ACCESSORS}) {{
    const found = Object.getOwnPropertyDescriptor(owner, name);
    out.push([name, found.enumerable, found.configurable, ...(found.get ? see(found.get) : []), ...(found.set ? see(found.set) : [])]);
  }}
  out.push(Object.keys(window).filter((key) => !key.startsWith('__')).sort().join());
  out.push(Object.getOwnPropertyNames(Date).sort().join(), new Date(5) instanceof Date, new Date().constructor === Date);
  out.push(Object.prototype.toString.call(new Date()), class extends Date {{}}.name, Date.prototype.constructor.name);
  out.push(new (class Mine extends Date {{ year() {{ return this.getUTCFullYear(); }} }})(0).year());
  return JSON.stringify(out);
}})()"""


def test_patched_functions_look_like_the_browsers_own(agent: AgentBrowser) -> None:
    seen: list[str] = []

    async def work(page: AgentPage) -> None:
        seen.append(await page.call(LOOK))
        plain = await page.context.browser.new_context()  # type: ignore[union-attr]
        bare = await plain.new_page()
        await bare.route("**/*", lambda route: route.fulfill(body="<p>", content_type="text/html"))
        await bare.goto("http://127.0.0.1:1/")
        seen.append(await bare.evaluate(LOOK))
        await plain.close()

    agent.run("<p>", work)
    assert seen[0] == seen[1]


def test_counters_are_not_in_the_text_of_functions(agent: AgentBrowser) -> None:
    html = """<script>
    function __cv0123456789() { return globalThis.c || (globalThis.c = new Uint32Array(9)); }
    function add(a, b) {__cv0123456789()[0]++; __cv0123456789()[1]++;return a + b; }
    window.texts = [add.toString(), `${add}`, Function.prototype.toString.call(add), new Function('return ' + add)()(1, 2)];
    </script>"""

    async def work(page: AgentPage) -> None:
        texts = await page.call("texts")
        assert texts[0] == texts[1] == texts[2]
        assert "__cv" not in texts[0]
        assert "return a + b" in texts[0]
        assert texts[3] == 3

    agent.run(html, work)


VANDALS = {
    "eval": "window.eval = () => { throw 1; };",
    "freezes": """for (const owner of [Object, Array, Function, String, Map, Set, WeakMap, Promise, EventTarget, Node, Element, HTMLElement, Document])
      Object.freeze(owner.prototype);""",
    "breaks arrays": """for (const name of ['push', 'map', 'filter', 'slice', 'forEach', 'indexOf', 'join', 'sort', 'includes', 'concat', 'some', 'find'])
      Array.prototype[name] = () => { throw new Error('broken ' + name); };
      Array.prototype.extra = function () {}; Object.prototype.more = 1; Array.prototype[Symbol.iterator] = () => { throw 2; };""",
    "old prototype.js": """Array.prototype.toJSON = function () { return 'json'; }; String.prototype.toJSON = () => 'text'; Object.prototype.toJSON = () => 1;
      Element.prototype.getAttribute = () => 'x'; Array.from = () => []; String.prototype.trim = () => { throw 3; };""",
    "replaces globals": """console = null; window.Promise = undefined; window.JSON = {}; window.Date = 5; window.Map = window.Set = window.WeakMap = null;
      window.Array = null; window.Object = null; window.Symbol = null; window.Uint8Array = null; window.setTimeout = null; window.performance = 1;
      window.requestAnimationFrame = null; window.MutationObserver = null; window.Element = window.Node = window.Document = null; window.String = null;
      window.Math = null; window.CSS = null; window.getComputedStyle = null; window.encodeURIComponent = null; window.Number = null;""",
    "breaks call": "Function.prototype.call = Function.prototype.apply = () => { throw 4; };",
    "breaks maps": "for (const c of [Map, Set, WeakMap, WeakSet]) for (const m of ['get', 'set', 'has', 'add']) c.prototype[m] = () => { throw 5; };",
}


@pytest.mark.parametrize("vandal", VANDALS)
def test_an_app_that_breaks_its_own_world_is_still_seen(agent: AgentBrowser, vandal: str) -> None:
    html = f"""<button id=b>Press</button><input name=n value=1><ul id=u></ul><script>
    document.getElementById('u').addEventListener('click', () => {{}});
    const later = setTimeout;
    {VANDALS[vandal]}
    document.getElementById('b').onclick = () => {{ document.getElementById('b').textContent = 'Pressed'; later(() => {{ document.title = 'late'; }}, 10); }};
    </script>"""

    async def work(page: AgentPage) -> None:
        wire = await page.observe()
        assert "click" in events(named(wire, "Press"))
        box = named(wire, "Press")["box"]
        await page.page.mouse.click(box[0] + 5, box[1] + 5)
        wire = await page.observe()
        assert "Pressed" in wire["html"]
        assert wire["title"] == "late"
        assert page.errors == []

    agent.run(html, work)


def test_named_form_fields_do_not_stand_in_the_way(agent: AgentBrowser) -> None:
    names = "id name attributes parentNode parentElement firstChild nextSibling nodeType localName tagName children getAttribute style labels form"
    fields = "".join(f"<input name={name} aria-label=f-{name}>" for name in names.split())

    async def work(page: AgentPage) -> None:
        wire = await page.observe()
        assert len([e for e in wire["elements"] if e["name"].startswith("f-")]) == len(names.split())
        assert await page.call(f"!!__explorer$.find({named(wire, 'f-id')['locator']!r})")

    agent.run(f"<form id=real>{fields}</form>", work)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "page.svg",
            '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"><a href="#x"><text y="20">Go</text></a></svg>',
        ),
        ("page.xml", "<list><item>one</item></list>"),
        ("empty.html", ""),
        ("frames.html", "<frameset><frame src=empty.html></frameset>"),
    ],
)
def test_odd_documents(agent: AgentBrowser, name: str, text: str) -> None:
    async def work(page: AgentPage) -> None:
        await page.page.goto(f"http://127.0.0.1:1/{name}")
        wire = await page.observe()
        assert wire["url"].endswith(name)
        assert wire["html"].startswith("<")
        if name == "page.svg":
            assert [e["role"] for e in wire["elements"]] == ["link"]
        await page.page.goto("about:blank")
        assert (await page.observe())["elements"] == []

    agent.run(
        {"": "<p>", "page.svg": "", "page.xml": "", "empty.html": "", "frames.html": "", name: text}, work
    )


def test_what_would_stop_a_run_does_not(agent: AgentBrowser) -> None:
    html = """<p id=p></p><script>
    const say = (text) => { p.textContent += text + ' '; };
    addEventListener('beforeprint', () => say('before')); addEventListener('afterprint', () => say('after')); print();
    document.addEventListener('pointerlockchange', () => say('lock ' + (document.pointerLockElement === p)));
    document.addEventListener('fullscreenchange', () => say('full ' + (document.fullscreenElement === p)));
    p.requestPointerLock().then(() => p.requestFullscreen());
    showOpenFilePicker?.().then(async ([h]) => say(JSON.parse(await (await h.getFile()).text()).items.length + ' item'));
    showSaveFilePicker?.({ suggestedName: 'a.txt' }).then(async (h) => { const w = await h.createWritable(); await w.write('x'); await w.close(); say('saved ' + h.name); });
    </script>"""

    async def work(page: AgentPage) -> None:
        wire = await page.observe()
        for text in ("before after", "lock true", "full true", "1 item", "saved a.txt"):
            assert text in wire["html"]
        assert wire["effects"]["prints"] == 1
        assert page.errors == []

    agent.run(html, work)


def test_effects_are_counted_since_the_last_observation(agent: AgentBrowser) -> None:
    html = """<button id=b>b</button><script>
    b.onclick = () => {
      localStorage.setItem('a', 1); sessionStorage.removeItem('a'); document.cookie = 'c=1'; history.pushState(1, '', '#x');
      navigator.sendBeacon('/x', ''); new Audio().play().catch(() => {}); b.title = 'changed';
    };
    </script>"""

    async def work(page: AgentPage) -> None:
        await page.observe()
        effects = (await page.click("#b"))["effects"]
        assert (effects["storage"], effects["navigations"], effects["requests"], effects["media"]) == (
            3,
            1,
            1,
            1,
        )
        assert effects["mutations"] == 1
        quiet = (await page.observe())["effects"]
        assert set(quiet.values()) == {0}

    agent.run(html, work)
