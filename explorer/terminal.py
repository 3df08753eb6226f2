"""A run in a few lines for the terminal, and the gates that a caller may set on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from explorer.agreement import agreement_lines
from explorer.exploration import Exploration
from explorer.faults import host_of
from explorer.modelsaid import fallbacks, model_lines
from explorer.notices import from_npm, hosts_kept_out, libraries, notices
from explorer.rundir import REPORT
from explorer.wording import plural
from graph.records import Trace
from instrument.coverage import Count

MOST_SHOWN = 5


def lines(exploration: Exploration) -> list[str]:
    """What a person wants to know first: coverage, states, faults, why it stopped, where the report is."""
    trace, graph = exploration.trace, exploration.graph
    found = [
        f"Explored {exploration.target} with {plural(exploration.actions, 'action')} "
        f"in {exploration.seconds:.1f} s; {_ending(trace)}.",
        "Coverage  " + ", ".join(_share(*item) for item in exploration.coverage.own.as_counts().items()),
        f"States    {graph.number_of_nodes():,}, with {plural(graph.number_of_edges(), 'transition')}",
    ]
    counts = Counter(finding.kind for finding in exploration.findings)
    faults = ", ".join(plural(number, kind.replace("-", " ")) for kind, number in counts.most_common())
    found.append(f"Faults    {faults or 'none seen'}")
    found += [f"          - {finding.title}" for finding in exploration.findings[:MOST_SHOWN]]
    if len(exploration.findings) > MOST_SHOWN:
        found.append(f"          and {len(exploration.findings) - MOST_SHOWN} more in the report")
    found += [f"Model     {line}" for line in model_lines(exploration)]
    found += [f"          fell back: {line}" for line in fallbacks(exploration)[:MOST_SHOWN]]
    if apart := libraries(exploration):
        found.append(f"Libraries {apart}")
    if served := from_npm(exploration.libraries):
        found.append(f"Libraries {served}")
    found += _left_out(exploration)
    if exploration.agreement is not None:
        found += agreement_lines(exploration.agreement)
    found += [f"Note      {notice}" for notice in notices(exploration)]
    if exploration.folder:
        found.append(f"Report    {Path(exploration.folder) / REPORT}")
    return found


def _ending(trace: Trace) -> str:
    if not trace.stop:
        return "it was cut off"
    return f"it ended because {trace.stop_reason}" if trace.stop_reason else f"it ended: {trace.stop}"


def _found(number: int, kind: str) -> str:
    return plural(number, "finding") + ("" if kind == "any" else f" of kind {kind}")


def _share(plural: str, count: Count) -> str:
    if not count.total:
        return f"no {plural}"
    return f"{100 * count.covered / count.total:.1f} % of {plural} ({count.covered}/{count.total})"


def _left_out(exploration: Exploration) -> list[str]:
    """Scripts without counters; those of hosts that were kept out are in the notices."""
    made, kept_out = exploration.instrumentation, hosts_kept_out(exploration.blocked)
    left = [*made.failed, *(script for script in made.unmeasured if host_of(script.path) not in kept_out)]
    if not left:
        return []
    more = f" and {len(left) - 1} more" if len(left) > 1 else ""
    return [f"Unmeasured {left[0].path}{more}: {left[0].reason}"]


def gate_failures(
    exploration: Exploration, *, fail_under: float | None = None, fail_on: Sequence[str] = ()
) -> list[str]:
    """Gates that the run did not pass, each in words; empty when all is well."""
    failures = []
    if fail_under is not None:
        statements = exploration.coverage.own.statements
        percent = 100 * statements.covered / statements.total if statements.total else 0.0
        if percent < fail_under:
            failures.append(f"{percent:.1f} % of statements are covered, {fail_under:g} % were asked for")
    for kind in fail_on:
        hits = [finding for finding in exploration.findings if kind in ("any", finding.kind)]
        if hits:
            failures.append(f"{_found(len(hits), kind)}: {hits[0].title}")
    return failures
