"""probes.json.gz: what is written comes back equal; what cannot be read says so."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from explorer.archive import Archive, load_archive, save_archive
from explorer.exploration import Instrumentation
from instrument.errors import UsageError
from instrument.probes import FailedScript, Mined
from tests.explorations import exploration


def archive() -> Archive:
    run = exploration()
    probes = replace(
        run.probes,
        mined={
            0: Mined(literals=("a", "\ud800"), keys=("Enter",), patterns=("/x/",)),
            -1: Mined(calls=("f",)),
        },
    )
    return Archive(
        target="./dist",
        build_kind="static",
        build_reason="index.html stands there",
        instrumentation=Instrumentation(
            "istanbul", "all parsed", 3, (FailedScript("a.jsx", "JSX"),), (), ("a note",)
        ),
        probes=probes,
        command="explore-app ./dist",
        started="2026-11-30T21:00:00+00:00",
        versions={"python": "3.11"},
        notes=("resumed",),
    )


def test_an_archive_comes_back_equal(tmp_path: Path) -> None:
    written = archive()
    save_archive(written, tmp_path)
    assert load_archive(tmp_path) == written


def test_the_same_archive_gives_the_same_bytes(tmp_path: Path) -> None:
    first, second = (save_archive(archive(), tmp_path / name).read_bytes() for name in "ab")
    assert first == second


def test_a_folder_without_one_is_no_run_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no run folder"):
        load_archive(tmp_path)


def test_a_torn_or_strange_archive_is_one_sentence(tmp_path: Path) -> None:
    path = save_archive(archive(), tmp_path)
    whole = path.read_bytes()
    for content in (whole[:200], b"no gzip", gzip.compress(b"[]"), gzip.compress(b'{"version": 1}')):
        path.write_bytes(content)
        with pytest.raises(UsageError, match="cannot be read"):
            load_archive(tmp_path)


def test_a_later_version_names_both(tmp_path: Path) -> None:
    path = save_archive(archive(), tmp_path)
    record = json.loads(gzip.decompress(path.read_bytes()))
    path.write_bytes(gzip.compress(json.dumps({**record, "version": 99}).encode()))
    with pytest.raises(UsageError, match="version 99, this is version 1"):
        load_archive(tmp_path)
