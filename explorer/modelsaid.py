"""What models took part in a run, what that took, and what the tester told at the end: the words for terminal and report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from explorer.exploration import Closing, Exploration
from explorer.wording import plural


def model_lines(run: Exploration) -> list[str]:
    """One line a role: `tester claude-sonnet-5-5: 12 calls, 41,200 tokens in (80 % from the cache) ...`."""
    return [f"{role} {_account(row)}" for role, row in run.models.items()]


def fallbacks(run: Exploration) -> list[str]:
    """What fell back on a built-in, once each, with the number of steps."""
    counts: dict[str, int] = {}
    for step in run.trace.steps:
        for note in step.notes:
            counts[note] = counts.get(note, 0) + 1
    return [f"{note} ({plural(number, 'step')})" for note, number in counts.items()]


def closing_row(closing: Closing | None) -> dict[str, Any] | None:
    """The closing summary for run.json; None where the tester writes none."""
    if closing is None:
        return None
    return {
        "source": closing.source,
        "functionality": list(closing.functionality),
        "interactions": list(closing.interactions),
        "failures": list(closing.failures),
        "reason": closing.reason,
    }


def closing_of(row: Mapping[str, Any] | None) -> Closing | None:
    """The way back from run.json."""
    if not row:
        return None
    lists = {key: tuple(map(str, row.get(key, ()))) for key in ("functionality", "interactions", "failures")}
    return Closing(str(row.get("source", "")), reason=str(row.get("reason", "")), **lists)


def _account(row: Mapping[str, Any]) -> str:
    tokens = row["tokens"]
    given = tokens["input"] + tokens["cache_read"] + tokens["cache_write"]
    cached = f" ({100 * tokens['cache_read'] / given:.0f} % from the cache)" if tokens["cache_read"] else ""
    cost = "cost not known" if row["cost"] is None else f"${row['cost']:.4f}"
    replayed = f", {row['replayed']} from a recording" if row["replayed"] else ""
    failed = {status: number for status, number in row["statuses"].items() if status != "ok"}
    bad = "".join(f", {number} {status}" for status, number in failed.items())
    told = f"{plural(row['calls'], 'call')}{replayed}, {given:,} tokens in{cached}, {tokens['output']:,} out, {cost}{bad}"
    return f"{', '.join(row['models']) or 'no model'}: {told}"
