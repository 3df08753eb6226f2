"""Builds a project in its work copy: counters in the sources first, else source maps on, and always a reason in words."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from instrument.asking import Asking
from instrument.buildlog import Diagnosis, culprits, diagnose
from instrument.cache import ResultCache, default_cache_dir
from instrument.checks import check_inside, checks_of
from instrument.errors import AppError
from instrument.fonts import NOTE as FONTS
from instrument.fonts import answer_fonts, font_addresses
from instrument.freshness import built_folder
from instrument.install import install, installed_by_npm
from instrument.manifest import read_manifest
from instrument.mapsettings import MAP_VARIABLES, switch_on_maps
from instrument.node import WORKER_PROGRAM, WorkerPool
from instrument.project import Project
from instrument.rewrite import NAME, NOTHING, Carried, Rewritten, carried, rewrite_sources
from instrument.runner import Finished, Limits, Say, run_command
from instrument.sandbox import Sandbox, confined, find_sandbox
from instrument.toolchain import Toolchain
from instrument.wording import plural
from instrument.workcopy import WorkCopy, bring_back, clear_caches, copy_again, work_copy

_READ = (".js", ".mjs", ".cjs", ".html", ".htm")
_PASSING = frozenset({"COLUMNS", "TERM", "TMPDIR", "TEMP", "TMP"})
"""Variables that change nothing of a build."""
_FORMAT = 3
"""Raised where builds of earlier versions of this program must not be used again."""
_RETRIES = 2
"""Builds without the sources that the log names, before all get their own text again."""


@dataclass(frozen=True, slots=True)
class BuildSettings:
    """How a build is run."""

    limits: Limits = field(default_factory=Limits)
    sandbox: bool = False
    """Deny it the network and the rest of the file system; UsageError where that cannot be done."""
    counters: bool = True
    """Put counters into the sources where that fits; else only source maps are switched on."""
    folder: Path | None = None
    """Where work copies are kept; None for the user's cache folder."""
    environ: Mapping[str, str] | None = None
    """The caller's environment; None for this process's."""
    again: bool = True
    """Use what an earlier run built where nothing has changed since."""
    log: Path | None = None
    """Where all output is kept; None for a file of the work copy's."""
    verbose: bool = True
    """Tell each line that the build writes."""


@dataclass(frozen=True, slots=True)
class Built:
    """A project that was built; it lasts as long as `built` does."""

    project: Project
    copy: WorkCopy
    folder: Path
    """The browser's part of the result, in the copy."""
    carried: Carried
    """Sources whose counters are in it; none where source maps lead back to the sources."""
    reason: str
    """Which way was taken and why, in words."""
    rewritten: Rewritten
    log: Path
    env: Mapping[str, str]
    """Environment for a server of the result."""
    notes: tuple[str, ...] = ()
    protection: str = ""
    """What the build could not do, in words."""

    @property
    def root(self) -> Path:
        """The app's folder in the copy."""
        return self.copy.of(self.project.root)


@asynccontextmanager
async def built(project: Project, settings: BuildSettings, *, say: Say) -> AsyncIterator[Built]:
    """The project, copied, installed and built; the copy is this caller's until the context ends.

    Raises AppError where it cannot be installed or built, with the lines of the log that tell why and the log's path;
    UsageError where npm or a sandbox that was asked for is missing.
    """
    sandbox = await find_sandbox() if settings.sandbox else None
    say(f"copying {project.workspace} to a work copy")
    with work_copy(
        project.workspace,
        root=project.root,
        outputs=results_of(project),
        installed=project.installed,
        folder=settings.folder,
    ) as copy:
        tools = Toolchain(copy, settings.environ, settings.log or copy.place / "build.log")
        tools.log.unlink(missing_ok=True)
        await tools.with_npm()
        notes = [*project.notes, *copy.skipped[:10]]
        if not project.installed:
            notes.append(await install(project, tools, say=say, limits=settings.limits))
        notes.append(await tools.with_node(project))
        site = _Site(project, tools, settings, sandbox, say)
        result = await site.build()
        yield replace(result, notes=(*(note for note in notes if note), *result.notes))


@dataclass
class _Site:
    """One project being built."""

    project: Project
    tools: Toolchain
    settings: BuildSettings
    sandbox: Sandbox | None
    say: Say
    manager: str = ""
    fonts: frozenset[str] = frozenset()
    """Stylesheets of fonts that could not be fetched."""
    answered: bool = False
    """Whether the build gets answers for fonts from us."""
    without: frozenset[str] = frozenset()
    """Sources that the build fails with counters in."""
    key: str = ""
    plain: bool = False
    """Whether it is certain that the build of the user's own text succeeds."""

    @property
    def copy(self) -> WorkCopy:
        return self.tools.copy

    async def build(self) -> Built:
        """What an earlier run built where nothing has changed since, else a new build."""
        self.key = await self._key()
        if self.settings.again and (made := await self._used_again()):
            return made
        self.stamp.unlink(missing_ok=True)
        made = await self._built()
        self.stamp.write_text(json.dumps(self._record(made)), encoding="utf-8")
        return made

    @property
    def stamp(self) -> Path:
        """Where it is kept what was built here last."""
        return self.copy.place / "built.json"

    async def _key(self) -> str:
        """Of all that decides what comes out of a build."""
        env = {name: value for name, value in self.tools.env().items() if name not in _PASSING}
        parts = (
            _FORMAT,
            self.copy.fingerprint,
            await self.tools.node(),
            sorted(env.items()),
            self.project.script,
            self.project.command,
            self.project.way,
            self.settings.counters,
            bool(self.sandbox),
            hashlib.sha256(WORKER_PROGRAM.read_bytes()).hexdigest(),
            (self.copy.place / "installed.json").read_text() if not self.project.installed else "",
        )
        return hashlib.sha256(repr(parts).encode("utf-8", "surrogateescape")).hexdigest()

    def _record(self, made: Built) -> dict[str, Any]:
        return {
            "key": self.key,
            "carried": bool(made.rewritten.texts),
            "without": sorted(self.without),
            "reason": made.reason,
            "fonts": sorted(self.fonts),
        }

    async def _used_again(self) -> Built | None:
        try:
            record = json.loads(self.stamp.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        if record.get("key") != self.key or not bring_back(
            self.copy, self.project.root, results_of(self.project)
        ):
            return None
        self.fonts, rewritten = frozenset(record["fonts"]), NOTHING
        if record["carried"]:
            rewritten = (await self._rewritten()).restore(frozenset(record["without"]))
        self.say(
            "nothing has changed since the last build: its result is used again (--build always makes a new one)"
        )
        self.tools.log.write_text("Nothing had changed, so the result of an earlier build was used again.\n")
        try:
            return self._made(self._result(), rewritten, record["reason"])
        except AppError:  # what was kept is no result any more: it is built anew
            self._restart()
            return None

    async def _built(self) -> Built:
        self.manager = "npm"
        if self.project.installed or not installed_by_npm(self.copy.workspace):
            self.manager = await self.tools.with_manager(self.project, say=self.say)
        if self.project.way == "source" and self.settings.counters:
            made = await self._with_counters()
            if isinstance(made, Built):
                return made
            self.say(f"{made}; building without counters in the sources")
            self._restart()
            return await self._with_maps(made)
        return await self._with_maps(self._why_maps())

    def _restart(self) -> None:
        """Back to the user's own texts."""
        project = self.project
        copy_again(self.copy, project.root, results_of(project), installed=project.installed)

    def _why_maps(self) -> str:
        return self.project.way_reason if self.settings.counters else "V8 measures what was built"

    async def _with_counters(self) -> Built | str:
        """Way A; in words why not. Raises AppError where the user's own text cannot be built either."""
        await self._checked()
        rewritten = await self._rewritten()
        if not rewritten.units:
            return "no source could be given counters"
        self.say(f"counters put into {plural(len(rewritten.texts), 'source')}")
        rewritten, done = await self._built_with(rewritten)
        if not done.ok:
            return f"the build failed with counters in the sources ({_briefly(done)})"
        folder = self._result()
        if not names_in(folder) & rewritten.units.keys():
            if names_in(self._output(".next")) & rewritten.units.keys():
                return "its own sources run on the server only, none reaches the browser"
            return "no counter of the sources is left in what was built"
        return self._made(folder, rewritten, "counters were put into the sources before they were built")

    async def _built_with(self, rewritten: Rewritten) -> tuple[Rewritten, Finished]:
        """The build with counters, once more without them in the sources that its log names."""
        if self._has_components():
            switch_on_maps(self.project, self.copy)
        done = await self._run({})
        for _ in range(_RETRIES):
            if done.ok:
                break
            if not self.plain:
                await self._as_it_is(
                    done, "the build fails; once without any counters, to see whether it is their doing"
                )
            named = culprits(done.lines, rewritten.texts)
            if not named or len(named) > max(3, len(rewritten.texts) // 4):
                break
            self.say(f"it is; once more without counters in {', '.join(sorted(named)[:5])}")
            self.without |= named
            rewritten = (await self._rewritten()).restore(self.without)
            if self._has_components():
                switch_on_maps(self.project, self.copy)
            done = await self._run({})
        return rewritten, done

    async def _checked(self) -> None:
        """Asks the build's type checkers and linters about the sources as they are.

        Where one fails the whole build of the user's own text decides, since a checker may need what runs before it.
        """
        root = self.copy.of(self.project.root)
        inside = check_inside(self.project, root, self._programs())
        checks = [*checks_of(self.project), *([inside] if inside else [])]
        for command in checks:
            self.say(f"checking the sources as they are: {command}")
            done = await self._shell(command)
            if not done.ok:
                await self._as_it_is(done, f"`{command}` fails; the whole build without counters decides")
                break
        if checks:
            self._restart()

    async def _as_it_is(self, failed: Finished, why: str) -> None:
        """Builds the user's own text as the project does, quietly. Raises AppError where that fails too, or was stopped."""
        if failed.stopped:
            raise _failure(self.project, failed, self.tools.log)
        self.say(why)
        self._restart()
        done = await self._run({}, quiet=True)
        if not done.ok:
            raise _failure(self.project, done, self.tools.log)
        self.plain = True
        self._restart()

    async def _rewritten(self) -> Rewritten:
        async with WorkerPool() as pool:
            store = ResultCache(default_cache_dir())
            rewritten = await rewrite_sources(self.project, self.copy, Asking(pool, store))
            store.trim()
        return rewritten

    def _has_components(self) -> bool:
        """Whether some sources are compiled to scripts by a framework: their counters come from source maps."""
        folders = (self.copy.of(self.project.root) / name for name in self.project.source_folders)
        return any(
            name.endswith((".vue", ".svelte"))
            for folder in folders
            for place, inner, files in os.walk(folder)
            if "node_modules" not in Path(place).parts
            for name in files
        )

    async def _with_maps(self, why: str) -> Built:
        """Way B: what was built gets its counters as it is served; source maps lead back."""
        changed = switch_on_maps(self.project, self.copy)
        done = await self._run(MAP_VARIABLES)
        if not done.ok and not done.stopped and changed:
            # Perhaps the build minds the setting: as the user has it, then.
            before = diagnose(done.lines)
            self._restart()
            if before.cause not in ("missing install", "types", "network", "fonts", "missing script"):
                done = await self._run({})
        if not done.ok:
            raise _failure(self.project, done, self.tools.log)
        return self._made(self._result(), NOTHING, f"what was built is instrumented as it is served: {why}")

    async def _run(self, env: Mapping[str, str], *, quiet: bool = False) -> Finished:
        """Builds, once more with answers for the fonts that could not be fetched."""
        done = await self._once(env, quiet=quiet)
        while not done.ok and not done.stopped:
            asked = font_addresses(done.lines) - self.fonts
            if not asked and (self.answered or diagnose(done.lines).cause != "fonts"):
                break
            # Without an address in the log: a build that is given no answer at all names what it misses.
            self.fonts, self.answered = self.fonts | asked, True
            self.say("fonts could not be fetched; once more with local ones in their place")
            done = await self._once(env, quiet=quiet)
        return done

    async def _once(self, env: Mapping[str, str], *, quiet: bool) -> Finished:
        clear_caches(self.copy, self.project.root)
        for name in results_of(self.project):
            shutil.rmtree(self._output(name), ignore_errors=True)
        project = self.project
        self.say(f"building: {project.command or project.script}")
        more = dict(env) | (answer_fonts(self.fonts, self.copy.place) if self.answered else {})
        if not project.script:
            return await self._command(project.command, self._with_programs(more), quiet=quiet)
        return await self._command([self.manager, "run", project.script], more, quiet=quiet)

    async def _shell(self, command: str) -> Finished:
        """A part of the build script, run as its package manager would."""
        clear_caches(self.copy, self.project.root)
        return await self._command(command, self._with_programs({}))

    async def _command(
        self, command: str | list[str], more: Mapping[str, str], *, quiet: bool = False
    ) -> Finished:
        root = self.copy.of(self.project.root)
        given: Mapping[str, str] = self.tools.env(more=more)
        if self.sandbox is not None:
            command, given = confined(command, sandbox=self.sandbox, copy=self.copy, cwd=root, env=given)
        return await run_command(
            command,
            cwd=root,
            env=given,
            log=self.tools.log,
            limits=self.settings.limits,
            say=None if quiet else self._progress,
        )

    def _programs(self) -> Iterator[Path]:
        """Folders with the programs of what is installed."""
        places = (self.copy.of(self.project.root), self.copy.workspace, self.copy.place)
        return (place / "node_modules" / ".bin" for place in dict.fromkeys(places))

    def _with_programs(self, more: Mapping[str, str]) -> dict[str, str]:
        own, _, rest = self.tools.env()["PATH"].partition(os.pathsep)
        return {**more, "PATH": os.pathsep.join([own, *(str(folder) for folder in self._programs()), rest])}

    def _progress(self, line: str) -> None:
        """A line of the build's own output, for whoever watches."""
        if self.settings.verbose:
            self.say(line)

    def _output(self, name: str) -> Path:
        return Path(os.path.normpath(self.copy.of(self.project.root) / name))

    def _result(self) -> Path:
        """The folder that the build left; for a server the part of it that browsers get."""
        project, root = self.project, self.copy.of(self.project.root)
        found = built_folder(root, project.outputs, proof=project.proof)
        if found is None and project.proof:
            found = built_folder(root, project.outputs, proof="")
        if found is None or (not project.server and not any(found.rglob("*.htm*"))):
            raise AppError(
                f"`{project.command or project.script}` ended well, but left no page in {' or '.join(project.outputs)}: "
                f"build it yourself and name the folder with the result. The log is {self.tools.log}."
            )
        if project.kind == "next" and project.server:
            return found / "static"
        return found

    def _made(self, folder: Path, rewritten: Rewritten, reason: str) -> Built:
        public = (
            self.copy.of(self.project.root) / self.project.public_folder
            if self.project.public_folder
            else None
        )
        made = (
            carried(rewritten, names_in(folder), public=public) if rewritten.units else Carried(public=public)
        )
        return Built(
            project=self.project,
            copy=self.copy,
            folder=folder,
            carried=made,
            rewritten=rewritten,
            reason=reason,
            log=self.tools.log,
            env=self.tools.env(),
            notes=(FONTS,) if self.fonts else (),
            protection=self.sandbox.words if self.sandbox else "none asked for",
        )


def results_of(project: Project) -> tuple[str, ...]:
    """Folders that the build writes: of a server more than what browsers get, all in the same folder as a rule."""
    if not project.server:
        return project.outputs
    return tuple(dict.fromkeys(name.split("/")[0] for name in project.outputs if not name.startswith("..")))


def names_in(folder: Path) -> frozenset[str]:
    """Accessors of rewritten sources that scripts and pages of a built folder name."""
    found: set[str] = set()
    for place, _, files in os.walk(folder):
        for name in files:
            if name.endswith(_READ):
                found.update(NAME.findall(Path(place, name).read_text(encoding="utf-8", errors="replace")))
    return frozenset(found)


def _briefly(done: Finished) -> str:
    return done.stopped or next(iter(diagnose(done.lines).lines), f"code {done.code}")


def _needs(project: Project) -> frozenset[str]:
    """Packages that the package.json files of the app and of its workspace name."""
    manifests = (read_manifest(folder) for folder in {project.root, project.workspace})
    return frozenset(name for manifest in manifests if manifest for name in manifest.needs)


def _failure(project: Project, done: Finished, log: Path) -> AppError:
    found = diagnose(done.lines, needs=_needs(project))
    if done.stopped:
        found = Diagnosis(
            "limit",
            "Allow more time with --build-timeout SECONDS.",
            tuple(line for line in done.lines if line.strip())[-3:],
        )
    told = "".join(f"\n  {line}" for line in found.lines)
    ending = done.stopped or f"it ended with code {done.code}"
    hint = found.hint or "Build it by hand to see why."
    return AppError(
        f"The project could not be built by `{project.command or project.script}` ({ending}):{told}\n"
        f"{hint} The whole log is {log}."
    )
