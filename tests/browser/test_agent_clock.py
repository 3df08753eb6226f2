# ruff: noqa: E501 - pages are html on long lines
"""The page's time stands still until the engine moves it, and settling is bounded."""

from __future__ import annotations

import time

import pytest

from tests.browser.agent_page import AgentBrowser, AgentPage, agent

pytestmark = pytest.mark.browser
__all__ = ["agent"]


def test_time_stands_still_between_observations(agent: AgentBrowser) -> None:
    async def work(page: AgentPage) -> None:
        await page.observe()
        first = await page.call("[Date.now(), performance.now(), +new Date(), Date()]")
        await page.page.wait_for_timeout(60)
        assert await page.call("[Date.now(), performance.now(), +new Date(), Date()]") == first

    agent.run("<p>still", work)


def test_the_first_document_starts_at_a_fixed_instant(agent: AgentBrowser) -> None:
    async def work(page: AgentPage) -> None:
        assert await page.call("[Date.now(), new Date().getTime(), performance.timeOrigin]") == [5000] * 3
        assert await page.call("new Intl.DateTimeFormat('en', {timeZone: 'UTC'}).format()") == "1/1/1970"
        assert (
            await page.call("typeof Temporal === 'object' ? Temporal.Now.instant().epochMilliseconds : 5000")
            == 5000
        )

    agent.run("<p>start", work, config={"start_ms": 5000})


def test_timers_run_in_order_with_promises_between(agent: AgentBrowser) -> None:
    html = """<script>
    window.log = [];
    const say = (text) => () => { log.push(text); Promise.resolve().then(() => 0).then(() => log.push(text + '+')); };
    setTimeout(say('c'), 20); setTimeout(say('a'), 5); setTimeout(say('b'), 5); setTimeout("log.push('text')", 1);
    const id = setTimeout(say('never'), 5); clearTimeout(id);
    setTimeout((x, y) => log.push(x + y), 30, 1, 2);
    requestAnimationFrame((now) => log.push('frame ' + (now > 0)));
    </script>"""

    async def work(page: AgentPage) -> None:
        await page.observe()
        assert await page.call("log") == ["text", "a", "a+", "b", "b+", "frame true", "c", "c+", 3]

    agent.run(html, work)


def test_an_exception_in_a_timer_is_the_apps_own(agent: AgentBrowser) -> None:
    html = """<p id=p>a<script>
    setTimeout(() => { throw new Error('from a timer'); }, 1); setTimeout(() => { p.textContent = 'went on'; }, 2);
    </script>"""

    async def work(page: AgentPage) -> None:
        wire = await page.observe()
        assert page.errors == ["from a timer"]
        assert "went on" in wire["html"]

    agent.run(html, work)


def test_a_busy_wait_ends(agent: AgentBrowser) -> None:
    html = "<p id=p>busy<script>const end = Date.now() + 100; while (Date.now() < end); p.textContent = 'over'</script>"

    async def work(page: AgentPage) -> None:
        assert "over" in (await page.observe())["html"]

    agent.run(html, work)


@pytest.mark.parametrize(
    "loop",
    [
        "(function loop() { setTimeout(loop, 0); })()",
        "(async () => { for (;;) await new Promise((done) => setTimeout(done)); })()",
        "(function loop() { requestAnimationFrame(loop); })()",
        "setInterval(() => {}, 0)",
        "(function loop() { requestIdleCallback(loop); })()",
        "requestIdleCallback((idle) => { while (idle.timeRemaining() > 0); })",
    ],
)
def test_loops_without_end_come_to_rest(agent: AgentBrowser, loop: str) -> None:
    async def work(page: AgentPage) -> None:
        wire = await page.observe()
        assert wire["settle"]["why"] == "quiet"
        assert wire["settle"]["ticks"] <= 10

    agent.run(f"<p>loop<script>{loop}</script>", work)


def test_a_loop_that_changes_the_page_is_bounded_and_then_cheap(agent: AgentBrowser) -> None:
    html = "<p id=p>0<script>(function loop() { p.textContent++; requestAnimationFrame(loop); })()</script>"

    async def work(page: AgentPage) -> None:
        assert (await page.observe())["settle"]["why"] == "ticks"
        again = await page.observe()
        assert (again["settle"]["why"], again["settle"]["ticks"]) == ("ticks", 6)

    agent.run(html, work)


def test_timers_within_the_horizon_are_waited_for(agent: AgentBrowser) -> None:
    html = """<p id=p>before<script>setTimeout(() => { p.textContent = 'soon'; }, 200);
    setTimeout(() => { p.textContent = 'late'; }, 90000)</script>"""

    async def work(page: AgentPage) -> None:
        near = await page.observe(horizon=50)
        assert "before" in near["html"]
        assert [due for due, _, _ in near["timers"]] == pytest.approx([200, 90000], abs=100)
        assert "soon" in (await page.observe(horizon=300))["html"]
        assert (await page.call("__explorer$.advance(90000)"))["ran"] == 1
        assert "late" in (await page.observe())["html"]

    agent.run(html, work)


def test_hours_pass_quickly_and_every_interval_fires(agent: AgentBrowser) -> None:
    html = "<p id=p>0<script>let n = 0; setInterval(() => { n++; }, 1000); (function f() { requestAnimationFrame(f); })()</script>"

    async def work(page: AgentPage) -> None:
        await page.observe()
        before = await page.call("[n, Date.now()]")
        moved = await page.call("__explorer$.advance(3 * 3600 * 1000)")
        assert moved["advanced"] == 3 * 3600 * 1000
        after = await page.call("[n, Date.now()]")
        assert after[0] - before[0] == 3 * 3600
        assert after[1] - before[1] == 3 * 3600 * 1000

    agent.run(html, work)


def test_the_clock_goes_on_in_the_next_document(agent: AgentBrowser) -> None:
    html = "<a href='/next.html'>next</a><script>document.cookie = 'mine=1'; window.name = 'kept'</script>"
    look = "[Date.now(), performance.now(), document.cookie, window.name]"

    async def work(page: AgentPage) -> None:
        await page.call("__explorer$.advance(60000)")
        assert await page.call(look) == [65000, 60000, "mine=1", "kept"]
        await page.page.reload()
        assert await page.call(look) == [65000, 0, "mine=1", "kept"]
        await page.page.click("a")
        await page.page.wait_for_url("**/next.html")
        assert (await page.call("Date.now()")) >= 65000
        assert await page.call("document.cookie") == "mine=1"
        cookies = await page.context.cookies()
        assert [cookie["name"] for cookie in cookies if "name" in cookie] == ["mine"]

    agent.run({"": html, "next.html": "<p>next"}, work, config={"start_ms": 5000})


def test_events_carry_the_pages_time(agent: AgentBrowser) -> None:
    html = """<button id=b>b</button><script>
    b.onclick = (event) => { window.seen = [event.timeStamp <= performance.now(), performance.now() - event.timeStamp < 100]; };
    </script>"""

    async def work(page: AgentPage) -> None:
        await page.call("__explorer$.advance(3600000)")
        await page.click("#b")
        assert await page.call("seen") == [True, True]

    agent.run(html, work)


def test_other_waits_follow_the_clock(agent: AgentBrowser) -> None:
    html = """<p id=p></p><script>
    AbortSignal.timeout(5000).onabort = () => { p.textContent += 'aborted '; };
    scheduler.postTask(() => { p.textContent += 'posted '; }, { delay: 4000 });
    </script>"""

    async def work(page: AgentPage) -> None:
        assert "posted" not in (await page.observe())["html"]
        await page.call("__explorer$.advance(4500)")
        assert (await page.observe())["html"].count("posted") == 1
        await page.call("__explorer$.advance(1000)")
        assert "aborted" in (await page.observe())["html"]

    agent.run(html, work)


def test_finite_animations_end_and_endless_ones_do_not_hold(agent: AgentBrowser) -> None:
    html = """<style>@keyframes spin { to { transform: rotate(1turn) } }
    #a { transition: opacity 8s; opacity: 1 } #s { animation: spin 1s infinite }</style>
    <p id=a>a</p><p id=s>s</p><script>
    a.addEventListener('transitionend', () => { a.textContent = 'ended'; });
    requestAnimationFrame(() => requestAnimationFrame(() => { a.style.opacity = 0.5; }));
    </script>"""

    async def work(page: AgentPage) -> None:
        wire = await page.observe()
        if "ended" not in wire["html"]:
            wire = await page.observe()
        assert "ended" in wire["html"]
        assert wire["settle"]["why"] == "quiet"

    agent.run(html, work)


def test_intersections_and_sizes_are_seen(agent: AgentBrowser) -> None:
    html = """<p id=p>a</p><p id=q>b</p><script>
    new IntersectionObserver((list) => { if (list[0].isIntersecting) p.textContent = 'in view'; }).observe(p);
    new ResizeObserver(() => { q.textContent = 'sized'; }).observe(q);
    </script>"""

    async def work(page: AgentPage) -> None:
        html = (await page.observe())["html"]
        assert "in view" in html
        assert "sized" in html

    agent.run(html, work)


def test_requests_are_waited_for_but_not_for_ever(agent: AgentBrowser) -> None:
    html = """<p id=p>a</p><script>
    fetch('data.json').then((r) => r.json()).then((v) => { p.textContent = v.text; });
    </script>"""

    async def work(page: AgentPage) -> None:
        async def never(route: object) -> None:
            """Leaves the request open."""

        await page.page.route("**/hangs", never)
        wire = await page.observe()
        assert "came" in wire["html"]
        assert wire["effects"]["requests"] == 1
        await page.call("void fetch('hangs')")
        assert (await page.observe(max=200))["settle"]["why"] == "time"
        assert (await page.observe(max=5000))["settle"]["why"] == "quiet"

    agent.run({"": html, "data.json": '{"text": "came"}'}, work)


def test_databases_files_pictures_and_workers_are_waited_for(agent: AgentBrowser) -> None:
    html = """<ul id=u></ul><script>
    const say = (text) => { u.append(Object.assign(document.createElement('li'), { textContent: text })); };
    const open = indexedDB.open('d', 1);
    open.onupgradeneeded = () => open.result.createObjectStore('s');
    open.onsuccess = () => { const t = open.result.transaction('s', 'readwrite'); t.objectStore('s').put(1, 'k'); t.oncomplete = () => say('stored'); };
    const reader = new FileReader(); reader.onload = () => say('read'); reader.readAsText(new Blob(['x']));
    const image = new Image(); image.onload = () => say('loaded'); image.src = 'i.svg';
    const script = document.createElement('script'); script.src = 's.js'; document.head.append(script);
    const worker = new Worker('w.js'); worker.onmessage = () => say('answered'); worker.postMessage(1);
    </script>"""
    picture = '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>'

    async def work(page: AgentPage) -> None:
        html = (await page.observe(max=5000))["html"]
        for word in ("stored", "read", "loaded", "scripted"):
            assert f"<li>{word}" in html
        if "answered" not in html:  # a worker is given a short while only
            assert "answered" in (await page.observe())["html"]

    files = {
        "": html,
        "i.svg": picture,
        "s.js": "say('scripted')",
        "w.js": "onmessage = () => postMessage(2)",
    }
    agent.run(files, work)


def test_the_same_run_twice_is_the_same(agent: AgentBrowser) -> None:
    html = """<button id=b>b</button><p id=p></p><script>
    b.onclick = () => { p.textContent = [Math.random(), crypto.randomUUID(), Date.now(), crypto.getRandomValues(new Uint8Array(3))].join(' '); };
    </script>"""
    seen: list[str] = []

    async def work(page: AgentPage) -> None:
        await page.observe()
        seen.append((await page.click("#b"))["html"])

    agent.run(html, work, config={"seed": 7})
    agent.run(html, work, config={"seed": 7})
    agent.run(html, work, config={"seed": 8})
    assert seen[0] == seen[1]
    assert seen[0] != seen[2]


def test_real_time_and_real_randomness_on_demand(agent: AgentBrowser) -> None:
    html = "<p id=p>a<script>setTimeout(() => { p.textContent = 'later'; }, 30); setTimeout(() => {}, 60000)</script>"
    config = {"clock": "real", "random": "real"}

    async def work(page: AgentPage) -> None:
        wire = await page.observe()
        assert "later" in wire["html"]
        assert len(wire["timers"]) == 1
        assert abs(time.time() * 1000 - wire["clock"]) < 60_000
        first = await page.call("Date.now()")
        await page.page.wait_for_timeout(30)
        assert await page.call("Date.now()") > first
        assert "[native code]" in await page.call("`${setTimeout}`")

    agent.run(html, work, config=config)
