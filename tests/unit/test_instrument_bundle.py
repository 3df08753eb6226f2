"""instrument.bundle: every script of an app has counters, and nothing else is changed."""

from __future__ import annotations

import asyncio
import base64
import gzip
import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from instrument.bundle import Bundle, make_bundle
from instrument.detect import detect
from instrument.folder import Listing
from instrument.istanbul import hits_of
from instrument.leftout import made_at_run_time
from instrument.node import ScriptError, WorkerPool
from tests.bundling import bundle_of, texts_of, write_app

COUNTER = re.compile(r"__cv[0-9a-f]{10}\(\)\[\d+\]\+\+")

SCRIPTS = """<!doctype html><meta charset=utf-8>
<script type="importmap">{"imports": {"x": "./x.mjs"}}</script>
<script>start();</script>
<script type="module">import 'x'; go();</script>
<script nomodule>old();</script>
<script src="classic.js"></script>
<button onclick="press(1); release()" onFocus='look("a")'>x</button>
<a href="javascript:jump()">y</a>
<iframe srcdoc="<script>inside(&quot;1&quot;)</script><p onclick='deep()'>"></iframe>
<template><script>cloned()</script></template>
<script type="module" src="data:text/javascript,data()"></script>
<script type="application/json">{"a": 1}</script>
<script type="text/x-template"><p onclick="never()"></script>
"""


def test_every_kind_of_script_is_counted_and_data_blocks_are_left_alone(tmp_path: Path) -> None:
    files = {"x.mjs": "export const a = 1;", "classic.js": "one(); two();", "worker.js": "self.b = 2;"}
    bundle = bundle_of(write_app(tmp_path, {"index.html": SCRIPTS, **files}))
    found = texts_of(bundle, "index.html")
    inline = ["start();", "go();", "old();", "press(1);", "release()", 'look("a")', "jump()"]
    inline += ["inside(&quot;1&quot;)", "deep()", "cloned()"]
    assert found[: len(inline)] == inline
    assert len(found) == len(inline) + 1, "the data: script is counted at the place of its address"
    assert texts_of(bundle, "classic.js") == ["one();", "two();"]
    assert {source.path for source in bundle.probes.files} == {"index.html", *files}
    html = bundle.overlay["index.html"].decode()
    assert '{"imports": {"x": "./x.mjs"}}' in html
    assert '{"a": 1}' in html
    assert '<script type="text/x-template"><p onclick="never()"></script>' in html
    assert not bundle.failed
    assert (bundle.mode, len(bundle.scripts)) == ("istanbul", 13)


def test_line_numbers_of_inline_scripts_are_the_pages(tmp_path: Path) -> None:
    page = "<p>\r\n<script>\r\nfunction f() {\r\n  return 1;\r\n}\r\nf();</script>"
    bundle = bundle_of(write_app(tmp_path, {"index.html": page}))
    lines = [probe.position.line for probe in bundle.probes.probes if probe.kind == "statement"]
    assert sorted(lines) == [4, 6]


def test_a_handler_attribute_is_a_function_around_its_statements(tmp_path: Path) -> None:
    bundle = bundle_of(write_app(tmp_path, {"index.html": "<p onclick='save(); done()'>x</p>"}))
    probes = bundle.probes
    function = probes.function_of("index.html#0", 1)
    assert function is not None
    assert probes.probes[function].function == "onclick"
    assert len(probes.body[function]) == 2
    assert function in probes.resolve("index.html#0", [0])
    assert probes.mined[function].calls == ("save", "done")


def test_addresses_that_do_nothing_are_no_code(tmp_path: Path) -> None:
    page = (
        "<a href='javascript:void(0)'>a<a href='javascript:;'>b"
        "<a href=' JavaScript: go( &quot;x&quot; )'>c<a href='javascript:go(%22y%22)'>d"
    )
    bundle = bundle_of(write_app(tmp_path, {"index.html": page}))
    assert texts_of(bundle, "index.html") == ["go( &quot;x&quot; )"]
    assert [failed.reason for failed in bundle.failed] == [
        "a javascript: address with escapes is not measured"
    ]
    assert "href='javascript:void(0)'>a<a href='javascript:;'" in bundle.overlay["index.html"].decode()


def test_only_scripts_are_edited(tmp_path: Path) -> None:
    page = "<!DOCTYPE html>\n<TABLE><tr><td>a<p>b<table></p>&nbsp;&copy <SCRIPT>\n\tx( 1 )\n</SCRIPT ><b><i></b></i>\0<!-- c"
    bundle = bundle_of(write_app(tmp_path, {"index.html": page}))
    html = bundle.overlay["index.html"].decode()
    before, after = page.split("x( 1 )")
    assert html.startswith(before[:-3])
    assert html.endswith("x( 1 )" + after)


def test_elements_that_the_parser_makes_twice_are_edited_once(tmp_path: Path) -> None:
    page = (
        "<b onclick='a()'><p>x</b>y</p><p>z<table><b onclick='c()'>t<tr><td></table>"
        "<form onsubmit='d()'><form onsubmit='e()'>"
    )
    bundle = bundle_of(write_app(tmp_path, {"index.html": page}))
    assert sorted(texts_of(bundle, "index.html")) == ["a()", "c()", "d()"]
    html = bundle.overlay["index.html"].decode()
    assert len(COUNTER.findall(html)) == 3
    assert html.startswith("<b onclick='function") and html.endswith("<form onsubmit='e()'>")


@pytest.mark.parametrize(
    "script",
    [
        "a = '<\\/script>'; b()",
        "a = '<!--'; b = '<script>'; c = '<\\/script>'; d = '-->';",
        "<!-- old\n a() \n// -->",
        "a = `</scrip` + `t>`; b();",
    ],
)
def test_scripts_that_hold_markup(tmp_path: Path, script: str) -> None:
    bundle = bundle_of(write_app(tmp_path, {"index.html": f"<script>{script}</script><p>end"}))
    assert not bundle.failed
    assert bundle.probes.own
    assert bundle.overlay["index.html"].decode().endswith("</script><p>end")


def test_deep_nesting(tmp_path: Path) -> None:
    page = "<div>" * 5000 + "<script>a()</script>"
    bundle = bundle_of(write_app(tmp_path, {"index.html": page}))
    assert texts_of(bundle, "index.html") == ["a()"]


@pytest.mark.parametrize(
    ("encoding", "mark"),
    [
        ("utf-8", b"\xef\xbb\xbf"),
        ("utf-16-le", b"\xff\xfe"),
        ("utf-16-be", b"\xfe\xff"),
        ("windows-1252", b""),
        ("shift_jis", b""),
    ],
)
def test_encodings_are_kept(tmp_path: Path, encoding: str, mark: bytes) -> None:
    word = "表示" if encoding == "shift_jis" else "naïve"
    page = f"<meta charset={encoding}><script>a('{word}')</script><script src=b.js></script>"
    script = f"b('{word}');"
    files = {"index.html": mark + page.encode(encoding), "b.js": mark + script.encode(encoding)}
    bundle = bundle_of(write_app(tmp_path, files))
    for path, text in (("index.html", f"a('{word}')"), ("b.js", f"b('{word}');")):
        body = bundle.overlay[path]
        assert body.startswith(mark)
        assert COUNTER.search(body[len(mark) :].decode(encoding))
        assert texts_of(bundle, path) == [text]


def test_a_script_that_cannot_be_parsed_is_served_as_it_is(tmp_path: Path) -> None:
    files = {"index.html": "<script>a b</script>\n<script>c()</script>", "app.js": "const a = <p/>;"}
    bundle = bundle_of(write_app(tmp_path, files))
    reasons = {failed.path: failed.reason for failed in bundle.failed}
    assert set(reasons) == {"index.html:1", "app.js"}
    assert "Unexpected token" in reasons["app.js"]
    assert "app.js" not in bundle.overlay
    assert texts_of(bundle, "index.html") == ["c()"]


def test_jsx_for_babel_in_the_browser_is_counted_as_jsx(tmp_path: Path) -> None:
    page = "<script type=text/babel>const A = () => <b>{f(1)}</b>;</script><script type=text/babel src=app.jsx></script>"
    bundle = bundle_of(write_app(tmp_path, {"index.html": page, "app.jsx": "go(<A/>);"}))
    assert not bundle.failed
    assert "<b>{f(1)}</b>" in texts_of(bundle, "index.html")
    assert texts_of(bundle, "app.jsx") == ["go(<A/>);"]
    assert b"<A/>" in bundle.overlay["app.jsx"]


def digest(text: str | bytes, algorithm: str = "sha256") -> str:
    body = text.encode() if isinstance(text, str) else text
    return f"{algorithm}-{base64.b64encode(hashlib.new(algorithm, body).digest()).decode()}"


def test_content_security_policy_lists_the_counted_script_beside_the_plain_one(tmp_path: Path) -> None:
    script = "\na();\r\n"
    listed, handler = digest("\na();\n"), digest("b()", "sha512")
    policy = f"script-src 'self' '{listed}' 'unsafe-hashes' '{handler}'"
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    page = f'{meta}<p onclick="b()"><script>{script}</script><script>c()</script>'
    bundle = bundle_of(write_app(tmp_path, {"index.html": page}))
    html = bundle.overlay["index.html"].decode()
    counted = re.search(r"<script>([\s\S]*?a\(\);\r\n)</script>", html)
    attribute = re.search(r'onclick="([^"]*)"', html)
    assert counted and attribute
    fresh = digest(counted[1].replace("\r\n", "\n"))
    fresh_handler = digest(attribute[1].replace("&quot;", '"').replace("&amp;", "&"), "sha512")
    assert f"'{listed}' '{fresh}'" in html
    assert f"'{handler}' '{fresh_handler}'" in html
    other = re.search(r"<script>([^<]*c\(\))</script>", html)
    assert other and digest(other[1]) not in html, "a script that was blocked stays blocked"


def test_integrity_is_renewed_where_it_fitted_and_left_where_it_did_not(tmp_path: Path) -> None:
    good, bad = digest("a();", "sha384"), digest("something else", "sha384")
    loader = f"load('a.js', '{good}');"
    page = (
        f'<script src=a.js integrity="{good}"></script><script src=a.js integrity={bad}></script>'
        f"<script src=loader.js integrity={digest(loader)}></script>"
    )
    bundle = bundle_of(write_app(tmp_path, {"index.html": page, "a.js": "a();", "loader.js": loader}))
    html = bundle.overlay["index.html"].decode()
    fresh = digest(bundle.overlay["a.js"], "sha384")
    assert f'integrity="{fresh}"' in html
    assert f"integrity={bad}" in html
    assert good not in html
    assert fresh in bundle.overlay["loader.js"].decode()
    assert f"integrity={digest(bundle.overlay['loader.js'])}" in html


def test_the_folder_is_not_written_to_and_links_out_of_it_are_not_followed(tmp_path: Path) -> None:
    outside = write_app(tmp_path / "outside", {"secret.js": "secret();", "more/b.js": "b();"})
    app = write_app(
        tmp_path / "real", {"index.html": "<script src=a.js></script>", "a.js": "a();", "deep/c.js": "c();"}
    )
    (app / "link.js").symlink_to(outside / "secret.js")
    (app / "more").symlink_to(outside / "more")
    (app / "again").symlink_to(app / "deep")
    (app / "deep" / "loop").symlink_to(app)
    link = tmp_path / "node_modules" / "app"
    link.parent.mkdir()
    link.symlink_to(app)
    before = {path: path.stat().st_mtime_ns for path in app.rglob("*")}
    bundle = bundle_of(link)
    assert {path: path.stat().st_mtime_ns for path in app.rglob("*")} == before
    assert set(bundle.overlay) == {"a.js", "deep/c.js", "again/c.js"}
    assert bundle.root == link
    left = {skipped.path: skipped.reason for skipped in bundle.unmeasured}
    assert left == dict.fromkeys(["link.js", "more"], "a link that leads out of the folder")


def test_what_the_walk_leaves_out_counts_when_a_page_names_it(tmp_path: Path) -> None:
    files = {
        "index.html": "<script src=node_modules/x/x.js></script><script src=app.js></script><script src=.a/b.js></script>",
        "node_modules/x/x.js": "x();",
        ".a/b.js": "b();",
        ".a/c.js": "c();",
        "node_modules/y/y.js": "y();",
        "app.js": "a();",
    }
    bundle = bundle_of(write_app(tmp_path, files))
    assert {source.path: source.file_class for source in bundle.probes.files} == {
        "app.js": "own",
        ".a/b.js": "own",
        "node_modules/x/x.js": "vendor",
    }


def test_what_is_not_measured_is_listed_with_its_reason(tmp_path: Path) -> None:
    files = {
        "index.html": "<div x-data='{}'></div><script src=app.js></script><script src=https://cdn.test/x.js></script>",
        "app.js": "new Worker(URL.createObjectURL(new Blob([code]))); audio.audioWorklet.addModule('tone.js');"
        "new SharedWorker('./shared.js'); import('data:text/javascript,1'); WebAssembly.instantiate(x)",
        "tone.js": "a();",
        "shared.js": "b();",
        "gulpfile.js": "const gulp = require('gulp');",
        "lib/part.js": "module.exports = require('./x');",
        "test/a.test.js": "it();",
        "app.min.js": "x();",
        "pic.svg": "<svg><script>a()</script></svg>",
        "old.xhtml": "<html/>",
        "ignored.js": "/* istanbul ignore file */ a();",
    }
    bundle = bundle_of(write_app(tmp_path, files))
    listed = [(entry.path, entry.reason) for entry in bundle.unmeasured]
    for path, word in [
        ("index.html", "x-data"),
        ("https://cdn.test/x.js", "another host"),
        ("app.js", "worker from text"),
        ("app.js", "data: URL"),
        ("app.js", "WebAssembly"),
        ("tone.js", "worklet"),
        ("gulpfile.js", "build or server script"),
        ("lib/part.js", "CommonJS"),
        ("test/a.test.js", "a test"),
        ("app.min.js", "another form of app.js"),
        ("ignored.js", "istanbul ignore file"),
        ("pic.svg", "SVG"),
        ("old.xhtml", "XHTML"),
    ]:
        assert any(place == path and word in reason for place, reason in listed), (path, word, listed)
    assert [source.path for source in bundle.probes.files] == ["app.js", "shared.js"]


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("eval(code)", "eval"),
        ("(0, eval)(code)", "eval"),
        ("new Function('a', text)", "functions of text"),
        ("eval(code + '//# sourceURL=x.js')", "eval"),
        ("const w = new Worker(URL.createObjectURL(blob))", "worker from text"),
        (
            "const b = new Blob(['onmessage=1']), u = self.URL.createObjectURL(b); new Worker(u, {})",
            "worker from text",
        ),
        ("function start(u) { return new Worker(u); } start(URL.createObjectURL(b))", "worker from text"),
        ("new Worker('data:text/javascript,onmessage=1')", "data: URL"),
        ("new Worker('w.js'); save(URL.createObjectURL(new Blob(['a'])))", ""),
        ("new Worker(new URL('w.js', import.meta.url)); URL.createObjectURL(b)", ""),
        ("new Worker(path); image.src = 'data:image/png;base64,xx'", ""),
        ("const s = document.createElement('script'); s.async = 1; s.textContent = code;", "adds a script"),
        ("document.write('<script>' + code + '<\\/script>')", "writes a script"),
        ("x.eval(code); new Function('return this')(); medieval(1); (0, eval)('this')", ""),
        ("const s = document.createElement('script'); s.src = url;", ""),
        ("const s = document.createElement('script'); document.createElement('p').textContent = 'x'", ""),
        ("document.write('<script src=b.js><\\/script>')", ""),
    ],
)
def test_code_made_at_run_time_is_listed(code: str, word: str) -> None:
    listed = [entry.reason for entry in made_at_run_time("app.js", code)]
    assert len(listed) == bool(word)
    assert not word or word in listed[0]


def test_an_unreadable_script_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = write_app(tmp_path, {"index.html": "<script src=a.js></script>", "a.js": "a();", "b.js": "b();"})
    os.mkfifo(app / "pipe.js")
    (app / "c.js").symlink_to(app / "nothing.js")
    (app / os.fsdecode(b"bad\xff.js")).write_text("x()")
    read = Listing.read

    def refuse(self: Listing, path: str) -> bytes:
        if path == "b.js":  # root may read anything, so a refusal is played
            raise PermissionError(13, "Permission denied")
        return read(self, path)

    monkeypatch.setattr(Listing, "read", refuse)
    bundle = bundle_of(app)
    assert set(bundle.overlay) == {"a.js"}
    assert [(failed.path, failed.reason) for failed in bundle.failed] == [
        ("b.js", "cannot be read: Permission denied")
    ]
    assert any("not UTF-8" in entry.reason for entry in bundle.unmeasured)


def test_a_script_that_hangs_the_parser_is_listed_and_the_rest_goes_on(tmp_path: Path) -> None:
    app = write_app(tmp_path, {"index.html": "<script>a()</script>", "slow.js": "b();", "z.js": "c();"})

    class Slow(WorkerPool):
        async def call(self, op: str, *, timeout_s: float = 60.0, **message: Any) -> bytes:
            if message["key"] == "slow.js":
                raise ScriptError("the parser did not end within 30 s")
            return await super().call(op, timeout_s=timeout_s, **message)

    async def run() -> Bundle:
        async with Slow(size=1) as pool:
            return await make_bundle(detect(app), worker=pool, cache=False)

    bundle = asyncio.run(run())
    assert [(failed.path, failed.reason) for failed in bundle.failed] == [
        ("slow.js", "cannot be parsed: the parser did not end within 30 s")
    ]
    assert {source.path for source in bundle.probes.files} == {"index.html", "z.js"}


def test_deep_expressions_are_parsed_or_said_to_be_too_deep(tmp_path: Path) -> None:
    files = {"index.html": "<p>", "a.js": "x = " + "+".join(["'a'"] * 15_000), "b.js": "x = " + "[" * 200_000}
    bundle = bundle_of(write_app(tmp_path, files))
    assert [source.path for source in bundle.probes.files] == ["a.js"]
    assert "nests deeper" in bundle.failed[0].reason


def test_a_script_that_is_not_there_is_noted(tmp_path: Path) -> None:
    bundle = bundle_of(write_app(tmp_path, {"index.html": "<script src=../up/gone.js></script>"}))
    assert bundle.notes == ("index.html loads ../up/gone.js, which is not in the folder",)


def test_files_that_are_there_compressed_only(tmp_path: Path) -> None:
    page = gzip.compress(b"<script src=a.js></script><script src=b.js></script>")
    files: dict[str, str | bytes] = {
        "index.html.gz": page,
        "a.js.gz": gzip.compress(b"a();"),
        "b.js.br": b"?",
        "c.js": "c();",
        "d.js.gz": page[:20],
    }
    bundle = bundle_of(write_app(tmp_path, {**files, "c.js.gz": gzip.compress(b"old();")}))
    assert bundle.entry == "index.html"
    assert texts_of(bundle, "a.js") == ["a();"]
    assert texts_of(bundle, "c.js") == ["c();"]
    assert [entry.path for entry in bundle.unmeasured] == ["b.js.br"]
    (damaged,) = bundle.failed
    assert (damaged.path, damaged.reason[:34]) == ("d.js", "cannot be read: damaged gzip file ")


def test_modules_are_parsed_as_the_pages_load_them(tmp_path: Path) -> None:
    files = {"index.html": "<script type=module src=m.js></script>", "m.js": "await (1); let await_ = 1;"}
    bundle = bundle_of(write_app(tmp_path, files))
    assert texts_of(bundle, "m.js") == ["await (1);", "1"]


def test_coverage_maps_have_an_entry_for_each_counter(tmp_path: Path) -> None:
    files = {
        "index.html": "<p onclick='a()'><script>if (x) y()</script>",
        "a.js": "function f() { return a && b; }",
    }
    bundle = bundle_of(write_app(tmp_path, files))
    maps = json.loads(bundle.coverage_maps())
    assert set(maps) == set(bundle.scripts) == {"index.html#0", "index.html#1", "a.js"}
    for key, entry in maps.items():
        slots = len(entry["statementMap"]) + len(entry["fnMap"])
        slots += sum(len(branch["locations"]) for branch in entry["branchMap"].values())
        assert slots == len(bundle.probes.counters[key])
    assert maps["a.js"]["fnMap"]["0"]["name"] == "f"
    assert maps["index.html#1"]["path"] == "index.html"


def test_without_branches_there_are_no_branch_counters(tmp_path: Path) -> None:
    app = write_app(tmp_path, {"index.html": "<script>if (a) b(); else c()</script>"})
    plain, full = bundle_of(app, branches=False), bundle_of(app)
    assert [len(bundle.probes.files[0].branches) for bundle in (plain, full)] == [0, 2]


def test_an_app_without_scripts_says_so(tmp_path: Path) -> None:
    bundle = bundle_of(write_app(tmp_path, {"index.html": "<h1>Hello</h1>"}))
    assert bundle.mode == "none"
    assert "no script" in bundle.reason
    assert not bundle.overlay


def test_a_second_run_takes_everything_from_the_cache(tmp_path: Path) -> None:
    app = write_app(tmp_path / "app", {"index.html": "<script>a()</script>", "b.js": "b();", "c.js": "c c"})

    class Counting(WorkerPool):
        calls = 0

        async def call(self, op: str, *, timeout_s: float = 60.0, **message: object) -> bytes:
            self.calls += 1
            return await super().call(op, timeout_s=timeout_s, **message)

    async def run() -> tuple[int, object]:
        async with Counting(size=1) as pool:
            bundle = await make_bundle(detect(app), worker=pool, cache_dir=tmp_path / "cache")
            return pool.calls, (bundle.overlay, bundle.failed, bundle.probes.counters)

    first, second = asyncio.run(run()), asyncio.run(run())
    assert (first[0], second[0]) == (3, 0)
    assert first[1] == second[1]


def test_an_app_that_arrives_instrumented_is_used_as_it_is(tmp_path: Path) -> None:
    place = {"start": {"line": 1, "column": 0}, "end": {"line": 1, "column": 4}}
    data = {"path": "/proj/src/a.js", "statementMap": {"0": place, "1": place}, "fnMap": {}, "branchMap": {}}
    code = (
        "function cov_1abcdefgh(){var gcv='__coverage__';var coverageData="
        + json.dumps({**data, "s": {"0": 0, "1": 0}, "f": {}, "b": {}, "_coverageSchema": "x"})
        + ";return coverageData;}cov_1abcdefgh().s[0]++;"
    )
    bundle = bundle_of(write_app(tmp_path, {"index.html": "<script src=a.js></script>", "a.js": code}))
    assert bundle.istanbul_globals
    assert not bundle.overlay
    assert "arrived with Istanbul's counters" in bundle.reason
    assert [source.path for source in bundle.probes.files] == ["a.js"]
    live = {"/proj/src/a.js": {**data, "s": {"0": 0, "1": 3}, "f": {}, "b": {}}}
    assert hits_of(live, bundle.probes) == {bundle.probes.files[0].statements[1]}


def test_a_build_for_a_deeper_place_is_found(tmp_path: Path) -> None:
    files = {
        "index.html": '<script type="module" src="/repo/assets/a.js"></script>',
        "assets/a.js": "await go();",
    }
    bundle = bundle_of(write_app(tmp_path, files))
    assert texts_of(bundle, "assets/a.js") == ["await go();"]
