"""`explore()`: an app goes in, an Exploration comes out. The stages in their order; read this file first."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path
from random import Random

from explorer.archive import load_archive
from explorer.assemble import assemble
from explorer.casting import cast_of
from explorer.driving import drive, run_to_end
from explorer.exploration import Exploration
from explorer.judged import Judging, check_judging, judge_folder
from explorer.keeping import ArchiveKeeper
from explorer.libraries import load_libraries, merged
from explorer.loop import Limits, Loop, Roles
from explorer.opening import (
    archive_of,
    check_budget_left,
    check_same_app,
    fresh_folder,
    head_of,
    now,
    open_trace,
    spent_before,
)
from explorer.options import Options, check
from explorer.oracles import Oracles
from explorer.outputs import write_outputs
from explorer.progress import Progress, Quiet
from explorer.provision import find_browser
from explorer.recheck import recheck
from explorer.replaying import replay_findings
from explorer.request import Request, load_request, save_request
from explorer.rundir import TRACE
from explorer.running import SERVED_NOTES, Running, learned, whole_target
from explorer.scene import Scene
from explorer.sourcepos import SourcePositions
from explorer.subject import Plan, opened, opened_page, plan
from graph.normalize import Normalizer
from graph.records import Trace
from graph.tracefile import read_trace
from instrument.collector import collector_spared


def explore(
    target: str | Path,
    *,
    budget: int = 100,
    seed: int = 0,
    out: str | Path | None = None,
    options: Options | None = None,
    judge: Judging | None = None,
    progress: Progress | None = None,
) -> Exploration:
    """Explores a web app and writes a run folder.

    target: a folder (./dist, any static site) or an html file, which are never written to, or the address of an app
    that is served already.
    budget: actions, one user gesture each. seed: same app, seed and budget give the same run.
    out: run folder; None makes a fresh one under ./explorations (in the user's data folder where an app is served and the
    current folder lies in a project, whose dev server would see it). judge: score the run afterwards, from what it recorded
    (Judging() for the defaults); the scores are in the result and in scores.json. progress: told what happens.

    Returns the Exploration (trace, graph, coverage, findings); faults of the app are data in it.
    Raises UsageError for a wrong call, AppError where the app cannot be read, built or served, BrowserError
    without a browser. May be called while an event loop is running: it then works in a thread of its own.
    """
    return run_to_end(
        explore_async(
            target, budget=budget, seed=seed, out=out, options=options, judge=judge, progress=progress
        )
    )


async def explore_async(
    target: str | Path,
    *,
    budget: int = 100,
    seed: int = 0,
    out: str | Path | None = None,
    options: Options | None = None,
    judge: Judging | None = None,
    progress: Progress | None = None,
) -> Exploration:
    """`explore()` for async callers; the same arguments, result and errors."""
    options, progress = options or Options(), progress or Quiet()
    request = Request(whole_target(str(target), options), budget, seed, options)
    check(request.options, budget=budget)
    if judge is not None:
        check_judging(judge)
    found = plan(request)
    served = isinstance(found, Running)
    with fresh_folder(out, target=str(target), now=now(), say=progress.phase, served=served) as folder:
        save_request(request, folder)
        exploration = await _explore(request, found, folder, progress)
        # Only now, and from the folder alone: exploring never sees what the app is judged by.
        if judge is None:
            return exploration
        scores = await judge_folder(folder, judge, now=now(), say=progress.phase)
        return replace(exploration, scores=scores)


def resume(folder: str | Path, *, budget: int | None = None, progress: Progress | None = None) -> Exploration:
    """Goes on with a run that was killed, interrupted or out of budget, and writes its folder anew.

    budget: actions altogether, those already done included; None keeps the run's own. What was learned is kept, but the
    page is loaded anew and the draws begin again: it is not the run that would have been without the break. Raises
    UsageError where the folder is no run folder, the app is no longer what it was, or no action is left to do. An app
    that is served elsewhere must answer again, or be started by the run's own --start.
    """
    place = Path(folder).expanduser().absolute()
    request, earlier = load_request(place, budget=budget), read_trace(place / TRACE)
    check_budget_left(earlier, budget=request.budget)
    return run_to_end(_explore(request, plan(request), place, progress or Quiet(), earlier=earlier))


async def _explore(
    request: Request, found: Plan, folder: Path, progress: Progress, *, earlier: Trace | None = None
) -> Exploration:
    """The line after finding out what the target is: instrument, serve, open, explore, write."""
    options, begun = request.options, time.perf_counter()
    spent, accounts = spent_before(folder) if earlier else (0.0, {})
    cast = cast_of(options, folder=folder, environ=os.environ)
    cast.models.ledger.resume(accounts)
    progress.phase(cast.told)
    browser = find_browser(options.browser, headless=not options.headed, say=progress.phase)
    known = load_archive(folder).probes if earlier else None
    verify = options.verify and not earlier
    scene = Scene(request, browser, folder, progress.phase, verify=verify, known=known)
    async with opened(found, scene) as subject:
        bundle = subject.bundle
        page, started = opened_page(subject, scene), now()
        notes = (*cast.notes, *(SERVED_NOTES if subject.carrier else ()))
        keeper = ArchiveKeeper(
            lambda: archive_of(request, learned(subject), browser=browser, now=started, notes=notes),
            folder,
            probes=lambda: page.probes,
            check=lambda archive: check_same_app(archive, earlier, known=known if subject.carrier else None),
        )
        archive = keeper.archive
        prepared_ms = (time.perf_counter() - begun) * 1000
        positions = SourcePositions(bundle.overlay, lambda: page.probes, entry=bundle.entry)
        oracle = Oracles(positions)
        normalizer = Normalizer(abstraction=options.abstraction)
        roles = Roles(
            cast.tester, cast.hinter, oracle, normalizer.state_id, pictures=options.tester_screenshots
        )
        loop = Loop(page, roles, probes=page.probes, random=Random(request.seed), grown=lambda: page.probes)
        with collector_spared(), open_trace(folder, earlier) as writer:
            if earlier is None:
                writer.head(head_of(archive, request, hint=cast.hinter.name))
            else:
                oracle.resume(earlier.steps)
            done = loop.resume(earlier) if earlier else 0
            found_before = [finding.identity for finding in oracle.all()]
            limits = Limits(request.budget, options.time_limit)
            try:
                await drive(
                    loop,
                    writer,
                    limits,
                    progress=progress,
                    done=done,
                    known=found_before,
                    before_step=keeper.look,
                )
            finally:
                await page.close()
                archive = keeper.end()
                await cast.models.close()
        trace, findings = read_trace(folder / TRACE), oracle.all()
        if options.replay_findings and trace.stop not in ("interrupt", "unusable"):
            findings = await replay_findings(
                findings, trace.steps, subject=subject, scene=scene, source_of=positions
            )
    agreement = None
    if options.verify_coverage and trace.stop not in ("interrupt", "unusable"):
        state_of = Normalizer(abstraction=options.abstraction).state_id
        agreement = await recheck(found, scene, probes=page.probes, trace=trace, state_of=state_of)
    progress.phase("writing the report")
    libraries = load_libraries(folder)
    if subject.cdn is not None:
        libraries = merged(libraries, subject.cdn.libraries())
        subject.cdn.store.trim()
    exploration = assemble(
        archive,
        read_trace(folder / TRACE),
        findings=findings,
        folder=str(folder),
        seconds=round(spent + time.perf_counter() - begun, 2),
        timings_ms={"prepare": round(prepared_ms, 1)},
        outline_of=normalizer.outline,
    )
    models = cast.models.ledger.rows()
    exploration = replace(
        exploration, libraries=libraries, agreement=agreement, models=models, closing=loop.closing
    )
    write_outputs(exploration, folder)
    return exploration
