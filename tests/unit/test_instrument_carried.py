"""Bundles of projects: scripts with counters of their own, libraries beside them, sources that a map names."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from instrument.asking import Asking
from instrument.bundle import Bundle, make_bundle
from instrument.cache import ResultCache
from instrument.detect import detect
from instrument.node import WorkerPool
from instrument.probes import FailedScript
from instrument.rewrite import Carried, Rewritten, carried
from instrument.shapes import Unit, read_unit
from tests.bundling import write_app

SOURCE = "export function go() {\n  return 1;\n}\ngo();\n"


def bundled(root: Path, *, sources: Path | None = None, counters: Carried | None = None) -> Bundle:
    async def run() -> Bundle:
        async with WorkerPool(size=1) as pool:
            build = replace(detect(root), sources=sources)
            return await make_bundle(build, worker=pool, cache=False, carried=counters)

    return asyncio.run(run())


@pytest.fixture(scope="module")
def counted() -> tuple[str, dict[str, Unit]]:
    """The source with its counters, and their unit by accessor."""

    async def run() -> tuple[str, dict[str, Unit]]:
        async with WorkerPool(size=1) as pool:
            answer = await Asking(pool, ResultCache(None)).ask(
                "src/go.ts", "source", SOURCE, code=SOURCE, mine=True
            )
        unit = read_unit(answer["units"][0], path="src/go.ts", text=SOURCE)
        return answer["code"].replace("export ", ""), {answer["names"][0]: unit}

    return asyncio.run(run())


def test_a_script_with_counters_is_served_as_it_is(
    tmp_path: Path, counted: tuple[str, dict[str, Unit]]
) -> None:
    code, units = counted
    root = write_app(
        tmp_path / "dist",
        {
            "index.html": '<script src="app.js"></script><script src="vendor.js"></script>'
            '<script src="copied.js"></script><script>let inline = 1;</script>',
            "app.js": f"(() => {{{code}}})()",
            "vendor.js": "function library() { return 2; }\n",
            "copied.js": "let copied = 1;\n",
        },
    )
    write_app(tmp_path / "public", {"copied.js": "let copied = 1;\n"})
    left = (FailedScript("src/server.ts", "it runs on the server only"),)
    whole = Rewritten(units, {}, {"src/go.ts": SOURCE, "src/unused.ts": "1"}, left)
    found = bundled(root, counters=carried(whole, frozenset(units), public=tmp_path / "public"))
    assert found.overlay["app.js"] == (root / "app.js").read_bytes()
    assert "vendor.js" not in found.overlay
    assert b"__cv" in found.overlay["copied.js"]
    assert found.ways == (("source", ("src/go.ts",)), ("served", ("copied.js", "index.html")))
    assert found.reason == "counters were put into the sources before they were built"
    assert [(row.path, row.reason.split(":")[0]) for row in found.unmeasured] == [
        ("src/server.ts", "it runs on the server only"),
        ("src/unused.ts", "in no script that the browser gets"),
    ]
    assert any("1 built scripts hold nothing else" in note for note in found.notes)
    (go,) = [source for source in found.probes.files if source.path == "src/go.ts"]
    assert [found.probes.probes[probe].position.line for probe in go.statements] == [2, 4]
    assert len(found.probes.counters["src/go.ts"]) == sum(next(iter(units.values())).sizes)


def test_an_inline_script_that_a_bundler_wrote_keeps_its_counters(
    tmp_path: Path, counted: tuple[str, dict[str, Unit]]
) -> None:
    code, units = counted
    page = f'<!doctype html><script type="module">{code}</script><script>let own = 1;</script>'
    root = write_app(tmp_path, {"index.html": page})
    found = bundled(root, counters=carried(Rewritten(units, {}, {"src/go.ts": SOURCE}), frozenset(units)))
    text = found.overlay["index.html"].decode()
    assert code in text
    assert found.ways == (("source", ("src/go.ts",)), ("served", ("index.html",)))
    (page_file,) = [source for source in found.probes.files if source.path == "index.html"]
    assert len(page_file.statements) == 1


def test_a_map_of_a_project_counts_the_projects_files_only(tmp_path: Path) -> None:
    own, other = "export const a = 1;\n", "export const b = 2;\n"
    mapping = {
        "version": 3,
        "sources": ["../src/a.ts", "../../bazel-out/packages/core/b.ts"],
        "sourcesContent": [own, other],
        "names": [],
        "mappings": "AAAO,MAAM,EAAI;ACAV,MAAM,EAAI",
    }
    project = write_app(
        tmp_path / "shop",
        {
            "package.json": '{"name": "shop"}',
            "src/a.ts": own,
            "dist/index.html": '<script src="app.js"></script>',
            "dist/app.js": "const a = 1;\nconst b = 2;\n//# sourceMappingURL=app.js.map\n",
            "dist/app.js.map": json.dumps(mapping),
        },
    )
    classes = {
        source.path: source.file_class
        for source in bundled(project / "dist", sources=project).probes.files
        if source.path != "index.html"
    }
    assert classes.pop("src/a.ts") == "own"
    assert list(classes.values()) == ["vendor"]


def test_inline_scripts_of_a_build_whose_sources_have_none_are_the_tools(tmp_path: Path) -> None:
    project = write_app(
        tmp_path / "shop",
        {
            "package.json": '{"name": "shop"}',
            "src/main.js": "let a = 1;\n",
            "dist/index.html": '<script>let theme = "dark";</script><script src="app.js"></script>',
            "dist/app.js": "let a = 1;\n",
        },
    )
    files = {source.path: source for source in bundled(project / "dist", sources=project).probes.files}
    assert files["index.html"].file_class == "vendor"
    write_app(project, {"index.html": '<script>let theme = "dark";</script>'})
    files = {source.path: source for source in bundled(project / "dist", sources=project).probes.files}
    assert files["index.html"].file_class == "own"
