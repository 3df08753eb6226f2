"""What a run leaves behind: the record that `explore()` returns and every report is a fold over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from explorer.agreement import Agreement
from explorer.libraries import Libraries
from explorer.wording import plural
from graph.records import Finding, Request, Trace
from instrument.coverage import Summary, summary
from instrument.probes import FailedScript, ProbeMap

if TYPE_CHECKING:
    import networkx

    from judge.records import Scores

InstrumentationMode = Literal["istanbul", "v8", "none"]
"""istanbul: counters in the source; v8: the browser's own ranges; none: nothing could be measured."""


@dataclass(frozen=True, slots=True)
class Instrumentation:
    """How coverage was measured, and what was left out of it."""

    mode: InstrumentationMode
    reason: str
    """Why this mode, in words."""
    scripts: int = 0
    """Scripts that carry counters."""
    failed: tuple[FailedScript, ...] = ()
    """Scripts served as they are, because they could not be parsed."""
    unmeasured: tuple[FailedScript, ...] = ()
    """Scripts that no counter can be read from: workers of another origin, frames that were never let in."""
    notes: tuple[str, ...] = ()
    """Differences that --verify saw, source maps that were missing, and the like."""
    ways: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """How the user's own files are counted, each way with its files: source (counters put in before the build), served
    (put in as it is served, or on the way to the browser), v8 (the browser's ranges)."""


@dataclass(frozen=True, slots=True)
class Closing:
    """What a model tester told at the end of its run; `reason` says why it told nothing."""

    source: str
    """Name of the tester."""
    functionality: tuple[str, ...] = ()
    interactions: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, repr=False)
class Exploration:
    """A finished run, or what is left of one that was cut off; plain values only, no live handle."""

    target: str
    """Folder, html file or URL as the user gave it."""
    build_kind: str
    build_reason: str
    instrumentation: Instrumentation
    probes: ProbeMap
    hits: frozenset[int]
    """Every probe that ran, own and vendor."""
    trace: Trace
    graph: networkx.MultiDiGraph[str]
    """Nodes are StateIds; see graph.collapse for the attributes."""
    findings: tuple[Finding, ...] = ()
    """Deduplicated by identity over the whole run."""
    scores: Scores | None = None
    """What judging the run gave; None for a run that was not judged."""
    blocked: tuple[Request, ...] = ()
    """Requests that the app made to other hosts and that were kept in."""
    root: str = ""
    """Absolute path of the app's folder, which files of the probe map are relative to; "" for a URL."""
    folder: str = ""
    """Run folder that screenshots and downloads are relative to; "" when nothing was written."""
    command: str = ""
    """Command line that makes this run again."""
    started: str = ""
    """Wall-clock start, ISO 8601 with offset."""
    seconds: float = 0.0
    """Wall-clock seconds from start to stop."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """explore-app, python, browser, node, instrumenter."""
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    """median_step: milliseconds of a step; engine_share: those of them that were the engine's own; others by
    stage (instrument, open)."""
    notes: tuple[str, ...] = ()
    """What a reader of the results must know: an app's own randomness, a resumed run."""
    libraries: Libraries = field(default_factory=Libraries)
    """What was served in place of CDNs, and what could not be had."""
    models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Role -> what the model behind it was asked, and what that took (see `judge.ledger`); empty without models."""
    closing: Closing | None = None
    """The tester's closing summary; built-in testers write none."""

    agreement: Agreement | None = None
    """How far V8's ranges agree with the counters; None where --verify-coverage was not asked for."""

    def __repr__(self) -> str:
        """Short: asyncio.run() makes the repr of what its coroutine returned, and throws it away."""
        states, findings = self.graph.number_of_nodes(), len(self.findings)
        told = ", ".join(
            (plural(self.actions, "action"), plural(states, "state"), plural(findings, "finding"))
        )
        return f"<Exploration of {self.target}: {told}>"

    @property
    def coverage(self) -> Summary:
        """What ran: `coverage.own.statements.pct`; own, vendor, touched and files[path] have statements, functions and
        branches, each with covered, total and pct (0 to 100)."""
        return summary(self.probes, self.hits)

    @property
    def seed(self) -> int:
        """Seed of everything random in the run."""
        return self.trace.head.seed

    @property
    def budget(self) -> int:
        """Actions that the run was allowed."""
        return self.trace.head.budget

    @property
    def tester(self) -> str:
        """Name of the tester that chose the actions."""
        return self.trace.head.tester

    @property
    def hint(self) -> str:
        """Name of the hint that was asked at plateaus."""
        return self.trace.head.hint

    @property
    def abstraction(self) -> str:
        """Name of the state abstraction."""
        return self.trace.head.abstraction

    @property
    def actions(self) -> int:
        """Actions that counted against the budget: the load and replays are not among them."""
        return sum(1 for step in self.trace.steps if step.action is not None and not step.replayed)
