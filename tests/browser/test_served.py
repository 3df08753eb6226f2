"""Apps that are explored where they are served: a dev server, service workers, policies, growth, resuming, --start."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from explorer.api import explore, resume
from explorer.archive import load_archive
from explorer.browser import BrowserPage
from explorer.browser_network import Wall
from explorer.cli import main
from explorer.exploration import Exploration
from explorer.options import Options
from explorer.provision import find_browser
from explorer.proxy import TransitProxy
from explorer.sourcepos import SourcePositions
from graph.records import Action, Observation, Step
from graph.tracefile import TraceWriter
from instrument.errors import AppError, UsageError
from instrument.lookahead import look_ahead
from instrument.probes import ProbeMap
from instrument.runner import free_port
from tests.bundling import write_app
from tests.devserver import dev_routes, moved
from tests.miniserver import JS, Answer, Asked, MiniServer, Reply

pytestmark = pytest.mark.browser


def files_of(probes: ProbeMap) -> dict[str, int]:
    """The user's own source files and how many statements each has."""
    return {file.path: len(file.statements) for file in probes.files if file.file_class == "own"}


def run_of(found: Exploration) -> dict[str, Any]:
    """run.json as it was written."""
    record: dict[str, Any] = json.loads((Path(found.folder) / "run.json").read_text(encoding="utf-8"))
    return record


class Carried:
    """A page whose app is carried, for a test that drives it by hand."""

    def __init__(self, page: BrowserPage, proxy: TransitProxy) -> None:
        self.page = page
        self.proxy = proxy
        self.seen: Observation | None = None

    async def open(self) -> Observation:
        self.seen = await self.page.open()
        return self.seen

    async def click(self, name: str) -> Observation:
        assert self.seen is not None
        target = next(item for item in self.seen.snapshot.targets if item.name == name)
        self.seen = await self.page.perform(
            Action(
                "click", "test", target.ref, target.locator, target.role, name, target.family, target.ordinal
            )
        )
        return self.seen

    def texts(self, hits: frozenset[int]) -> set[str]:
        """file:line of the statements among hits."""
        probes = self.page.probes.probes
        found = (probes[hit] for hit in hits)
        return {f"{probe.file}:{probe.position.line}" for probe in found if probe.kind == "statement"}


def carried(routes: Mapping[str, Answer], tmp_path: Path, work: Any, *, ahead: bool = True) -> MiniServer:
    """Runs `work(Carried)` on an app that a miniature server serves."""

    async def run(server: MiniServer) -> None:
        with TransitProxy(server.url, allows=Wall(server.origin).allows, cache=False) as proxy:
            if ahead:
                await proxy.call(look_ahead(proxy.transit, server.url))
            page = BrowserPage(
                server.url,
                probes=proxy.transit.probes(),
                run_dir=tmp_path,
                program=find_browser(None),
                carrier=proxy,
            )
            try:
                await work(Carried(page, proxy))
            finally:
                await page.close()

    with MiniServer(routes) as server:
        asyncio.run(run(server))
    return server


def test_a_dev_server_is_explored_with_its_modules_mapped(tmp_path: Path) -> None:
    with MiniServer(dev_routes()) as server:
        found = explore(server.url, budget=8, out=tmp_path / "run")
    own = files_of(found.probes)
    assert set(own) == {"src/main.ts", "src/App.vue", "src/late.ts", "src/computed.ts"}
    assert [file.path for file in found.probes.files if file.path.startswith("src/App.vue")] == [
        "src/App.vue"
    ]
    covered = {found.probes.probes[hit].file for hit in found.hits}
    assert covered == set(own)
    said = [message.text for step in found.trace.steps for message in step.messages]
    assert "hot reload answers ping" in said and "event 2" in said
    assert [finding.title for finding in found.findings] == []
    run = run_of(found)
    assert (run["build"]["kind"], run["instrumentation"]["mode"]) == ("vite", "istanbul")
    assert "what was fetched is what is counted" in run["instrumentation"]["reason"]
    assert any("fetched ahead" in note for note in run["instrumentation"]["notes"])
    assert any("what its server keeps" in note for note in run["notes"])
    assert found.trace.head.own_statements < run["coverage"]["statements"]["total"], "computed.ts came later"
    assert {asked.method for asked in server.asked} == {"GET"}
    assert "/src/computed.ts" in server.paths()


def test_the_guide_follows_the_map_as_it_grows(tmp_path: Path) -> None:
    async def work(app: Carried) -> None:
        first = await app.open()
        before = app.page.probes
        assert "src/late.ts" in files_of(before) and "src/computed.ts" not in files_of(before)
        assert app.texts(first.hits) >= {"src/main.ts:3", "src/main.ts:7"}
        seen = await app.click("Hidden")
        after = app.page.probes
        assert after is not before and files_of(after)["src/computed.ts"] == 2
        assert app.texts(seen.hits) == {"src/main.ts:9", "src/computed.ts:2"}
        assert list(after.probes)[: len(before.probes)] == list(before.probes)
        seen = await app.click("Late")
        assert "src/late.ts:2" in app.texts(seen.hits)

    carried(dev_routes(), tmp_path, work)


def test_reloading_asks_by_conditions_and_still_counts(tmp_path: Path) -> None:
    async def work(app: Carried) -> None:
        await app.open()
        await app.page.open()
        late = await app.click("Late")
        assert "src/late.ts:2" in app.texts(late.hits)

    server = carried(dev_routes(), tmp_path, work, ahead=False)
    conditions = [
        asked.headers.get("if-none-match") for asked in server.asked if asked.target == "/src/main.ts?t=1"
    ]
    assert conditions[0] is None and set(conditions[1:]) == {'W/"main"'}


WORKERS: dict[str, Answer] = {
    "/": Reply(
        """<!doctype html><title>Workers</title><p id=out></p><button id=b>Ask</button><script>
        const out = document.querySelector('#out');
        const ready = navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready);
        ready.then(() => out.textContent += 'ready ');
        const worker = new Worker('/worker.js');
        worker.onmessage = (event) => { out.textContent += event.data; };
        document.querySelector('#b').onclick = () => worker.postMessage('x');
        </script><script src=/app.js></script>"""
    ),
    "/app.js": Reply("function ran() { return 1; }\nran();\n", JS),
    "/worker.js": Reply(
        "importScripts('/lib.js');\nonmessage = (event) => {\n  postMessage(twice(event.data));\n};\n", JS
    ),
    "/lib.js": Reply("function twice(text) {\n  return text + text;\n}\n", JS),
    "/sw.js": Reply(
        "oninstall = (event) => event.waitUntil(caches.open('a').then((cache) => cache.addAll(['/', '/app.js'])));\n"
        "onactivate = (event) => event.waitUntil(clients.claim());\n"
        "onfetch = (event) => event.respondWith(caches.match(event.request).then((kept) => kept || fetch(event.request)));\n",
        JS,
    ),
}


def test_workers_and_what_a_service_worker_keeps_are_counted(tmp_path: Path) -> None:
    async def work(app: Carried) -> None:
        await app.open()
        await app.page.observe()
        seen = await app.click("Ask")
        assert "xx" in seen.snapshot.html and "ready" in seen.snapshot.html
        hits = frozenset(app.page._seen)
        assert app.texts(hits) >= {"worker.js:3", "lib.js:2", "sw.js:1", "sw.js:2", "app.js:2"}
        tab = app.page._visit
        assert tab is not None
        kept = await tab.tab.evaluate("caches.match('/app.js').then((kept) => kept.text())")
        assert "__cov$" in kept

    carried(WORKERS, tmp_path, work)


def digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def test_a_strict_policy_in_headers_lets_the_counters_run(tmp_path: Path) -> None:
    inline, nonced = "one();", "two();"
    policy = (
        f"default-src 'none'; script-src '{digest(inline)}' 'nonce-abc' 'strict-dynamic'; connect-src 'none'"
    )
    page = (
        f"<!doctype html><title>Strict</title><body><script>{inline}</script><script>three();</script>"
        f"<script nonce=abc>{nonced}</script><script nonce=abc src=/a.js></script>"
    )
    helpers = "function one() {}\nfunction two() {}\nfunction three() {}\n"
    routes: dict[str, Answer] = {
        "/": Reply(
            page.replace("<script>", f"<script nonce=abc>{helpers}</script><script>", 1),
            headers=(("Content-Security-Policy", policy),),
        ),
        "/a.js": Reply("document.body.append('ran');\n", JS, packed=True),
    }

    async def work(app: Carried) -> None:
        seen = await app.open()
        assert "ran" in seen.snapshot.html
        violations = [message.text for message in seen.messages if "Content Security Policy" in message.text]
        assert len(violations) == 1, "the script that the policy does not list stays out"
        functions = [app.page.probes.probes[hit].function for hit in seen.hits]
        assert {"one", "two"} <= set(functions) and "three" not in functions
        assert "a.js:1" in app.texts(seen.hits)

    carried(routes, tmp_path, work)


def test_a_page_whose_words_change_keeps_its_probes(tmp_path: Path) -> None:
    count = iter(range(1000))
    routes: dict[str, Answer] = {
        "/": lambda _: Reply(
            f"<!doctype html><title>T</title><p>visit {next(count)}</p>"
            "<script>\nfunction ran() { return 1; }\nran();\n</script>"
        ),
    }

    async def work(app: Carried) -> None:
        first = await app.open()
        assert app.texts(first.hits)
        size = len(app.page.probes.probes)
        for _ in range(3):
            assert (await app.open()).hits == frozenset()
        assert len(app.page.probes.probes) == size

    carried(routes, tmp_path, work)


def test_other_hosts_stay_out_of_reach_of_a_carried_app(tmp_path: Path) -> None:
    page = (
        "<!doctype html><title>T</title><p id=out></p><script>for (const url of ['http://elsewhere.example/a', "
        "'https://elsewhere.example/b']) fetch(url).catch(() => out.append('refused '));"
        "new WebSocket('ws://elsewhere.example/c').onerror = () => out.append('no socket');</script>"
    )

    async def work(app: Carried) -> None:
        await app.open()
        seen = await app.page.observe()
        assert seen.snapshot.html.count("refused") == 2 and "no socket" in seen.snapshot.html

    with MiniServer({"/": Reply("other")}) as other:
        routes: dict[str, Answer] = {"/": Reply(page.replace("http://elsewhere.example/a", other.url))}
        carried(routes, tmp_path, work)
    assert other.asked == []


def test_an_app_of_https_is_counted_by_the_browsers_own_route(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TransitProxy, "secure", property(lambda _: True))

    async def work(app: Carried) -> None:
        first = await app.open()
        assert app.texts(first.hits) >= {"src/main.ts:3", "src/main.ts:7"}
        seen = await app.click("Hidden")
        assert app.texts(seen.hits) == {"src/main.ts:9", "src/computed.ts:2"}
        assert first.faults == () and "hot reload answers ping" in [item.text for item in first.messages]

    carried(dev_routes(), tmp_path, work)


def test_a_run_is_resumed_with_the_same_probes(tmp_path: Path) -> None:
    with MiniServer(dev_routes()) as server:
        first = explore(server.url, budget=2, out=tmp_path / "run")
        second = resume(tmp_path / "run", budget=6)
        known = len(first.probes.probes)
        assert list(second.probes.probes)[:known] == list(first.probes.probes)
        assert first.hits <= second.hits and len(second.trace.steps) > len(first.trace.steps)
        server.routes["/src/late.ts"] = Reply(moved("export const other = 1;", "late.ts"), JS)
        with pytest.raises(UsageError, match=r"changed since that run \(src/late.ts\)"):
            resume(tmp_path / "run", budget=8)
    with pytest.raises(AppError, match="Nothing answers at"):
        resume(tmp_path / "run", budget=8)


def test_a_run_can_be_reported_and_resumed_whenever_it_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing: list[set[int]] = []
    kept: list[int] = []
    real = TraceWriter.step

    def step(writer: TraceWriter, step: Step) -> None:
        size = len(load_archive(tmp_path / "run").probes.probes)
        kept.append(size)
        missing.append({hit for hit in step.hits if hit >= size})
        real(writer, step)

    monkeypatch.setattr(TraceWriter, "step", step)
    with MiniServer(dev_routes()) as server:
        explore(server.url, budget=8, out=tmp_path / "run")
    assert kept[-1] > kept[0], "the map grew"
    assert not any(missing), "each step speaks of probes that were on the disk before it"


SERVER = """
import http.server, pathlib, sys
class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args): pass
print("about to serve", flush=True)
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


def test_a_server_is_started_explored_and_ended(tmp_path: Path) -> None:
    app = write_app(
        tmp_path / "app",
        {
            "serve.py": SERVER,
            "index.html": "<!doctype html><title>T</title><button onclick=go()>Go</button><script src=src/app.js></script>",
            "src/app.js": "function go() {\n  document.title = 'gone';\n}\n",
        },
    )
    port = free_port()
    options = Options(start=f"{sys.executable} serve.py {port}", url=f"http://127.0.0.1:{port}")
    found = explore(app, budget=3, out=tmp_path / "run", options=options)
    assert files_of(found.probes)["src/app.js"] == 1
    assert found.root == str(app) and "was started" in found.build_reason
    assert "about to serve" in (tmp_path / "run" / "server.log").read_text(encoding="utf-8")
    with pytest.raises(AppError, match="Nothing answers"):
        explore(f"http://127.0.0.1:{port}", budget=1, out=tmp_path / "again")


def test_comparing_finds_a_carried_app_unchanged(tmp_path: Path) -> None:
    with MiniServer(dev_routes()) as server:
        found = explore(server.url, budget=1, out=tmp_path / "run", options=Options(verify=True))
    told = [
        note
        for note in found.instrumentation.notes
        if note.startswith(("Verified", "Instrumentation changes"))
    ]
    assert told == [
        "Verified: console, errors, outline and picture of the loaded app are the same with and without counters."
    ]


def test_nothing_but_reading_is_asked_ahead(tmp_path: Path) -> None:
    def refuse(asked: Asked) -> Reply:
        raise AssertionError(asked)

    routes = {**dev_routes(), "/logout": refuse, "/delete.html": refuse}
    page = routes["/"]
    assert isinstance(page, Reply)
    routes["/"] = Reply(
        str(page.body).replace("</body>", "<a href=/logout>x</a><a href=/delete.html>x</a></body>")
    )

    async def work(app: Carried) -> None:
        assert "src/late.ts" in files_of(app.page.probes)

    server = carried(routes, tmp_path, work)
    assert "/logout" not in server.paths() and "/delete.html" not in server.paths()


def test_faults_name_the_place_in_the_users_sources(tmp_path: Path) -> None:
    async def work(app: Carried) -> None:
        await app.open()
        seen = await app.click("Fail")
        positions = SourcePositions(app.proxy.transit.bodies, lambda: app.page.probes)
        [fault] = seen.faults
        place = re.search(r"(/src/broken\.ts\S*?):(\d+):(\d+)", fault.stack)
        assert place is not None, fault.stack
        path, line, column = place.groups()
        assert positions(path, int(line), int(column)) == "src/broken.ts:3:3"

    code = "const button = document.querySelector('button');\nbutton.onclick = () => {\n  throw new Error('broken');\n};\n"
    page = '<!doctype html><title>T</title><button>Fail</button><script type=module src="/src/broken.ts?t=1"></script>'
    routes: dict[str, Answer] = {"/": Reply(page), "/src/broken.ts": Reply(moved(code, "broken.ts"), JS)}
    carried(routes, tmp_path, work)


def test_the_same_seed_gives_the_same_run(tmp_path: Path) -> None:
    with MiniServer(dev_routes()) as server:
        runs = [explore(server.url, budget=8, seed=3, out=tmp_path / name) for name in ("one", "two")]
    first, second = (
        [
            (step.action and (step.action.kind, step.action.locator), step.hits, step.after)
            for step in run.trace.steps
        ]
        for run in runs
    )
    assert first == second


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        (
            ["http://127.0.0.1:1"],
            3,
            "Nothing answers at http://127.0.0.1:1/ (connection refused): start the app first",
        ),
        (["--url", "ftp://127.0.0.1/"], 2, "no address that can be explored"),
        ([".", "--start", "npm start"], 2, "add --url"),
        (["http://me:secret@127.0.0.1:1/"], 2, "leave it out"),
    ],
)
def test_the_command_says_what_is_wrong(
    line: list[str], code: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main([*line, "--quiet", "--out", str(tmp_path / "run")])
    assert left.value.code == code
    assert said in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_a_command_that_dies_leaves_its_last_lines(tmp_path: Path) -> None:
    command = f"{sys.executable} -c \"print('no database'); raise SystemExit(4)\""
    options = Options(start=command, url=f"http://127.0.0.1:{free_port()}/")
    with pytest.raises(AppError, match=r"ended with code 4 .*no database") as failed:
        explore(tmp_path, budget=1, out=tmp_path / "run", options=options)
    assert str(tmp_path / "run" / "server.log") in str(failed.value)
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["server.log"]
