"""Sources that a transpiler in the page reads: which there are, and which of their probes nobody can tell of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from instrument.bundle import Bundle
from instrument.transpiled import transpiled_sources, without_unplaced
from tests.bundling import bundle_of, texts_of, write_app

PAGE = (
    "<title>App</title>\n<script type='text/babel'>\nlet a = <p/>;\nfunction f() { return a; }\n</script>\n"
    "<script>plain();</script><script type='text/babel' src='app.jsx'></script>"
)


def _bundle(folder: Path, *, v8: bool = True) -> Bundle:
    return bundle_of(write_app(folder, {"index.html": PAGE, "app.jsx": "let b = <b/>;\n"}), v8=v8)


def test_sources_go_by_the_names_that_tell_their_language(tmp_path: Path) -> None:
    assert transpiled_sources(_bundle(tmp_path).units) == [
        ("Inline Babel script", "\nlet a = <p/>;\nfunction f() { return a; }\n"),
        ("app.jsx", "let b = <b/>;\n"),
    ]
    assert transpiled_sources(_bundle(tmp_path, v8=False).units) == []


def test_what_nothing_leads_to_is_left_out_and_said(tmp_path: Path) -> None:
    bundle = _bundle(tmp_path)
    texts = texts_of(bundle, "index.html")
    assert texts == ["<p/>", "return a;", "plain();"]
    page = next(one for one in bundle.probes.files if one.path == "index.html")
    script = next(one for one in bundle.probes.files if one.path == "app.jsx")
    led = (page.statements[0], *script.statements)
    known = replace(bundle.probes, counters={**bundle.probes.counters, "made": [(probe,) for probe in led]})
    left, rows = without_unplaced(known, bundle.units)
    now = next(one for one in left.files if one.path == "index.html")
    assert [texts[page.statements.index(probe)] for probe in now.statements] == ["<p/>", "plain();"]
    assert (now.functions, now.bodies) == ((), ())
    assert left.own == known.own - {page.statements[1], *page.functions}
    assert left.body == {}
    assert [(row.path, "in lines 4, have no place" in row.reason) for row in rows] == [("index.html", True)]
    assert "1 of its statements" in rows[0].reason


def test_nothing_is_left_out_where_counters_count(tmp_path: Path) -> None:
    bundle = _bundle(tmp_path, v8=False)
    assert without_unplaced(bundle.probes, bundle.units) == (bundle.probes, ())
