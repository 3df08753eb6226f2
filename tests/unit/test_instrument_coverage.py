"""instrument.coverage: numbers, and files that Istanbul's and lcov's tools read."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from instrument.bundle import Bundle
from instrument.coverage import Count, coverage_final, lcov, summary
from instrument.istanbul import hits_of, probe_map_of
from tests.bundling import bundle_of, write_app

ROOT = Path(__file__).parent.parent.parent
JS = ROOT / "js" / "node_modules"
CODE = """function size(n, unit = 'px') {
  if (n > 3) return 'big' + unit;
  switch (n) {
    case 1: return 'one';
    default: return n ? 'some' : 'none';
  }
}
const twice = (n) => n && n * 2;
class Box { get area() { return 1; } }
size(5);
"""


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    files = {
        "index.html": "<button onclick='size(1)'>x</button><script src=app.js></script><script src=vendor/lib.js></script>",
        "app.js": CODE,
        "vendor/lib.js": "lib(); lib2();",
    }
    return bundle_of(write_app(tmp_path_factory.mktemp("app"), files))


def probes_on(bundle: Bundle, line: int, kind: str) -> set[int]:
    """Probes of app.js that begin on a line."""
    return {
        probe.id
        for probe in bundle.probes.probes
        if (probe.file, probe.kind, probe.position.line) == ("app.js", kind, line)
    }


def test_numbers_add_up(bundle: Bundle) -> None:
    probes = bundle.probes
    hits = probes_on(bundle, 10, "statement") | probes_on(bundle, 1, "function")
    found = summary(probes, hits)
    assert found.own.statements == Count(1, 10)
    assert found.own.functions == Count(1, 4)
    assert found.own.branches == Count(0, 9)
    assert found.vendor.statements == Count(0, 2)
    assert list(found.files) == ["index.html", "app.js", "vendor/lib.js"]
    assert found.files["app.js"].statements == Count(1, 9)
    assert found.touched.statements == Count(1, 9)
    assert found.own.as_json()["statements"] == {"covered": 1, "total": 10, "pct": 10.0}


def test_percent_is_rounded_down_and_nothing_is_all() -> None:
    assert Count(9999, 10_000).pct == 99.99
    assert Count(99_999, 100_000).pct == 99.99
    assert Count(0, 0).pct == 100.0


def test_vendor_files_are_left_out_unless_asked_for(bundle: Bundle) -> None:
    assert list(coverage_final(bundle.probes, ())) == ["index.html", "app.js"]
    assert "vendor/lib.js" in coverage_final(bundle.probes, (), vendor=True)
    assert "lib.js" not in lcov(bundle.probes, ())


def istanbul_of(code: str, folder: Path) -> dict[str, Any]:
    """What istanbul-lib-instrument says of a script."""
    program = (
        f"const i = require({json.dumps(str(JS / 'istanbul-lib-instrument'))}).createInstrumenter();"
        "i.instrumentSync(require('fs').readFileSync(0, 'utf8'), 'app.js');"
        "console.log(JSON.stringify(i.lastFileCoverage()))"
    )
    done = subprocess.run(
        ["node", "-e", program], input=code, cwd=folder, check=True, capture_output=True, text=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


needs_js = pytest.mark.skipif(
    not shutil.which("node") or not (JS / "nyc").is_dir(), reason="needs the JavaScript tools"
)


@needs_js
def test_the_maps_are_istanbuls_own(bundle: Bundle, tmp_path: Path) -> None:
    ours, theirs = coverage_final(bundle.probes, ())["app.js"], istanbul_of(CODE, tmp_path)

    def statements(entry: dict[str, Any]) -> set[str]:
        return {json.dumps(place, sort_keys=True) for place in entry["statementMap"].values()}

    def functions(entry: dict[str, Any]) -> list[Any]:
        rows = ((fn["name"], fn["decl"], fn["loc"], fn["line"]) for fn in entry["fnMap"].values())
        return sorted(rows, key=str)

    def branches(entry: dict[str, Any]) -> list[Any]:
        rows = (
            (branch["type"], branch["loc"], branch["locations"]) for branch in entry["branchMap"].values()
        )
        return sorted(rows, key=str)

    assert statements(ours) == statements(theirs)
    assert functions(ours) == functions(theirs)
    assert branches(ours) == branches(theirs)


@needs_js
def test_nyc_reports_from_coverage_final(bundle: Bundle, tmp_path: Path) -> None:
    hits = probes_on(bundle, 10, "statement") | probes_on(bundle, 1, "function")
    data = tmp_path / "data"
    data.mkdir()
    (data / "coverage-final.json").write_text(
        json.dumps(coverage_final(bundle.probes, hits, root=bundle.root))
    )
    reporters = [f"--reporter={name}" for name in ("json-summary", "html", "lcovonly", "text")]
    command = [
        JS / ".bin" / "nyc",
        "report",
        "-t",
        data,
        "--report-dir",
        tmp_path / "out",
        *reporters,
        "--exclude-after-remap=false",
    ]
    done = subprocess.run(
        [str(part) for part in command], cwd=bundle.root, check=True, capture_output=True, text=True
    )
    assert "app.js" in done.stdout
    total = json.loads((tmp_path / "out" / "coverage-summary.json").read_text())["total"]
    ours = summary(bundle.probes, hits).own
    for kind in ("statements", "functions", "branches"):
        count = getattr(ours, kind)
        assert (total[kind]["covered"], total[kind]["total"]) == (count.covered, count.total)
        assert total[kind]["pct"] == count.pct
    assert (tmp_path / "out" / "app.js.html").is_file()


@needs_js
def test_istanbul_lib_coverage_merges_it(bundle: Bundle) -> None:
    text = json.dumps(coverage_final(bundle.probes, bundle.probes.own))
    program = (
        f"const {{createCoverageMap}} = require({json.dumps(str(JS / 'istanbul-lib-coverage'))});"
        "const data = JSON.parse(require('fs').readFileSync(0));"
        "const map = createCoverageMap(data); map.merge(createCoverageMap(JSON.parse(JSON.stringify(data))));"
        "console.log(JSON.stringify([map.files(), map.getCoverageSummary().statements.pct, map.data['app.js'].s[0]]))"
    )
    done = subprocess.run(["node", "-e", program], input=text, check=True, capture_output=True, text=True)
    assert json.loads(done.stdout) == [["index.html", "app.js"], 100, 2]


def test_lcov_is_well_formed(bundle: Bundle) -> None:
    hits = (
        probes_on(bundle, 10, "statement") | probes_on(bundle, 1, "function") | probes_on(bundle, 5, "branch")
    )
    text = lcov(bundle.probes, {**dict.fromkeys(hits, 3)}, root="/srv/app")
    records = text.split("end_of_record\n")
    assert records.pop() == ""
    assert re.findall("SF:(.*)", text) == ["/srv/app/index.html", "/srv/app/app.js"]
    grammar = re.compile(
        r"TN:|SF:/.+|FN:\d+,[^,]+|FNDA:\d+,[^,]+|BRDA:\d+,\d+,\d+,(?:\d+|-)|DA:\d+,\d+|(?:FN|BR|L)[FH]:\d+"
    )
    for record in records:
        lines = record.splitlines()
        assert all(grammar.fullmatch(line) for line in lines)
        for tag, found, hit in (("FNDA", "FNF", "FNH"), ("BRDA", "BRF", "BRH"), ("DA", "LF", "LH")):
            rows = [line for line in lines if line.startswith(f"{tag}:")]
            taken = [row for row in rows if re.search(r":[1-9]\d*," if tag == "FNDA" else r",[1-9]\d*$", row)]
            assert f"{found}:{len(rows)}" in lines
            assert f"{hit}:{len(taken)}" in lines
        names = re.findall(r"^FN:\d+,(.+)$", record, re.MULTILINE)
        assert sorted(names) == sorted(set(names))
        assert sorted(names) == sorted(re.findall(r"^FNDA:\d+,(.+)$", record, re.MULTILINE))
    assert "DA:10,3" in records[1]
    assert "DA:2,0" in records[1]


def test_a_coverage_object_reads_back_as_the_same_probes(bundle: Bundle) -> None:
    hits = probes_on(bundle, 10, "statement") | probes_on(bundle, 2, "branch")
    text = json.dumps(coverage_final(bundle.probes, hits, root="/srv/app", vendor=True))
    again = probe_map_of(json.loads(text))
    assert [source.path for source in again.files] == [source.path for source in bundle.probes.files]
    assert summary(again, hits_of(json.loads(text), again)).own == summary(bundle.probes, hits).own
    (size,) = (function for function in again.files[1].functions if again.probes[function].function == "size")
    assert len(again.body[size]) == 5


def test_odd_names_stay_within_their_lines() -> None:
    """An app that arrived instrumented may name its functions and files as it likes."""
    place = {"start": {"line": 1, "column": 0}, "end": {"line": 1, "column": 9}}
    function = {"name": "a b,c\nd", "decl": place, "loc": place, "line": 1}
    entry = {
        "path": "app.js",
        "statementMap": {},
        "fnMap": {"0": function},
        "branchMap": {},
        "s": {},
        "f": {"0": 0},
        "b": {},
    }
    rows = lcov(probe_map_of({"app.js": entry}), (), places={"app.js": "/srv/a\nb.js"}).splitlines()
    assert rows[:4] == ["TN:", "SF:/srv/a b.js", "FN:1,a_b_c_d", "FNDA:0,a_b_c_d"]
