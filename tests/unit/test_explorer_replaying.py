"""Ways to findings that are walked again, over a page without a browser."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from explorer.replaying import MOST_FINDINGS, replayed, replayed_findings
from graph.records import Action, Fault, Finding, Observation, Step
from tests.fakepage import Effect, FakePage, Screen

SCREENS = {
    "home": Screen({"open": Effect("door"), "try": Effect()}),
    "door": Screen({"try": Effect(), "leave": Effect("home")}),
}
LEADS = {"open": "door", "leave": "home"}


class Trying(FakePage):
    """Fails at the second try since the load, or another one, behind the door only."""

    def __init__(self, *, at: int = 2) -> None:
        super().__init__(SCREENS)
        self.loads = self.tries = 0
        self.fails_at = at

    async def open(self) -> Observation:
        self.loads, self.tries = self.loads + 1, 0
        return await super().open()

    async def perform(self, action: Action) -> Observation:
        seen = await super().perform(action)
        self.tries += action.name == "try"
        fails = action.name == "try" and self.tries == self.fails_at and self._at == "door"
        return replace(seen, faults=(Fault("Error: two"),)) if fails else seen


IDENTITY = "exception|Error: two|"


def walk(*names: str, fault: bool = True) -> list[Step]:
    """A load and then a click on each named button; the last one showed the fault."""
    steps, at = [Step(0, None, "", "home", "/", "", 0, ())], "home"
    for index, name in enumerate(names, start=1):
        after = LEADS.get(name, at)
        action = Action("click", "", ref="e99", locator=f"#{name}", name=name)
        steps.append(Step(index, action, at, after, "/", "", 0, ()))
        at = after
    found = Finding("exception", IDENTITY, "Error: two", step=len(names))
    return [*steps[:-1], replace(steps[-1], findings=(found,))] if fault else steps


def again(steps: Sequence[Step], page: Trying, *findings: Finding) -> tuple[Finding, ...]:
    return asyncio.run(replayed_findings(findings or steps[-1].findings, steps, page))


def test_a_way_that_shows_the_finding_verifies_it() -> None:
    page = Trying()
    [found] = again(walk("try", "open", "try"), page)
    assert found.verified is True and found.path == (0, 1, 2, 3)
    assert page.loads == 2, "the shorter way by states alone was tried first"
    assert all(not action.ref for action in page.performed)


def test_a_shorter_way_that_shows_it_too_is_taken() -> None:
    page = Trying(at=1)
    [found] = again(walk("open", "leave", "open", "try"), page)
    assert found.verified is True and found.path == (0, 1, 4)
    assert page.loads == 1


def test_what_does_not_come_again_keeps_its_path() -> None:
    [found] = again(walk("open", "try"), Trying())
    assert found.verified is False and found.path == (0, 1, 2)


def test_a_way_ends_where_the_finding_comes() -> None:
    steps = walk("open", "try", "try", "try")
    seen = asyncio.run(replayed(steps, Trying(), IDENTITY))
    assert seen.again and seen.walked == (0, 1, 2, 3)


def test_a_page_that_is_lost_ends_the_way() -> None:
    page = Trying()
    page.screens = {"home": Screen({"open": Effect("door", liveness="crashed")}), "door": Screen()}
    seen = asyncio.run(replayed(walk("open", "try", "try"), page, IDENTITY))
    assert not seen.again and seen.walked == (0, 1)


def test_only_some_kinds_and_the_first_few_are_tried() -> None:
    steps = walk("try", "open", "try")
    dead = replace(steps[-1].findings[0], kind="dead-control", identity="dead-control|x", path=(0, 1))
    assert again(steps, Trying(), dead)[0].verified is None
    many = again(steps, Trying(), *(steps[-1].findings * (MOST_FINDINGS + 2)))
    assert [found.verified for found in many] == [True] * MOST_FINDINGS + [None, None]
