"""Way A: the user's sources get their counters in the work copy, before the project's own build takes them in."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from instrument.asking import Asking
from instrument.classify import Verdict, classify
from instrument.encoding import decode
from instrument.kinds.appfolder import AppFolder
from instrument.manifest import read_manifest
from instrument.node import ScriptError
from instrument.probes import FailedScript
from instrument.project import Project
from instrument.scan import needed_members
from instrument.shapes import Unit, read_unit
from instrument.workcopy import WorkCopy, replace_text

NAME = re.compile(r"\.(__cv[0-9a-f]{10})\b")
"""An accessor in a built script: there it is the name of a property."""
COUNTERS_IN = "counters were put into the sources"
REWRITTEN = "counters were put into it before it was built"
_SOURCE = re.compile(r"\.(?:[cm]?[jt]sx?|astro)$", re.IGNORECASE)
_NO_SOURCE = re.compile(
    r"\.d\.[cm]?ts$|\w[.-](?:config|conf|rc|setup)\.[cm]?[jt]sx?$"
    r"|\.(?:tests?|spec|stories|story|cy|mock|e2e|bench)\.[cm]?[jt]sx?$|^\.",
    re.IGNORECASE,
)
"""Types, settings and tests, wherever they lie."""
_OF_TOOLS = re.compile(
    r"^(?:vite|next|astro|svelte|tailwind|postcss|webpack|rollup|rolldown|babel|jest|vitest|eslint|playwright|cypress"
    r"|gulpfile|gruntfile|craco|config-overrides|setupTests|setupProxy)\b[\w.-]*\.[cm]?[jt]s$"
    r"|^(?:middleware|proxy|instrumentation|instrumentation-client)\.[cm]?[jt]s$",
    re.IGNORECASE,
)
"""At the top of a project or of its src: settings of tools, and what a server runs before any page."""
_NO_SOURCES = frozenset(
    "node_modules coverage __tests__ __mocks__ __fixtures__ test tests cypress e2e playwright storybook bower_components "
    "explorations".split()
)
_LARGEST = 2 << 20
_MANY = 100
"""Sources of which not each one brings all that is set up in a page: some 5 KB before it is minified."""
_FIRST = re.compile(
    r"(?:^|/)(?:index|main|app|page|layout|root|entry\b|[^/]*worker)[^/]*$|\.astro$", re.IGNORECASE
)
"""Sources that are loaded first in a page or worker, by their names."""
_ON_SERVER = re.compile(r"^\s*(?:/\*[^*]*\*/\s*|//[^\n]*\n\s*)*(['\"])use server\1")


@dataclass(frozen=True, slots=True)
class Rewritten:
    """Sources of the copy that carry counters now."""

    units: Mapping[str, Unit]
    """By the name of their accessor, which the built scripts keep as that of a property."""
    files: Mapping[str, Path]
    """Rewritten files of the copy, by the source's path."""
    texts: Mapping[str, str]
    """What stood in them: the user's own text."""
    left: tuple[FailedScript, ...] = ()
    """Sources that were left as they are, with the reason."""

    def restore(self, paths: frozenset[str] | None = None) -> Rewritten:
        """Gives these sources (None: all) their own text again; what is left of the rewriting."""
        chosen = frozenset(self.texts) if paths is None else paths
        for path in chosen:
            replace_text(self.files[path], self.texts[path])
        reason = "the build fails with counters in it, so it was built without"
        return Rewritten(
            {name: unit for name, unit in self.units.items() if unit.served.path not in chosen},
            {path: file for path, file in self.files.items() if path not in chosen},
            {path: text for path, text in self.texts.items() if path not in chosen},
            (*self.left, *(FailedScript(path, reason) for path in sorted(chosen))),
        )


NOTHING = Rewritten({}, {}, {})


@dataclass(frozen=True, slots=True)
class Carried:
    """Counters that came into the scripts before they were built, for whoever serves those."""

    units: Mapping[str, Unit] = field(default_factory=dict)
    """By accessor: those of sources that are in the built scripts."""
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    absent: tuple[FailedScript, ...] = ()
    """Sources that no script of the browser's holds, and what was left as it is on purpose."""
    failed: tuple[FailedScript, ...] = ()
    """Sources that could not be given counters."""
    public: Path | None = None
    """Folder whose files reach the browser as they are."""

    def names_in(self, text: str) -> bool:
        """Whether a built script carries counters of a source."""
        return any(name in self.units for name in NAME.findall(text))

    def is_public(self, path: str) -> bool:
        """Whether a file of the result is one that the build only copied."""
        return self.public is not None and (self.public / path).is_file()


def carried(rewritten: Rewritten, there: frozenset[str], *, public: Path | None = None) -> Carried:
    """What of the rewritten sources the browser gets; `there` are the accessors that built files name."""
    units = {name: unit for name, unit in rewritten.units.items() if name in there}
    present = {unit.served.path for unit in units.values()}
    absent = "in no script that the browser gets: it runs on the server, or nothing imports it"
    failed = tuple(one for one in rewritten.left if "cannot be" in one.reason or "build fails" in one.reason)
    return Carried(
        units=units,
        verdicts=dict.fromkeys(present, Verdict("own", REWRITTEN)),
        absent=(
            *(one for one in rewritten.left if one not in failed),
            *(FailedScript(path, absent) for path in rewritten.texts if path not in present),
        ),
        failed=failed,
        public=public,
    )


async def rewrite_sources(project: Project, copy: WorkCopy, asking: Asking) -> Rewritten:
    """Puts counters into the app's sources in the copy, those of the workspace's packages that it needs included."""
    found = dict(_sources(project, copy))
    slim = {path for path in found if len(found) > _MANY and not _FIRST.search(path)}
    async with asyncio.TaskGroup() as group:
        tasks = {
            path: group.create_task(_rewritten(path, file, asking, slim=path in slim))
            for path, file in found.items()
        }
    units: dict[str, Unit] = {}
    texts: dict[str, str] = {}
    left: list[FailedScript] = []
    for path, task in tasks.items():
        result = task.result()
        if isinstance(result, FailedScript):
            left.append(result)
        elif result is not None:
            text, code, counted = result
            replace_text(found[path], code)
            units |= counted
            texts[path] = text
    return Rewritten(units, {path: found[path] for path in texts}, texts, tuple(left))


_Result = tuple[str, str, dict[str, Unit]] | FailedScript | None
"""Text, code and units by accessor; why it is left as it is; None where there is nothing to count."""


async def _rewritten(path: str, file: Path, asking: Asking, *, slim: bool) -> _Result:
    try:
        body = file.read_bytes()
    except OSError as error:
        return FailedScript(path, f"cannot be read: {error.strerror}")
    if len(body) > _LARGEST:
        return FailedScript(path, f"larger than {_LARGEST >> 20} MB: taken for data or a library")
    decoded = decode(body)
    if decoded.encoding != "utf-8" or body.startswith(b"\xef\xbb\xbf"):
        return FailedScript(path, f"written in {decoded.encoding} or with a byte order mark: built as it is")
    text = decoded.text
    if _ON_SERVER.match(text):
        return FailedScript(path, "it runs on the server only")
    if not path.endswith(".astro") and (verdict := classify(path, text)).file_class == "vendor":
        return FailedScript(path, f"library code ({verdict.reason}): built as it is")
    try:
        answer = await asking.ask(path, "source", text, code=text, mine=True, slim=slim)
    except ScriptError as error:
        return FailedScript(path, f"cannot be parsed: {error}")
    if skipped := answer.get("skipped"):
        return FailedScript(path, skipped)
    units = [read_unit(row, path=path, text=text) for row in answer["units"]]
    counted = {name: unit for name, unit in zip(answer["names"], units, strict=True) if sum(unit.sizes)}
    return (text, answer["code"], counted) if counted else None


def source_path(project: Project, file: Path) -> str:
    """How a source is called: below the workspace that the app is a member of, else below the app's folder."""
    return file.relative_to(project.workspace).as_posix()


def source_folders(project: Project) -> list[Path]:
    """The app's folder, and those of the workspace's packages that it depends on."""
    manifest = read_manifest(project.root)
    if manifest is None or project.workspace == project.root:
        return [project.root]
    folder = AppFolder(project.root, manifest, project.workspace, read_manifest(project.workspace))
    return [project.root, *needed_members(folder)]


def _sources(project: Project, copy: WorkCopy) -> Iterator[tuple[str, Path]]:
    """Path and file in the copy of each source, in a fixed order."""
    skipped = {
        os.path.normpath(project.root / name) for name in (*project.outputs, project.public_folder) if name
    }
    members = source_folders(project)
    for top in members:
        apart = skipped | {str(other) for other in members if other != top}
        for place, folders, files in os.walk(top):
            folders[:] = sorted(name for name in folders if _holds_sources(Path(place, name), apart))
            for name in sorted(files):
                path = Path(place, name)
                if _is_source(path, top) and copy.of(path).is_file():
                    yield source_path(project, path), copy.of(path)


def _holds_sources(folder: Path, apart: set[str]) -> bool:
    name = folder.name
    return name not in _NO_SOURCES and name[0] != "." and str(folder) not in apart and not folder.is_symlink()


def _is_source(path: Path, top: Path) -> bool:
    if not _SOURCE.search(path.name) or _NO_SOURCE.search(path.name):
        return False
    return not (path.parent in (top, top / "src") and _OF_TOOLS.search(path.name))
