"""Source maps: every number is of the user's own sources, wherever the map is and whatever it names."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from instrument.bundle import Bundle
from instrument.classify import STANDS_IN
from tests.bundling import bundle_of, texts_of, write_app

ROOT = Path(__file__).parent.parent.parent
PAGE = "<script src=assets/app.js></script>"
SOURCE = "function one() {\n  return 1;\n}\none();\n"
CODE = "function one(){return 1}one();"


def vlq(value: int) -> str:
    """One number of a source map's mappings."""
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    number, text = (-value << 1 | 1) if value < 0 else value << 1, ""
    while True:
        digit, number = number & 31, number >> 5
        text += digits[digit | (32 if number else 0)]
        if not number:
            return text


def mappings(segments: list[tuple[int, int, int, int]]) -> str:
    """Segments of one line: generated column, source, line and column from 0."""
    last = (0, 0, 0, 0)
    parts = []
    for segment in segments:
        parts.append("".join(vlq(now - before) for now, before in zip(segment, last, strict=True)))
        last = segment
    return ",".join(parts)


SEGMENTS = [(0, 0, 0, 0), (9, 0, 0, 9), (15, 0, 1, 2), (24, 0, 3, 0)]


def source_map(**changes: Any) -> dict[str, Any]:
    """A map of CODE to SOURCE."""
    made = {
        "version": 3,
        "sources": ["../src/one.js"],
        "sourcesContent": [SOURCE],
        "names": [],
        "mappings": mappings(SEGMENTS),
    }
    return made | changes


def app(folder: Path, code: str = CODE, **files: str) -> Bundle:
    """An app of one built script and, by name, more files beside it."""
    assets = {f"assets/{name.replace('__', '.')}": text for name, text in files.items()}
    return bundle_of(write_app(folder, {"index.html": PAGE, "assets/app.js": code, **assets}))


def files_of(bundle: Bundle) -> dict[str, str]:
    return {source.path: source.file_class for source in bundle.probes.files}


def test_a_map_that_the_script_names(tmp_path: Path) -> None:
    bundle = app(tmp_path, f"{CODE}\n//# sourceMappingURL=app.js.map", app__js__map=json.dumps(source_map()))
    assert files_of(bundle) == {"src/one.js": "own"}
    assert texts_of(bundle, "src/one.js") == ["return 1;", "one();"]
    source = bundle.probes.files[0]
    assert source.mapped_from == ("assets/app.js",)
    assert "source map of assets/app.js" in source.class_reason
    (function,) = source.functions
    assert bundle.probes.body[function] == {source.statements[0]}


@pytest.mark.parametrize("place", ["hidden", "inline", "index", "anti-xssi", "comment"])
def test_maps_in_other_places(tmp_path: Path, place: str) -> None:
    text = json.dumps(source_map())
    if place == "inline":
        data = base64.b64encode(text.encode()).decode()
        bundle = app(
            tmp_path, f"{CODE}\n//# sourceMappingURL=data:application/json;charset=utf-8;base64,{data}\n"
        )
    elif place == "comment":
        bundle = app(tmp_path, f"{CODE}/*# sourceMappingURL=other.map */", other__map=text)
    else:
        if place == "index":
            text = json.dumps(
                {"version": 3, "sections": [{"offset": {"line": 0, "column": 0}, "map": source_map()}]}
            )
        if place == "anti-xssi":
            text = ")]}'\n" + text
        bundle = app(tmp_path, app__js__map=text)
    assert texts_of(bundle, "src/one.js") == ["return 1;", "one();"]


def test_hits_of_the_built_code_are_hits_of_the_source(tmp_path: Path) -> None:
    bundle = app(tmp_path, app__js__map=json.dumps(source_map()))
    source = bundle.probes.files[0]
    counters = bundle.probes.counters["assets/app.js"]
    assert bundle.probes.resolve("assets/app.js", range(len(counters))) == {
        *source.statements,
        *source.functions,
    }
    call = next(slot for slot, probes in enumerate(counters) if source.statements[1] in probes)
    assert bundle.probes.resolve("assets/app.js", [call]) == {source.statements[1]}
    inner = next(slot for slot, probes in enumerate(counters) if source.statements[0] in probes)
    assert bundle.probes.function_of("assets/app.js", inner) == source.functions[0]


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("webpack:///./src/one.js", "src/one.js"),
        ("webpack://shop/./src/one.js?a1b2", "src/one.js"),
        ("turbopack:///[project]/src/one.js", "src/one.js"),
        ("../../../src/one.js", "src/one.js"),
        ("one.js", "assets/one.js"),
    ],
)
def test_paths_are_as_people_write_them(tmp_path: Path, source: str, path: str) -> None:
    bundle = app(tmp_path, app__js__map=json.dumps(source_map(sources=[source])))
    assert files_of(bundle) == {path: "own"}


@pytest.mark.parametrize(
    ("source", "word"),
    [
        ("../node_modules/lib/one.js", "node_modules"),
        ("webpack:///webpack/bootstrap", "webpack"),
        ("../src/logo.svg", "asset"),
        ("\0vite/preload-helper.js", "bundler"),
    ],
)
def test_library_sources_are_vendor_with_a_reason(tmp_path: Path, source: str, word: str) -> None:
    bundle = app(tmp_path, app__js__map=json.dumps(source_map(sources=[source])))
    (found,) = bundle.probes.files
    assert found.file_class == "vendor"
    assert word in found.class_reason
    assert found.statements


def test_sources_listed_to_be_ignored_are_vendor(tmp_path: Path) -> None:
    bundle = app(tmp_path, app__js__map=json.dumps(source_map(ignoreList=[0])))
    assert files_of(bundle) == {"src/one.js": "vendor"}


def test_a_project_that_sends_only_libraries_is_counted_as_it_is_served(tmp_path: Path) -> None:
    made = json.dumps(source_map(ignoreList=[0]))
    files = {"index.html": PAGE, "assets/app.js": CODE, "assets/app.js.map": made}
    bundle = bundle_of(write_app(tmp_path / "dist", files), sources=tmp_path)
    assert files_of(bundle) == {"assets/app.js": "own"}
    assert bundle.mode == "istanbul"
    assert bundle.reason == f"counters were put into the scripts; {STANDS_IN}"
    assert bundle.probes.files[0].class_reason == STANDS_IN
    both = {**files, "index.html": PAGE + "<script src=own.js></script>", "own.js": "let a = 1;\n"}
    bundle = bundle_of(write_app(tmp_path / "both", both), sources=tmp_path)
    assert files_of(bundle) == {"own.js": "own", "src/one.js": "vendor"}


def test_a_source_that_is_no_script_has_the_mapped_positions_as_probes(tmp_path: Path) -> None:
    made = source_map(sources=["../src/App.vue"], sourcesContent=["<template>\n  x\n</template>\n<script>"])
    code = 'function one(){return"Enter"===e.key}one();'
    bundle = app(tmp_path, code, app__js__map=json.dumps(made))
    (source,) = bundle.probes.files
    assert source.path == "src/App.vue"
    begins = [bundle.probes.probes[probe].position[:2] for probe in source.statements]
    assert begins == sorted(set(begins))
    assert begins
    (function,) = source.functions
    place = bundle.probes.probes[function].position
    assert (place.line, place.column) < (place.end_line, place.end_column)
    assert bundle.probes.resolve("assets/app.js", range(99)) >= set(source.statements)
    assert any("Enter" in mined.keys for mined in bundle.probes.mined.values())


def test_a_source_that_cannot_be_parsed_is_noted(tmp_path: Path) -> None:
    bundle = app(
        tmp_path,
        app__js__map=json.dumps(source_map(sourcesContent=["function one() {\n  return = ;\n}\none();"])),
    )
    assert files_of(bundle) == {"src/one.js": "own"}
    assert bundle.probes.own
    assert bundle.notes[0].startswith("src/one.js: cannot be parsed (Unexpected token")


def test_a_source_that_is_missing_from_the_map_is_read_from_the_disk(tmp_path: Path) -> None:
    made = source_map(sources=["src/one.js"], sourcesContent=None)
    bundle = app(tmp_path, app__js__map=json.dumps(made), **{"src/one.js": SOURCE})
    assert texts_of(bundle, "assets/src/one.js") == ["return 1;", "one();"]


def test_a_map_cannot_read_files_outside_of_the_app(tmp_path: Path) -> None:
    secret = tmp_path / "secret.js"
    secret.write_text("const password = 'x';")
    made = source_map(sources=[str(secret)], sourcesContent=None)
    bundle = app(tmp_path / "app", app__js__map=json.dumps(made))
    (source,) = bundle.probes.files
    assert source.text == ""
    assert any("holds no text of 1 source," in note for note in bundle.notes)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("{", "JSON"),
        (json.dumps({"version": 3, "sources": [], "mappings": ""}), "names no sources"),
        (json.dumps(source_map(version=2)), "version 2"),
        (json.dumps(source_map(mappings="")), "none of its positions"),
    ],
)
def test_an_unusable_map_is_said_and_the_served_file_counts(tmp_path: Path, text: str, word: str) -> None:
    bundle = app(tmp_path, app__js__map=text)
    assert files_of(bundle) == {"assets/app.js": "own"}
    assert any(word in note for note in bundle.notes), bundle.notes
    assert texts_of(bundle, "assets/app.js") == ["return 1", "one();"]


def test_a_map_that_is_not_there_is_said(tmp_path: Path) -> None:
    bundle = app(tmp_path, f"{CODE}\n//# sourceMappingURL=gone.map")
    assert files_of(bundle) == {"assets/app.js": "own"}
    assert "gone.map is not there" in bundle.notes[0]


def test_one_source_in_two_bundles_is_one_file(tmp_path: Path) -> None:
    text = json.dumps(source_map())
    bundle = app(tmp_path, app__js__map=text, other__js=CODE, other__js__map=text)
    (source,) = bundle.probes.files
    assert source.mapped_from == ("assets/app.js", "assets/other.js")
    assert len(source.statements) == 2
    for key in ("assets/app.js", "assets/other.js"):
        assert set(source.statements) <= bundle.probes.resolve(key, range(9))


def test_two_sources_of_one_name_stay_two(tmp_path: Path) -> None:
    other = json.dumps(source_map(sourcesContent=[SOURCE + "// other\n"]))
    bundle = app(tmp_path, app__js__map=json.dumps(source_map()), other__js=CODE, other__js__map=other)
    assert files_of(bundle) == {"src/one.js": "own", "src/one.js?2": "own"}


@pytest.mark.skipif(
    not shutil.which("node") or not (ROOT / "js/node_modules/esbuild").is_dir(),
    reason="needs the JavaScript tools",
)
def test_minified_code_tells_what_ran_in_the_sources() -> None:
    """A program is run with counters in its sources, and again with counters in its minified bundle."""
    command = ["node", "tests/js/mapping_truth.mjs", str(ROOT / "tests/apps/mapped"), "main.ts"]
    answer = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)
    for kind, least in (("statement", 0.95), ("function", 0.95), ("branch", 0.9)):
        rows = answer[kind]
        counted = [row for row in rows if row["mapped"] is not None]
        assert len(rows) > 15
        assert {row["ran"] for row in rows} == {True, False}
        assert [row for row in counted if row["mapped"] != row["ran"]] == []
        assert len(counted) >= least * len(rows), (kind, len(counted), len(rows))


def test_branches_of_a_source_without_text_or_tree(tmp_path: Path) -> None:
    """Both bundles hold the source's first branch, each one more; places that both have are one probe."""
    made = {"version": 3, "sources": ["../src/App.vue"], "sourcesContent": None, "names": []}

    def built(columns: list[tuple[int, int]]) -> str:
        return json.dumps({**made, "mappings": mappings([(at, 0, 0, to) for at, to in columns])})

    code = "function f(){return a?b():c()}function g(){return d&&e()}"
    one = built([(0, 0), (20, 7), (22, 9), (26, 13), (30, 50), (50, 70), (53, 73)])
    two = built([(0, 0), (20, 7), (22, 9), (26, 13), (30, 90), (50, 110), (53, 113)])
    bundle = app(tmp_path, code, app__js__map=one, other__js=code, other__js__map=two)
    (source,) = bundle.probes.files
    assert [(kind, place.column, len(arms)) for kind, place, arms in source.branch_groups] == [
        ("cond-expr", 7, 2),
        ("binary-expr", 70, 2),
        ("binary-expr", 110, 2),
    ]
    assert [bundle.probes.probes[arm].position.column for arm in source.branches] == [9, 13, 70, 73, 110, 113]
    everything = {key: bundle.probes.resolve(key, range(99)) for key in ("assets/app.js", "assets/other.js")}
    assert everything["assets/app.js"] & set(source.branches) == set(source.branches[:4])
    assert everything["assets/other.js"] & set(source.branches) == {
        *source.branches[:2],
        *source.branches[4:],
    }
    (f,) = (function for function in source.functions if bundle.probes.probes[function].position.column == 0)
    assert bundle.probes.probes[source.branches[0]].function == bundle.probes.probes[f].function == "f"


def test_a_branch_that_only_the_compiler_wrote_is_none_of_the_users(tmp_path: Path) -> None:
    """`{count}` is compiled to `count ?? ''`, whose second arm has no place and cannot be reached."""
    code = "function f(){return a??b}function g(){return c??d}function h(){return e&&k}"
    text = "<button>{count}</button>\n<p>{name ?? 'no'}</p>\n{on && show}\n"
    segments = [
        (0, 0, 0, 0),
        (20, 0, 0, 9),
        (23, 0, 0, 14),
        (25, 0, 1, 0),
        (45, 0, 1, 4),
        (50, 0, 2, 0),
        (70, 0, 2, 1),
    ]
    made = {
        "version": 3,
        "sources": ["../src/App.svelte"],
        "sourcesContent": [text],
        "names": [],
        "mappings": mappings(segments),
    }
    bundle = app(tmp_path, code, app__js__map=json.dumps(made))
    (source,) = bundle.probes.files
    assert [(place.line, len(arms)) for _, place, arms in source.branch_groups] == [(2, 2), (3, 2)]
    assert set(source.branches) == {arm for _, _, arms in source.branch_groups for arm in arms}
    hits = bundle.probes.resolve("assets/app.js", range(99))
    assert set(source.branches) <= hits
