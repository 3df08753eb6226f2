"""The work copy of a project: where it is installed, rewritten and built, so that the user's folder stays as it is.

Every file is a real copy, node_modules included: a build script may write wherever it likes. The copy stays in the
user's cache folder and is brought up to date by size and time, so that the second run copies what changed only.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import platformdirs

from instrument.errors import AppError
from instrument.folder import is_run
from instrument.foldersize import bytes_in

SIZE_LIMIT = 2 << 30
"""Bytes that all work copies may take; those used longest ago go first, the one used last stays."""
DOWNLOADS = "downloads"
"""Folder beside the copies: what package managers downloaded."""
DOWNLOADS_LIMIT = 1 << 30
"""Bytes that it may take; then it begins anew."""
_LEFT_OUT = frozenset(
    ".git .hg .svn .next .nuxt .output .svelte-kit .turbo .nx .parcel-cache .cache .vercel .netlify .DS_Store".split()
)
"""Histories, caches and results: whoever needs them makes them again."""
_MADE_IN_MODULES = frozenset({".cache", ".vite", ".vite-temp", ".tmp", ".astro"})
"""Caches in node_modules: one of an earlier build would hide what is new."""
_MODULES = "node_modules"
_STAMP, _KEPT = "copy.json", "kept"


def builds_folder() -> Path:
    """Where the work copies are: the user's cache folder."""
    return Path(platformdirs.user_cache_dir("explore-app")) / "builds"


@dataclass(frozen=True, slots=True)
class WorkCopy:
    """A project's copy and the folders beside it that its build uses."""

    place: Path
    """Holds all of it; nothing outside is written."""
    source: Path
    """The user's folder that was copied: the workspace's root."""
    workspace: Path
    """Its copy."""
    skipped: tuple[str, ...] = ()
    """Links that lead out of the project and files that cannot be read, in words; they are not in the copy."""
    fingerprint: str = ""
    """Of all that was copied, by names, sizes and times: equal for a project in which nothing has changed."""

    @property
    def home(self) -> Path:
        """HOME of the processes that run in the copy."""
        return self.place / "home"

    @property
    def tools(self) -> Path:
        """First on their PATH."""
        return self.place / "tools"

    def of(self, path: Path) -> Path:
        """The copy of a file or folder of the user's."""
        return self.workspace / path.relative_to(self.source)


@contextmanager
def work_copy(
    workspace: Path, *, root: Path, outputs: Iterable[str] = (), installed: bool, folder: Path | None = None
) -> Iterator[WorkCopy]:
    """The copy of a workspace, up to date and for this run alone until the context ends.

    `root`: the app's folder in it, below which `outputs` are not copied. `installed`: copy node_modules too; else
    those that an earlier run installed in the copy stay. `folder`: where copies are kept. Raises AppError where the
    disk refuses.
    """
    folder = folder or builds_folder()
    with _reserved(folder, workspace) as place:
        try:
            there = place / (workspace.name or "app") / root.relative_to(workspace)
            _put_aside(place, there, outputs)
            copy = _copied(workspace, place, frozenset(_outputs(root, outputs)), installed=installed)
        except OSError as error:
            raise AppError(
                f"{workspace} could not be copied to {folder} ({error.strerror or error}): "
                "make room there, or name another folder in XDG_CACHE_HOME."
            ) from error
        try:
            yield copy
        finally:
            with contextlib.suppress(OSError):  # a full disk: what is noted of its size stays as it was
                _stamp(place, workspace, bytes_in(place))
    _trim(folder)
    _trim_downloads(folder)


def _copied(workspace: Path, place: Path, left_out: frozenset[Path], *, installed: bool) -> WorkCopy:
    copy = place / (workspace.name or "app")
    mirror = _Mirror(workspace, left_out, modules=installed)
    mirror.folder(workspace, copy)
    if installed and (above := _modules_above(workspace)):
        mirror.folder(above, place / _MODULES, in_modules=True)
    for name in ("home", "tools"):
        (place / name).mkdir(exist_ok=True)
    _stamp(place, workspace, mirror.bytes)
    return WorkCopy(place, workspace, copy, tuple(mirror.skipped), mirror.fingerprint.hexdigest())


def _put_aside(place: Path, root: Path, outputs: Iterable[str]) -> None:
    """Keeps what the last build left from being taken for leftovers."""
    kept = place / _KEPT
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir(parents=True)
    for number, name in enumerate(outputs):
        result = Path(os.path.normpath(root / name))
        if (
            result.is_dir()
            and result.is_relative_to(place)
            and not root.is_relative_to(result)
            and not _is_package(result)
        ):
            result.rename(kept / str(number))


def bring_back(copy: WorkCopy, root: Path, outputs: Iterable[str]) -> bool:
    """Puts the last build's results where they were; whether there are any. Else they are gone for good."""
    found = False
    for number, name in enumerate(outputs):
        kept, result = copy.place / _KEPT / str(number), Path(os.path.normpath(copy.of(root) / name))
        if kept.is_dir() and not result.exists():
            result.parent.mkdir(parents=True, exist_ok=True)
            kept.rename(result)
            found = True
    return found


def copy_again(copy: WorkCopy, root: Path, outputs: Iterable[str], *, installed: bool) -> None:
    """Brings a copy back to the user's own texts, as if nothing had been written in it. Raises OSError."""
    mirror = _Mirror(copy.source, frozenset(_outputs(root, outputs)), modules=installed)
    mirror.folder(copy.source, copy.workspace)


def copy_modules(source: Path, copy: Path) -> None:
    """Copies every node_modules of one workspace to its place in another. Raises OSError."""
    mirror = _Mirror(source, frozenset(), modules=True)
    for place, folders, _ in os.walk(source):
        if _MODULES in folders:
            target = copy / Path(place).relative_to(source)
            target.mkdir(parents=True, exist_ok=True)
            mirror.folder(Path(place, _MODULES), target / _MODULES, in_modules=True)
        folders[:] = [name for name in folders if name != _MODULES]


def clear_caches(copy: WorkCopy, root: Path) -> None:
    """Drops what tools keep in node_modules from build to build: it would hide what has changed."""
    for place in {copy.of(root), copy.workspace, copy.place}:
        for name in _MADE_IN_MODULES:
            shutil.rmtree(place / _MODULES / name, ignore_errors=True)
    for name in _LEFT_OUT:
        made = copy.of(root) / name
        if made.is_dir():
            shutil.rmtree(made, ignore_errors=True)


def replace_text(path: Path, text: str) -> None:
    """Writes a file anew: unlinked first, so that no other name of it is changed."""
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
    path.unlink(missing_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    if mode is not None:
        path.chmod(mode | stat.S_IWUSR)


def _outputs(root: Path, outputs: Iterable[str]) -> Iterator[Path]:
    """Folders that the build writes; never one that the project itself lies in."""
    for name in outputs:
        place = Path(os.path.normpath(root / name))
        if place != root and not root.is_relative_to(place) and not _is_package(place):
            yield place


def _is_package(folder: Path) -> bool:
    """Whether a folder is a package of its own; Next.js writes a package.json without a name into its result."""
    try:
        row = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    except OSError:
        return False
    except ValueError:
        return True
    return isinstance(row, dict) and "name" in row


def _modules_above(workspace: Path) -> Path | None:
    """A node_modules above the project, from which it takes what it does not have itself."""
    if (workspace / _MODULES).is_dir():
        return None
    above = (parent / _MODULES for parent in workspace.parents)
    return next((place for place in above if place.is_dir() and not place.is_symlink()), None)


@dataclass
class _Mirror:
    """Makes one folder like another: copies what differs, removes what is no longer there."""

    source: Path
    left_out: frozenset[Path]
    modules: bool
    skipped: list[str] = field(default_factory=list)
    bytes: int = 0
    fingerprint: hashlib._Hash = field(default_factory=hashlib.sha256)

    def folder(self, source: Path, copy: Path, *, in_modules: bool = False) -> None:
        with os.scandir(source) as found:
            entries = sorted(found, key=lambda entry: entry.name)
        if not in_modules and source != self.source and is_run(entry.name for entry in entries):
            return
        if copy.is_symlink() or not copy.is_dir():
            copy.unlink(missing_ok=True)
            copy.mkdir(parents=True)
        kept = {entry.name for entry in entries if self._takes(entry, in_modules=in_modules)}
        self._remove_others(copy, kept)
        for entry in entries:
            if entry.name in kept:
                self._entry(entry, copy / entry.name, in_modules=in_modules)

    def _takes(self, entry: os.DirEntry[str], *, in_modules: bool) -> bool:
        if in_modules:
            return entry.name not in _MADE_IN_MODULES
        if entry.name == _MODULES:
            return self.modules
        return entry.name not in _LEFT_OUT and Path(entry.path) not in self.left_out

    def _remove_others(self, copy: Path, kept: set[str]) -> None:
        for entry in list(os.scandir(copy)):
            if entry.name in kept or (entry.name == _MODULES and not self.modules):
                continue
            _remove(Path(entry.path))

    def _entry(self, entry: os.DirEntry[str], copy: Path, *, in_modules: bool) -> None:
        path = Path(entry.path)
        try:
            if entry.is_symlink():
                self._link(path, copy)
            elif entry.is_dir():
                self.folder(path, copy, in_modules=in_modules or entry.name == _MODULES)
            elif entry.is_file():
                self._file(entry.stat(), path, copy)
        except PermissionError as error:
            if error.filename and not Path(error.filename).is_relative_to(self.source):
                raise
            self.skipped.append(f"{path.relative_to(self.source)} cannot be read")

    def _file(self, status: os.stat_result, path: Path, copy: Path) -> None:
        self.bytes += status.st_size
        self._note(path, status.st_size, status.st_mtime_ns)
        if _same(status, copy):
            return
        _remove(copy)
        shutil.copyfile(path, copy)
        # The owner may write: tools that unpack over a read-only file would fail in the copy alone.
        copy.chmod(stat.S_IMODE(status.st_mode) | stat.S_IWUSR)
        os.utime(copy, ns=(status.st_atime_ns, status.st_mtime_ns))

    def _note(self, path: Path, *what: object) -> None:
        self.fingerprint.update(f"{path}\0{what}\n".encode("utf-8", "surrogateescape"))

    def _link(self, path: Path, copy: Path) -> None:
        """A link within the project, written relative; one that leads out is not followed."""
        target = Path(os.path.realpath(path))
        top = Path(os.path.realpath(self.source))
        if not target.is_relative_to(top):
            self.skipped.append(
                f"{os.path.relpath(path, self.source)} is a link that leads out of the project"
            )
            _remove(copy)
            return
        wanted = path.readlink()
        self._note(path, wanted)
        if wanted.is_absolute():
            wanted = Path(os.path.relpath(target, os.path.realpath(path.parent)))
        if not (copy.is_symlink() and copy.readlink() == wanted):
            _remove(copy)
            copy.symlink_to(wanted)


def _same(status: os.stat_result, copy: Path) -> bool:
    try:
        there = os.lstat(copy)
    except OSError:
        return False
    return (
        stat.S_ISREG(there.st_mode)
        and there.st_nlink == 1
        and there.st_size == status.st_size
        and there.st_mtime_ns == status.st_mtime_ns
    )


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


# -- the folder of all copies


@contextmanager
def _reserved(folder: Path, workspace: Path) -> Iterator[Path]:
    """A project's usual place, or while another run has that, its next one: paths in a build stay the same."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AppError(
            f"{folder} could not be made ({error.strerror}): name another folder in XDG_CACHE_HOME."
        ) from error
    digest = hashlib.sha256(str(workspace).encode("utf-8", "surrogateescape")).hexdigest()[:12]
    for number in range(1, 100):
        name = f"{digest}{'' if number == 1 else f'-{number}'}"
        with _locked(folder / f"{name}.lock") as got:
            if got:
                (folder / name).mkdir(exist_ok=True)
                yield folder / name
                return
    raise AppError(f"A hundred runs of {workspace} are under way: end some of them.")


@contextmanager
def _locked(path: Path) -> Iterator[bool]:
    with path.open("a") as file:
        if not _lock(file):
            yield False
            return
        yield True  # closing the file lets go


def _lock(file: IO[str]) -> bool:
    if sys.platform == "win32":
        import msvcrt

        with contextlib.suppress(OSError):
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            return True
        return False
    import fcntl

    with contextlib.suppress(OSError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def _stamp(place: Path, workspace: Path, size: int) -> None:
    row = {"source": str(workspace), "bytes": size, "used": time.time()}
    (place / _STAMP).write_text(json.dumps(row), encoding="utf-8")


def _trim(folder: Path, limit: int = SIZE_LIMIT) -> None:
    """Removes the copies used longest ago until the limit is kept or one is left, and those whose project is gone."""
    rows = []
    for stamp in folder.glob(f"*/{_STAMP}"):
        try:
            row = json.loads(stamp.read_text(encoding="utf-8"))
            gone = not Path(row["source"]).exists()
            rows.append((0.0 if gone else float(row["used"]), int(row["bytes"]), stamp.parent))
        except (OSError, ValueError, KeyError, TypeError):
            rows.append((0.0, 0, stamp.parent))
    total = sum(size for _, size, _ in rows)
    rows.sort()
    for used, size, place in rows:
        if used and (total <= limit or place == rows[-1][2]):
            return
        if _removed(folder, place):
            total -= size


def _removed(folder: Path, place: Path) -> bool:
    """Removes a copy; whether it could be, for one that a run uses stays."""
    with _locked(folder / f"{place.name}.lock") as got:
        if got:
            shutil.rmtree(place, ignore_errors=True)
        return got


def _trim_downloads(folder: Path, limit: int = DOWNLOADS_LIMIT) -> None:
    """Drops what was downloaded where it has outgrown its limit and no run could be installing from it."""
    if bytes_in(folder / DOWNLOADS) > limit and not _in_use(folder):
        shutil.rmtree(folder / DOWNLOADS, ignore_errors=True)


def _in_use(folder: Path) -> list[Path]:
    """Copies that a run uses now."""
    found = []
    for path in folder.glob("*.lock"):
        with _locked(path) as got:
            if not got:
                found.append(path.with_suffix(""))
    return found


def clear_copies(folder: Path | None = None) -> int:
    """Removes all work copies and what was downloaded for them, but what runs use now; how many copies those are."""
    folder = folder or builds_folder()
    if not folder.is_dir():
        return 0
    left = 0
    for place in sorted(folder.iterdir()):
        if place.is_dir() and place.name != DOWNLOADS:
            left += not _removed(folder, place)
    if not left:
        shutil.rmtree(folder / DOWNLOADS, ignore_errors=True)
    return left
