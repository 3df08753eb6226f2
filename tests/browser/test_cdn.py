"""Apps that load their libraries from CDNs, explored with npm's packages in their place: a registry on loopback has them."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from explorer import Exploration, Options, explore
from explorer.outputs import load_exploration
from explorer.packages import PackageStore
from tests.registry import INSTALLED, Registry, running

pytestmark = pytest.mark.browser

BABEL = """addEventListener('DOMContentLoaded', async () => {
  for (const script of document.querySelectorAll('script[type="text/babel"]')) {
    const code = script.src ? await (await fetch(script.src)).text() : script.textContent;
    const plain = document.createElement('script');
    plain.textContent = code;
    document.head.append(plain);
  }
});"""
"""Runs what it is given as it is: enough where there is no JSX."""


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Registry]:
    with (
        pytest.MonkeyPatch.context() as monkeypatch,
        running(tmp_path_factory.mktemp("registry"), monkeypatch) as found,
    ):
        found.publish_esbuild()
        found.publish_installed("vue", "react", "react-dom", "scheduler", "three")
        found.publish("@babel/standalone", "7.1.0", {"babel.js": BABEL, "babel.min.js": BABEL})
        store = "import { useState } from 'react'; export const useCount = () => useState(0);"
        found.publish(
            "store", "1.0.0", {"index.js": store}, module="index.js", peerDependencies={"react": "*"}
        )
        found.publish(
            "lib", "1.0.0", {"lib.js": "globalThis.lib = 'lib';", "lib.css": "button { cursor: pointer }"}
        )
        yield found


def app(folder: Path, page: str, **files: str) -> Path:
    """An app of these files."""
    (folder / "app").mkdir()
    for name, text in {"index.html": page, **files}.items():
        (folder / "app" / name).write_text(text)
    return folder / "app"


def explored(target: Path, folder: Path, *, budget: int = 8, **options: object) -> Exploration:
    return explore(target, budget=budget, out=folder / "run", options=Options(**options))  # type: ignore[arg-type]


def served(run: Exploration) -> list[str]:
    return [f"{item.name}@{item.version}" for item in run.libraries.served]


def version_of(name: str) -> str:
    manifest = (INSTALLED / name / "package.json").read_text()
    return manifest.split('"version": "')[1].split('"')[0]


def names_of(run: Exploration) -> set[str]:
    """Of all that could be acted on in any state."""
    snapshots = [step.snapshot for step in run.trace.steps if step.snapshot]
    return {target.name for snapshot in snapshots for target in snapshot.targets}


def test_vue_from_unpkg(registry: Registry, apps: Path, tmp_path: Path) -> None:
    run = explored(apps / "cdn-vue-global", tmp_path)
    assert served(run) == [f"vue@{version_of('vue')}"] and run.libraries.served[0].wanted == ("3",)
    assert run.coverage.own.statements.covered > 15 and not run.findings
    assert {file.path for file in run.probes.files} == {"index.html"}  # a library is in no denominator
    assert not run.blocked
    assert not [item for item in run.instrumentation.unmeasured if "unpkg.com" in item.path]


def test_three_by_an_import_map(registry: Registry, apps: Path, tmp_path: Path) -> None:
    page = (apps / "cdn-three" / "index.html").read_text().replace("0.160.0", version_of("three"))
    run = explored(app(tmp_path, page), tmp_path)
    assert served(run) == [f"three@{version_of('three')}"] and run.libraries.served[0].files >= 2
    assert run.coverage.own.statements.pct > 80 and not run.findings


REACT = """<script type="importmap">{"imports": {"react": "https://esm.sh/react@19", "react-dom/": "https://esm.sh/react-dom@19/",
"store": "https://esm.sh/store@1"}}</script><div id="root"></div><script type="module">
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { useCount } from 'store';
function App() {
  const [count, setCount] = useCount();
  return createElement('button', { onClick: () => setCount(count + 1) }, `clicked ${count}`);
}
createRoot(document.getElementById('root')).render(createElement(App));
</script>"""


def test_react_by_esm_sh_is_one_react(registry: Registry, tmp_path: Path) -> None:
    run = explored(app(tmp_path, REACT), tmp_path)
    assert not run.findings  # hooks of a second React throw
    assert run.coverage.own.statements.pct == 100
    names = ("react", "react-dom", "scheduler", "store")
    assert [item.name for item in run.libraries.served] == list(names)
    assert (
        PackageStore().folder / "tools" / "node_modules" / "esbuild"
    ).is_dir()  # installed when it was needed


def test_the_second_time_neither_registry_nor_npm_is_needed(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = app(tmp_path, REACT)
    first = explored(target, tmp_path / "first")
    asked = len(registry.asked)
    monkeypatch.setattr("explorer.npm.find_npm", lambda: ())
    second = explored(target, tmp_path / "second")
    assert len(registry.asked) == asked
    assert second.libraries == first.libraries and second.hits == first.hits
    assert [step.action for step in second.trace.steps] == [step.action for step in first.trace.steps]


def test_code_for_babel_in_the_browser_is_the_apps_own(registry: Registry, tmp_path: Path) -> None:
    page = """<script src="https://unpkg.com/@babel/standalone/babel.min.js"></script><button id=b>go</button>
    <script type="text/babel" src="app.jsx"></script><script type="text/babel">globalThis.inline = 1;</script>"""
    run = explored(
        app(tmp_path, page, **{"app.jsx": "b.onclick = () => { b.textContent += 'x'; };"}), tmp_path
    )
    assert {file.path for file in run.probes.files} == {"index.html", "app.jsx"}
    assert run.coverage.own.statements.pct == 100 and served(run) == ["@babel/standalone@7.1.0"]


def test_checksums_and_cross_origin_requests_pass(registry: Registry, tmp_path: Path) -> None:
    digest = base64.b64encode(hashlib.sha384(b"globalThis.lib = 'lib';").digest()).decode()
    page = f"""<script crossorigin integrity="sha384-{digest}" src="https://unpkg.com/lib@1/lib.js"></script>
    <script integrity="sha384-wrong" crossorigin src="https://cdnjs.cloudflare.com/ajax/libs/lib/1.0.0/lib.js"></script>
    <link rel=preconnect href=https://unpkg.com><link rel=preload as=script href=https://unpkg.com/lib@1/lib.js>
    <button id=b>go</button><script>
    b.onclick = async () => {{
      const answer = await fetch('https://unpkg.com/lib@1/package.json', {{ headers: {{ 'x-own': '1' }} }});
      const found = await answer.json();
      if (found.name === 'lib' && lib === 'lib') {{
        b.textContent = 'done';
      }}
    }};
    </script>"""
    run = explored(app(tmp_path, page), tmp_path)
    assert run.coverage.own.statements.pct == 100 and not run.findings and not run.blocked


def test_workers_frames_and_imported_styles_get_their_libraries_too(
    registry: Registry, tmp_path: Path
) -> None:
    tell = "<script>parent.postMessage('frame ' + lib, '*')</script>"
    load = "importScripts('https://unpkg.com/lib@1/lib.js'); "
    service = (
        load
        + "onfetch = () => {}; oninstall = () => skipWaiting(); onactivate = (e) => e.waitUntil(clients.claim());"
    )
    page = """<link rel=stylesheet href=style.css><iframe src=frame.html></iframe><button id=b>go</button><script>
    const seen = new Set();
    const tell = (event) => { seen.add(event.data); b.textContent = [...seen].sort().join(' '); };
    b.onclick = () => tell({ data: seen.size });
    onmessage = tell;
    new Worker('classic.js').onmessage = tell;
    new Worker('module.js', { type: 'module' }).onmessage = tell;
    navigator.serviceWorker.register('service.js');
    navigator.serviceWorker.ready.then(() => tell({ data: 'service' }));
    </script>"""
    files = {
        "classic.js": load + "postMessage('classic ' + lib);",
        "module.js": "import { useCount } from 'https://esm.sh/store@1'; postMessage('module ' + typeof useCount);",
        "service.js": service,
        "frame.html": "<script src=https://unpkg.com/lib@1/lib.js></script>" + tell,
        "style.css": "@import 'https://unpkg.com/lib@1/lib.css';",
    }
    run = explored(app(tmp_path, page, **files), tmp_path, budget=40)  # the module's own worker takes a while
    assert "classic lib frame lib module function service" in names_of(run)
    assert not run.findings


MISSING = """<script src="https://www.googletagmanager.com/gtag/js?id=1"></script><script src="https://unpkg.com/lib@1/none.js"></script>
<script src="https://cdn.jsdelivr.net/gh/a/b@1/x.js"></script><img src="https://picsum.photos/200" alt=x><p>page</p>
<script src="https://other.example/x.js" onerror="globalThis.failed = 1"></script><button id=b>go</button>
<script>b.onclick = () => { b.textContent = 'no ' + typeof missing; };</script>"""


def test_what_cannot_be_had_is_listed(registry: Registry, tmp_path: Path) -> None:
    run = explored(app(tmp_path, MISSING), tmp_path)
    answers = {item.url.split("/")[2]: item.answer for item in run.libraries.unavailable}
    assert answers == {
        "www.googletagmanager.com": "an empty script",
        "unpkg.com": "404",
        "cdn.jsdelivr.net": "an empty script",
        "picsum.photos": "a transparent picture",
    }
    assert {request.url.split("/")[2] for request in run.blocked} == {"cdn.jsdelivr.net", "other.example"}
    kinds = {finding.kind: finding.title for finding in run.findings}
    assert (
        "none.js" in kinds.pop("http-error") and not kinds
    )  # the CDN has no such file either: the app's fault
    assert load_exploration(Path(run.folder)).libraries == run.libraries


def test_without_npm_the_run_goes_on_and_says_what_to_install(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("explorer.npm.find_npm", lambda: ())
    monkeypatch.setattr("explorer.packages.default_folder", lambda: tmp_path / "cache")
    button = "<button onclick=go()>go</button><script>function go() {}</script>"
    page = f"<script src=https://unpkg.com/lib@1/lib.js></script>{button}"
    run = explored(app(tmp_path, page), tmp_path)
    (row,) = run.libraries.unavailable
    assert row.answer == "an empty script" and "install Node.js" in row.reason
    assert "install Node.js" in (Path(run.folder) / "report.html").read_text()


def test_verify_sees_the_libraries_too(registry: Registry, apps: Path, tmp_path: Path) -> None:
    run = explored(apps / "cdn-vue-global", tmp_path, budget=1, verify=True)
    assert any("the same with and without counters" in note for note in run.instrumentation.notes)


def test_the_wall_stands_without_a_cdn(registry: Registry, apps: Path, tmp_path: Path) -> None:
    run = explored(apps / "cdn-vue-global", tmp_path, budget=2, network="app")
    assert not run.libraries and [request.url for request in run.blocked] == ["https://unpkg.com/vue@3"]


def test_the_browsers_own_coverage_leaves_them_out_too(
    registry: Registry, apps: Path, tmp_path: Path
) -> None:
    run = explored(apps / "cdn-vue-global", tmp_path, coverage="v8")
    assert run.instrumentation.mode == "v8" and run.coverage.own.statements.covered > 15 and served(run)
    assert run.coverage.own.statements.total < 200  # Vue has thousands
