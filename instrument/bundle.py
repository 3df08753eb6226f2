"""From a Build to a Bundle: every page and script of the app with counters in it, and the map of its probes.

The app's folder is only read. What changes is kept in memory as an overlay (pages and scripts only, so assets of any
size cost nothing); all else is served from the folder.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from instrument.asking import Asking
from instrument.assemble import assemble
from instrument.cache import ResultCache, default_cache_dir
from instrument.classify import SOURCE_RULES, STANDS_IN, Verdict, classify, classify_page, keep_some_own
from instrument.coverage import istanbul_maps
from instrument.detect import Build, package_name
from instrument.encoding import Decoded
from instrument.errors import AppError
from instrument.folder import list_folder, unwalked_folder
from instrument.inlinescripts import writes_inline
from instrument.integrity import renew
from instrument.istanbul import looks_instrumented, probe_map_of
from instrument.leftout import made_at_run_time, unreadable_contexts
from instrument.node import ScriptError, WorkerPool
from instrument.places import Places
from instrument.probes import FailedScript, ProbeMap
from instrument.rewrite import COUNTERS_IN as CARRIED
from instrument.rewrite import Carried
from instrument.shapes import Unit, read_unit
from instrument.sourcemaps import SourceMap, find_map
from instrument.sourceroots import source_roots
from instrument.sources import Reference, Sources, read_sources, references_of, settle_scripts
from instrument.wording import plural

_MISSING_SHOWN = 20

Mode = Literal["istanbul", "v8", "none"]
_REASONS = ("counters were put into the scripts", "the browser's own coverage was asked for")
_T = TypeVar("_T")
BUILT_PAGE = Verdict("vendor", "inline scripts that the build wrote: the sources hold none")


@dataclass(frozen=True, repr=False)
class Bundle:
    """An app ready to be served and measured."""

    build: Build
    overlay: Mapping[str, bytes]
    """Bodies that take the place of files, by path below root with `/`."""
    probes: ProbeMap
    mode: Mode
    reason: str
    """Why this mode, in words."""
    scripts: tuple[str, ...] = ()
    """Keys of the scripts that carry counters."""
    failed: tuple[FailedScript, ...] = ()
    """Scripts that are served as they are because they could not be parsed."""
    unmeasured: tuple[FailedScript, ...] = ()
    """Code without counters, for another reason."""
    notes: tuple[str, ...] = ()
    """Source maps that could not be used and the like."""
    istanbul_globals: bool = False
    """The app brought its own counters: read window.__coverage__ and turn it into hits by
    `instrument.istanbul.hits_of`; where `probes` is empty, make them by `probe_map_of` from what was read first."""
    units: tuple[Unit, ...] = ()
    """What the counters of each script stand for in the served code."""
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    """Class of each served file, by path."""
    carried: frozenset[str] = frozenset()
    """Keys of the sources whose counters were put in before they were built."""

    def __repr__(self) -> str:
        return f"<Bundle of {self.build.root}: {len(self.scripts)} scripts, {self.probes}>"

    @property
    def root(self) -> Path:
        """The app's folder; never written to."""
        return self.build.root

    @property
    def entry(self) -> str:
        """The page to open, below root, with `/`."""
        return self.build.entry

    @property
    def places(self) -> dict[str, Places]:
        """Scripts that V8's ranges measure, by key: all in mode "v8", else those that counters could not go into."""
        return {unit.key: unit.places for unit in self.units if unit.places is not None}

    @property
    def ways(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """How the user's own files are counted, each way with its files: source (counters put in before the build), served
        (put in as it is served, led back by a source map where there is one), v8 (the browser's ranges)."""
        found: dict[str, dict[str, None]] = {"source": {}, "served": {}, "v8": {}}
        own = {source.path for source in self.probes.files if source.file_class == "own"}
        for unit in self.units:
            way = "source" if unit.key in self.carried else "v8" if unit.places is not None else "served"
            for shape in unit.files or (unit.served,):
                if shape.path in own:
                    found[way][shape.path] = None
        return tuple((way, tuple(sorted(files))) for way, files in found.items() if files)

    def coverage_maps(self) -> bytes:
        """Istanbul's static maps as JSON, in the positions of the served code: `{script key: {path, statementMap,
        fnMap, branchMap}}`. What makes window.__coverage__ complete.
        """
        return json.dumps(istanbul_maps(self.units), separators=(",", ":")).encode()


async def make_bundle(
    build: Build,
    *,
    worker: WorkerPool | None = None,
    cache_dir: Path | None = None,
    cache: bool = True,
    branches: bool = True,
    v8: bool = False,
    carried: Carried | None = None,
) -> Bundle:
    """Puts counters into all pages and scripts of a build; with `v8` only finds out where they would be.

    Then the app is served as it is, and its bundle's `places` turn V8's ranges into hits of the same probes.

    `carried`: sources whose counters were put in before they were built; scripts that hold those are served as they are.
    `worker`: processes to use; None starts some and ends them. `cache_dir`: where results are kept, by default the
    user's cache folder; with `cache=False` nothing is. Raises AppError when the app cannot be read.
    """
    if worker is None:
        async with WorkerPool() as pool:
            return await make_bundle(
                build,
                worker=pool,
                cache_dir=cache_dir,
                cache=cache,
                branches=branches,
                v8=v8,
                carried=carried,
            )
    try:
        listing = unwalked_folder(build.root) if build.only else list_folder(build.root)
        sources = read_sources(build, listing)
    except OSError as error:
        raise AppError(f"{build.root} cannot be read ({error.strerror}).") from error
    store = ResultCache((cache_dir or default_cache_dir()) if cache else None)
    maker = _Maker(build, sources, Asking(worker, store, branches), v8, carried or Carried())
    arrived = None if maker.carried.units else await maker.arrived_instrumented()
    bundle = arrived or await maker.make()
    store.trim()
    return bundle


@dataclass
class _Maker:
    """One bundle in the making."""

    build: Build
    sources: Sources
    asking: Asking
    v8: bool = False
    carried: Carried = field(default_factory=Carried)
    units: list[Unit] = field(default_factory=list)
    bodies: dict[str, bytes] = field(default_factory=dict)
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    references: dict[str, Reference] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.package = package_name(self.build.sources or self.build.root)
        self.inline = self.build.sources is None or writes_inline(self.build.sources)
        self.roots = [str(root) for root in source_roots(self.build.sources)] if self.build.sources else []

    async def make(self) -> Bundle:
        pages = self.sources.pages
        answers = await _all({path: self._page(path, page) for path, page in pages.items()})
        self.references = references_of(
            {path: answer for path, answer in answers.items() if answer}, self.sources
        )
        settle_scripts(self.sources, self.references)
        self._leave_out()
        self._take_carried()
        scripts = self.sources.scripts
        made = await _all({path: self._script(path, source) for path, source in scripts.items()})
        for path, answer in answers.items():
            if answer:
                self._take_page(path, answer)
        for path, result in made.items():
            if result:
                self._take_script(path, result)
        return self._bundle()

    async def _page(self, path: str, page: Decoded) -> dict[str, Any] | None:
        return await self._ask(path, "html", page.text, html=page.text, mine=True)

    async def _script(self, path: str, source: Decoded) -> dict[str, Any] | None:
        reference = self.references.get(path) or Reference(nomodule=False)
        verdict = classify(path, source.text, package=self.package, nomodule=reference.nomodule)
        self.verdicts[path] = verdict
        transpiled = "transpiled" in reference.kinds
        message: dict[str, Any] = {
            "code": source.text,
            "goal": reference.goal,
            "jsx": transpiled,
            "typescript": reference.typescript,
            "mine": verdict.file_class == "own" or not verdict.certain,
        }
        if verdict.file_class == "own" and (found := self._map(path, source.text)):
            message |= {"map": found.text, "mapUrl": found.path, "rules": SOURCE_RULES}
            message |= {"folders": self._source_folders()}
            if self.roots:
                message["roots"] = self.roots
        return await self._ask(path, "script", source.text, **message)

    def _map(self, path: str, text: str) -> SourceMap | None:
        found = find_map(path, text, self.sources.listing)
        if isinstance(found, SourceMap):
            return found
        if found:
            self.notes.append(f"{path}: {found}, so its numbers are of the served file")
        return None

    def _source_folders(self) -> list[str]:
        """Where sources may lie that a map names but does not hold: the app, and the project that it was built in."""
        root = self.build.root
        project = [root.parent] if (root.parent / "package.json").is_file() else []
        return [str(folder) for folder in (root, *project)]

    async def _ask(self, path: str, op: str, text: str, **message: Any) -> dict[str, Any] | None:
        """The worker's answer, from the cache if it is there; None where the file is served as it is."""
        if self.v8 and op != "istanbul":
            message["places"] = True
        try:
            answer = await self.asking.ask(path, op, text, **message)
        except ScriptError as error:
            self.sources.failed.append(FailedScript(path, f"cannot be parsed: {error}"))
            return None
        if skipped := answer.get("skipped"):
            self.sources.unmeasured.append(FailedScript(path, skipped))
            return None
        return answer

    def _take_page(self, path: str, answer: dict[str, Any]) -> None:
        page = self.sources.pages[path]
        self.verdicts[path] = classify_page(path) if self.inline else BUILT_PAGE
        if self.verdicts[path].file_class == "own":
            self.sources.unmeasured += made_at_run_time(path, page.text)
        if answer["html"] != page.text:
            self.bodies[path] = page.encode(answer["html"])
        self.units += [read_unit(unit, path=path, text=page.text) for unit in answer["units"]]
        failed = [FailedScript(f"{path}:{row['line']}", row["reason"]) for row in answer["failed"]]
        self.sources.failed += failed
        if answer.get("templates"):
            reason = f"holds expressions in attributes ({answer['templates']}), which a framework runs: not measured"
            self.sources.unmeasured.append(FailedScript(path, reason))

    def _take_script(self, path: str, answer: dict[str, Any]) -> None:
        source = self.sources.scripts[path]
        self.bodies[path] = source.encode(answer["code"])
        unit = read_unit(answer["unit"], path=path, text=source.text)
        self.units.append(unit)
        if unit.problem:
            self.notes.append(
                f"{path}: its source map cannot be used ({unit.problem}), so its numbers are of the served file"
            )
        self.notes += [
            f"{shape.path}: cannot be parsed ({shape.problem}), so only what was built of it is counted"
            for shape in unit.files
            if shape.problem and not shape.vendor
        ]
        if silent := sum(1 for shape in unit.files if not shape.vendor and not shape.text):
            self.notes.append(
                f"{path}: its source map holds no text of {plural(silent, 'source')}, so only what was built is counted"
            )
        if self.verdicts[path].file_class == "own":
            self.sources.unmeasured += made_at_run_time(path, source.text)

    def _leave_out(self) -> None:
        texts = {path: source.text for path, source in self.sources.scripts.items()}
        texts |= {path: source.text for path, source in self.sources.pages.items()}
        for apart in unreadable_contexts(texts):
            if self.sources.scripts.pop(apart.path, None):
                self.sources.unmeasured.append(apart)

    def _take_carried(self) -> None:
        """Scripts with counters of their own are served as they are; so are libraries, where the sources have counters."""
        self.sources.unmeasured += self.carried.absent
        self.sources.failed += self.carried.failed
        if not self.carried.units:
            return
        libraries = 0
        for path, source in list(self.sources.scripts.items()):
            if self.carried.names_in(source.text):
                self.bodies[path] = source.encode(source.text)
            elif self.carried.is_public(path) or isinstance(
                find_map(path, source.text, self.sources.listing), SourceMap
            ):
                continue
            else:
                libraries += 1
            del self.sources.scripts[path]
        self.units += self.carried.units.values()
        self.verdicts |= self.carried.verdicts
        if libraries:
            self.notes.append(
                "library code is not counted where counters are put into the sources: "
                f"{libraries} built scripts hold nothing else"
            )

    def _bundle(self) -> Bundle:
        self._keep_some_served()
        counted = sum(sum(unit.sizes[:3]) for unit in self.units)
        verdicts = self._final_verdicts()
        return Bundle(
            build=self.build,
            overlay={} if self.v8 else self._overlay(),
            probes=assemble(self.units, verdicts),
            mode=("v8" if self.v8 else "istanbul") if counted else "none",
            reason=self._reason() if counted else "the app has no script that can be measured",
            scripts=tuple(unit.key for unit in self.units if sum(unit.sizes)),
            failed=tuple(dict.fromkeys(self.sources.failed)),
            unmeasured=tuple(dict.fromkeys(self.sources.unmeasured)),
            notes=(*sorted(self.notes), *self.sources.missing[:_MISSING_SHOWN]),
            units=tuple(self.units),
            verdicts=verdicts,
            carried=frozenset(unit.key for unit in self.carried.units.values()),
        )

    def _reason(self) -> str:
        told = f"{CARRIED} before they were built" if self.carried.units else _REASONS[self.v8]
        stands_in = any(verdict.reason == STANDS_IN for verdict in self.verdicts.values())
        return f"{told}; {STANDS_IN}" if stands_in else told

    def _overlay(self) -> dict[str, bytes]:
        """Changed bodies, with hashes renewed in these and in all other pages and scripts."""
        sources = {**self.sources.scripts, **self.sources.pages}
        originals = {path: source.encode(source.text) for path, source in sources.items()}
        kept = {path: body for path, body in self.bodies.items() if path not in originals}
        bodies = renew({**originals, **self.bodies}, {**originals, **kept})
        return {path: body for path, body in bodies.items() if body != originals.get(path)}

    def _keep_some_served(self) -> None:
        """Where none of a project's own code reaches the browser, its scripts count as served: no app goes uncounted."""
        named = [shape for unit in self.units for shape in unit.files]
        served = [unit.served for unit in self.units if not unit.files]
        own = (shape for shape in served if self.verdicts[shape.path].file_class == "own")
        if (
            self.build.sources is None
            or not named
            or any(len(shape.statements) for shape in own)
            or any(len(shape.statements) and not shape.vendor for shape in named)
        ):
            return
        mapped = {unit.served.path for unit in self.units if unit.files}
        self.verdicts |= dict.fromkeys(mapped, Verdict("own", STANDS_IN))
        self.units = [replace(unit, files=()) for unit in self.units]

    def _final_verdicts(self) -> dict[str, Verdict]:
        """Sources that a map names as the user's own count as well; only without any must a library stand in."""
        if any(len(shape.statements) and not shape.vendor for unit in self.units for shape in unit.files):
            return self.verdicts
        counts: dict[str, int] = {}
        for unit in self.units:
            if not unit.files:
                counts[unit.served.path] = counts.get(unit.served.path, 0) + len(unit.served.statements)
        return keep_some_own(self.verdicts, counts)

    async def arrived_instrumented(self) -> Bundle | None:
        """The bundle of an app that has counters already, else None. Its probes are read from the code's own maps."""
        scripts = {
            path: source.text
            for path, source in self.sources.scripts.items()
            if looks_instrumented(source.text)
        }
        if not scripts:
            return None
        answers = await _all(
            {path: self._ask(path, "istanbul", text, code=text) for path, text in scripts.items()}
        )
        files = [entry for answer in answers.values() if answer for entry in answer["files"]]
        names = ", ".join(sorted(scripts)[:3])
        return Bundle(
            build=self.build,
            overlay={},
            probes=probe_map_of({entry["path"]: entry for entry in files}),
            mode="istanbul",
            reason=f"the app arrived with Istanbul's counters in it ({names}) and is used as it is",
            scripts=tuple(entry["path"] for entry in files),
            failed=tuple(self.sources.failed),
            unmeasured=tuple(self.sources.unmeasured),
            istanbul_globals=True,
        )


async def _all(tasks: Mapping[str, Coroutine[Any, Any, _T]]) -> dict[str, _T]:
    """Results by key, in the order of the keys."""
    async with asyncio.TaskGroup() as group:
        running = {key: group.create_task(task) for key, task in tasks.items()}
    return {key: task.result() for key, task in running.items()}
