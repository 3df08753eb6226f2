"""Sources that must be built before they can be explored: built in a work copy, then served as files or by their server."""

from __future__ import annotations

import os
import zlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import get_args

from explorer.cdn_answers import Cdn
from explorer.packages import PackageStore
from explorer.request import Request
from explorer.running import SERVER_LOG, Running, opened_running
from explorer.scene import Scene, Subject
from instrument.assemble import assemble
from instrument.bundle import Bundle
from instrument.construction import BuildSettings, Built, built
from instrument.detect import Build, detect
from instrument.errors import UsageError
from instrument.markers import BuildKind
from instrument.project import Project, decide, find_project
from instrument.runner import Limits, free_port, start_server

BUILD_LOG, PLAIN_LOG = "build.log", "build-plain.log"
PLAIN_SERVER_LOG = "server-plain.log"
_USUAL_PORTS = range(29000, 31000)
_PORT_OPTIONS = {
    "next start": " -p {port} -H 127.0.0.1",
    "vite preview": " --port {port} --strictPort --host 127.0.0.1",
    "astro preview": " --port {port} --host 127.0.0.1",
    "vike preview": " --port {port} --host 127.0.0.1",
    "waku start": " --port {port} --host 127.0.0.1",
    "gatsby serve": " -p {port} -H 127.0.0.1",
}
"""How servers are told where to listen, by the beginning of their command; all others read PORT."""
SERVER_NOTE = (
    "The project's own server was started: the browser's storage is emptied between loads, but what the server keeps "
    "cannot be, so what a run does may show in the next one."
)


def plan_project(request: Request) -> Project | Build | None:
    """The project that a target holds, or the build beside its sources where that is to be taken; None for neither."""
    options = request.options
    if options.entry and not options.app:
        return None
    project = find_project(request.target, app=options.app)
    if project is None:
        return None
    if project.server and options.verify_coverage:
        raise UsageError(
            "--verify-coverage needs an app of plain files, and this one is made by a server: leave it out."
        )
    decision = decide(project, options.build)
    if decision.use == "build" or decision.folder is None:
        return project
    build = detect(decision.folder, entry=options.entry or None)
    return replace(build, reason=f"{decision.reason}; {build.reason}", sources=project.root)


@asynccontextmanager
async def built_project(project: Project, scene: Scene, *, counters: bool = True) -> AsyncIterator[Built]:
    """The project, built; its log is in the run folder."""
    options = scene.request.options
    settings = BuildSettings(
        limits=Limits(seconds=options.build_timeout),
        sandbox=options.sandbox,
        counters=counters and options.coverage != "v8",
        again=options.build != "always",
        log=scene.folder / (BUILD_LOG if counters else PLAIN_LOG),
    )
    scene.say(f"{project.kind} project in {project.root}: {project.reason}")
    if not options.sandbox:
        scene.say(
            "its build scripts run as you do, without your secrets in their environment (--sandbox keeps them in)"
        )
    async with built(project, settings, say=scene.say) as result:
        scene.say(f"built: {result.reason}")
        yield result


def files_of(result: Built, scene: Scene) -> Build:
    """A result that is plain files, to be served."""
    build = detect(result.folder, entry=scene.request.options.entry or None)
    return replace(
        build,
        kind=_kind(result.project, build),
        reason=f"{result.project.reason}; {result.reason}",
        evidence=tuple(dict.fromkeys(one.words for one in result.project.evidence)),
        sources=result.project.root,
    )


@asynccontextmanager
async def plain_build(result: Built, scene: Scene) -> AsyncIterator[Build | None]:
    """The same project built without counters, where the two are to be compared; None where that is not wanted."""
    if not scene.verify or not result.carried.units:
        yield None
        return
    scene.say("building once more without counters, to compare the two")
    async with built_project(result.project, scene, counters=False) as plain:
        yield files_of(plain, scene)


def told_of(result: Built) -> tuple[str, ...]:
    """What a report says of the build."""
    return (*result.notes, f"Protection of the build: {result.protection}.")


def _kind(project: Project, build: Build | None = None) -> BuildKind:
    kinds: Sequence[BuildKind] = get_args(BuildKind)
    own = next((kind for kind in kinds if kind == project.kind), None)
    return own or (build.kind if build else "server")


@asynccontextmanager
async def opened_server(result: Built, scene: Scene) -> AsyncIterator[Subject]:
    """A result that its own server answers for, started in the work copy; it ends with the context."""
    port = scene.request.options.port or free_port(_usual_port(result.project))
    async with _started(result, scene, port=port, log=SERVER_LOG) as url:
        if not result.carried.units:
            running = Running(url, result.root, whole=True)
            async with opened_running(running, scene) as subject:
                yield replace(subject, bundle=_renamed(subject.bundle, result))
            return
        cdn = Cdn(PackageStore()) if scene.request.options.network == "cdn" else None
        yield Subject(_bundle(result, url), url, cdn)


@asynccontextmanager
async def plain_server(result: Built, scene: Scene) -> AsyncIterator[str]:
    """Where the same project answers, built without counters, to be compared; "" where that is not wanted."""
    if not scene.verify or not result.carried.units:
        yield ""
        return
    scene.say("building once more without counters, to compare the two")
    async with (
        built_project(result.project, scene, counters=False) as plain,
        _started(plain, scene, port=free_port(), log=PLAIN_SERVER_LOG) as url,
    ):
        yield url


@asynccontextmanager
async def _started(result: Built, scene: Scene, *, port: int, log: str) -> AsyncIterator[str]:
    """The project's own server in the work copy; its URL."""
    project = result.project
    url = f"http://127.0.0.1:{port}{_path(project.base)}"
    bins = [str(place / "node_modules" / ".bin") for place in (result.root, result.copy.workspace)]
    env = {
        **result.env,
        "PORT": str(port),
        "HOST": "127.0.0.1",
        "HOSTNAME": "127.0.0.1",
        "NITRO_PORT": str(port),
        "NITRO_HOST": "127.0.0.1",
        "NODE_ENV": "production",
    }
    env["PATH"] = os.pathsep.join([*bins, env["PATH"]])
    command = _command(project, port)
    scene.say(f"starting `{command}`")
    async with start_server(
        command, cwd=result.root, env=env, url=url, log=scene.folder / log, timeout_s=120
    ):
        yield url


def _usual_port(project: Project) -> int:
    """The same in every run of a project, so that what it shows of its own address is the same."""
    return _USUAL_PORTS[zlib.crc32(str(project.root).encode()) % len(_USUAL_PORTS)]


def _path(base: str) -> str:
    return f"/{base.strip('/')}/" if base.strip("/.") and base.startswith("/") else "/"


def _command(project: Project, port: int) -> str:
    """The server's command, told which port to take."""
    options = next((words for name, words in _PORT_OPTIONS.items() if project.server.startswith(name)), "")
    return project.server + options.format(port=port)


def _renamed(bundle: Bundle, result: Built) -> Bundle:
    build = replace(
        bundle.build,
        kind=_kind(result.project),
        reason=f"{result.project.reason}; {result.reason}",
        sources=result.project.root,
    )
    return replace(bundle, build=build, notes=(*bundle.notes, *told_of(result), SERVER_NOTE))


def _bundle(result: Built, url: str) -> Bundle:
    """Counters that came into the browser's scripts before the build: nothing is changed on the way."""
    carried, project = result.carried, result.project
    units = tuple(carried.units.values())
    probes = assemble(units, carried.verdicts)
    build = Build(
        kind=_kind(project),
        root=result.folder,
        entry="index.html",
        reason=f"{project.reason}; {result.reason}; `{project.server}` serves it",
        evidence=tuple(dict.fromkeys(one.words for one in project.evidence)),
        candidates=("index.html",),
        sources=project.root,
    )
    return Bundle(
        build=build,
        overlay=dict(_bodies(result, _prefix(project))),
        probes=probes,
        mode="istanbul",
        reason=result.reason,
        scripts=tuple(unit.key for unit in units),
        failed=carried.failed,
        unmeasured=carried.absent,
        notes=(
            "library code is not counted where counters are put into the sources, "
            "nor are inline scripts that the server writes",
            *told_of(result),
            SERVER_NOTE,
        ),
        units=units,
        verdicts=carried.verdicts,
        carried=frozenset(unit.key for unit in units),
    )


def _prefix(project: Project) -> str:
    base = project.base.strip("/")
    return f"{base}/_next/static/".lstrip("/") if project.kind == "next" else f"{base}/".lstrip("/")


def _bodies(result: Built, prefix: str) -> list[tuple[str, bytes]]:
    """Scripts with counters as the server sends them, by path: what leads from a stack to the sources."""
    found = []
    for file in sorted(result.folder.rglob("*.js")):
        body = file.read_bytes()
        if result.carried.names_in(body.decode("utf-8", "replace")):
            found.append((prefix + file.relative_to(result.folder).as_posix(), body))
    return found
