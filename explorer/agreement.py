"""How far two measurements of the same actions agree, statement by statement: counters, and V8's ranges. Pure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from instrument.errors import UsageError
from instrument.probes import FileClass, Position, ProbeMap

AGREEMENT = "coverage/agreement.json"
"""Name in the run folder."""

LEFT_EARLY = "block left early"
"""V8 counts a block to its end; the counters show that it was left before that: an exception, a pause without end."""
RAN_ONCE_MORE = "ran in the second run only"
RAN_BEFORE = "ran in the first run only"
BLOCK_NOT_TOLD = "block not told of"
"""V8 told of the function and not of this part of it: of a worker that already ran it knows no branches, and what stands
behind a `for (x in null)` it takes for skipped."""
NOT_TOLD = "script not told of"
"""V8 told of nothing in the file: it ran where V8 could not be asked (a shared worker), or its text was another."""
KINDS = (LEFT_EARLY, RAN_ONCE_MORE, RAN_BEFORE, BLOCK_NOT_TOLD, NOT_TOLD)


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
        )


def compare_hits(
    counted: ProbeMap, counters: Collection[int], ranged: ProbeMap, ranges: Collection[int]
) -> tuple[FileAgreement, ...]:
    """What two measurements say of the statements that both know; `counters` and `ranges` are hits of their own maps."""
    there = {source.path: source.statements for source in ranged.files}
    found = []
    for source in counted.files:
        twins = {_place(ranged, probe): probe for probe in there.get(source.path, ())}
        pairs = {
            probe: twins[place] for probe in source.statements if (place := _place(counted, probe)) in twins
        }
        if pairs:
            judge = _Judge(counted, counters, {probe for probe, twin in pairs.items() if twin in ranges})
            found.append(judge.file(source.path, source.file_class, list(pairs)))
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

    def file(self, path: str, file_class: FileClass, statements: list[int]) -> FileAgreement:
        mine = {probe for probe in statements if probe in self.counters}
        theirs = {probe for probe in statements if probe in self.ranges}
        kinds = Counter(self._v8_only(probe, mine) for probe in theirs - mine)
        kinds.update(self._counters_only(probe, theirs) for probe in mine - theirs)
        return FileAgreement(
            path=path,
            file_class=file_class,
            total=len(statements),
            both=len(mine & theirs),
            counters_only=len(mine - theirs),
            v8_only=len(theirs - mine),
            kinds=dict(kinds),
        )

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
        return BLOCK_NOT_TOLD if self._siblings(probe, theirs) else RAN_BEFORE


def agreement_lines(agreement: Agreement) -> list[str]:
    """The comparison for the terminal: each file that has a disagreement, then the sum."""
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
    return [f"Agreement of counters and V8 in statements; {again}{where}:"] + [
        f"  {one.path:<{width}}  {one.pct:6.2f} % of {one.total:,}{_told(one)}" for one in shown
    ]


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
            {**asdict(one), "kinds": dict(one.kinds), "pct": round(one.pct, 3)} for one in agreement.files
        ],
    }


def load_agreement(folder: Path) -> Agreement | None:
    """Reads it back from a run folder; None where the run was not asked for it. Raises UsageError for a damaged one."""
    path = folder / AGREEMENT
    if not path.exists():
        return None
    try:
        row = json.loads(path.read_text(encoding="utf-8"))
        files = tuple(
            FileAgreement(**{key: value for key, value in one.items() if key != "pct"})
            for one in row["files"]
        )
        return Agreement(files, int(row["steps"]), int(row["elsewhere"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path} cannot be read ({error}): delete it.") from error
