"""When an app gets its libraries from npm, and what its pages are served like then."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from explorer.cdn_opening import cdn_of, with_libraries
from explorer.options import NetworkMode, Options, check
from instrument.bundle import Bundle, make_bundle
from instrument.detect import detect
from instrument.errors import UsageError
from tests.registry import Registry, running

ASKS = "<script src=https://unpkg.com/lib@1></script><script>let a = 1;</script>"


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    with running(tmp_path / "registry", monkeypatch) as found:
        found.publish("lib", "1.0.0", {"index.js": "var lib", "dist/lib.min.js": "var lib"})
        yield found


def bundle_of(folder: Path, page: str, *, single: bool = False) -> Bundle:
    (folder / "app").mkdir(exist_ok=True)
    (folder / "app" / "index.html").write_text(page)
    target = folder / "app" / "index.html" if single else folder / "app"
    return asyncio.run(make_bundle(detect(target), cache=False))


def got(bundle: Bundle, network: NetworkMode) -> bool:
    return asyncio.run(cdn_of(bundle, Options(network=network), say=lambda _: None)) is not None


@pytest.mark.parametrize(
    ("network", "page", "kind", "given"),
    [
        ("auto", ASKS, "static", True),
        ("auto", ASKS, "vite", False),
        ("auto", "<p>alone", "static", False),
        ("auto", "<img src=https://example.com/a.png>", "static", True),
        ("cdn", ASKS, "vite", True),
        ("cdn", "<p>alone", "static", True),
        ("app", ASKS, "static", False),
        ("open", ASKS, "static", False),
    ],
)
def test_who_gets_libraries(
    registry: Registry,
    tmp_path: Path,
    network: NetworkMode,
    page: str,
    kind: Literal["static", "vite"],
    given: bool,
) -> None:
    bundle = bundle_of(tmp_path, page)
    bundle = replace(bundle, build=replace(bundle.build, kind=kind))
    assert got(bundle, network) is given


def test_a_single_file_is_read_alone(registry: Registry, tmp_path: Path) -> None:
    assert got(bundle_of(tmp_path, ASKS, single=True), "auto")
    assert not got(bundle_of(tmp_path, "<p>alone", single=True), "auto")


def test_libraries_are_not_among_what_could_not_be_measured(registry: Registry, tmp_path: Path) -> None:
    bundle = bundle_of(tmp_path, ASKS + "<script src=https://example.com/x.js></script>")
    assert len(bundle.unmeasured) == 2
    cdn = asyncio.run(cdn_of(bundle, Options(), say=lambda _: None))
    assert cdn is not None
    assert [item.path for item in with_libraries(bundle, cdn).unmeasured] == ["https://example.com/x.js"]


def test_a_checksum_stays_where_the_bytes_are_the_very_ones(registry: Registry, tmp_path: Path) -> None:
    nearest = '<script src="https://cdnjs.cloudflare.com/ajax/libs/lib/1.0.0/lib.min.js" integrity="sha512-x" defer></script>'
    very = '<script integrity=sha384-y crossorigin src="https://unpkg.com/lib@1.0.0/index.js"></script>'
    bundle = bundle_of(tmp_path, nearest + very + "<script>let a = 1;</script>")
    cdn = asyncio.run(cdn_of(bundle, Options(), say=lambda _: None))
    assert cdn is not None
    page = with_libraries(bundle, cdn).overlay["index.html"].decode()
    assert "sha512-x" not in page and "lib.min.js" in page and "defer" in page and "sha384-y" in page
    assert "__cv" in page  # the counters stay


def test_a_mode_that_is_not_there(registry: Registry) -> None:
    with pytest.raises(UsageError, match="no network mode"):
        check(Options(network="all"), budget=1)  # type: ignore[arg-type]
