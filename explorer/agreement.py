"""How far two measurements of the same actions agree, statement by statement: counters, and V8's ranges. Pure."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from instrument.errors import UsageError
from instrument.probes import FileClass, Position, ProbeMap, SourceFile

AGREEMENT = "coverage/agreement.json"
"""Name in the run folder."""

LEFT_EARLY = "block left early"
"""V8 counts a block to its end; the counters show that it was left before that: an exception, a pause without end."""
RAN_ONCE_MORE = "ran in the second run only"
"""V8 saw a whole function run, or the file's first statement, of which the counters saw nothing: the runs differ."""
RAN_BEFORE = "ran in the first run only"
"""V8 saw nothing of the function, and some steps led elsewhere the second time: the runs differ."""
NOT_SEEN = "not seen by V8"
"""V8 saw nothing of the function though every step led to the same state: it cannot see it, and a number of V8's is too low
by that."""
BLOCK_NOT_TOLD = "block not told of"
"""V8 told of the function and not of this part of it: of a worker that already ran it knows no branches, and what stands
behind a `for (x in null)` it takes for skipped."""
NOT_TOLD = "script not told of"
"""V8 told of nothing in the file: it ran where V8 could not be asked (a shared worker), or its text was another."""
KINDS = (LEFT_EARLY, RAN_ONCE_MORE, RAN_BEFORE, NOT_SEEN, BLOCK_NOT_TOLD, NOT_TOLD)

_LINE_END = re.compile(r"\r\n|[\n\r\u2028\u2029]")
MOST_NAMED = 50
"""Statements that are named one by one; all are counted."""
MOST_SHOWN = 10
"""Of these, how many the terminal shows."""
_TEXT = 80

Side = Literal["counters", "v8"]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One statement that ran by one of the two only."""

    path: str
    line: int
    column: int
    """Where it begins: lines and columns from 1, as editors and links have them."""
    side: Side
    """Who says that it ran."""
    kind: str
    """One of KINDS."""
    text: str = ""
    """Its first line, cut."""

    @property
    def place(self) -> str:
        """`file:line:column`."""
        return f"{self.path}:{self.line}:{self.column}"

    @property
    def verdict(self) -> str:
        """Who says that it ran, and the kind."""
        first, second = ("the counters", "V8") if self.side == "counters" else ("V8", "the counters")
        return f"ran by {first}, not by {second} ({self.kind})"

    def __str__(self) -> str:
        return f"{self.place} {self.verdict}{f': {self.text}' if self.text else ''}"


@dataclass(frozen=True, slots=True)
class FileAgreement:
    """One source file, in statements."""

    path: str
    file_class: FileClass
    total: int
    both: int
    """Ran by both."""
    counters_only: int
    v8_only: int
    kinds: Mapping[str, int] = field(default_factory=dict)
    """Kinds of disagreement that there are, counted."""
    named: tuple[Disagreement, ...] = ()
    """The statements, in the order of the file, at most MOST_NAMED."""

    @property
    def pct(self) -> float:
        """Percent of statements on which both say the same; 100 for nothing."""
        return 100 - 100 * (self.counters_only + self.v8_only) / self.total if self.total else 100.0


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two runs of the same actions."""

    files: tuple[FileAgreement, ...]
    steps: int
    """Actions and loads that were done again."""
    elsewhere: int
    """Of these those after which the page was in another state than the first time."""

    def sum(self) -> FileAgreement:
        """All files together, libraries included."""
        kinds: Counter[str] = Counter()
        for one in self.files:
            kinds.update(one.kinds)
        return FileAgreement(
            path="all files",
            file_class="own",
            total=sum(one.total for one in self.files),
            both=sum(one.both for one in self.files),
            counters_only=sum(one.counters_only for one in self.files),
            v8_only=sum(one.v8_only for one in self.files),
            kinds=dict(kinds),
            named=tuple(row for one in self.files for row in one.named)[:MOST_NAMED],
        )


def compare_hits(
    counted: ProbeMap,
    counters: Collection[int],
    ranged: ProbeMap,
    ranges: Collection[int],
    *,
    elsewhere: int = 0,
) -> tuple[FileAgreement, ...]:
    """What two measurements say of the statements that both know; `counters` and `ranges` are hits of their own maps.

    `elsewhere`: steps after which the page was in another state the second time. Only then can it be the run that differs
    where V8 saw less; else it is V8.
    """
    there = {source.path: source.statements for source in ranged.files}
    found = []
    for source in counted.files:
        twins = {_place(ranged, probe): probe for probe in there.get(source.path, ())}
        pairs = {
            probe: twins[place] for probe in source.statements if (place := _place(counted, probe)) in twins
        }
        if pairs:
            theirs = {probe for probe, twin in pairs.items() if twin in ranges}
            judge = _Judge(counted, counters, theirs, RAN_BEFORE if elsewhere else NOT_SEEN)
            found.append(judge.file(source, list(pairs)))
    return tuple(found)


def _place(probes: ProbeMap, probe: int) -> Position:
    return probes.probes[probe].position


@dataclass(frozen=True)
class _Judge:
    """Names the kind of each disagreement in one file."""

    probes: ProbeMap
    counters: Collection[int]
    ranges: Collection[int]
    """Statements that V8 saw run, as probes of the counted map."""
    less: str
    """Kind of what V8 saw nothing of: RAN_BEFORE or NOT_SEEN."""

    def file(self, source: SourceFile, statements: list[int]) -> FileAgreement:
        mine = {probe for probe in statements if probe in self.counters}
        theirs = {probe for probe in statements if probe in self.ranges}
        kinds = {probe: self._v8_only(probe, mine) for probe in theirs - mine}
        kinds |= {probe: self._counters_only(probe, theirs) for probe in mine - theirs}
        lines = _LINE_END.split(source.text)
        named = [
            self._named(probe, "v8" if probe in theirs else "counters", kinds[probe], lines)
            for probe in sorted(kinds, key=lambda probe: self.probes.probes[probe].position)[:MOST_NAMED]
        ]
        return FileAgreement(
            path=source.path,
            file_class=source.file_class,
            total=len(statements),
            both=len(mine & theirs),
            counters_only=len(mine - theirs),
            v8_only=len(theirs - mine),
            kinds=dict(Counter(kinds.values())),
            named=tuple(named),
        )

    def _named(self, probe: int, side: Side, kind: str, lines: Sequence[str]) -> Disagreement:
        found = self.probes.probes[probe]
        line, column, last, end = found.position
        whole = lines[line - 1] if 0 < line <= len(lines) else ""
        text = whole[column : end if last == line else None].strip()
        cut = f"{text[:_TEXT]}…" if len(text) > _TEXT else text
        return Disagreement(found.file, line, column + 1, side, kind, cut)

    def _siblings(self, probe: int, among: Iterable[int]) -> list[int]:
        around = self.probes.function_around(probe)
        return [one for one in among if self.probes.function_around(one) == around]

    def _v8_only(self, probe: int, mine: Collection[int]) -> str:
        around = self.probes.function_around(probe)
        before = self.probes.probes[probe].position[:2]
        entered = around is not None and around in self.counters
        earlier = any(self.probes.probes[one].position[:2] < before for one in self._siblings(probe, mine))
        return LEFT_EARLY if entered or earlier else RAN_ONCE_MORE

    def _counters_only(self, probe: int, theirs: Collection[int]) -> str:
        if not theirs:
            return NOT_TOLD
        return BLOCK_NOT_TOLD if self._siblings(probe, theirs) else self.less


def agreement_lines(agreement: Agreement) -> list[str]:
    """The comparison for the terminal: each file that has a disagreement, the sum, and the first statements by name."""
    whole = agreement.sum()
    wrong = [one for one in agreement.files if one.counters_only or one.v8_only]
    shown = [*wrong, whole]
    width = max(len(one.path) for one in shown)
    again = f"{agreement.steps} steps were done again"
    where = (
        f", {agreement.elsewhere} of them led elsewhere"
        if agreement.elsewhere
        else ", all led to the same states"
    )
    found = [f"Agreement of counters and V8 in statements; {again}{where}:"]
    found += [f"  {one.path:<{width}}  {one.pct:6.2f} % of {one.total:,}{_told(one)}" for one in shown]
    found += [f"  - {row}" for row in whole.named[:MOST_SHOWN]]
    if (apart := whole.counters_only + whole.v8_only) > MOST_SHOWN:
        found.append(f"  and {apart - MOST_SHOWN:,} more; {AGREEMENT} names up to {MOST_NAMED}")
    return found


def _told(one: FileAgreement) -> str:
    if not one.kinds:
        return ""
    kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(one.kinds.items()))
    return f" (counters only {one.counters_only}, V8 only {one.v8_only}: {kinds})"


def agreement_json(agreement: Agreement) -> dict[str, object]:
    """Plain data for json.dumps."""
    whole = agreement.sum()
    return {
        "pct": round(whole.pct, 3),
        "statements": whole.total,
        "counters_only": whole.counters_only,
        "v8_only": whole.v8_only,
        "kinds": dict(whole.kinds),
        "steps": agreement.steps,
        "elsewhere": agreement.elsewhere,
        "files": [
            {
                **{key: value for key, value in asdict(one).items() if key != "named"},
                "kinds": dict(one.kinds),
                "pct": round(one.pct, 3),
            }
            for one in agreement.files
        ],
        "disagreements": [asdict(row) for row in whole.named],
    }


def load_agreement(folder: Path) -> Agreement | None:
    """Reads it back from a run folder; None where the run was not asked for it. Raises UsageError for a damaged one."""
    path = folder / AGREEMENT
    if not path.exists():
        return None
    try:
        row = json.loads(path.read_text(encoding="utf-8"))
        named = [Disagreement(**one) for one in row.get("disagreements", ())]
        files = tuple(
            FileAgreement(
                **{key: value for key, value in one.items() if key != "pct"},
                named=tuple(row for row in named if row.path == one["path"]),
            )
            for one in row["files"]
        )
        return Agreement(files, int(row["steps"]), int(row["elsewhere"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path} cannot be read ({error}): delete it.") from error
