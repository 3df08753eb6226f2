"""instrument.cache: results survive, damage and full disks do no harm, and the size is bounded."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from instrument.cache import ResultCache
from tests.bundling import bundle_of, write_app


def test_what_was_kept_is_found(tmp_path: Path) -> None:
    key = ResultCache.key("a", b"b")
    ResultCache(tmp_path).put(key, b"result")
    assert ResultCache(tmp_path).get(key) == b"result"
    assert ResultCache(tmp_path).get(ResultCache.key("ab")) is None
    assert not list(tmp_path.rglob(".new-*"))


def test_keys_tell_their_parts_apart() -> None:
    assert ResultCache.key("ab", "c") != ResultCache.key("a", "bc")


@pytest.mark.parametrize("damage", [b"", b"garbage", b"half"])
def test_a_damaged_entry_is_none_and_is_written_anew(tmp_path: Path, damage: bytes) -> None:
    cache, key = ResultCache(tmp_path), ResultCache.key("x")
    cache.put(key, b"result" * 100)
    (entry,) = (path for path in tmp_path.rglob("*") if path.is_file())
    entry.write_bytes(entry.read_bytes()[:20] if damage == b"half" else damage)
    assert cache.get(key) is None
    cache.put(key, b"fresh")
    assert cache.get(key) == b"fresh"


def test_the_oldest_entries_go_first(tmp_path: Path) -> None:
    cache = ResultCache(tmp_path, limit=6000)
    keys = [ResultCache.key(str(number)) for number in range(4)]
    for age, key in enumerate(keys):
        cache.put(key, os.urandom(2000))
        path = tmp_path / key[:2] / key[2:]
        os.utime(path, (age, age))
    assert cache.get(keys[0]) is not None  # used just now, so it is not the oldest any more
    cache.trim()
    assert [cache.get(key) is not None for key in keys] == [True, False, False, True]


@pytest.mark.parametrize("place", ["file", "missing/deep"])
def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("not a folder")
    folder = tmp_path / ("file/below" if place == "file" else place)
    app = write_app(tmp_path / "app", {"index.html": "<script>a()</script>"})
    assert bundle_of(app, cache_dir=folder).probes.own


def test_without_a_cache_nothing_is_written(tmp_path: Path) -> None:
    cache = ResultCache(None)
    cache.put("k", b"v")
    assert cache.get("k") is None
    cache.trim()
    assert not list(tmp_path.iterdir())
