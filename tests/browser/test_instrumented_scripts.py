"""Instrumented apps in the real browser: they behave as the plain ones do, and every script counts."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import Page, sync_playwright

from explorer.provision import Browser
from explorer.server import AppServer
from instrument.bundle import Bundle
from tests.bundling import bundle_of, text_at, write_app

pytestmark = pytest.mark.browser

READ = """() => Object.fromEntries(Object.entries(globalThis.__cov$ ?? {}).map(([key, counts]) =>
  [key, [...counts].flatMap((count, slot) => count ? [slot] : [])]))"""


@dataclass(frozen=True)
class Plain:
    """The app as it is, for comparison."""

    root: Path
    entry: str
    overlay: Mapping[str, bytes]
    coverage_maps: bytes = b"{}"


@dataclass(frozen=True)
class Visit:
    """What one load showed."""

    seen: Any
    errors: list[str]
    ran: set[str]
    """Text of each own statement that ran."""


@pytest.fixture(scope="module")
def chromium(program: Browser) -> Iterator[Chromium]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(program.executable), args=["--no-sandbox"])
        yield browser
        browser.close()


def visit(chromium: Chromium, served: Any, look: str, bundle: Bundle | None = None) -> Visit:
    """Loads an app, waits until window.done, evaluates `look` and reads the counters of all frames and workers."""
    page = chromium.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(error.message))
    with AppServer(served) as server:
        page.goto(server.url)
        while not page.evaluate("Boolean(window.done)"):  # wait_for_function would be stopped by a policy
            page.wait_for_timeout(20)
        seen = page.evaluate(look)
        ran = _ran(page, bundle) if bundle else set()
    page.close()
    return Visit(seen, errors, ran)


def _ran(page: Page, bundle: Bundle) -> set[str]:
    probes = bundle.probes
    texts = {source.path: source.text for source in probes.files}
    found: set[str] = set()
    places: list[Any] = [*page.frames, *page.workers]
    for place in places:
        for key, slots in place.evaluate(READ).items():
            hits = (probes.probes[probe] for probe in probes.resolve(key, slots))
            found |= {text_at(texts[hit.file], hit.position) for hit in hits if hit.kind == "statement"}
    return found


def compare(chromium: Chromium, app: Path, look: str = "log") -> Visit:
    """The instrumented visit, after it was found to show what the plain one does."""
    bundle = bundle_of(app)
    assert not bundle.failed
    plain = visit(chromium, Plain(bundle.root, bundle.entry, {}), look)
    counted = visit(chromium, bundle, look, bundle)
    assert counted.seen == plain.seen
    assert counted.errors == plain.errors
    return counted


def test_every_kind_of_script_runs_and_counts(chromium: Chromium, tmp_path: Path) -> None:
    page = """<!doctype html><meta charset=utf-8><base href="/sub/">
<script>var log = []; function note(text) { log.push(text); }</script>
<script type="importmap">{"imports": {"x": "/x.mjs"}}</script>
<script>note('inline ' + (document.currentScript.textContent.length > 0));</script>
<script nomodule>note('old');</script>
<script src="classic.js" async></script>
<script type="module">import { name } from 'x'; note(name); await import('/late.mjs'); note('late');</script>
<script type="module" src="data:text/javascript,note('data')"></script>
<button id="b" onclick="note(this.id); note(event.type)">x</button>
<a id="a" href="javascript:note('href')">y</a>
<iframe srcdoc="<script>parent.note(&quot;frame&quot;)</script>"></iframe>
<template id="t"><script>note('template')</script></template>
<script>
  document.body.append(t.content.cloneNode(true));
  b.click(); a.click();
  const worker = new Worker('/worker.js'); worker.onmessage = ({ data }) => { note(data); };
  const module = new Worker('/worker.mjs', { type: 'module' }); module.onmessage = ({ data }) => { note(data); };
  document.write('<script>note("written")<\\/script>');
  setInterval(() => { window.done = log.length >= 15; }, 20);
</script>"""
    files = {
        "index.html": page,
        "x.mjs": "export const name = (() => 'module')(); note(import.meta.url.endsWith('x.mjs'));",
        "late.mjs": "note('imported');",
        "sub/classic.js": "note(document.currentScript.src.endsWith('sub/classic.js'));",
        "worker.js": "importScripts('part.js'); postMessage(part());",
        "part.js": "function part() { return 'worker'; }",
        "worker.mjs": "import { part } from './part.mjs'; postMessage(part());",
        "part.mjs": "export const part = () => 'module worker';",
    }
    found = compare(chromium, write_app(tmp_path, files), "log.map(String).sort()")
    assert len(found.seen) >= 15
    assert {
        "note('inline ' + (document.currentScript.textContent.length > 0));",
        "note(document.currentScript.src.endsWith('sub/classic.js'));",
        "note(name);",
        "note('imported');",
        "note('late');",
        "note(this.id);",
        "note(event.type)",
        "note('href')",
        "parent.note(&quot;frame&quot;)",
        "note('template')",
        "postMessage(part());",
        "return 'worker';",
        "'module worker'",
    } <= found.ran
    assert "note('old');" not in found.ran


def listed(text: str, algorithm: str = "sha256") -> str:
    """A hash as policies and integrity attributes state it."""
    return f"{algorithm}-{base64.b64encode(hashlib.new(algorithm, text.encode()).digest()).decode()}"


def test_policies_and_integrity_let_through_what_they_did(chromium: Chromium, tmp_path: Path) -> None:
    first = "\n  window.log = []; setTimeout(() => { window.done = true; }, 300);\n"
    handler, good = "log.push('handler')", "log.push('good');"
    policy = f"script-src 'self' '{listed(first)}' 'unsafe-hashes' '{listed(handler, 'sha384')}' 'nonce-abc'"
    page = f"""<!doctype html><meta http-equiv="Content-Security-Policy" content="{policy}">
<script>{first}</script>
<script>log.push('blocked')</script>
<script nonce="abc">log.push('nonce'); addEventListener('load', () => document.querySelector('p').click());</script>
<script src="good.js" integrity="{listed(good, "sha384")}"></script>
<script src="bad.js" integrity="{listed("other", "sha512")}"></script>
<p onclick="{handler}">x</p><p onclick="log.push('no')">y</p>"""
    files = {"index.html": page, "good.js": good, "bad.js": "log.push('bad');"}
    found = compare(chromium, write_app(tmp_path, files))
    assert found.seen == ["nonce", "good", "handler"]
    assert {"log.push('nonce');", "log.push('good');", "log.push('handler')"} <= found.ran


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "windows-1252", "shift_jis"])
def test_texts_look_the_same_in_every_encoding(chromium: Chromium, tmp_path: Path, encoding: str) -> None:
    word = "日本" if encoding == "shift_jis" else "naïve ½"
    charset = encoding.removesuffix("-sig")
    page = f"<meta charset={charset}><p>{word}</p><script src=a.js></script><script>log.push('{word}'); done = 1</script>"
    script = f"var log = ['{word}', document.characterSet];"
    app = write_app(tmp_path, {"index.html": page.encode(encoding), "a.js": script.encode(encoding)})
    found = compare(chromium, app, "[...log, document.querySelector('p').textContent]")
    assert [found.seen[0], *found.seen[2:]] == [word] * 3
    assert f"log.push('{word}');" in found.ran


def test_markup_inside_of_scripts_and_odd_nesting(chromium: Chromium, tmp_path: Path) -> None:
    page = """<table><tr><script>var log = ['<\\/script>', '<!--'];</script><td onclick='log.push("td")'>x<b><p></b>
<script>log.push('<script>'.length); <!-- old comment
log.push(document.querySelectorAll('td,p,b').length); document.querySelector('td').click();
--> another
</script><svg><script>log.push('svg'); done = true</script></svg>"""
    found = compare(chromium, write_app(tmp_path, {"index.html": page}))
    assert found.seen[-1] == "svg"
    assert {'log.push("td")', "log.push('svg');"} <= found.ran


def test_a_build_for_a_deeper_place(chromium: Chromium, tmp_path: Path) -> None:
    page = """<base href="/repo/"><script>window.log = []</script>
<script type="module" crossorigin src="/repo/assets/app.js"></script>"""
    files = {
        "index.html": page,
        "assets/app.js": "import { b } from './b.js'; log.push(b); log.push(location.pathname); window.done = true;",
        "assets/b.js": "export const b = [1].map((n) => n + 1)[0];",
    }
    found = compare(chromium, write_app(tmp_path, files))
    assert found.seen == [2, "/repo/"]
    assert "n + 1" in found.ran
