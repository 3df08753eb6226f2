"""`explore()`: an app goes in, an Exploration comes out. The stages in their order; read this file first."""

from __future__ import annotations

import time
from datetime import datetime
from pathlib import Path
from random import Random

from explorer.archive import save_archive
from explorer.assemble import assemble
from explorer.browser import BrowserPage
from explorer.driving import drive, run_to_end
from explorer.exploration import Exploration
from explorer.hints import BuiltInHint
from explorer.loop import Limits, Loop, Roles
from explorer.opening import archive_of, browser_options, command_of, fresh_folder, head_of
from explorer.options import Options, check
from explorer.oracles import Oracles
from explorer.policy.registry import TESTERS
from explorer.progress import Progress, Quiet
from explorer.provision import find_browser
from explorer.outputs import write_outputs
from explorer.rundir import TRACE
from explorer.server import AppServer
from graph.normalize import Normalizer
from graph.tracefile import TraceWriter, read_trace
from instrument.bundle import make_bundle
from instrument.detect import detect


def explore(
    target: str | Path,
    *,
    budget: int = 100,
    seed: int = 0,
    out: str | Path | None = None,
    options: Options | None = None,
    progress: Progress | None = None,
) -> Exploration:
    """Explores a web app and writes a run folder.

    target: a folder (./dist, any static site) or an html file; never written to.
    budget: actions, one user gesture each. seed: same app, seed and budget give the same run.
    out: run folder; None makes a fresh one under ./explorations. progress: told what happens.

    Returns the Exploration (trace, graph, coverage, findings); faults of the app are data in it.
    Raises UsageError for a wrong call, AppError where the app cannot be read, built or served, BrowserError
    without a browser. May be called while an event loop is running: it then works in a thread of its own.
    """
    return run_to_end(
        explore_async(target, budget=budget, seed=seed, out=out, options=options, progress=progress)
    )


async def explore_async(
    target: str | Path,
    *,
    budget: int = 100,
    seed: int = 0,
    out: str | Path | None = None,
    options: Options | None = None,
    progress: Progress | None = None,
) -> Exploration:
    """`explore()` for async callers; the same arguments, result and errors."""
    options, progress, begun = options or Options(), progress or Quiet(), time.perf_counter()
    check(options, budget=budget)
    now = datetime.now().astimezone()
    build = detect(target, entry=options.entry or None)
    browser = find_browser(options.browser, headless=not options.headed, say=progress.phase)
    with fresh_folder(out, target=str(target), now=now) as folder:
        progress.phase(f"{build.kind} app, {build.entry} in {build.root}: {build.reason}")
        bundle = await make_bundle(build)
        command = command_of(str(target), budget, seed, options)
        archive = archive_of(str(target), bundle, browser=browser, now=now, command=command)
        save_archive(archive, folder)
        progress.phase(f"{len(bundle.scripts)} scripts instrumented: {bundle.reason}")
        prepared_ms = (time.perf_counter() - begun) * 1000
        hinter, oracle = BuiltInHint(), Oracles()
        with AppServer(bundle, port=options.port or None) as server, TraceWriter(folder / TRACE) as writer:
            how = browser_options(options, seed, istanbul=bundle.istanbul_globals)
            page = BrowserPage(server.url, probes=bundle.probes, run_dir=folder, program=browser, options=how)
            state_of = Normalizer(abstraction=options.abstraction).state_id
            roles = Roles(TESTERS[options.tester](), hinter, oracle, state_of)
            loop = Loop(page, roles, probes=bundle.probes, random=Random(seed))
            writer.head(head_of(archive, options, budget=budget, seed=seed, hint=hinter.name))
            try:
                await drive(loop, writer, Limits(budget, options.time_limit), progress=progress)
            finally:
                await page.close()
        progress.phase("writing the report")
        exploration = assemble(
            archive,
            read_trace(folder / TRACE),
            findings=oracle.all(),
            folder=str(folder),
            seconds=round(time.perf_counter() - begun, 2),
            timings_ms={"prepare": round(prepared_ms, 1)},
        )
        write_outputs(exploration, folder)
    return exploration
