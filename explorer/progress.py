"""Progress on stderr: a live line with rich on a terminal, plain lines elsewhere, nothing when asked to be quiet."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from explorer.wording import plural
from graph.records import Step

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as RichProgress

PLAIN_EVERY = 10
"""Actions between two lines where stderr is no terminal."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a run stands after a step."""

    done: int
    budget: int
    covered: int
    statements: int
    states: int
    findings: int

    @property
    def percent(self) -> float:
        """Own statements covered, in %; 0 for an app without any."""
        return 100 * self.covered / self.statements if self.statements else 0.0


class Progress(Protocol):
    """Told what happens, in order; it never decides anything."""

    def phase(self, text: str) -> None:
        """A stage begins, or says something worth a line."""

    def step(self, step: Step, standing: Standing) -> None:
        """One step was recorded."""


class Quiet:
    """Says nothing: the library's default."""

    def phase(self, text: str) -> None:
        """Nothing."""

    def step(self, step: Step, standing: Standing) -> None:
        """Nothing."""


class Lines:
    """One line per stage and per ten actions, for logs."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def phase(self, text: str) -> None:
        """Prints the stage."""
        self._console.print(text, highlight=False, markup=False, soft_wrap=True)

    def step(self, step: Step, standing: Standing) -> None:
        """Prints where the run stands, every ten actions and at the end."""
        if standing.done % PLAIN_EVERY == 0 or standing.done == standing.budget:
            self.phase(summary(step, standing))


class Live:
    """A bar that says what is being done and what came of it."""

    def __init__(self, bar: RichProgress) -> None:
        self._bar = bar
        self._task = bar.add_task("starting", total=None)

    def phase(self, text: str) -> None:
        """Prints the stage above the bar."""
        self._bar.console.print(text, highlight=False, markup=False, soft_wrap=True)

    def step(self, step: Step, standing: Standing) -> None:
        """Moves the bar."""
        self._bar.update(
            self._task, total=standing.budget, completed=standing.done, description=summary(step, standing)
        )


def summary(step: Step, standing: Standing) -> str:
    """Where a run stands, in one line."""
    done = "after the load" if step.action is None and not step.replayed else ""
    done = done or f"{standing.done}/{plural(standing.budget, 'action')}"
    gain = f" (+{step.gain})" if step.gain and step.action is not None else ""
    return (
        f"{done}: {standing.percent:.1f} % of statements{gain}, "
        f"{plural(standing.states, 'state')}, {plural(standing.findings, 'finding')}"
    )


@contextmanager
def make_progress(*, quiet: bool = False) -> Iterator[Progress]:
    """The progress that suits stderr."""
    if quiet:
        yield Quiet()
        return
    # Only a command line shows progress: the library and `--help` do without rich.
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as RichProgress

    console = Console(file=sys.stderr)
    if not console.is_terminal:
        yield Lines(console)
        return
    columns = (BarColumn(bar_width=24), TextColumn("{task.description}", markup=False))
    with RichProgress(*columns, console=console, transient=True) as bar:
        yield Live(bar)
