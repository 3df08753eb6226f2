"""What a reader must know before the numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from explorer.exploration import Exploration
from explorer.notices import built_without_map, kept_in, libraries, notices, some
from graph.records import Request
from instrument.classify import BUILT, classify
from instrument.probes import SourceFile
from tests.explorations import exploration


def asked(url: str, resource: str = "script") -> Request:
    return Request("GET", url, None, "kept in", blocked=True, resource=resource)


def of_files(*files: tuple[str, str, str]) -> Exploration:
    run = exploration()
    made = tuple(SourceFile(path, kind, reason, "") for path, kind, reason in files)  # type: ignore[arg-type]
    return replace(run, probes=replace(run.probes, files=made), blocked=())


def test_hosts_are_named_most_asked_first_with_what_lets_them_out() -> None:
    requests = [
        asked("https://api.example.com/"),
        *(asked(f"https://other.example/{name}.js") for name in ("a", "b", "c")),
    ]
    assert kept_in(requests) == (
        "4 requests to other hosts were kept in (other.example and api.example.com): "
        "add --allow-host HOST for each, or --network open, if the app needs them."
    )


def test_one_host_is_named_in_the_option() -> None:
    assert kept_in([asked("https://other.example/a.js")]) == (
        "1 request to another host was kept in (other.example): "
        "add --allow-host other.example, or --network open, if the app needs it."
    )
    both = kept_in([asked("https://other.example/a.js"), asked("https://other.example/b.js")])
    assert both.startswith(
        "2 requests to another host were kept in (other.example): add --allow-host other.example,"
    )


def test_libraries_of_cdns_can_be_had_from_npm() -> None:
    assert kept_in([asked("https://unpkg.com/react@18/umd/react.production.min.js")]) == (
        "1 request to another host was kept in (unpkg.com): add --network cdn, which takes libraries from npm, "
        "--allow-host unpkg.com, or --network open, if the app needs it."
    )
    assert "--network cdn" not in kept_in([asked("https://cdn.jsdelivr.net/gh/a/b@1/x.js")])


def test_a_link_to_another_site_is_nothing_that_the_app_needs() -> None:
    assert kept_in([asked("https://github.com/me", "document")]) == ""
    assert kept_in([]) == ""


def test_a_built_file_without_a_map_is_said_to_hold_libraries_too() -> None:
    built = "x=1;" * 10_000
    reason = classify("assets/index-abc.js", built).reason
    assert reason == BUILT
    run = of_files(("assets/index-abc.js", "own", reason), ("app.js", "own", "inline"))
    assert built_without_map(run) == (
        "assets/index-abc.js was built without a source map: libraries inside it are counted as the app's own code; "
        "build with source maps (Vite: --sourcemap) to see your own files."
    )
    two = of_files(("a.js", "own", BUILT), ("b.js", "own", BUILT))
    assert built_without_map(two).startswith(
        "a.js and b.js were built without source maps: libraries inside them"
    )
    assert notices(of_files(("app.js", "own", "inline"), ("v.js", "vendor", BUILT))) == ()


def test_libraries_are_counted_and_the_first_named() -> None:
    many = [(f"lib/{number}.js", "vendor", "") for number in range(1200)]
    assert (
        libraries(of_files(*many))
        == "1,200 files are counted apart: lib/0.js, lib/1.js, lib/2.js and 1,197 more"
    )
    assert libraries(of_files(("app.js", "own", ""))) == ""


@pytest.mark.parametrize(
    ("names", "told"),
    [([], ""), (["a"], "a"), (["a", "b", "c"], "a, b and c"), (list("abcd"), "a, b and 2 more")],
)
def test_a_list_in_words(names: list[str], told: str) -> None:
    assert some(names, most=3) == told
