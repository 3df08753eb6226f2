"""instrument.transit and instrument.lookahead: what is made of answers, and what is fetched before anybody asks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from instrument import lookahead, transit
from instrument.asking import Asking
from instrument.cache import ResultCache
from instrument.exchange import Answered, Asked
from instrument.lookahead import look_ahead
from instrument.node import WorkerPool
from instrument.probes import ProbeMap
from instrument.transit import SourceRoots, Transit
from instrument.v8scripts import KnownScripts
from tests.bundling import write_app
from tests.devserver import with_map

ORIGIN = "http://app.test"
JS = "text/javascript"


class Web:
    """A server without a network: bodies by path and query, then by path."""

    def __init__(self, files: Mapping[str, str], *, roots: tuple[Path, ...] = ()) -> None:
        self.files = dict(files)
        self.asked: list[str] = []
        self._roots = roots
        self.transit: Transit

    def answer(self, url: str) -> Answered | None:
        path = url.removeprefix(ORIGIN)
        for name in (path, path.partition("?")[0]):
            if name in self.files:
                page = self.files[name].lstrip().startswith("<")
                kind = "text/html" if page else "application/json" if name.endswith(".map") else JS
                return Answered(url, 200, [("Content-Type", kind)], self.files[name].encode())
        return Answered(url, 404, [("Content-Type", "text/html")], b"<html>nothing</html>")

    async def fetch(self, url: str) -> Answered | None:
        self.asked.append(url.removeprefix(ORIGIN))
        return self.answer(url)

    async def get(self, path: str, dest: str = "script") -> str:
        """What the browser gets."""
        url, answered = ORIGIN + path, self.answer(ORIGIN + path)
        assert answered is not None
        asked = Asked(url, dest)
        role = self.transit.role(asked, answered.status, answered.content_type)
        return (
            (await self.transit.change(role, answered, asked)).body.decode()
            if role
            else answered.body.decode()
        )

    def run(self, work: Any) -> ProbeMap:
        """Runs `work(self)`; the map afterwards."""

        async def body() -> ProbeMap:
            async with WorkerPool(size=1) as pool:
                asking = Asking(pool, ResultCache(None))
                self.transit = Transit(asking, self.fetch, SourceRoots(self._roots))
                await work(self)
                return self.transit.probes()

        return asyncio.run(body())


def files_of(probes: ProbeMap) -> dict[str, tuple[str, int]]:
    return {file.path: (file.file_class, len(file.statements)) for file in probes.files}


def test_for_v8_all_passes_as_it_is_and_is_parsed_beside() -> None:
    page = "<script>let a = 1;</script><script src=/a.js></script>"
    known = KnownScripts({})

    async def work(web: Web) -> None:
        web.transit.v8 = known
        assert await web.get("/", "document") == page
        assert await web.get("/a.js") == "one();"
        assert not web.transit.delivered(f"{ORIGIN}/a.js"), "a 304 speaks of what the browser holds"

    probes = Web({"/": page, "/a.js": "one();"}).run(work)
    assert set(known.places) == set(probes.counters)
    assert [places.text for places in known.places.values()] == ["let a = 1;", "one();"]
    assert len(probes.probes) == 2


def test_one_module_by_many_addresses_is_one_file() -> None:
    async def work(web: Web) -> None:
        first = await web.get("/src/a.js")
        assert await web.get("/src/a.js?t=1") == await web.get("/src/a.js?t=2&import") == first

    probes = Web({"/src/a.js": "one();\ntwo();\n"}).run(work)
    assert files_of(probes) == {"src/a.js": ("own", 2)}
    assert list(probes.counters) == ["src/a.js"]


def test_another_text_by_the_same_address_has_counters_of_its_own() -> None:
    async def work(web: Web) -> None:
        assert '"src/a.js"' in await web.get("/src/a.js")
        assert '"src/a.js~2"' in await web.get("/src/a.js?t=2")

    source = "one();\ntwo();\n"
    # As when hot reload renames an import: the module differs, its source does not.
    files = {
        "/src/a.js": with_map('import "/b.js";\none();', "a.js", source, ";AAAA"),
        "/src/a.js?t=2": with_map('import "/b.js?t=2";\none();two();', "a.js", source, ";AAAA,MACA"),
    }
    probes = Web(files).run(work)
    assert files_of(probes) == {"src/a.js": ("own", 2)}
    assert probes.resolve("src/a.js~2", range(9)) == probes.own


def test_a_server_that_writes_each_script_anew_is_counted_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transit, "_VARIANTS", 2)

    async def work(web: Web) -> None:
        assert [("__cov$" in await web.get(f"/a.js?{at}")) for at in range(4)] == [True, True, False, False]
        assert any("another each time" in note for note in web.transit.tally().notes)

    Web({f"/a.js?{at}": f"go({at});" for at in range(4)}).run(work)


def test_parts_of_a_component_are_no_sources_of_their_own() -> None:
    whole = "<script>\nlet a = 1;\n</script>\n<template><p/></template>"
    record = {
        "version": 3,
        "names": [],
        "sources": ["webpack://x/./src/App.vue?4f01", "webpack://x/./src/App.vue"],
        "sourcesContent": ["import script from './App.vue?vue&type=script'\nexport default script", whole],
        "mappings": "AAAA;ACCA",
    }

    async def work(web: Web) -> None:
        await web.get("/app.js")

    files = {
        "/app.js": "made();\nlet a = 1;\n//# sourceMappingURL=app.js.map",
        "/app.js.map": json.dumps(record),
    }
    probes = Web(files).run(work)
    own = {path: said for path, said in files_of(probes).items() if said[0] == "own"}
    assert own == {"src/App.vue": ("own", 1)}


def test_scripts_whose_sources_are_all_of_libraries_pass_as_they_are(tmp_path: Path) -> None:
    write_app(tmp_path, {"src/mine.ts": "go();", "node_modules/x/index.js": ""})

    async def work(web: Web) -> None:
        assert "__cov$" not in await web.get("/lib.js")
        assert "__cov$" not in await web.get("/outside.js")
        assert "__cov$" in await web.get("/mine.js")
        assert "__cov$" not in await web.get("/@vite/client")
        assert web.transit.tally().libraries == 3

    files = {
        "/lib.js": with_map("lib();", "webpack://x/node_modules/y/index.js", "lib();", "AAAA"),
        "/outside.js": with_map("out();", "webpack://tool/./src/overlay.ts", "out();", "AAAA"),
        "/mine.js": with_map("go();", f"file://{tmp_path}/src/mine.ts", "go();", "AAAA"),
        "/@vite/client": "connect();",
    }
    probes = Web(files, roots=(tmp_path,)).run(work)
    assert files_of(probes) == {"src/mine.ts": ("own", 1)}


def test_sources_of_a_workspace_are_placed_in_it(tmp_path: Path) -> None:
    write_app(
        tmp_path, {"apps/web/src/a.ts": "a();", "packages/ui/b.ts": "b();", "packages/ui/package.json": "{}"}
    )

    async def work(web: Web) -> None:
        for path in web.files:
            await web.get(path)

    files = {
        "/src/a.ts": with_map("a();", "a.ts", "a();", "AAAA"),
        f"/@fs{tmp_path}/packages/ui/b.ts": with_map("b();", "b.ts", "b();", "AAAA"),
    }
    below = Web(files, roots=(tmp_path / "apps/web", tmp_path)).run(work)
    assert files_of(below) == {"apps/web/src/a.ts": ("own", 1), "packages/ui/b.ts": ("own", 1)}
    above = Web(files, roots=(tmp_path, tmp_path / "apps/web", tmp_path / "packages/ui")).run(work)
    assert files_of(above) == {"apps/web/src/a.ts": ("own", 1), "packages/ui/b.ts": ("own", 1)}
    unknown = Web(files).run(work)
    assert files_of(unknown) == {"src/a.ts": ("own", 1), "b.ts": ("own", 1)}


def test_what_a_framework_writes_into_pages_is_no_code_of_the_app() -> None:
    page = """<!doctype html><script>self.__next_f.push([1,"x"])</script>
    <script type="module">import { injectIntoGlobalHook } from "/@react-refresh";
injectIntoGlobalHook(window);
window.$RefreshReg$ = () => {};</script>
    <script>(self.__next_f=self.__next_f||[]).push([0])</script>
    <script>(globalThis["TURBOPACK"] || (globalThis["TURBOPACK"] = [])).push({"otherChunks":["a.js"]})</script>
    <script>$RC("B:0","S:0")</script><script>window.__NUXT__={};window.__NUXT__.config={a:1}</script>
    <script>(()=>{customElements.get("astro-island")||customElements.define("astro-island",Island)})()</script>
    <script>mine()</script>"""

    async def work(web: Web) -> None:
        body = await web.get("/", "document")
        assert body.count("()[0]++") == 1 and "[0]++;mine()" in body

    assert files_of(Web({"/": page}).run(work)) == {"index.html": ("own", 1)}


def test_jsx_for_a_compiler_in_the_page_is_counted_as_the_user_wrote_it() -> None:
    async def work(web: Web) -> None:
        assert "__cov$" not in await web.get("/app.jsx", "empty")
        await web.get("/", "document")
        assert "__cov$" in await web.get("/app.jsx", "empty")

    page = '<!doctype html><script type="text/babel" src="app.jsx"></script>'
    probes = Web({"/": page, "/app.jsx": "show(<p>hi</p>);\n"}).run(work)
    assert files_of(probes)["app.jsx"] == ("own", 1)


def test_jsx_that_only_a_compiler_in_the_page_runs_is_not_called_unrun_for_v8() -> None:
    page = (
        '<!doctype html><script type="text/babel">\nlet a = <p/>;\n</script><script>one();</script>'
        '<script type="text/babel" src="app.jsx"></script>'
    )
    web = Web({"/": page, "/app.jsx": "show(<p>hi</p>);\n"})

    async def work(web: Web) -> None:
        web.transit.v8 = KnownScripts({})
        await web.get("/", "document")
        await web.get("/app.jsx", "empty")

    probes = web.run(work)
    assert files_of(probes) == {"index.html": ("own", 1)}
    left = {row.path: row.reason for row in web.transit.tally().unmeasured}
    assert set(left) == {"index.html:1", "app.jsx"}
    assert all("a transpiler in the page reads it" in reason for reason in left.values())


def test_an_app_that_arrives_with_istanbuls_counters_is_left_alone() -> None:
    code = (
        "function cov_1abcdefgh(){var gcv='__coverage__';var coverageData={path:'/x/a.js',statementMap:{},s:{}};"
        "return coverageData;}cov_1abcdefgh();"
    )

    async def work(web: Web) -> None:
        assert await web.get("/a.js") == code
        assert web.transit.istanbul

    Web({"/a.js": code}).run(work)


def test_worklets_pass_and_are_told() -> None:
    async def work(web: Web) -> None:
        assert await web.get("/noise.js", "audioworklet") == "registerProcessor();"
        [left] = web.transit.tally().unmeasured
        assert (left.path, left.reason) == (
            "noise.js",
            "runs in a worklet, from which no counter can be read",
        )

    assert Web({"/noise.js": "registerProcessor();"}).run(work).files == ()


def test_what_cannot_be_parsed_passes_and_is_told() -> None:
    async def work(web: Web) -> None:
        assert await web.get("/a.js") == "let let = ;"
        [failed] = web.transit.tally().failed
        assert failed.path == "a.js" and failed.reason.startswith("cannot be parsed")

    Web({"/a.js": "let let = ;"}).run(work)


def test_a_map_that_is_not_there_is_told() -> None:
    async def work(web: Web) -> None:
        await web.get("/a.js")
        assert web.transit.tally().notes == (
            "a.js: the source map a.js.map is not there, so its numbers are of the served file",
        )

    assert files_of(Web({"/a.js": "go();\n//# sourceMappingURL=a.js.map"}).run(work)) == {"a.js": ("own", 1)}


# --- looking ahead

SITE = {
    "/": '<!doctype html><a href="/logout">x</a><script type=module src="/src/main.js"></script>'
    '<script nomodule src="/old.js"></script>',
    "/src/main.js": 'import "./a.js"; import("/src/late.js?t=1"); var _jsxFileName = "/home/me/src/main.js";',
    "/src/a.js": 'new Worker(new URL("/src/worker.js?worker_file", import.meta.url)); import "/src/style.css";',
    "/src/late.js": 'import "https://cdn.example/x.js"; fetch("/api/delete.js");',
    "/src/worker.js": "work();",
    "/src/style.css": "const css = 1;",
    "/logout": "<p>gone",
    "/old.js": "old();",
}


def test_scripts_that_scripts_name_are_fetched_before_anybody_asks() -> None:
    said = []

    async def work(web: Web) -> None:
        said.append(await look_ahead(web.transit, f"{ORIGIN}/"))

    web = Web(SITE)
    probes = web.run(work)
    assert list(files_of(probes)) == ["src/a.js", "src/late.js", "src/main.js", "src/worker.js"]
    assert sorted(web.asked) == sorted(
        [
            "/",
            "/src/main.js",
            "/src/a.js",
            "/src/late.js?t=1",
            "/src/worker.js?worker_file",
            "/api/delete.js",
        ]
    )
    assert str(said[0]) == "4 scripts were fetched ahead, as far as pages and scripts name them"


def test_chunks_are_found_where_bundlers_put_them() -> None:
    async def work(web: Web) -> None:
        await look_ahead(web.transit, f"{ORIGIN}/shop/")

    web = Web(
        {
            "/shop/": '<!doctype html><script type=module src="/shop/assets/main.js"></script>'
            '<script src="/shop/_next/static/chunks/main.js"></script>',
            "/shop/assets/main.js": 'load(["assets/late.js"]); import("./near.js");',
            "/shop/assets/late.js": "late();",
            "/shop/assets/near.js": "near();",
            "/shop/_next/static/chunks/main.js": 'load("static/chunks/page.js");',
            "/shop/_next/static/chunks/page.js": "page();",
        }
    )
    assert {"shop/assets/late.js", "shop/assets/near.js", "shop/_next/static/chunks/page.js"} <= set(
        files_of(web.run(work))
    )


def test_a_page_is_a_page_whatever_its_address_is_called() -> None:
    page = "<!doctype html><html><script>let own = 1;</script><script src=/a.js></script><img src=/other.json></html>"
    got: list[str] = []

    async def work(web: Web) -> None:
        await look_ahead(web.transit, f"{ORIGIN}/data.json")
        got.append(await web.get("/data.json", "document"))

    web = Web({"/data.json": page, "/other.json": page, "/a.js": "one();"})
    probes = web.run(work)
    assert files_of(probes) == {"data.json": ("own", 1), "a.js": ("own", 1)}
    assert got[0] != page, "it got counters"
    assert web.asked == ["/data.json", "/a.js"]


def test_a_look_ahead_has_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = {"/": '<!doctype html><script src="/0.js"></script>'}
    chain |= {f"/{at}.js": f'import "/{at + 1}.js";' for at in range(40)}
    said: list[lookahead.Ahead] = []

    async def work(web: Web) -> None:
        said.append(await look_ahead(web.transit, f"{ORIGIN}/", most=10))

    web = Web(chain)
    web.run(work)
    assert len(web.asked) == 10
    assert "ends after 10 addresses" in str(said[0])


def test_places_of_sources_on_this_machine_are_no_addresses(tmp_path: Path) -> None:
    write_app(tmp_path, {"a.js": "go();"})

    async def work(web: Web) -> None:
        await look_ahead(web.transit, f"{ORIGIN}/")

    web = Web({"/": "<!doctype html><script src=/a.js></script>", "/a.js": f'tell("{tmp_path}/a.js");'})
    web.run(work)
    assert web.asked == ["/", "/a.js"]


def test_the_look_ahead_goes_through_the_frameworks_own_modules_to_the_users() -> None:
    async def work(web: Web) -> None:
        await look_ahead(web.transit, f"{ORIGIN}/")

    web = Web(
        {
            "/": '<!doctype html><script>import("/@fs/x/.svelte-kit/generated/client/app.js")</script>',
            "/@fs/x/.svelte-kit/generated/client/app.js": 'import("/@fs/x/.svelte-kit/generated/client/nodes/0.js")',
            "/@fs/x/.svelte-kit/generated/client/nodes/0.js": 'export { default } from "/src/routes/+page.js";',
            "/src/routes/+page.js": 'import "/node_modules/.vite/deps/lib.js?v=1"; go();',
        }
    )
    assert list(files_of(web.run(work))) == ["index.html", "src/routes/+page.js"]
    assert "/node_modules/.vite/deps/lib.js?v=1" not in web.asked


def test_pages_of_dev_tools_are_left_alone() -> None:
    async def work(web: Web) -> None:
        assert "__cov$" not in await web.get("/__nuxt_devtools__/client/", "iframe")
        assert "__cov$" not in await web.get("/__nuxt_devtools__/client/_nuxt/a.js")

    page = "<!doctype html><script>tool()</script>"
    web = Web({"/__nuxt_devtools__/client/": page, "/__nuxt_devtools__/client/_nuxt/a.js": "tool();"})
    assert web.run(work).files == ()


def test_sources_are_found_below_bases_and_in_folders_of_the_project(tmp_path: Path) -> None:
    write_app(
        tmp_path,
        {
            "app/app.vue": "<script>here()</script>",
            "src/cart.ts": "cart();",
            "one/index.ts": "one();",
            "two/index.ts": "two();",
            "node_modules/x/lib.ts": "lib();",
        },
    )

    async def work(web: Web) -> None:
        for path in web.files:
            await web.get(path)

    def served(path: str, content: str) -> dict[str, str]:
        name = path.rpartition("/")[2]
        return {path: with_map("go();", name, content, "AAAA")}

    web = Web(
        served("/_nuxt/app.vue", "<script>here()</script>")
        | served("/shop/src/cart.ts", "cart();")
        | served("/base/two/index.ts", "two();")
        | served("/index.ts", "one();")
        | served("/unknown/index.ts", "three();")
        | served("/lib.ts", "lib();"),
        roots=(tmp_path,),
    )
    own = {path for path, (kind, _) in files_of(web.run(work)).items() if kind == "own"}
    assert own == {"app/app.vue", "src/cart.ts", "two/index.ts", "one/index.ts"}


def test_libraries_are_counted_where_nothing_else_is_sent() -> None:
    page = "<!doctype html><p>made by the server</p><script src=/vendor/jquery.js></script>"
    files = {"/": page, "/vendor/jquery.js": "one();\ntwo();\n"}

    async def work(web: Web) -> None:
        await look_ahead(web.transit, f"{ORIGIN}/")
        assert not web.transit.probes().probes
        assert web.transit.tally().libraries == 1
        web.transit.count_libraries()
        await look_ahead(web.transit, f"{ORIGIN}/")
        assert "__cv" in await web.get("/vendor/jquery.js")

    (file,) = Web(files).run(work).files
    assert (file.path, file.file_class, len(file.statements)) == ("vendor/jquery.js", "own", 2)
    assert file.class_reason.startswith("all code of this app looks like library code")
