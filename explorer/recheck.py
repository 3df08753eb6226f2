"""--verify-coverage: the actions of a run once more, measured by V8 in place of counters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from explorer.agreement import Agreement, compare_hits
from explorer.page import Page
from explorer.scene import Scene
from explorer.subject import Plan, opened_page, opened_plain
from graph.records import Observation, Snapshot, StateId, Step, Trace
from instrument.probes import ProbeMap


async def recheck(
    found: Plan, scene: Scene, *, probes: ProbeMap, trace: Trace, state_of: Callable[[Snapshot], StateId]
) -> Agreement:
    """Does a run's actions again on the app as it is; `probes` is the map of the run, `trace` what it did."""
    scene.say("doing the actions again, measured by V8")
    with TemporaryDirectory() as spare:
        # What the app lets be downloaded once more is of no run.
        return await _recheck(found, replace(scene, folder=Path(spare)), probes, trace, state_of)


async def _recheck(
    found: Plan, scene: Scene, probes: ProbeMap, trace: Trace, state_of: Callable[[Snapshot], StateId]
) -> Agreement:
    async with opened_plain(found, scene) as subject:
        page = opened_page(subject, scene)
        try:
            hits, elsewhere = await _again(page, trace.steps, state_of)
        finally:
            await page.close()
        ranged = page.probes
    counters = {probe for step in trace.steps for probe in step.hits}
    files = compare_hits(probes, counters, ranged, hits, elsewhere=elsewhere)
    return Agreement(files, len(trace.steps), elsewhere)


async def _again(
    page: Page, steps: Sequence[Step], state_of: Callable[[Snapshot], StateId]
) -> tuple[set[int], int]:
    """All hits, and after how many steps the page was in another state than the first time."""
    hits: set[int] = set()
    elsewhere = 0
    for step in steps:
        observation = await _one(page, step)
        hits |= observation.hits
        if observation.snapshot.digest and state_of(observation.snapshot) != step.after:
            elsewhere += 1
    return hits, elsewhere


async def _one(page: Page, step: Step) -> Observation:
    if step.action is not None:
        return await page.perform(step.action)
    return await (page.restart() if step.index else page.open())
