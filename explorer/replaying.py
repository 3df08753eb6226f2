"""--replay-findings: each way to a finding walked again in a fresh page, to see whether the finding comes again.

First a shorter way that may lead there as well, put together of what the run knows of the states; where that shows
nothing, the way that was walked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from explorer.faults import SourceOf
from explorer.oracles import Oracles
from explorer.page import Page
from explorer.paths import composed, with_walked_paths
from explorer.scene import Scene, Subject
from explorer.subject import opened_page
from explorer.wording import plural
from graph.records import Action, Finding, Observation, Snapshot, StateId, Step

MOST_FINDINGS = 10
LONGEST_WAY = 100
"""Steps of a way that is walked again; a longer one takes too long."""
KINDS = frozenset(
    "exception rejection console-error request-failed http-error broken-image error-overlay blank-page".split()
)
"""Not what needs several clicks to be known (dead controls), nor what may cost the browser (hangs, crashes)."""


@dataclass(frozen=True, slots=True)
class Replay:
    """What came of walking a way again."""

    again: bool
    """Whether the finding came."""
    walked: tuple[int, ...] = ()
    """The steps that were made until it came, or the way could not be walked further."""


async def replay_findings(
    findings: Sequence[Finding], steps: Sequence[Step], *, subject: Subject, scene: Scene, source_of: SourceOf
) -> tuple[Finding, ...]:
    """The findings with their paths; of the first ten that can be walked to again, each says whether it came again."""
    scene.say("walking to the findings again")
    with TemporaryDirectory() as spare:
        # What the app lets be downloaded once more is of no run.
        page = opened_page(subject, replace(scene, folder=Path(spare)))
        try:
            found = await replayed_findings(findings, steps, page, source_of=source_of)
        finally:
            await page.close()
    tried = [finding for finding in found if finding.verified is not None]
    again = sum(finding.verified is True for finding in tried)
    scene.say(f"{again} of {plural(len(tried), 'finding')} came again")
    return found


async def replayed_findings(
    findings: Sequence[Finding], steps: Sequence[Step], page: Page, *, source_of: SourceOf | None = None
) -> tuple[Finding, ...]:
    """As `replay_findings`, on a page that may have been used before: each way begins with a load with empty storage."""
    found: list[Finding] = []
    tried = 0
    for finding in with_walked_paths([replace(each, verified=None) for each in findings], steps):
        if tried < MOST_FINDINGS and finding.kind in KINDS and 0 < len(finding.path) <= LONGEST_WAY:
            tried += 1
            found.append(await _verified(finding, steps, page, source_of))
        else:
            found.append(finding)
    return tuple(found)


async def _verified(
    finding: Finding, steps: Sequence[Step], page: Page, source_of: SourceOf | None
) -> Finding:
    by_index = {step.index: step for step in steps}
    for way in filter(None, (composed(finding, steps), finding.path)):
        seen = await replayed([by_index[index] for index in way], page, finding.identity, source_of=source_of)
        if seen.again:
            return replace(finding, path=seen.walked, verified=True)
    return replace(finding, verified=False)


async def replayed(
    way: Sequence[Step], page: Page, identity: str, *, source_of: SourceOf | None = None
) -> Replay:
    """Walks a way, a load first, and says whether it shows the finding of that identity; it ends where that comes.

    A page that is lost on the way ends it too.
    """
    oracle = Oracles(source_of)
    before = Snapshot(url="", title="", html="", digest="")
    walked: list[int] = []
    for step in way:
        action = step.action and _by_locator(step.action)
        observation = await _done(page, action)
        walked.append(step.index)
        verdict = oracle.look(before, action, observation, step=step.index, state=StateId(step.after))
        if any(finding.identity == identity for finding in verdict.findings):
            return Replay(True, tuple(walked))
        if observation.liveness != "alive":
            break
        before = observation.snapshot
    return Replay(False, tuple(walked))


async def _done(page: Page, action: Action | None) -> Observation:
    return await (page.restart() if action is None else page.perform(action))


def _by_locator(action: Action) -> Action:
    """The action without its name in a snapshot, which is another's on another way."""
    return replace(action, ref="") if action.locator else action
