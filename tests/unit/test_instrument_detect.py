"""instrument.detect: what a path holds, which page is opened, and one sentence for what cannot be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from instrument.detect import detect
from instrument.errors import AppError, ExplorerError, UsageError
from tests.bundling import bundle_of, write_app


def test_a_folder_with_index_html(tmp_path: Path) -> None:
    build = detect(write_app(tmp_path, {"index.html": "<p>", "other.html": "<p>", "a.js": ""}))
    assert (build.kind, build.root, build.entry) == ("static", tmp_path, "index.html")
    assert build.candidates == ("index.html", "other.html")


@pytest.mark.parametrize(
    ("files", "entry", "word"),
    [
        (["app.html"], "app.html", "only page"),
        (["b.html", "a.html", "deep/index.html"], "a.html", "of 3 pages"),
        (["deep/x.html", "deep/index.html"], "deep/index.html", "of 2 pages"),
        (["z/index.htm"], "z/index.htm", "only page"),
    ],
)
def test_which_page_is_opened_is_said(tmp_path: Path, files: list[str], entry: str, word: str) -> None:
    build = detect(write_app(tmp_path, dict.fromkeys(files, "<p>")))
    assert build.entry == entry
    assert word in build.reason
    assert build.candidates[0] == entry


@pytest.mark.parametrize("entry", ["pages/b.html", "/pages/b.html"])
def test_a_page_can_be_chosen(tmp_path: Path, entry: str) -> None:
    app = write_app(tmp_path, {"index.html": "<p>", "pages/b.html": "<p>", "pages/index.html": "<p>"})
    assert detect(app, entry=entry).entry == "pages/b.html"
    assert detect(app, entry="pages").entry == "pages/index.html"
    with pytest.raises(UsageError, match=r"no page c\.html: choose one of its pages \(index\.html"):
        detect(app, entry="c.html")


@pytest.mark.parametrize(
    ("files", "kind", "word"),
    [
        (
            {"index.html": '<script src="/_next/static/chunks/a.js">', "_next/static/x.js": ""},
            "next",
            "_next/static",
        ),
        ({"index.html": '<script id="__NEXT_DATA__">', "b.js": ""}, "next", "Next.js data"),
        ({"index.html": '<link href="/_astro/index.Dx.css">'}, "astro", "_astro"),
        ({"index.html": '<script src="/static/js/main.0a1b2c3d.js">'}, "create-react-app", "main.<hash>.js"),
        ({"index.html": "<p>", "asset-manifest.json": "{}"}, "create-react-app", "asset-manifest.json"),
        (
            {"index.html": '<script type="module" crossorigin src="/assets/index-D64VDMd1.js"></script>'},
            "vite",
            "<name>-<hash>.js",
        ),
        ({"index.html": '<script src="app.js">'}, "static", ""),
    ],
)
def test_what_built_it(tmp_path: Path, files: dict[str, str], kind: str, word: str) -> None:
    build = detect(write_app(tmp_path, files))
    assert build.kind == kind
    assert word in " ".join(build.evidence)


SOURCE_PAGE = '<div id="root"></div><script type="module" src="/src/main.tsx"></script>'


def test_of_a_built_project_the_output_is_taken(tmp_path: Path) -> None:
    app = write_app(
        tmp_path / "shop", {"index.html": SOURCE_PAGE, "package.json": "{}", "dist/index.html": "<p>"}
    )
    build = detect(app)
    assert build.root == app / "dist"
    assert "its built dist is taken" in build.reason


@pytest.mark.parametrize(
    "files",
    [
        {"index.html": SOURCE_PAGE},
        {
            "public/index.html": "%PUBLIC_URL%",
            "package.json": json.dumps({"dependencies": {"react-scripts": "5"}}),
        },
        {"package.json": json.dumps({"dependencies": {"next": "16"}}), "app/page.js": ""},
        {"package.json": json.dumps({"devDependencies": {"astro": "5"}}), "src/pages/index.astro": ""},
    ],
)
def test_sources_that_are_not_built_are_refused(tmp_path: Path, files: dict[str, str]) -> None:
    with pytest.raises(AppError, match="not built yet: build it"):
        detect(write_app(tmp_path, files))


def test_jsx_that_the_browser_translates_needs_no_build(tmp_path: Path) -> None:
    page = '<script type="text/babel" src="app.jsx"></script>'
    assert detect(write_app(tmp_path, {"index.html": page, "app.jsx": ""})).kind == "static"


@pytest.mark.parametrize(
    ("files", "name", "error", "words"),
    [
        ({}, "gone", UsageError, "does not exist"),
        ({"empty/x": ""}, "empty/y", UsageError, "does not exist"),
        ({"app/readme.txt": ""}, "app", AppError, "has no html page"),
        ({"app.txt": "hello"}, "app.txt", AppError, "is no html file"),
        ({"app.html": b"\x89PNG\0\0\0\0"}, "app.html", AppError, "holds no html"),
    ],
)
def test_bad_input_is_one_sentence(
    tmp_path: Path, files: dict[str, str], name: str, error: type[ExplorerError], words: str
) -> None:
    write_app(tmp_path, files)
    with pytest.raises(error, match=words) as caught:
        detect(tmp_path / name)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AppError, match="is empty: name the folder"):
        detect(tmp_path)


def test_a_page_given_as_a_file_brings_only_what_it_leads_to(tmp_path: Path) -> None:
    files = {
        "demo/canvas/game.html": "<script src='../../build/lib.js'></script><a href=next.html><script src=game.js></script>",
        "demo/canvas/next.html": "<script>a()</script>",
        "demo/canvas/game.js": "import('./late.js'); new Worker('worker.js')",
        "demo/canvas/late.js": "b();",
        "demo/canvas/worker.js": "c();",
        "demo/other.html": "<script>never()</script>",
        "build/lib.js": "d();",
        "src/unused.js": "e();",
    }
    app = write_app(tmp_path, files)
    build = detect(app / "demo/canvas/game.html")
    assert (build.root, build.entry) == (app, "demo/canvas/game.html")
    bundle = bundle_of(app / "demo/canvas/game.html")
    assert {source.path for source in bundle.probes.files} == set(files) - {
        "demo/canvas/game.html",
        "demo/other.html",
        "src/unused.js",
    }


def test_a_page_that_needs_nothing_above_it_is_served_from_its_own_folder(tmp_path: Path) -> None:
    app = write_app(tmp_path, {"sub/a.html": "<script src=../gone.js></script>", "big.js": "x()"})
    assert detect(app / "sub" / "a.html").root == app / "sub"


@pytest.mark.parametrize(
    "target",
    [
        "https://example.com",
        "HTTP://example.com/a/index.html?b#c",
        Path("https://example.com"),
        "localhost:5173",
        "127.0.0.1:80/app/",
        "[::1]:3000",
        "https://example.com/" + "long" * 200,
    ],
)
def test_addresses_are_refused_for_what_they_are(target: str | Path) -> None:
    with pytest.raises(UsageError) as caught:
        detect(target)
    assert str(caught.value) == (
        "An address names a running server and no files: give it to `explore-app`, or name a folder here."
    )


def test_a_folder_called_like_a_host_and_port_is_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_app(tmp_path, {"shop:80/index.html": "<p>"})
    monkeypatch.chdir(tmp_path)
    assert detect("shop:80").root == tmp_path / "shop:80"


def test_an_empty_target_is_not_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write_app(tmp_path, {"index.html": "<p>"}))
    with pytest.raises(UsageError, match="No target was given: name a project, a folder"):
        detect("")


@pytest.mark.parametrize("source", ["/src/main.tsx", "./app.vue", "/src/main.js"])
def test_a_page_of_an_unbuilt_project_is_refused_as_its_folder_is(tmp_path: Path, source: str) -> None:
    page = f'<script type="module" src="{source}"></script>'
    package = json.dumps({"scripts": {"build": "vite build"}})
    write_app(tmp_path, {"index.html": page, "package.json": package, "src/main.js": ""})
    said = []
    for target in (tmp_path, tmp_path / "index.html"):
        with pytest.raises(AppError, match="not built yet: build it") as caught:
            detect(target)
        said.append(str(caught.value))
    assert said[0] == said[1]


def test_a_page_with_modules_of_its_own_needs_no_project(tmp_path: Path) -> None:
    page = '<script type="module" src="/src/main.js"></script>'
    app = write_app(tmp_path, {"index.html": page, "src/main.js": "a();"})
    assert detect(app / "index.html").entry == "index.html"
