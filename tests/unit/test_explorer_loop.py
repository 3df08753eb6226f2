"""The loop over a page without a browser: budget, stops, plateaus, recovery, resuming, repeating."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from random import Random

import pytest

from explorer.hints import BuiltInHint, Hint
from explorer.loop import Limits, Loop, Roles
from explorer.policy.registry import TESTERS
from graph.records import Action, Observation, Snapshot, StateId, Step, Trace, TraceHead, Verdict
from instrument.probes import Position, Probe, ProbeMap, SourceFile
from tests.fakepage import Effect, FakePage, Screen

STATEMENTS = tuple(Probe(i, "statement", "app.js", Position(i + 1, 0, i + 1, 9), "") for i in range(8))
PROBES = ProbeMap(
    files=(SourceFile("app.js", "own", "", "", tuple(range(8))),),
    probes=STATEMENTS,
    counters={},
    own=frozenset(range(8)),
)
SHOP: Mapping[str, Screen] = {
    "home": Screen({"cart": Effect("cart"), "about": Effect("about")}, frozenset({0, 1})),
    "cart": Screen({"pay": Effect(hits=frozenset({3, 4})), "home": Effect("home")}, frozenset({2})),
    "about": Screen({"home": Effect("home")}, frozenset({5})),
}


class Eyes:
    """An oracle that only remembers what it was shown."""

    def __init__(self) -> None:
        self.seen: list[tuple[int, str]] = []

    def look(
        self, before: Snapshot, action: Action | None, observation: Observation, *, step: int, state: StateId
    ) -> Verdict:
        self.seen.append((step, observation.liveness))
        return Verdict()

    def suspects(self) -> Sequence[tuple[StateId, str]]:
        return ()


class Asked(BuiltInHint):
    """The built-in hint, counting."""

    def __init__(self) -> None:
        self.times = 0

    def hint(self, state, memory, guide) -> Hint:  # type: ignore[no-untyped-def]
        self.times += 1
        return super().hint(state, memory, guide)


def make(
    screens: Mapping[str, Screen], *, tester: str = "guided", seed: int = 0, hinter: BuiltInHint | None = None
) -> tuple[Loop, FakePage, Eyes]:
    page, eyes = FakePage(screens), Eyes()
    roles = Roles(TESTERS[tester](), hinter or BuiltInHint(), eyes, lambda snapshot: StateId(snapshot.digest))
    return Loop(page, roles, probes=PROBES, random=Random(seed)), page, eyes


def run(
    loop: Loop, limits: Limits, *, done: int = 0, after: Callable[[Step], None] | None = None
) -> list[Step]:
    async def collect() -> list[Step]:
        steps = []
        async for step in loop.steps(limits, done=done):
            steps.append(step)
            if after:
                after(step)
        return steps

    return asyncio.run(collect())


def test_first_step_is_the_load_and_every_other_one_an_action() -> None:
    loop, page, _ = make(SHOP)
    steps = run(loop, Limits(6))
    assert steps[0].action is None and steps[0].new_state and steps[0].gain == 2
    assert all(step.action for step in steps[1:])
    assert [step.index for step in steps] == list(range(len(steps)))
    assert len(page.performed) == 6 and loop.stop.kind == "budget"


def test_everything_reachable_is_reached_and_gain_is_counted_once() -> None:
    loop, _, _ = make(SHOP)
    steps = run(loop, Limits(25))
    assert sum(step.gain for step in steps) == 6
    assert {step.title for step in steps if step.new_state} == {"home", "cart", "about"}
    assert all((step.snapshot is not None) == step.new_state for step in steps)


def test_complete_before_the_budget_when_nothing_is_left() -> None:
    loop, _, _ = make({"only": Screen({"b": Effect()}, frozenset({0}))})
    steps = run(loop, Limits(500))
    assert loop.stop.kind == "complete" and len(steps) < 100


def test_hint_is_asked_after_three_actions_without_gain() -> None:
    hinter = Asked()
    loop, _, _ = make({"only": Screen({"b": Effect(), "c": Effect()}, frozenset({0}))}, hinter=hinter)
    steps = run(loop, Limits(9))
    hinted = [step.index for step in steps if step.hint]
    assert hinted == [4, 7] and hinter.times == 2
    assert steps[4].hint.startswith("built-in: ")


def test_time_limit_stops() -> None:
    loop, _, _ = make(SHOP)
    assert len(run(loop, Limits(100, seconds=0.0))) == 1
    assert loop.stop.kind == "time"


def test_interrupt_stops_after_the_step_in_hand() -> None:
    loop, _, _ = make(SHOP)

    def interrupt(step: Step) -> None:
        loop.interrupted = step.index == 2

    assert len(run(loop, Limits(100), after=interrupt)) == 3
    assert loop.stop.kind == "interrupt"


@pytest.mark.parametrize("liveness", ["hung", "crashed", "closed", "browser-lost"])
def test_after_a_loss_the_path_is_replayed_free_of_charge_and_the_culprit_left_alone(liveness: str) -> None:
    screens = {
        "home": Screen({"next": Effect("deep")}, frozenset({0})),
        "deep": Screen({"kill": Effect(liveness=liveness), "fine": Effect(hits=frozenset({1}))}),  # type: ignore[arg-type]
    }
    loop, _, eyes = make(screens)
    steps = run(loop, Limits(30))
    lost = [step for step in steps if step.liveness == liveness]
    assert lost and lost[0].action and lost[0].action.name == "kill"
    at = lost[0].index
    assert steps[at + 1].action is None and steps[at + 1].replayed
    assert steps[at + 2].action and steps[at + 2].replayed and steps[at + 2].title == "deep"
    killed = sum(1 for step in steps if step.action and step.action.name == "kill")
    assert killed == 1
    assert sum(1 for step in steps if step.action and not step.replayed) <= 30
    assert (at, liveness) in eyes.seen
    assert 1 in loop.guide.covered


def test_app_that_dies_on_load_is_unusable() -> None:
    class Dead(FakePage):
        async def open(self) -> Observation:
            observation = await super().open()
            return Observation(observation.snapshot, frozenset(), liveness="crashed")

    roles = Roles(TESTERS["guided"](), BuiltInHint(), Eyes(), lambda s: StateId(s.digest))
    loop = Loop(Dead(SHOP), roles, probes=PROBES, random=Random(0))
    steps = run(loop, Limits(10))
    assert loop.stop.kind == "unusable" and "crashed" in loop.stop.reason
    assert not [step for step in steps if step.action]


def test_app_that_is_lost_again_and_again_is_given_up() -> None:
    screens = {"home": Screen({f"b{i}": Effect(liveness="hung") for i in range(40)})}
    loop, _, _ = make(screens)
    run(loop, Limits(100))
    assert loop.stop.kind in ("unusable", "complete")


def test_resumed_run_knows_what_was_done() -> None:
    first, _, _ = make(SHOP)
    earlier = tuple(run(first, Limits(5)))
    trace = Trace(TraceHead(1, "shop", 0, 5, "guided", "built-in", "list", 8), earlier)
    second, page, _ = make(SHOP)
    done = second.resume(trace)
    assert done == 5 and second.guide.covered == first.guide.covered
    assert dict(second.memory.tries) == dict(first.memory.tries)
    steps = run(second, Limits(12), done=done)
    assert steps[0].index == len(earlier) and steps[0].replayed and not steps[0].new_state
    assert len(page.performed) == 7


@pytest.mark.parametrize("tester", list(TESTERS))
def test_same_seed_same_steps(tester: str) -> None:
    def actions(seed: int) -> list[tuple[str, str, str]]:
        loop, _, _ = make(SHOP, tester=tester, seed=seed)
        return [(s.action.kind, s.action.name, s.action.value) for s in run(loop, Limits(25)) if s.action]

    assert actions(3) == actions(3)


@pytest.mark.parametrize(
    ("budget", "reason"), [(1, "its one action was spent"), (6, "all 6 actions were spent")]
)
def test_spent_budget_is_told_in_words_that_follow_because(budget: int, reason: str) -> None:
    loop, _, _ = make(SHOP)
    run(loop, Limits(budget))
    assert loop.stop.reason == reason


def test_each_step_tells_what_the_page_shows_otherwise() -> None:
    loop, _, _ = make(SHOP)
    steps = run(loop, Limits(6))
    assert steps[0].changes == ()
    moved = [step for step in steps[1:] if step.after != step.before]
    assert moved and all(step.changes for step in moved)
    assert all(not step.changes for step in steps if step.after == step.before)


def test_a_map_that_grows_counts_from_the_step_that_shows_it() -> None:
    small = ProbeMap(files=(), probes=PROBES.probes[:1], counters={}, own=frozenset({0}))
    page = FakePage(SHOP)
    maps = iter((small, small))
    roles = Roles(TESTERS["guided"](), BuiltInHint(), Eyes(), lambda snapshot: StateId(snapshot.digest))
    loop = Loop(page, roles, probes=small, random=Random(0), grown=lambda: next(maps, PROBES))
    assert loop.guide.probes is small
    steps = run(loop, Limits(40))
    assert loop.guide.probes is PROBES
    reference, _, _ = make(SHOP)
    run(reference, Limits(40))
    assert loop.guide.covered == reference.guide.covered
    assert sum(step.gain for step in steps[1:]) > 0
