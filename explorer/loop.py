"""The loop: choose, act, observe, record; a stream of Steps until the budget is spent or nothing is left."""

from __future__ import annotations

import inspect
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Protocol, TypeVar

from explorer.actions import Candidate, Key, candidates, key_of
from explorer.exploration import Closing
from explorer.guide import Guide
from explorer.hints import Hint, Hinter
from explorer.inert import did_nothing, took_focus
from explorer.lexicon import Lexicon, keyboard
from explorer.memory import Memory, page_of
from explorer.page import Page
from explorer.policy import Choice, ClosingTester, Done, Tester, View
from explorer.waiting import patiently
from graph.pagetext import difference, page_lines
from graph.records import Action, Looks, Observation, Snapshot, StateId, Step, Trace, Verdict
from instrument.probes import ProbeMap

PLATEAU = 3
"""Actions in a row without gain before the hint is asked (WebCraftBench)."""
MAX_REPLAY = 12
"""Actions replayed after a crash; a longer path is given up for a fresh load."""
MAX_LOSSES = 8
"""Crashes and hangs in a run before the app counts as unusable."""
MOST_LOOKS = 40
"""States whose looks are measured."""
NO_WAIT = 0.001
"""Seconds that awaiting a role takes which then asks no model."""
Told = TypeVar("Told")
NOWHERE = Snapshot(url="", title="", html="", digest="")


@dataclass(frozen=True, slots=True)
class Stop:
    """Why a run ended: budget, complete, time, interrupt or unusable, and the reason in words."""

    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class Limits:
    """What ends a run besides the tester."""

    budget: int = 100
    """Actions; replays after a crash are not counted."""
    seconds: float | None = None
    """Wall seconds; None for no limit."""


class Oracle(Protocol):
    """Turns what was observed into findings; remembers what a fault that takes several steps needs."""

    def look(
        self, before: Snapshot, action: Action | None, observation: Observation, *, step: int, state: StateId
    ) -> Verdict:
        """What this step shows; step 0 is the load."""

    def suspects(self) -> Sequence[tuple[StateId, str]]:
        """(state, locator) of what one more click would accuse or clear."""


@dataclass(frozen=True, slots=True)
class Roles:
    """Who decides in a run: all built in, or models behind the same seams."""

    tester: Tester
    hinter: Hinter
    oracle: Oracle
    state_of: Callable[[Snapshot], StateId]
    pictures: bool = False
    """Whether the tester is shown a screenshot before each action."""


class Loop:
    """One run over one page. Iterate `steps` once; `stop` then says why it ended."""

    def __init__(
        self,
        page: Page,
        roles: Roles,
        *,
        probes: ProbeMap,
        random: Random,
        grown: Callable[[], ProbeMap] | None = None,
    ) -> None:
        """`grown`: the map as it stands, for an app whose scripts are counted as they are fetched."""
        self._grown = grown or (lambda: probes)
        self.guide = Guide(probes)
        self.memory = Memory()
        self.stop = Stop("", "")
        self.closing: Closing | None = None
        self.interrupted = False
        """Set from outside: the run ends after the step in hand."""
        self._page = page
        self._roles = roles
        self._random = random
        self._lexicon = Lexicon(self.guide)
        self._keyboard = keyboard(probes)
        self._snapshot = NOWHERE
        self._shown: tuple[str, tuple[str, ...]] = "", ()
        """Digest and lines of the page that was last compared with the one before it."""
        self._state = StateId("")
        self._possible: tuple[Candidate, ...] = ()
        self._keys: frozenset[Key] = frozenset()
        self._index = 0
        self._stuck = 0
        self._losses = 0
        self._measured = 0
        self._depth = 0
        """Entries of the session history behind the page, as far as they can be known from outside."""
        self._until: float | None = None
        """When the time limit ends, by the monotonic clock."""
        self._waited = 0.0
        """Seconds that were waited for models before the action in hand."""
        self._picture = ""
        self._trail: list[Action] = []
        """Actions since the last load with empty storage: the path that brings the page back here."""

    def resume(self, trace: Trace) -> int:
        """Takes in what an earlier run learned; the number of actions that it had done."""
        done = 0
        for step in trace.steps:
            self.guide.add(step.hits)
            self._measured += step.looks is not None
            self.memory.history.append(_light(step))
            if step.snapshot is not None:
                possible = candidates(step.snapshot, self._keyboard)
                self.memory.arrive(StateId(step.after), possible, step=step.index)
            if step.action is not None and not step.replayed:
                done += 1
                before, after = StateId(step.before), StateId(step.after)
                self._remember(step.action, before, after, gain=step.gain, performed=step.performed)
        self._index = len(trace.steps)
        return done

    async def steps(self, limits: Limits, *, done: int = 0) -> AsyncIterator[Step]:
        """The load, then one step per action; replays after a crash are marked and cost nothing. At the end, `closing`
        is what the tester tells of the run.

        `done` actions of the budget count as spent already (a resumed run).
        """
        async for step in self._steps(limits, done=done):
            yield step
        tester = self._roles.tester
        if isinstance(tester, ClosingTester) and not self.interrupted:
            told = tester.summarize(self.memory.history, stop=self.stop.reason)
            self.closing = await patiently(told, ended=lambda: self.interrupted)

    async def _steps(self, limits: Limits, *, done: int) -> AsyncIterator[Step]:
        started = time.monotonic()
        self._until = started + limits.seconds if limits.seconds is not None else None
        observation = await self._page.open()
        yield await self._take(None, observation)
        if observation.liveness != "alive":
            async for step in self._recover(None):
                yield step
        while not (self.stop.kind or self._ended(limits, done)):
            begun, self._waited = time.perf_counter(), 0.0
            view = await self._view(remaining=limits.budget - done)
            answer: Choice | Done | Awaitable[Choice | Done] = self._roles.tester.choose(view)
            choice: Choice | Done | None = await self._told(answer)
            if choice is None:
                continue
            if isinstance(choice, Done):
                self.stop = Stop("complete", choice.reason)
                return
            deciding = time.perf_counter() - begun - self._waited
            observation = await self._page.perform(choice.action)
            done += 1
            yield await self._take(choice, observation, hint=view.hint, engine_s=deciding)
            if observation.liveness != "alive":
                async for step in self._recover(choice.action):
                    yield step

    async def _told(self, answer: Told | Awaitable[Told]) -> Told | None:
        """A role's answer, waited for where it asks a model; None where the run is to end first."""
        if not inspect.isawaitable(answer):
            return answer
        begun = time.perf_counter()
        told = await patiently(answer, ended=lambda: self.interrupted or self._out_of_time())
        self._waited += time.perf_counter() - begun
        return told

    def _out_of_time(self) -> bool:
        return self._until is not None and time.monotonic() >= self._until

    def _ended(self, limits: Limits, done: int) -> bool:
        if self.interrupted:
            self.stop = Stop("interrupt", "the user stopped it")
        elif done >= limits.budget:
            self.stop = Stop("budget", _spent(limits.budget))
        elif limits.seconds is not None and self._out_of_time():
            self.stop = Stop("time", f"the limit of {limits.seconds:g} seconds was reached")
        return bool(self.stop.kind)

    # -- one step

    def _learn(self) -> None:
        """Takes the map as it stands now: ids stay, so what was learned of them does."""
        probes = self._grown()
        if probes is not self.guide.probes:
            self.guide.learn(probes)
            self._keyboard = keyboard(probes)

    async def _view(self, *, remaining: int) -> View:
        hint = None
        if self._stuck and self._stuck % PLATEAU == 0:
            hint = await self._told(self._roles.hinter.hint(self._state, self.memory, self.guide))
            self.memory.values.update(hint.values if hint else ())
        if self._roles.pictures and not self._picture:
            self._picture = await self._page.screenshot(f"{self._index:04d}-before")
        return View(
            snapshot=self._snapshot,
            state=self._state,
            candidates=self._possible,
            memory=self.memory,
            guide=self.guide,
            lexicon=self._lexicon,
            random=self._random,
            remaining=remaining,
            stuck=self._stuck,
            hint=hint,
            screenshot=self._picture,
            suspects=frozenset(self._roles.oracle.suspects()) if self._stuck >= PLATEAU else frozenset(),
        )

    async def _take(
        self,
        choice: Choice | Action | None,
        observation: Observation,
        *,
        hint: Hint | None = None,
        engine_s: float = 0.0,
    ) -> Step:
        """Records what came of an action; None stands for a load."""
        begun = time.perf_counter()
        self._learn()
        action = choice.action if isinstance(choice, Choice) else choice
        replayed = (action is None and self._index > 0) or isinstance(choice, Action)
        before, earlier = self._state, self._snapshot
        snapshot = observation.snapshot if observation.snapshot.digest else earlier
        state = self._roles.state_of(snapshot)
        new = self.guide.add(observation.hits)
        gain = self.guide.gain(new)
        verdict = self._roles.oracle.look(earlier, action, observation, step=self._index, state=state)
        fresh = state not in self.memory.states and observation.liveness == "alive"
        if isinstance(choice, Choice):
            self._stuck = 0 if new & self.guide.probes.own else self._stuck + 1
            self._remember(choice.action, before, state, gain=gain, performed=observation.performed)
            if observation.liveness != "alive":
                self.memory.lost(choice.candidate.key)
        if action is None:
            self._trail = []
        elif observation.liveness == "alive":
            self._trail.append(action)
        self._follow_history(action, observation, moved=snapshot.url != earlier.url)
        changes = self._changes(snapshot) if action is not None else ()
        self._arrive(snapshot, state)
        engine_ms = (engine_s + time.perf_counter() - begun) * 1000
        picture = self._picture = await self._page.screenshot(f"{self._index:04d}") if fresh else ""
        looks = await self._looks() if fresh else None
        step = Step(
            index=self._index,
            action=action,
            before=before,
            after=state,
            url=snapshot.url,
            title=snapshot.title,
            gain=gain,
            hits=tuple(sorted(new)),
            new_state=fresh,
            replayed=replayed,
            snapshot=snapshot if fresh else None,
            screenshot=picture,
            looks=looks,
            changes=changes,
            findings=verdict.findings,
            again=verdict.again,
            click=verdict.click,
            liveness=observation.liveness,
            performed=observation.performed,
            inert=action is not None and not verdict.findings and did_nothing(earlier, action, observation),
            focused=action is not None and took_focus(action, snapshot),
            failure=observation.failure,
            messages=observation.messages,
            faults=observation.faults,
            requests=observation.requests,
            dialogs=observation.dialogs,
            downloads=observation.downloads,
            popups=observation.popups,
            effects=observation.effects,
            settle=observation.settle,
            hint=f"{hint.source}: {hint.text}" if hint else "",
            notes=tuple(
                note for note in (hint and hint.note, isinstance(choice, Choice) and choice.note) if note
            ),
            ms=(*observation.ms, ("engine", round(engine_ms, 2)), *self._model_ms()),
        )
        self._index += 1
        self.memory.history.append(_light(step))
        return step

    def _model_ms(self) -> tuple[tuple[str, float], ...]:
        """What was waited for models, as a part of Step.ms; told once."""
        waited, self._waited = self._waited, 0.0
        return (("model", round(waited * 1000, 2)),) if waited > NO_WAIT else ()

    def _changes(self, snapshot: Snapshot) -> tuple[str, ...]:
        """What the page shows otherwise than a step ago."""
        if snapshot.digest == self._snapshot.digest:
            return ()
        known, earlier = self._shown
        if known != self._snapshot.digest:
            earlier = page_lines(self._snapshot.html)
        self._shown = snapshot.digest, page_lines(snapshot.html)
        return difference(earlier, self._shown[1])

    async def _looks(self) -> Looks | None:
        """How a new state looks; the first ones tell what kind of app it is, and measuring takes time."""
        if self._measured >= MOST_LOOKS:
            return None
        self._measured += 1
        return await self._page.looks()

    def _follow_history(self, action: Action | None, observation: Observation, *, moved: bool) -> None:
        if action is None:
            self._depth = 0
        elif action.kind == "back":
            self._depth = max(0, self._depth - 1) if observation.performed else 0
        elif moved and action.kind != "forward":
            self._depth += 1

    def _arrive(self, snapshot: Snapshot, state: StateId) -> None:
        self._snapshot, self._state = snapshot, state
        self._possible = candidates(snapshot, self._keyboard, history=self._depth > 0)
        keys = frozenset(candidate.key for candidate in self._possible)
        self.memory.fresh = keys - self._keys
        self._keys = keys
        self.memory.arrive(state, self._possible, step=self._index)
        self.memory.page, self.memory.possible = snapshot, self._possible
        self.memory.pages.add(page_of(snapshot.url))

    def _remember(
        self, action: Action, before: StateId, after: StateId, *, gain: int, performed: bool
    ) -> None:
        key = key_of(action)
        note = self.memory.states.get(before)
        candidate = note.candidates.get(key) if note else None
        self.memory.record(
            before, key, action, after=after, gain=gain, candidate=candidate, performed=performed
        )

    # -- after a loss

    async def _recover(self, culprit: Action | None) -> AsyncIterator[Step]:
        """Brings the page back: a fresh load, then the path that led to the loss, without its last action."""
        self._losses += 1
        path = self._trail if len(self._trail) <= MAX_REPLAY else []
        observation = await self._page.restart()
        yield await self._take(None, observation)
        if observation.liveness != "alive" or self._losses > MAX_LOSSES:
            what = "loads no more" if observation.liveness != "alive" else f"was lost {self._losses} times"
            after = f" after {culprit.kind} on {culprit.name or 'the page'}" if culprit else ""
            self.stop = Stop("unusable", f"the app {what}{after} ({observation.liveness})")
            return
        for action in path:
            observation = await self._page.perform(action)
            yield await self._take(action, observation)
            if observation.liveness != "alive":
                observation = await self._page.restart()
                yield await self._take(None, observation)
                return
            if not observation.performed:
                return


def _light(step: Step) -> Step:
    """A step without the html of its snapshot, to be kept for the whole run."""
    return replace(step, snapshot=replace(step.snapshot, html="")) if step.snapshot else step


def _spent(budget: int) -> str:
    return "its one action was spent" if budget == 1 else f"all {budget:,} actions were spent"
