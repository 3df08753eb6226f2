"""instrument.markers: which tool built a folder that has no package.json."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from instrument.detect import detect
from instrument.markers import MARKERS, BuildKind
from tests.bundling import write_app

WEBPACK = "(()=>{var e={1:()=>{}},t={};function n(r){var o=t[r];if(void 0!==o)return o.exports;}})();"

CASES: list[tuple[dict[str, str], BuildKind, str]] = [
    ({"index.html": "<p>", "_app/immutable/entry/app.Cx1.js": ""}, "sveltekit", "the folder holds _app/immutable/"),
    ({"index.html": '<link href="./_app/immutable/x.js" rel="modulepreload">'}, "sveltekit", "loads _app/immutable"),
    ({"index.html": "<script>{ __sveltekit_1abc = { base: '' } }</script>"}, "sveltekit", "starts SvelteKit"),
    ({"index.html": "<p>", "_nuxt/D1.js": ""}, "nuxt", "the folder holds _nuxt/"),
    ({"index.html": '<script type="module" src="/_nuxt/D1.js" crossorigin>'}, "nuxt", "the page loads _nuxt"),
    ({"index.html": '<script id="__NUXT_DATA__">'}, "nuxt", "carries Nuxt's data"),
    ({"index.html": '<app-root></app-root><script src="main-ABCDEFG1.js" type="module">'}, "angular", "main-<HASH>.js"),
    ({"index.html": '<app-root ng-version="22.2.0" ng-server-context="ssg">'}, "angular", "says its Angular version"),
    (
        {"index.html": '<script src="runtime.0123456789abcdef.js"></script><script src="polyfills.0123456789abcdef.js">'},
        "angular",
        "Angular's runtime",
    ),
    ({"index.html": '<div id="___gatsby">'}, "gatsby", "___gatsby"),
    ({"index.html": "<p>", "page-data/index/page-data.json": "{}"}, "gatsby", "page-data/"),
    (
        {"index.html": '<script src="/index.0a1b2c3d.js">', "index.0a1b2c3d.js": "var a=globalThis.parcelRequire94c2;"},
        "parcel",
        "index.0a1b2c3d.js is bundled by Parcel",
    ),
    ({"index.html": '<script src="main.js">', "main.js": WEBPACK}, "webpack", "main.js is bundled by webpack"),
    (
        {"sub/index.html": '<script src="js/app.0a1b2c3d4e.js">', "sub/js/app.0a1b2c3d4e.js": "self.webpackChunkshop=[];"},
        "webpack",
        "sub/js/app.0a1b2c3d4e.js is bundled by webpack",
    ),
    (
        {"index.html": "<script defer src=main.5eafe6bde8b4b3fb5d53.js></script>"},
        "webpack",
        "as html-webpack-plugin writes it",
    ),
    ({"index.html": '<script defer="defer" src="/js/main.js"></script>'}, "webpack", "as html-webpack-plugin"),
    ({"index.html": "<script type=module src=/shop.e44ece66.js></script>"}, "parcel", "<name>.<hash>.js"),
    ({"index.html": '<script src="vendor/swagger-ui.js">', "vendor/swagger-ui.js": WEBPACK}, "static", ""),
    ({"index.html": '<script src="app.js">', "app.js": "start()"}, "static", ""),
]  # fmt: skip


@pytest.mark.parametrize(("files", "kind", "word"), CASES)
def test_what_built_it(tmp_path: Path, files: dict[str, str], kind: str, word: str) -> None:
    build = detect(write_app(tmp_path, files))
    assert build.kind == kind
    assert word in " ".join(build.evidence)


def test_the_more_specific_tool_is_named(tmp_path: Path) -> None:
    vite = '<script type="module" crossorigin src="/assets/index-D64VDMd1.js"></script>'
    build = detect(write_app(tmp_path, {"index.html": vite, "_app/immutable/a.js": ""}))
    assert build.kind == "sveltekit"
    assert len(build.evidence) == 2


def test_every_kind_but_plain_files_has_a_marker() -> None:
    assert {marker.kind for marker in MARKERS} == set(get_args(BuildKind)) - {"static", "server"}
