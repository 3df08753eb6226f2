"""The loop with roles that wait: the answer is awaited, and an interrupt or the time limit does not wait with it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from random import Random

import pytest

from explorer.exploration import Closing
from explorer.guide import Guide
from explorer.hints import BuiltInHint, Hint
from explorer.loop import Limits, Loop, Roles
from explorer.memory import Memory
from explorer.policy import Choice, Done, View
from explorer.policy.guided import GuidedTester
from explorer.waiting import patiently
from graph.records import StateId, Step
from tests.fakepage import Effect, FakePage, Screen
from tests.unit.test_explorer_loop import PROBES, Eyes

SCREENS = {"only": Screen({"a": Effect(), "b": Effect()}, frozenset({0}))}


class Waiting(GuidedTester):
    """The guided tester, after a while; at its `hang`th choice it waits for ever."""

    def __init__(self, hang: int = 0, *, note: str = "") -> None:
        super().__init__()
        self.hang, self.note = hang, note
        self.asked, self.cancelled = 0, False
        self.told: list[str] = []

    async def choose(self, view: View) -> Choice | Done:  # type: ignore[override]
        self.asked += 1
        try:
            await asyncio.sleep(3600 if self.asked == self.hang else 0.01)
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        choice = super().choose(view)
        return Choice(choice.candidate, choice.action, self.note) if isinstance(choice, Choice) else choice

    async def summarize(self, steps: Sequence[Step], *, stop: str) -> Closing:
        self.told.append(stop)
        return Closing("waiting", (f"{len(steps)} steps",))


class WaitingHint(BuiltInHint):
    """The built-in hint, after a while."""

    async def hint(self, state: StateId, memory: Memory, guide: Guide) -> Hint:  # type: ignore[override]
        await asyncio.sleep(0.01)
        return Hint("slow", "try b", note="hint: built-in, since so")


def run(
    tester: GuidedTester,
    limits: Limits,
    *,
    hint: BuiltInHint | None = None,
    meanwhile: Callable[[Loop], None] | None = None,
) -> tuple[Loop, list[Step]]:
    roles = Roles(tester, hint or BuiltInHint(), Eyes(), lambda snapshot: StateId(snapshot.digest))
    loop = Loop(FakePage(SCREENS), roles, probes=PROBES, random=Random(0))
    if meanwhile:
        threading.Timer(0.3, meanwhile, (loop,)).start()

    async def collect() -> list[Step]:
        return [step async for step in loop.steps(limits)]

    return loop, asyncio.run(asyncio.wait_for(collect(), 30))


def test_answers_are_awaited_and_notes_reach_the_step() -> None:
    _, steps = run(Waiting(note="tester: built-in, since so"), Limits(4), hint=WaitingHint())
    assert len(steps) == 5
    assert steps[1].notes == ("tester: built-in, since so",)
    assert steps[4].hint == "slow: try b"
    assert steps[4].notes == ("hint: built-in, since so", "tester: built-in, since so")


def test_waiting_is_told_apart_from_the_engines_own_time() -> None:
    _, steps = run(Waiting(), Limits(2))
    ms = dict(steps[1].ms)
    assert ms["model"] >= 10
    assert "model" not in dict(steps[0].ms)
    _, plain = run(GuidedTester(), Limits(2))
    assert "model" not in dict(plain[1].ms)


def test_an_interrupt_does_not_wait_for_the_model() -> None:
    tester = Waiting(hang=2)

    def interrupt(loop: Loop) -> None:
        loop.interrupted = True

    loop, steps = run(tester, Limits(9), meanwhile=interrupt)
    assert loop.stop.kind == "interrupt"
    assert len(steps) == 2
    assert tester.cancelled
    assert loop.closing is None


def test_the_time_limit_does_not_wait_for_the_model_either() -> None:
    tester = Waiting(hang=2)
    loop, steps = run(tester, Limits(9, seconds=0.3))
    assert loop.stop.kind == "time"
    assert len(steps) == 2
    assert loop.closing is not None


def test_a_tester_that_can_tells_of_the_run_at_its_end() -> None:
    tester = Waiting()
    loop, _ = run(tester, Limits(3))
    assert loop.closing == Closing("waiting", ("4 steps",))
    assert tester.told == ["all 3 actions were spent"]
    plain, _ = run(GuidedTester(), Limits(3))
    assert plain.closing is None


def test_an_error_of_the_role_is_not_swallowed() -> None:
    async def broken() -> int:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        asyncio.run(patiently(broken(), ended=lambda: False))


def test_what_is_not_waited_for_is_cancelled() -> None:
    cancelled = []

    async def endless() -> int:
        try:
            return await asyncio.sleep(3600, 1)
        except asyncio.CancelledError:
            cancelled.append(True)
            raise

    async def main() -> None:
        turns = iter([False, True])
        assert await patiently(endless(), ended=lambda: next(turns)) is None

    asyncio.run(asyncio.wait_for(main(), 20))
    assert cancelled == [True]
