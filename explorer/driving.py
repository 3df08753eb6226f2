"""Runs a loop to its end: every step to disk at once, progress told, Ctrl-C turned into a stop that keeps everything."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from explorer.loop import Limits, Loop
from explorer.progress import Progress, Standing
from explorer.rundir import disk_errors
from graph.records import Finding, Step
from graph.tracefile import TraceWriter
from instrument.errors import BrowserError

Result = TypeVar("Result")


async def drive(
    loop: Loop,
    writer: TraceWriter,
    limits: Limits,
    *,
    progress: Progress,
    done: int = 0,
    known: Iterable[str] = (),
    before_step: Callable[[Step], None] = lambda _: None,
) -> None:
    """Iterates the loop's steps into the trace. `done` actions of the budget were spent by an earlier run, and it had
    findings of the identities `known`.
    `before_step` is called before each step is written.

    Raises UsageError where the disk refuses; what was written until then can still be reported.
    """
    covered, seen = len(loop.guide.own_statements & loop.guide.covered), set(known)
    with _interrupts(loop), disk_errors(Path(writer.path)), _no_blame(loop):
        async for step in loop.steps(limits, done=done):
            before_step(step)
            writer.step(step)
            covered += step.gain
            done += counts(step)
            seen.update(_identities(step.findings))
            states, own = len(loop.memory.states), len(loop.guide.own_statements)
            progress.step(step, Standing(done, limits.budget, covered, own, states, len(seen)))
        writer.end(stop=loop.stop.kind, reason=loop.stop.reason)


def counts(step: Step) -> bool:
    """Whether a step spent an action of the budget: a load and what is done again after a crash do not."""
    return step.action is not None and not step.replayed


def _identities(findings: tuple[Finding, ...]) -> Iterator[str]:
    return (finding.identity for finding in findings)


@contextmanager
def _no_blame(loop: Loop) -> Iterator[None]:
    """The terminal's Ctrl-C reaches a browser's driver that is just starting too: that is no error of the browser's."""
    try:
        yield
    except BrowserError:
        if loop.interrupted:
            raise KeyboardInterrupt from None
        raise


@contextmanager
def _interrupts(loop: Loop) -> Iterator[None]:
    """The first Ctrl-C (or SIGTERM) ends the run after the step in hand; a second one ends the program."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    earlier = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def stop(number: int, _: object) -> None:
        loop.interrupted = True
        for each, handler in earlier.items():
            signal.signal(each, handler)

    for number in earlier:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)


def run_to_end(work: Coroutine[Any, Any, Result]) -> Result:
    """Runs a coroutine from plain code, in a thread of its own where an event loop is running already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    results: list[Result] = []
    errors: list[BaseException] = []

    def body() -> None:
        try:
            results.append(asyncio.run(work))
        except BaseException as error:  # noqa: BLE001 - handed to the caller's thread, not swallowed
            errors.append(error)

    thread = threading.Thread(target=body, name="explore")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
