"""No app without coverage: V8's ranges in place of counters, where they are asked for and where counters cannot be."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from explorer import Exploration, Options, explore
from explorer.browser import BrowserPage
from explorer.provision import Browser
from explorer.server import AppServer
from explorer.survey import needs_survey, surveyed
from graph.records import Action, Snapshot
from instrument.bundle import Bundle, make_bundle
from instrument.detect import detect
from instrument.node import WorkerPool
from instrument.probes import ProbeKind
from instrument.v8scripts import KnownScripts
from tests.browser.conftest import AppsServer
from tests.bundling import text_at, write_app

pytestmark = pytest.mark.browser

SIX = {"demo": 20, "notebook": 15, "syntax": 14, "controls": 12, "gestures": 12, "drag": 12}
"""Apps and budgets of the comparison; each has code of its own kind."""


@pytest.mark.parametrize("app", SIX)
def test_counters_and_ranges_agree_on_statements(apps: Path, app: str, tmp_path: Path) -> None:
    run = explore(apps / app, budget=SIX[app], out=tmp_path / "run", options=Options(verify_coverage=True))
    assert run.agreement is not None
    assert run.agreement.elsewhere == 0
    whole = run.agreement.sum()
    assert whole.both > 5
    assert whole.pct >= 98, run.agreement
    written = json.loads((tmp_path / "run" / "run.json").read_text())["coverage_agreement"]
    assert (written["pct"], written["statements"]) == (round(whole.pct, 3), whole.total)


# --- one script at a time


class _Tour:
    """The same gestures on an app by counters and by ranges."""

    def __init__(self, app: Path, program: Browser, folder: Path) -> None:
        self._app, self._program, self._folder = app, program, folder
        self.bundle: Bundle
        self.handlers: dict[str, tuple[int | None, ...]] = {}

    def hits(self, *, v8: bool) -> set[int]:
        """Probes hit by a click on every button, one after the other."""
        return asyncio.run(self._visit(v8=v8))

    async def _visit(self, *, v8: bool) -> set[int]:
        self.bundle = await make_bundle(detect(self._app), v8=v8)
        with AppServer(self.bundle) as server:
            page = BrowserPage(
                server.url,
                probes=self.bundle.probes,
                run_dir=self._folder,
                program=self._program,
                v8=KnownScripts(self.bundle.places) if v8 else None,
            )
            try:
                seen = await page.open()
                found = set(seen.hits)
                self.handlers = _handlers(seen.snapshot)
                for target in seen.snapshot.targets:
                    action = Action("click", "test", ref=target.ref, locator=target.locator)
                    found |= (await page.perform(action)).hits
                return found
            finally:
                await page.close()

    def told(self, probes: set[int], kind: ProbeKind) -> list[str]:
        """Texts of probes of a kind."""
        texts = {source.path: source.text for source in self.bundle.probes.files}
        chosen = [self.bundle.probes.probes[probe] for probe in sorted(probes)]
        return [text_at(texts[one.file], one.position) for one in chosen if one.kind == kind]


def _handlers(snapshot: Snapshot) -> dict[str, tuple[int | None, ...]]:
    return {one.name: tuple(handler.function for handler in one.handlers) for one in snapshot.targets}


@pytest.fixture(scope="module")
def tours(
    apps: Path, program: Browser, tmp_path_factory: pytest.TempPathFactory
) -> tuple[_Tour, set[int], set[int]]:
    """Tours of the app of all syntax: hits by counters, hits by ranges."""
    tour = _Tour(apps / "syntax", program, tmp_path_factory.mktemp("tour"))
    counters = tour.hits(v8=False)
    before = tour.handlers
    ranges = tour.hits(v8=True)
    assert tour.handlers.keys() == before.keys()
    return tour, counters, ranges


def test_only_a_caught_exception_tells_statements_apart(tours: tuple[_Tour, set[int], set[int]]) -> None:
    """Inline scripts, a module with a query, line ends of two characters, a byte order mark, characters of two units."""
    tour, counters, ranges = tours
    assert tour.told(ranges - counters, "statement") == ["note('not reached');"]
    assert tour.told(counters - ranges, "statement") == []
    assert tour.told(counters ^ ranges, "function") == []
    assert len(counters) > 100


def test_only_a_default_value_tells_branches_apart(tours: tuple[_Tour, set[int], set[int]]) -> None:
    tour, counters, ranges = tours
    assert tour.told(counters - ranges, "branch") == ["1"]
    assert tour.told(ranges - counters, "branch") == []


def test_elements_lead_to_their_functions(apps: Path, program: Browser, tmp_path: Path) -> None:
    tour = _Tour(apps / "demo", program, tmp_path)
    tour.hits(v8=False)
    before = tour.handlers
    tour.hits(v8=True)
    assert tour.handlers == before
    assert any(function is not None for functions in before.values() for function in functions)


# --- the ways to it


def _run(app: Path, out: Path, **options: str | bool) -> Exploration:
    return explore(app, budget=3, out=out, options=Options(**options))  # type: ignore[arg-type]


def test_it_is_used_where_it_is_asked_for(apps: Path, tmp_path: Path) -> None:
    run = _run(apps / "notebook", tmp_path / "run", coverage="v8")
    assert (run.instrumentation.mode, run.instrumentation.scripts) == ("v8", 3)
    assert "asked for" in run.instrumentation.reason
    assert run.coverage.own.statements.covered > 20


def test_it_takes_over_where_counters_change_the_app(apps: Path, tmp_path: Path) -> None:
    run = _run(apps / "reads-itself", tmp_path / "run", verify=True)
    assert run.instrumentation.mode == "v8"
    assert "counters change the app (outline" in run.instrumentation.reason
    assert run.coverage.own.statements.covered >= 6
    shown = run.trace.steps[0].snapshot
    assert shown is not None
    assert f"{len((apps / 'reads-itself' / 'app.js').read_text())} characters" in shown.html


def test_counters_stay_where_they_were_asked_for(apps: Path, tmp_path: Path) -> None:
    run = _run(apps / "reads-itself", tmp_path / "run", verify=True, coverage="istanbul")
    assert run.instrumentation.mode == "istanbul"
    assert any("Instrumentation changes the app" in note for note in run.instrumentation.notes)


def test_an_app_that_is_served_elsewhere_is_measured_as_it_is(
    apps: Path, apps_server: AppsServer, tmp_path: Path
) -> None:
    run = explore(
        f"{apps_server.origin}/notebook/", budget=3, out=tmp_path / "run", options=Options(coverage="v8")
    )
    plain = _run(apps / "notebook", tmp_path / "plain", coverage="v8")
    assert run.instrumentation.mode == "v8"
    assert run.coverage.own.statements == plain.coverage.own.statements


@pytest.mark.parametrize("coverage", ["auto", "v8"])
def test_unusual_jsx_that_no_parser_reads_is_measured_by_what_the_page_makes_of_it(
    apps: Path, tmp_path: Path, coverage: str
) -> None:
    run = _run(apps / "odd-jsx", tmp_path / "run", coverage=coverage)
    assert run.instrumentation.failed == ()
    lines = {
        run.probes.probes[probe].position.line: probe in run.hits
        for source in run.probes.files
        if source.path == "index.html"
        for probe in source.statements
    }
    text = (apps / "odd-jsx" / "index.html").read_text().splitlines()
    assert {text[line - 1].strip(): hit for line, hit in lines.items() if "return" in text[line - 1]} == {
        "return <output class=odd>{'pressed ' + count}</output>;": True,
        "return <button onclick=press>{'Press'}</button>;": True,
        "return count;": False,
    }
    assert lines[text.index("  count++;") + 1], "a click ran it"


def test_jsx_of_the_page_has_the_same_statements_by_counters_and_by_v8(apps: Path, tmp_path: Path) -> None:
    """One script of the page's is transpiled with a source map, the other without one."""
    app = apps / "inline-jsx"
    run = explore(app, budget=6, out=tmp_path / "counted", options=Options(verify_coverage=True))
    assert run.agreement is not None
    assert run.agreement.elsewhere == 0
    page = next(one for one in run.agreement.files if one.path == "index.html")
    assert (page.counters_only, page.v8_only, page.named) == (0, 0, ())
    measured = explore(app, budget=6, out=tmp_path / "ranged", options=Options(coverage="v8"))
    assert measured.instrumentation.mode == "v8"
    assert measured.coverage.own.statements.total == run.coverage.own.statements.total == 124
    assert measured.coverage.own.functions.total == run.coverage.own.functions.total
    assert not any("made at run time" in source.path for source in measured.probes.files)
    probes = measured.probes.probes
    ran = {probes[one].function for one in measured.hits if probes[one].kind == "function"}
    assert {"App", "Task", "Note"} <= ran, "they are on screen"
    assert not {"never", "unused"} & ran
    source = next(one for one in measured.probes.files if one.path == "index.html")
    shown = {text_at(source.text, probes[one].position) for one in source.statements if one in measured.hits}
    assert "<button key={name} onclick={() => choose(name)}>{name}</button>" in shown
    assert "<Task key={task.id} task={task} onToggle={toggle} />" in shown
    assert "<Note text={text} />" not in shown, "an argument is no statement of its own"
    assert "render(<Note text={text} />)" in shown


def test_modules_that_a_transpiler_writes_into_the_page_are_measured(apps: Path, tmp_path: Path) -> None:
    text = (apps / "inline-jsx" / "index.html").read_text()
    made = text.replace('type="text/babel">', 'type="text/babel" data-type="module">')
    assert made != text
    transpiler = (apps / "inline-jsx" / "transpiler.js").read_text()
    app = write_app(tmp_path / "app", {"index.html": made.replace("\n", "\r\n"), "transpiler.js": transpiler})
    run = _run(app, tmp_path / "run", coverage="v8")
    names = {run.probes.probes[one].function for one in run.hits if run.probes.probes[one].kind == "function"}
    assert {"App", "Task", "Note"} <= names


def test_a_page_whose_parser_breaks_down_is_outlined_by_v8(
    program: Browser, apps: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.mjs"
    broken.write_text("process.exit(3);\n")

    async def work() -> tuple[Bundle, set[int], int | None]:
        async with WorkerPool(size=1, program=broken) as worker:
            bundle = await make_bundle(detect(apps / "syntax"), worker=worker, cache=False)
            assert (bundle.mode, needs_survey(bundle)) == ("none", True)
            with AppServer(bundle) as server:
                page = _page(server.url, bundle, program, tmp_path)
                try:
                    bundle = await surveyed(bundle, page, say=lambda _: None, worker=worker)
                finally:
                    await page.close()
                page = _page(server.url, bundle, program, tmp_path)
                try:
                    seen = await page.open()
                    target = next(one for one in seen.snapshot.targets if one.name == "Failing")
                    action = Action("click", "test", ref=target.ref, locator=target.locator)
                    handler = next(one.function for one in target.handlers if one.event == "click")
                    return bundle, set((await page.perform(action)).hits), handler
                finally:
                    await page.close()

    bundle, hits, handler = asyncio.run(work())
    assert (bundle.mode, bundle.failed) == ("v8", ())
    probes = bundle.probes.probes
    assert {"classic.js", "module.js", "parts.js", "index.html"} <= {one.path for one in bundle.probes.files}
    lines = sorted(probes[one].position.line for one in hits if probes[one].file == "classic.js")
    assert {28, 30, 31} <= set(lines), "the handler and what it calls, by V8's own word"
    assert 32 not in lines, "it threw before that"
    assert handler is not None
    assert probes[handler].kind == "function"


def _page(url: str, bundle: Bundle, program: Browser, folder: Path) -> BrowserPage:
    return BrowserPage(
        url, probes=bundle.probes, run_dir=folder, program=program, v8=KnownScripts(bundle.places)
    )


def test_an_app_of_more_than_200_mb_is_an_app(tmp_path: Path) -> None:
    app = write_app(
        tmp_path / "app",
        {
            "index.html": "<title>Large</title><button onclick='more()'>More</button><script src=app.js></script>",
            "app.js": "let count = 0;\nfunction more() {\n  count++;\n}\n",
        },
    )
    (app / "assets").mkdir()
    for name in ("film.mp4", "scene.glb", "data.bin"):
        with (app / "assets" / name).open("wb") as file:
            file.truncate(80 << 20)  # a hole: costs no disk
    run = explore(app, budget=2, out=tmp_path / "run")
    assert sum(path.stat().st_size for path in app.rglob("*") if path.is_file()) > 200 << 20
    assert run.coverage.own.statements.pct == 100
    written = sum(path.stat().st_size for path in (tmp_path / "run").rglob("*") if path.is_file())
    assert written < 10 << 20, "nothing of the assets was copied"
