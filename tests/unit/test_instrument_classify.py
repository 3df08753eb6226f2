"""instrument.classify: own code or library code, and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from instrument.classify import classify, keep_some_own
from tests.bundling import bundle_of, write_app

BANNER = "/*! Gadget v2.1.0 | (c) 2020 | MIT license */\n"
WRAPPER = "(function(f){if(typeof exports==='object')module.exports=f()})()"


@pytest.mark.parametrize(
    ("path", "text", "word"),
    [
        ("vendor/thing.js", "", "folder of libraries (vendor)"),
        ("a/bower_components/x/x.js", "", "bower_components"),
        ("js/jquery-3.7.1.min.js", "", "known library"),
        ("js/jquery.dataTables.js", "", "known library"),
        ("react-dom.production.min.js", "", "known library"),
        ("d3.v3.min.js", "", "known library"),
        ("three.module.js", "", "known library"),
        ("bootstrap.bundle.min.js", "", "known library"),
        ("vue.global.prod.js", "", "known library"),
        ("angular-route.js", "", "known library"),
        ("lodash.js", "", "known library"),
        ("js/chunk-vendors.0a1b2c3d.js", "", "chunk of libraries"),
        ("js/polyfills-5cd94c89d3acac5f.js", "", ""),
        ("create-react-class-15.6.2.js", "", "release number"),
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
    ],
)
def test_own_code(path: str, text: str) -> None:
    assert classify(path, text).file_class == "own"


def test_the_package_of_the_app_itself_is_own() -> None:
    assert classify("dist/jquery-ui.js", BANNER + WRAPPER, package="jquery-ui-dist").file_class == "own"
    assert classify("build/p2.min.js", BANNER, package="p2").file_class == "own"
    assert classify("js/sb-admin-2.min.js", BANNER, package="startbootstrap-sb-admin-2").file_class == "own"
    assert classify("js/react.js", BANNER, package="my-react").file_class == "vendor"
    assert classify("lib/js/canvas-core.js", WRAPPER, package="@me/canvas").file_class == "own"
    assert classify("build/three.js", "", package="p2").file_class == "vendor"


def test_a_built_file_says_that_its_parts_cannot_be_told_apart() -> None:
    verdict = classify("assets/index-D64VDMd1.js", "a(1);" * 6000)
    assert verdict.file_class == "own"
    assert "cannot be told apart" in verdict.reason


def test_the_headline_never_loses_all_code(tmp_path: Path) -> None:
    files = {"index.html": "<script src=three.js></script>", "three.js": "a();", "vendor/b.js": "b();"}
    bundle = bundle_of(write_app(tmp_path, files))
    classes = {source.path: source.file_class for source in bundle.probes.files}
    assert classes == {"three.js": "own", "vendor/b.js": "vendor"}
    reasons = {source.path: source.class_reason for source in bundle.probes.files}
    assert "taken for the app itself" in reasons["three.js"]
    certain = {"vendor/b.js": classify("vendor/b.js", "")}
    assert keep_some_own(certain, {"vendor/b.js": 3})["vendor/b.js"].file_class == "own"


def test_own_code_keeps_the_libraries_apart(tmp_path: Path) -> None:
    files = {"index.html": "<script>go()</script><script src=three.js></script>", "three.js": "a();"}
    bundle = bundle_of(write_app(tmp_path, files))
    assert {source.path: source.file_class for source in bundle.probes.files}["three.js"] == "vendor"
    assert bundle.probes.own == set(bundle.probes.files[0].statements)


def test_scripts_for_old_browsers_count_apart(tmp_path: Path) -> None:
    page = "<script type=module src=new.js></script><script nomodule src=old.js></script>"
    bundle = bundle_of(write_app(tmp_path, {"index.html": page, "new.js": "a();", "old.js": "b();"}))
    old = next(source for source in bundle.probes.files if source.path == "old.js")
    assert old.file_class == "vendor"
    assert "nomodule" in old.class_reason
