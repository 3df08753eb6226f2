"""The cache of npm packages: what a range meant when it was first asked for, and each package's files.

Below the user's cache folder: versions/NAME.json (range -> version) and files/NAME/VERSION/node_modules/NAME/. A range
keeps its version until the folder is deleted, so that a later run is served the same and needs no network. Of files
those used longest ago go where all take too much; the version is kept, so they come again as they were.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import tarfile
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

import platformdirs

from explorer.npm import NpmError, Packed, install_esbuild, pack
from instrument.foldersize import bytes_in
from instrument.semver import best, exact_version

SIZE_LIMIT = 1 << 30
"""Bytes that the files of all packages may take."""
_FRESH_S = 3600.0
"""Seconds since its last use in which a package stays: another run may be serving it."""
MOST_BYTES = 500 << 20
MOST_FILES = 60_000
"""Of one unpacked package."""


def default_folder() -> Path:
    """The user's cache of packages."""
    return Path(platformdirs.user_cache_dir("explore-app")) / "packages"


class PackageStore:
    """Packages by name and version, fetched by npm when first asked for."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or default_folder()
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._free = asyncio.Semaphore(3)
        """Calls of npm at a time."""
        self._fetched_some = False
        self._refused: dict[str, NpmError] = {}
        """What could not be had, so that it is asked for once a run."""

    async def version(self, name: str, wanted: str) -> str:
        """The exact version that a range or tag means ("" is the latest), its files in the cache.

        Raises NpmError where the package cannot be had.
        """
        async with self._locks[name]:
            if known := self.known(name, wanted):
                return known
            spec = f"{name}@{wanted}"
            if spec in self._refused:
                raise self._refused[spec]
            try:
                return await self._fetched(name, wanted)
            except NpmError as error:
                self._refused[spec] = error
                raise

    def known(self, name: str, wanted: str) -> str:
        """The version if the cache has it, "" otherwise."""
        exact = wanted if exact_version(wanted) else self._recorded(name).get(wanted or "latest", "")
        if not exact or not self.files(name, exact).is_dir():
            return ""
        with contextlib.suppress(OSError):
            os.utime(self.around(name, exact))  # used just now: trim() takes the oldest
        return exact

    def files(self, name: str, version: str) -> Path:
        """The package's own folder."""
        return self.around(name, version) / "node_modules" / name

    def around(self, name: str, version: str) -> Path:
        """The folder that holds nothing but this package, as a bundler looks for it."""
        return self.folder / "files" / quote(name, safe="@") / quote(version, safe="+")

    def manifest(self, name: str, version: str) -> dict[str, object]:
        """package.json; {} where it cannot be read."""
        try:
            text = (self.files(name, version) / "package.json").read_text(encoding="utf-8")
            found = json.loads(text)
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    async def fetch_all(self, wanted: Sequence[tuple[str, str]]) -> None:
        """Fetches several packages in one call of npm; what fails is left to `version`, which says why."""
        missing = [item for item in dict.fromkeys(wanted) if not self.known(*item)]
        if len(missing) < 2:
            return
        specs = [f"{name}@{version}" for name, version in missing]
        with self._scratch() as scratch, contextlib.suppress(NpmError):
            packed = await pack(specs, scratch)
            if [item.name for item in packed] == [name for name, _ in missing]:
                for (name, version), item in zip(missing, packed, strict=True):
                    await self._keep(name, version, item)

    def trim(self, limit: int = SIZE_LIMIT) -> None:
        """Removes the packages used longest ago until the limit is kept; after a run without a fetch, nothing."""
        if not self._fetched_some:
            return
        found = []
        for place in self.folder.glob("files/*/*"):
            with contextlib.suppress(OSError):
                found.append((place.stat().st_mtime, bytes_in(place), place))
        excess = sum(size for _, size, _ in found) - limit
        for used, size, place in sorted(found):
            if excess <= 0 or used > time.time() - _FRESH_S:
                return
            shutil.rmtree(place, ignore_errors=True)
            excess -= size

    async def esbuild(self) -> Path:
        """The bundler's module. Raises NpmError where it cannot be installed."""
        async with self._locks[""]:
            return await install_esbuild(self.folder / "tools")

    async def _fetched(self, name: str, wanted: str) -> str:
        with self._scratch() as scratch:
            try:
                async with self._free:
                    (packed,) = await pack([f"{name}@{wanted}"], scratch)
            except NpmError as error:
                if not error.missing and (nearest := self._nearest(name, wanted)):
                    return nearest  # no registry now: what was fetched for another range will do
                raise
            return await self._keep(name, wanted, packed)

    async def _keep(self, name: str, wanted: str, packed: Packed) -> str:
        self._fetched_some = True
        await asyncio.to_thread(self._unpack, name, packed)
        if not exact_version(wanted):
            self._record(name, wanted or "latest", packed.version)
        return packed.version

    def _nearest(self, name: str, wanted: str) -> str:
        folder = self.around(name, "0").parent
        return best((path.name for path in folder.glob("*")), wanted or "*") if folder.is_dir() else ""

    def _unpack(self, name: str, packed: Packed) -> None:
        place = self.around(name, packed.version)
        if place.is_dir():
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=".new-", dir=place.parent))
        try:
            unpack(packed.archive, scratch / "node_modules" / name)
            with contextlib.suppress(OSError):  # another run was first
                scratch.rename(place)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    @contextlib.contextmanager
    def _scratch(self) -> Iterator[Path]:
        self.folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".pack-", dir=self.folder) as scratch:
            yield Path(scratch)

    def _recorded(self, name: str) -> dict[str, str]:
        try:
            found = json.loads(self._record_file(name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return {str(key): str(value) for key, value in found.items()} if isinstance(found, dict) else {}

    def _record(self, name: str, wanted: str, version: str) -> None:
        path = self._record_file(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({**self._recorded(name), wanted: version}, indent=1, sort_keys=True)
        with tempfile.NamedTemporaryFile(
            "w", dir=path.parent, prefix=".new-", delete=False, encoding="utf-8"
        ) as file:
            file.write(text)
        Path(file.name).replace(path)

    def _record_file(self, name: str) -> Path:
        return self.folder / "versions" / f"{quote(name, safe='@')}.json"


def unpack(archive: Path, into: Path) -> None:
    """A package's archive without its topmost folder; regular files only. Raises NpmError for one that is no archive."""
    try:
        with tarfile.open(archive, "r:gz") as source:
            members = [member for member in source if member.isfile()]
            if len(members) > MOST_FILES or sum(member.size for member in members) > MOST_BYTES:
                raise NpmError(f"the package is larger than {MOST_BYTES >> 20} MB")
            for member in members:
                member.name = member.name.partition("/")[2] or member.name
                member.mode = 0o644
                source.extract(member, into, filter="data")
    except (tarfile.TarError, OSError, EOFError) as error:
        raise NpmError(f"its archive cannot be read ({error})") from error
