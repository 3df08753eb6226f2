"""Packages are fetched once, keep the version that a range meant, and need no registry the second time."""

from __future__ import annotations

import asyncio
import io
import os
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from explorer.npm import NpmError, pack
from explorer.packages import PackageStore, unpack
from tests.registry import Registry, running


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    with running(tmp_path, monkeypatch) as found:
        found.publish("lib", "1.2.0", {"index.js": "old"})
        found.publish("lib", "1.3.0", {"index.js": "new", "dist/lib.min.js": "small"})
        found.publish("lib", "2.0.0-rc.1", {"index.js": "next"})
        found.publish("@own/lib", "1.0.0", {"index.js": "scoped"})
        yield found


def version(store: PackageStore, name: str, wanted: str) -> str:
    return asyncio.run(store.version(name, wanted))


@pytest.mark.parametrize(
    ("wanted", "found"), [("1.2.0", "1.2.0"), ("1", "1.3.0"), ("~1.2", "1.2.0"), ("^1.0.0", "1.3.0")]
)
def test_ranges_are_resolved_by_the_registry(registry: Registry, wanted: str, found: str) -> None:
    store = PackageStore()
    assert version(store, "lib", wanted) == found
    assert (store.files("lib", found) / "index.js").is_file()


def test_a_scoped_package(registry: Registry) -> None:
    store = PackageStore()
    assert version(store, "@own/lib", "") == "1.0.0"
    assert (store.files("@own/lib", "1.0.0") / "index.js").read_text() == "scoped"
    assert store.manifest("@own/lib", "1.0.0")["name"] == "@own/lib"


def test_the_packages_used_longest_ago_go_first(registry: Registry) -> None:
    store = PackageStore()
    version(store, "lib", "1")
    version(store, "@own/lib", "")
    long_ago = time.time() - 7200
    for name, number in (("lib", "1.3.0"), ("@own/lib", "1.0.0")):
        os.utime(store.around(name, number), (long_ago, long_ago))
    store.known("@own/lib", "")

    PackageStore().trim(0)
    assert store.known("lib", "1") == "1.3.0", "a run that fetched nothing leaves all as it is"
    os.utime(store.around("lib", "1.3.0"), (long_ago, long_ago))
    store.trim(0)
    assert store.known("lib", "1") == "" and store.known("@own/lib", "") == "1.0.0"


def test_a_range_keeps_its_version_and_needs_no_registry(registry: Registry) -> None:
    assert version(PackageStore(), "lib", "1") == "1.3.0"
    registry.publish("lib", "1.9.0", {"index.js": "newest"})
    asked = len(registry.asked)
    assert version(PackageStore(), "lib", "1") == "1.3.0"
    assert len(registry.asked) == asked
    registry.stop()
    assert version(PackageStore(), "lib", "1") == "1.3.0"


def test_without_a_registry_a_version_in_the_cache_that_fits_is_taken(registry: Registry) -> None:
    version(PackageStore(), "lib", "1.2.0")
    registry.stop()
    assert version(PackageStore(), "lib", "^1.1") == "1.2.0"
    with pytest.raises(NpmError) as caught:
        version(PackageStore(), "other", "^2")
    assert not caught.value.missing and registry.url not in str(caught.value)


@pytest.mark.parametrize("spec", [("nothing-of-the-sort", ""), ("lib", "7"), ("lib", "1.2.9")])
def test_what_the_registry_does_not_have_is_missing(registry: Registry, spec: tuple[str, str]) -> None:
    store = PackageStore()
    with pytest.raises(NpmError, match="no such package or version") as caught:
        version(store, *spec)
    asked = len(registry.asked)
    assert caught.value.missing
    with pytest.raises(NpmError):
        version(store, *spec)
    assert len(registry.asked) == asked  # asked for once a run


@pytest.mark.parametrize(
    "spec", ["./folder", "https://host/x.tgz", "git+ssh://x", "lib@file:../x", "lib@https://x"]
)
def test_npm_is_asked_for_names_only(tmp_path: Path, spec: str) -> None:
    with pytest.raises(NpmError, match="no name of a package"):
        asyncio.run(pack([spec], tmp_path))


def test_several_packages_come_in_one_call(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[list[str]] = []

    async def counted(specs: list[str], into: Path) -> object:
        calls.append(list(specs))
        return await pack(specs, into)

    monkeypatch.setattr("explorer.packages.pack", counted)
    store = PackageStore()
    asyncio.run(store.fetch_all([("lib", "1"), ("@own/lib", ""), ("lib", "1.2.0"), ("lib", "1")]))
    assert calls == [["lib@1", "@own/lib@", "lib@1.2.0"]]
    assert store.known("lib", "1") == "1.3.0" and store.known("@own/lib", "") == "1.0.0"


def test_without_npm_the_reason_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("explorer.npm.find_npm", lambda: ())
    with pytest.raises(NpmError, match=r"install Node\.js"):
        asyncio.run(PackageStore(tmp_path).version("lib", "1"))


def test_an_archive_stays_in_its_folder(tmp_path: Path) -> None:
    archive = tmp_path / "evil.tgz"
    with tarfile.open(archive, "w:gz") as made:
        for name in ("package/../../out.js", "package/fine.js"):
            info = tarfile.TarInfo(name)
            info.size = 2
            made.addfile(info, io.BytesIO(b"ok"))
        link = tarfile.TarInfo("package/link.js")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        made.addfile(link)
    with pytest.raises(NpmError, match="archive"):
        unpack(archive, tmp_path / "a" / "b")
    assert not (tmp_path / "out.js").exists() and not (tmp_path / "a" / "out.js").exists()


def test_a_damaged_archive_is_an_error_of_npm(tmp_path: Path) -> None:
    (tmp_path / "x.tgz").write_bytes(b"no archive")
    with pytest.raises(NpmError, match="cannot be read"):
        unpack(tmp_path / "x.tgz", tmp_path / "into")
