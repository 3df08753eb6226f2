"""Last of the line: scores of many runs on one scale, and their order.

Each dimension is z-scored with the population's standard deviation and weighted 1/3 aesthetics, 1/3 usability and 1/9
for each of the three alignment scores (WebCraftBench, section 3.4). A pool's own means and deviations make ranks within
that pool; a Reference that was kept in a file makes scores that can be compared with later pools.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from instrument.errors import UsageError

WEIGHTS: Mapping[str, float] = {
    "aesthetics": 1 / 3,
    "usability": 1 / 3,
    "functional": 1 / 9,
    "content": 1 / 9,
    "visual": 1 / 9,
}
"""Dimension -> its part of the overall score."""
VERSION = 1
_SMALLEST_POOL = 2


@dataclass(frozen=True, slots=True)
class Entry:
    """The raw scores of one run, or the means of one group of runs; 0 to 100, None where there is no score."""

    name: str
    raw: Mapping[str, float | None]
    judge: str
    """Who scored: a model's name, or "heuristic"."""
    runs: int = 1


@dataclass(frozen=True, slots=True)
class Reference:
    """What a score is measured against: for each dimension its (mean, population standard deviation)."""

    judge: str
    moments: Mapping[str, tuple[float, float]]
    entries: int
    """How many entries it was made of."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """An entry with its z-scores; `overall` is None where it cannot be placed, and `reason` says why."""

    entry: Entry
    z: Mapping[str, float] = field(default_factory=dict)
    overall: float | None = None
    rank: int | None = None
    """1 is best; equal scores share a rank, and the next one is skipped."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """One judge's entries, best first, those without a place last."""

    judge: str
    rows: tuple[Ranked, ...]
    reference: Reference
    pooled: bool
    """Whether the reference is the pool itself."""
    notes: tuple[str, ...] = ()


def grouped(entries: Iterable[tuple[str, Entry]]) -> tuple[Entry, ...]:
    """(group, run) pairs to one entry a group and judge: the mean of each dimension over the runs that have it."""
    groups: dict[tuple[str, str], list[Entry]] = {}
    for group, entry in entries:
        groups.setdefault((group, entry.judge), []).append(entry)
    return tuple(
        Entry(name, {dimension: _mean(dimension, members) for dimension in WEIGHTS}, judge, len(members))
        for (name, judge), members in groups.items()
    )


def _mean(dimension: str, members: Sequence[Entry]) -> float | None:
    values = [value for member in members if (value := member.raw.get(dimension)) is not None]
    return statistics.fmean(values) if values else None


def rank(entries: Iterable[Entry], *, reference: Reference | None = None) -> tuple[Table, ...]:
    """A table for each judge, for scores of different judges share no scale: a model's and the built-in's least of all.

    reference: fixed means and deviations to measure against, in place of each pool's own. Raises UsageError where it
    is another judge's, or where nothing is to be ranked.
    """
    pools: dict[str, list[Entry]] = {}
    for entry in entries:
        pools.setdefault(entry.judge, []).append(entry)
    if not pools:
        raise UsageError("There is nothing to rank: name run folders that have been judged.")
    if reference is not None and (others := sorted(set(pools) - {reference.judge})):
        raise UsageError(
            f"The reference is of the judge {reference.judge}, the runs were judged by {', '.join(others)}: "
            "judge them with the same one, or leave the reference out."
        )
    return tuple(_table(judge, pool, reference) for judge, pool in sorted(pools.items()))


def reference_of(entries: Sequence[Entry]) -> Reference:
    """Means and population standard deviations of one judge's entries; dimensions that none has are left out."""
    moments = {}
    for dimension in WEIGHTS:
        values = [value for entry in entries if (value := entry.raw.get(dimension)) is not None]
        if values:
            moments[dimension] = (statistics.fmean(values), statistics.pstdev(values))
    return Reference(entries[0].judge, moments, len(entries))


def _table(judge: str, pool: Sequence[Entry], reference: Reference | None) -> Table:
    measure = reference or reference_of(pool)
    rows = sorted((_placed(entry, measure) for entry in pool), key=_order)
    return Table(judge, tuple(_numbered(rows)), measure, reference is None, tuple(_notes(pool, measure)))


def _placed(entry: Entry, reference: Reference) -> Ranked:
    missing = [name for name in reference.moments if entry.raw.get(name) is None]
    z = {
        name: _z(value, *reference.moments[name])
        for name, value in entry.raw.items()
        if value is not None and name in reference.moments
    }
    if missing or not z:
        return Ranked(entry, z, reason=f"no score for {', '.join(missing)}" if missing else "no score at all")
    weight = sum(WEIGHTS[name] for name in z)
    return Ranked(entry, z, sum(WEIGHTS[name] * value for name, value in z.items()) / weight)


def _z(value: float, mean: float, deviation: float) -> float:
    """Standard score; where nothing differs, nobody is better."""
    return (value - mean) / deviation if deviation > 0 else 0.0


def _order(row: Ranked) -> tuple[bool, float, str]:
    return row.overall is None, -(row.overall or 0.0), row.entry.name


def _numbered(rows: Sequence[Ranked]) -> Iterable[Ranked]:
    place = 0
    for index, row in enumerate(rows):
        if row.overall is None:
            yield row
            continue
        if index == 0 or row.overall != rows[index - 1].overall:
            place = index + 1
        yield Ranked(row.entry, row.z, row.overall, place, row.reason)


def _notes(pool: Sequence[Entry], reference: Reference) -> Iterable[str]:
    if left_out := [name for name in WEIGHTS if name not in reference.moments]:
        yield f"nobody has a score for {', '.join(left_out)}: the other weights were scaled up"
    if flat := [name for name, (_, deviation) in reference.moments.items() if deviation == 0]:
        yield f"all have the same {', '.join(flat)}: it decides nothing"
    if len(pool) < _SMALLEST_POOL:
        yield "one entry alone has nothing to be compared with"


def save_reference(reference: Reference, path: Path) -> None:
    """Writes a reference file."""
    text = json.dumps({"version": VERSION, **asdict(reference)}, indent=2)
    path.write_text(text + "\n", encoding="utf-8")


def load_reference(path: Path) -> Reference:
    """Reads a reference file; UsageError where it is none."""
    try:
        row = json.loads(path.read_text(encoding="utf-8"))
        if row["version"] != VERSION:
            raise UsageError(f"{path} has version {row['version']}, this is version {VERSION}: make it anew.")
        moments = {name: (float(mean), float(sd)) for name, (mean, sd) in row["moments"].items()}
        if unknown := sorted(set(moments) - set(WEIGHTS)):
            raise UsageError(f"{path} has the unknown dimension {unknown[0]}: make it anew.")
        return Reference(str(row["judge"]), moments, int(row["entries"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(
            f"{path} is no reference ({error}): make one with `explore-app rank RUN... --write-reference FILE`."
        ) from error
