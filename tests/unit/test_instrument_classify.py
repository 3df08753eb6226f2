"""instrument.classify: own code or library code, and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from instrument.classify import BUILT, classify, is_minified, keep_some_own
from tests.bundling import bundle_of, write_app

BANNER = "/*! Gadget v2.1.0 | (c) 2020 | MIT license */\n"
LICENCE = "/**\n * Angular\n * @license MIT\n */\nfunction go() {}\n"
MINIFIED = "!function(e){" + "var t=e.x;if(t&&t.y){return t.z(1);}" * 20 + "}(this);"
WRAPPER = "(function(f){if(typeof exports==='object')module.exports=f()})()"


@pytest.mark.parametrize(
    ("path", "text", "word"),
    [
        ("vendor/thing.js", "", "folder of libraries (vendor)"),
        ("a/bower_components/x/x.js", "", "bower_components"),
        ("js/jquery-3.7.1.min.js", BANNER, "known library"),
        ("js/jquery.dataTables.js", LICENCE, "known library"),
        ("react-dom.production.min.js", MINIFIED, "known library"),
        ("d3.v3.min.js", MINIFIED, "known library"),
        ("three.module.js", LICENCE, "known library"),
        ("bootstrap.bundle.min.js", BANNER, "known library"),
        ("vue.global.prod.js", MINIFIED, "known library"),
        ("angular-route.js", LICENCE, "known library"),
        ("lodash.js", WRAPPER, "known library"),
        (
            "js/chunk-vendors.0a1b2c3d.js",
            "(self.webpackChunkapp = self.webpackChunkapp || []).push([[1], {}]);",
            "chunk of libraries",
        ),
        ("js/polyfills-5cd94c89d3acac5f.js", MINIFIED, ""),
        ("create-react-class-15.6.2.js", WRAPPER, "release number"),
        ("Stats.js", "// stats.js r8 - http://github.com/mrdoob/stats.js\nvar Stats;", "address"),
        ("chart.js", "/* Chart.js v2.9.4 */\nvar Chart;", "release or address"),
        ("backbone-localstorage.js", "// see https://x.example/Backbone.localStorage\n", "address"),
        ("libs/tween.module.js", "export class Tween {}", "folder called libs"),
        ("zone.js", "'use strict';\n" + LICENCE, "licence"),
        ("runtime.js", "var __webpack_require__ = {};", "runtime of a bundler"),
        ("framework-1a2b3c4d5e6f7a8b.js", MINIFIED, "minified"),
        ("calendar-1.0.2.js", "define.amd && define(make);", "wrapped"),
        ("gadget.min.js", BANNER + "x()", "banner"),
        ("js/gadget.js", BANNER + WRAPPER, "banner"),
        ("libs/gadget.js", WRAPPER, "called libs"),
        ("extensions/_virtual/preload-helper.js", "", "bundler"),
    ],
)
def test_library_code(path: str, text: str, word: str) -> None:
    verdict = classify(path, text)
    assert verdict.file_class == "vendor"
    assert word in verdict.reason


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("js/app.js", ""),
        ("js/game_manager.js", ""),
        ("lib/model.js", "export class Model {}"),
        ("js/app.js", "/*! My shop, copyright me */\nstart();"),
        ("js/reactor.js", ""),
        ("js/vuewer.js", ""),
        ("js/calendar.js", "/** @version 1.2.3 */ function x() {}"),
        ("js/stringify-cart.js", ""),
        ("assets/chart.js", "// A ring of licence fees, see 1.2 below (c)\nexport class Chart {}"),
        ("lib/history.js", "export class History {}"),
    ],
)
def test_own_code(path: str, text: str) -> None:
    assert classify(path, text).file_class == "own"


HAND_WRITTEN = "// How it is drawn.\nexport function draw(on) {\n  if (on) {\n    return 1;\n  }\n}\n"


@pytest.mark.parametrize(
    "name",
    "chart.js lib.js runtime.js framework.js app-1.0.2.js calendar-1.0.2.js bootstrap.js zone.js d3.js main-app.js "
    "vendor.js jquery.js history.js stats.js".split(),
)
def test_a_name_alone_makes_no_library(name: str) -> None:
    for text in (
        HAND_WRITTEN,
        HAND_WRITTEN + "if (typeof module !== 'undefined') module.exports = draw;\n",
    ):
        verdict = classify(f"js/{name}", text)
        assert verdict.file_class == "own"
        assert verdict.reason.startswith(name)
        assert "but nothing in its text bears that out" in verdict.reason


def test_the_chart_of_the_demo_is_its_own() -> None:
    demo = Path(__file__).parents[1] / "apps" / "demo" / "chart.js"
    assert classify("chart.js", demo.read_text()).file_class == "own"


def test_one_long_line_of_data_makes_no_built_file() -> None:
    rows = "const ROWS = [" + ", ".join(str(at) for at in range(8000)) + "];\n"
    words = "const WORDS = " + repr(["let me see if (a) => b; return (c);"] * 1200) + ";\n"
    for data in (rows, words):
        assert len(data) > 40_000
        assert not is_minified(HAND_WRITTEN * 5 + data)
        assert classify("js/app.js", HAND_WRITTEN * 5 + data).reason != BUILT


def test_most_code_in_long_lines_is_a_built_file() -> None:
    banner = "/*\n" + " * Many lines of a licence.\n" * 60 + " */\n"
    shader = "var shader=`\n" + "  vec3 colour = vec3(0.1);\n" * 400 + "`;"
    picture = "var p='data:image/png;base64," + "Ab0" * 20_000 + "';"
    for text in (banner + MINIFIED * 40, MINIFIED * 40 + shader, picture + MINIFIED, MINIFIED * 40):
        assert is_minified(text)
    assert classify("js/app.js", banner + MINIFIED * 40).reason == BUILT


def test_the_package_of_the_app_itself_is_own() -> None:
    assert classify("dist/jquery-ui.js", BANNER + WRAPPER, package="jquery-ui-dist").file_class == "own"
    assert classify("build/p2.min.js", BANNER, package="p2").file_class == "own"
    assert classify("js/sb-admin-2.min.js", BANNER, package="startbootstrap-sb-admin-2").file_class == "own"
    assert classify("js/react.js", BANNER, package="my-react").file_class == "vendor"
    assert classify("lib/js/canvas-core.js", WRAPPER, package="@me/canvas").file_class == "own"
    assert classify("build/three.js", WRAPPER, package="p2").file_class == "vendor"


def test_a_built_file_says_that_its_parts_cannot_be_told_apart() -> None:
    verdict = classify("assets/index-D64VDMd1.js", "a(1);" * 6000)
    assert verdict.file_class == "own"
    assert "cannot be told apart" in verdict.reason


def test_the_headline_never_loses_all_code(tmp_path: Path) -> None:
    files = {"index.html": "<script src=three.js></script>", "three.js": WRAPPER, "vendor/b.js": "b();"}
    bundle = bundle_of(write_app(tmp_path, files))
    classes = {source.path: source.file_class for source in bundle.probes.files}
    assert classes == {"three.js": "own", "vendor/b.js": "vendor"}
    reasons = {source.path: source.class_reason for source in bundle.probes.files}
    assert "taken for the app itself" in reasons["three.js"]
    certain = {"vendor/b.js": classify("vendor/b.js", "")}
    assert keep_some_own(certain, {"vendor/b.js": 3})["vendor/b.js"].file_class == "own"


def test_own_code_keeps_the_libraries_apart(tmp_path: Path) -> None:
    files = {"index.html": "<script>go()</script><script src=three.js></script>", "three.js": WRAPPER}
    bundle = bundle_of(write_app(tmp_path, files))
    assert {source.path: source.file_class for source in bundle.probes.files}["three.js"] == "vendor"
    assert bundle.probes.own == set(bundle.probes.files[0].statements)


def test_scripts_for_old_browsers_count_apart(tmp_path: Path) -> None:
    page = "<script type=module src=new.js></script><script nomodule src=old.js></script>"
    bundle = bundle_of(write_app(tmp_path, {"index.html": page, "new.js": "a();", "old.js": "b();"}))
    old = next(source for source in bundle.probes.files if source.path == "old.js")
    assert old.file_class == "vendor"
    assert "nomodule" in old.class_reason


@pytest.mark.parametrize("name", ["_buildManifest", "_ssgManifest", "_clientMiddlewareManifest"])
def test_lists_that_next_makes_are_none_of_the_users(name: str) -> None:
    found = classify(f"_next/static/RvFN6Bv4BETE959HZQb5j/{name}.js", "self.__X = new Set([]);")
    assert (found.file_class, found.certain) == ("vendor", True)
    assert classify(f"js/{name}.js", "self.__X = new Set([]);").file_class == "own"
