"""Sources of an app, explored from the command `vite build` to the report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from explorer.api import explore
from explorer.cli import main
from explorer.options import Options
from tests.folders import digest
from tests.standins import VITE, vite_project

pytestmark = pytest.mark.browser


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_a_project_is_built_and_measured_by_its_own_sources(tmp_path: Path) -> None:
    root = vite_project(tmp_path)
    before = digest(root)
    run = explore(root, budget=6, out=tmp_path / "run")
    assert digest(root) == before
    assert run.build_kind == "vite"
    assert run.root == str(root)
    (source,) = run.probes.files
    assert (source.path, source.class_reason) == (
        "src/main.js",
        "counters were put into it before it was built",
    )
    assert source.text == (root / "src/main.js").read_text()
    assert (run.coverage.own.statements.covered, run.coverage.own.statements.total) == (7, 7)
    (fault,) = [finding for finding in run.findings if finding.kind == "exception"]
    assert "too many" in fault.title
    assert fault.source.startswith("src/main.js:5:")
    row = json.loads((tmp_path / "run/run.json").read_text())
    assert row["instrumentation"]["ways"] == {"source": ["src/main.js"]}
    assert "Protection of the build: none asked for." in row["instrumentation"]["notes"]
    assert "built" in (tmp_path / "run/build.log").read_text()


def test_counters_survive_a_minifier_and_reach_workers_made_of_text(tmp_path: Path) -> None:
    esbuild = Path(__file__).parents[2] / "js/node_modules/esbuild"
    minified = VITE + (
        f"const {{ transformSync }} = require({json.dumps(str(esbuild))});\n"
        "const small = transformSync(fs.readFileSync('dist/app.js', 'utf8'), { minify: true }).code;\n"
        "fs.writeFileSync('dist/app.js', small);\n"
    )
    worker = (
        "function job() {\n  self.onmessage = (event) => {\n    self.postMessage(event.data * 2);\n  };\n}\n"
        "const text = `(${job.toString()})()`;\n"
        "const worker = new Worker(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })));\n"
        "worker.onmessage = (event) => { document.getElementById('out').textContent = `twice ${event.data}`; };\n"
        "document.getElementById('add').addEventListener('click', () => worker.postMessage(21));\n"
    )
    root = vite_project(tmp_path, vite=minified, files={"src/main.js": worker})
    run = explore(root, budget=4, out=tmp_path / "run")
    assert "twice 42" in (tmp_path / "run/trace.jsonl").read_text()
    assert run.coverage.own.statements.covered == run.coverage.own.statements.total == 8
    state = next(step.snapshot for step in run.trace.steps if step.snapshot)
    (add,) = [target for target in state.targets if target.name == "Add"]
    assert [handler.function is not None for handler in add.handlers] == [True]


def test_verifying_compares_with_a_build_without_counters(tmp_path: Path) -> None:
    run = explore(vite_project(tmp_path), budget=1, out=tmp_path / "run", options=Options(verify=True))
    assert any(note.startswith("Verified: ") for note in run.instrumentation.notes)
    assert "__cv" not in (tmp_path / "run/build-plain.log").read_text()


def test_v8_measures_what_was_built_without_counters(tmp_path: Path) -> None:
    run = explore(vite_project(tmp_path), budget=4, out=tmp_path / "run", options=Options(coverage="v8"))
    assert run.instrumentation.mode == "v8"
    assert run.instrumentation.ways == (("v8", ("app.js",)),)
    assert run.coverage.own.statements.covered > 4


def test_a_server_of_the_project_is_started_and_ended(tmp_path: Path) -> None:
    """Next's server by a stand-in: its chunks carry counters, and it takes the port that it is told."""
    next_js = """#!/usr/bin/env node
const fs = require('node:fs'), http = require('node:http');
if (process.argv[2] === 'build') {
  fs.mkdirSync('.next/static/chunks', { recursive: true });
  fs.writeFileSync('.next/BUILD_ID', 'one');
  fs.writeFileSync('.next/static/chunks/app.js', '(() => {' + fs.readFileSync('app/page.js', 'utf8') + '})()');
} else {
  const port = process.argv[process.argv.indexOf('-p') + 1];
  http.createServer((request, response) => {
    const chunk = request.url.startsWith('/_next/static/');
    response.setHeader('content-type', chunk ? 'text/javascript' : 'text/html');
    response.end(chunk ? fs.readFileSync('.next' + request.url.slice(6)) :
      '<!doctype html><html lang="en"><title>Shop</title><button id="add">Add</button><p id="out">0</p>' +
      '<script src="/_next/static/chunks/app.js"></script></html>');
  }).listen(Number(port), '127.0.0.1');
}
"""
    root = vite_project(tmp_path)
    (root / "app").mkdir()
    (root / "src/main.js").rename(root / "app/page.js")
    (root / "index.html").unlink()
    (root / "node_modules/next").mkdir()
    (root / "node_modules/next/package.json").write_text('{"name": "next"}')
    (root / "node_modules/.bin/next").write_text(next_js)
    (root / "node_modules/.bin/next").chmod(0o755)
    (root / "package.json").write_text(
        json.dumps({"name": "shop", "scripts": {"build": "next build"}, "dependencies": {"next": "16"}})
    )
    run = explore(root, budget=6, out=tmp_path / "run", options=Options(verify=True))
    assert any(note.startswith("Verified: ") for note in run.instrumentation.notes)
    assert (tmp_path / "run/server-plain.log").is_file()
    assert run.build_kind == "next"
    assert run.instrumentation.ways == (("source", ("app/page.js",)),)
    assert run.coverage.own.statements.covered == 7
    (fault,) = [finding for finding in run.findings if finding.kind == "exception"]
    assert fault.source.startswith("app/page.js:5:")
    assert (tmp_path / "run/server.log").is_file()


def test_a_failed_build_ends_with_its_reason_and_leaves_no_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    failing = "#!/usr/bin/env node\nconsole.error('src/main.js(2,1): error TS2304: Cannot find name.');process.exit(1);"
    root = vite_project(tmp_path, vite=failing)
    with pytest.raises(SystemExit) as ended:
        main([str(root), "--out", str(tmp_path / "run"), "--quiet"])
    said = capsys.readouterr().err
    assert ended.value.code == 3
    assert "error TS2304: Cannot find name." in said
    log = Path(said.rpartition("The whole log is ")[2].strip().rstrip("."))
    assert list((tmp_path / "run").iterdir()) == [log]
    assert "error TS2304" in log.read_text()
