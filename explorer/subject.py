"""What is explored: found out before anything is written (`plan`), then bundled and brought to a URL (`opened`)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from explorer.browser import BrowserPage
from explorer.cdn_answers import Cdn
from explorer.cdn_opening import cdn_of, with_libraries
from explorer.opening import browser_options
from explorer.projects import (
    built_project,
    files_of,
    opened_server,
    plain_build,
    plain_server,
    plan_project,
    told_of,
)
from explorer.request import Request
from explorer.running import Running, opened_running, plan_running
from explorer.scene import Scene, Subject
from explorer.server import AppServer
from explorer.survey import needs_survey, surveyed
from explorer.verify import Difference, compare
from explorer.wording import plural
from instrument.bundle import Bundle, make_bundle
from instrument.construction import Built
from instrument.detect import Build, detect
from instrument.project import Project
from instrument.rewrite import Carried
from instrument.v8scripts import KnownScripts

Plan = Build | Running | Project
"""What a target turned out to be; each member has its branch in `opened`."""


def plan(request: Request) -> Plan:
    """What the target is. Reads the disk, writes nothing, starts nothing.

    Raises UsageError for a target that is not there, AppError for one that cannot be explored.
    """
    if running := plan_running(request.target, request.options):
        return running
    return plan_project(request) or detect(request.target, entry=request.options.entry or None)


@asynccontextmanager
async def opened(found: Plan, scene: Scene) -> AsyncIterator[Subject]:
    """The app, instrumented and answering; all that was started for it ends with the context."""
    if isinstance(found, Running):
        async with opened_running(found, scene) as subject:
            yield await _compared(subject, scene) if scene.verify else subject
        return
    if isinstance(found, Project):
        async with built_project(found, scene) as result:
            if found.server:
                async with opened_server(result, scene) as subject:
                    yield await _compared_server(result, subject, scene) if scene.verify else subject
                return
            build, notes = files_of(result, scene), told_of(result)
            async with (
                plain_build(result, scene) as plain,
                _opened_files(build, scene, carried=result.carried, notes=notes, plain=plain) as subject,
            ):
                yield subject
        return
    async with _opened_files(found, scene) as subject:
        yield subject


@asynccontextmanager
async def _opened_files(
    found: Build,
    scene: Scene,
    *,
    carried: Carried | None = None,
    notes: tuple[str, ...] = (),
    plain: Build | None = None,
) -> AsyncIterator[Subject]:
    """An app that is plain files, served by us.

    `carried`: counters that its scripts hold already; `plain`: the same app without them, to be compared with.
    """
    scene.say(f"{found.kind} app, {found.entry} in {found.root}: {found.reason}")
    mode = scene.request.options.coverage
    bundle, cdn = await _bundled(found, scene, v8=mode == "v8", carried=carried)
    bundle = replace(bundle, notes=(*bundle.notes, *notes))
    if scene.verify and bundle.mode == "istanbul":
        changed, told = await _verified(bundle, scene, cdn, plain or found)
        if changed and mode == "auto" and not bundle.istanbul_globals:
            bundle, cdn = await _bundled(plain or found, scene, v8=True)
            bundle = replace(bundle, notes=(*bundle.notes, *notes))
            bundle = replace(bundle, reason=f"counters change the app ({changed}), so it is served as it is")
        bundle = replace(bundle, notes=(*bundle.notes, *told))
    if mode != "istanbul" and needs_survey(bundle):
        bundle = await _surveyed(bundle, scene, cdn)
    scene.say(f"{plural(len(bundle.scripts), 'script')} measured: {bundle.reason}")
    with AppServer(bundle, port=scene.request.options.port or None) as server:
        yield Subject(bundle, server.url, cdn)


@asynccontextmanager
async def opened_plain(found: Plan, scene: Scene) -> AsyncIterator[Subject]:
    """The app as it is, to be measured by V8."""
    assert not isinstance(found, Running), "refused by plan_running"
    if isinstance(found, Project):
        async with (
            built_project(found, scene, counters=False) as result,
            _plain_files(files_of(result, scene), scene) as subject,
        ):
            yield subject
        return
    async with _plain_files(found, scene) as subject:
        yield subject


@asynccontextmanager
async def _plain_files(found: Build, scene: Scene) -> AsyncIterator[Subject]:
    """Plain files as they are, to be measured by V8."""
    bundle, cdn = await _bundled(found, scene, v8=True)
    if needs_survey(bundle):
        bundle = await _surveyed(bundle, scene, cdn)
    with AppServer(bundle, port=scene.request.options.port or None) as server:
        yield Subject(bundle, server.url, cdn)


async def _bundled(
    found: Build, scene: Scene, *, v8: bool, carried: Carried | None = None
) -> tuple[Bundle, Cdn | None]:
    """The app with counters, or with `v8` as it is, and what answers in place of CDNs."""
    bundle = await make_bundle(found, v8=v8, carried=carried)
    cdn = await cdn_of(bundle, scene.request.options, say=scene.say)
    return (with_libraries(bundle, cdn) if cdn is not None else bundle), cdn


async def _surveyed(bundle: Bundle, scene: Scene, cdn: Cdn | None) -> Bundle:
    """The bundle with the scripts that only a load of the app shows."""
    with AppServer(bundle) as server, TemporaryDirectory() as spare:
        # What a load leaves behind (downloads) is of no run.
        aside = replace(scene, folder=Path(spare))
        page = opened_page(Subject(bundle, server.url, cdn), aside, survey=True)
        try:
            return await surveyed(bundle, page, say=scene.say)
        finally:
            await page.close()


def opened_page(subject: Subject, scene: Scene, *, survey: bool = False) -> BrowserPage:
    """A page that will open the app; its browser starts with the first load.

    `survey`: V8's coverage is on though no script needs it, to see what scripts there are.
    """
    bundle, request = subject.bundle, scene.request
    how = browser_options(request.options, request.seed, istanbul=bundle.istanbul_globals)
    return BrowserPage(
        subject.url,
        probes=bundle.probes,
        run_dir=scene.folder,
        program=scene.browser,
        options=how,
        cdn=subject.cdn,
        carrier=subject.carrier,
        v8=_v8(subject, survey=survey),
    )


def _v8(subject: Subject, *, survey: bool) -> KnownScripts | None:
    """Scripts that the browser itself measures; those of a carrier come while the app runs."""
    if subject.carrier is not None:
        return subject.carrier.v8
    return KnownScripts(subject.bundle.places) if subject.bundle.places or survey else None


@dataclass(frozen=True, slots=True)
class _Plain:
    """The app as it is, for the server: nothing laid over it."""

    root: Path
    entry: str
    overlay: Mapping[str, bytes]
    coverage_maps: bytes = b"{}"


async def _verified(
    bundle: Bundle, scene: Scene, cdn: Cdn | None, build: Build
) -> tuple[str, tuple[str, ...]]:
    """What --verify has to say: in short what counters change, "" for nothing; and each difference, or that there is none."""
    plain = _Plain(build.root, build.entry, {})
    how = browser_options(scene.request.options, scene.request.seed, istanbul=bundle.istanbul_globals)
    with AppServer(plain) as bare, AppServer(bundle) as served:
        differences = await compare(
            bare.url, served.url, program=scene.browser, run_dir=scene.folder, options=how, cdn=cdn
        )
    return ", ".join(dict.fromkeys(difference.aspect for difference in differences)), _told(
        differences, scene
    )


async def _compared_server(result: Built, subject: Subject, scene: Scene) -> Subject:
    """What a project's server answers, with what --verify has to say: beside the same project built without counters."""
    if subject.carrier is not None:
        return await _compared(subject, scene)
    if subject.bundle.mode != "istanbul":
        return subject
    how = browser_options(scene.request.options, scene.request.seed)
    async with plain_server(result, scene) as plain:
        differences = await compare(
            plain, subject.url, program=scene.browser, run_dir=scene.folder, options=how, cdn=subject.cdn
        )
    notes = (*subject.bundle.notes, *_told(differences, scene))
    return replace(subject, bundle=replace(subject.bundle, notes=notes))


async def _compared(subject: Subject, scene: Scene) -> Subject:
    """A served app with what --verify has to say of it: brought twice as it is, and once with counters."""
    how = browser_options(scene.request.options, scene.request.seed)
    assert subject.carrier is not None
    with subject.carrier.bare() as bare:
        differences = await compare(
            subject.url,
            subject.url,
            program=scene.browser,
            run_dir=scene.folder,
            options=how,
            cdn=subject.cdn,
            carriers=(bare, subject.carrier),
        )
    bundle = subject.bundle
    return replace(subject, bundle=replace(bundle, notes=(*bundle.notes, *_told(differences, scene))))


def _told(differences: Sequence[Difference], scene: Scene) -> tuple[str, ...]:
    """Each difference in words, or that there is none."""
    notes = [f"Instrumentation changes the app: {difference}" for difference in differences] or [
        "Verified: console, errors, outline and picture of the loaded app are the same with and without counters."
    ]
    for note in notes:
        scene.say(note)
    return tuple(notes)
