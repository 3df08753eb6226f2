"""instrument.evals: modules that webpack keeps as texts in development."""

from __future__ import annotations

import json

from instrument.evals import eval_modules, keeps_modules, with_modules
from tests.devserver import with_map
from tests.unit.test_instrument_transit import Web, files_of


def kept(code: str, name: str, *, types: bool = False) -> str:
    """A module as webpack writes it into its bundle."""
    text = json.dumps(f"{code}\n\n//# sourceURL=webpack-internal:///{name}\n")
    return f"eval(__webpack_require__.ts({text}));" if types else f"eval({text});"


BUNDLE = (
    '({"./src/a.js": (m) => { ' + kept('go("x\\u2028");', "./src/a.js?1a2b") + " },\n"
    '"./app/page.tsx": (m) => { '
    + kept("show();", "(app-pages-browser)/./app/page.tsx", types=True)
    + " },\n"
    '"./node_modules/x.js": (m) => { ' + kept("lib();", "./node_modules/x/index.js") + " },\n"
    '"runtime": (m) => { ' + kept("run();", "./webpack/bootstrap") + " }});"
)


def test_modules_of_the_user_are_found_by_their_names() -> None:
    assert keeps_modules(BUNDLE) and not keeps_modules('eval("1 + 1"); // sourceURL=webpack')
    found = list(eval_modules(BUNDLE))
    assert [module.path for module in found] == ["src/a.js", "app/page.tsx"]
    assert found[0].code.startswith('go("x\\u2028");')
    assert BUNDLE[found[0].start] == BUNDLE[found[0].end - 1] == '"'


def test_other_texts_are_put_in_their_place_and_the_rest_stays() -> None:
    first, second = eval_modules(BUNDLE)
    changed = with_modules(BUNDLE, {second.start: 'other("\n")'})
    assert changed == BUNDLE[: second.start] + json.dumps('other("\n")') + BUNDLE[second.end :]
    assert with_modules(BUNDLE, {}) == BUNDLE
    assert next(eval_modules(changed)) == first


def test_they_are_counted_one_by_one_and_mapped_by_their_own_maps() -> None:
    mapped = with_map("go(1);stay(2);", "webpack://x/./src/b.ts", "go(1 as any);\nstay(2);", "AAAA,MACA")
    lib = "({ a: () => { " + kept("lib();", "./node_modules/x/index.js") + " } });"

    async def work(web: Web) -> None:
        body = await web.get("/app.js")
        changed = list(eval_modules(body))
        assert [module.path for module in changed] == ["src/a.js", "src/b.ts"]
        assert all("__cov$" in module.code for module in changed)
        assert body.replace(json.dumps(changed[0].code), "") != body, "texts stay texts"
        assert await web.get("/lib.js") == lib
        assert web.transit.tally().libraries == 1

    files = {
        "/app.js": "({ a: () => { "
        + kept("one();", "./src/a.js")
        + " },\n b: () => { "
        + kept(mapped, "./src/b.ts", types=True)
        + " } });",
        "/lib.js": lib,
    }
    probes = Web(files).run(work)
    assert files_of(probes) == {"src/a.js": ("own", 1), "src/b.ts": ("own", 2)}
    assert probes.resolve("src/b.ts", [0, 1]) | probes.resolve("src/a.js", [0]) == probes.own
