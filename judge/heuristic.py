"""The built-in judge: no model, only what can be measured of a run. Its scores are labelled "heuristic" everywhere.

A dimension starts at BASE and loses what the measures of judge.measures find, each up to its cap and each aspect up to
one point. It can see faults, not merit: what nothing speaks against is not therefore good.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from instrument.wording import plural
from judge.aspects import RUBRICS
from judge.evidence import Case
from judge.material import Material
from judge.measures import MEASURES, Penalty
from judge.mechanical import check
from judge.records import BUILT_IN, Adjustment, AspectScore, Criterion, Deliberated, Sample, Score, Verdict
from judge.trimming import MOST_ADJUSTED, single_score, total_of

BASE = 4.0
"""Where a dimension starts, of 5: nothing that can be measured speaks for the last point."""
WEAK: dict[Deliberated, str] = {
    "aesthetics": (
        "Measured without a model, so a hint at best: pixel measures of this kind, fitted to people's votes on 100 "
        "sites, agreed with 59 % of single votes (rank correlation 0.42); these were not even fitted."
    ),
    "usability": "Measured without a model: it counts faults, and cannot tell whether the app serves its purpose.",
}
"""What a reader must know of each score."""
_FEWEST_ACTIONS = 3


class BuiltInJudge:
    """A `judge.seam.Judge` that needs no model."""

    name = BUILT_IN
    lost = ""

    async def score(self, case: Case, dimension: Deliberated) -> Score:
        """Base less measured penalties; see `measured`."""
        return measured(material_of(case), dimension)

    async def verdicts(self, case: Case, criteria: Sequence[Criterion]) -> tuple[Verdict, ...]:
        """Met or not for criteria that need no judgement, undetermined for the others."""
        run = material_of(case)
        return tuple(check(criterion, run) for criterion in criteria)


def material_of(case: Case) -> Material:
    """The case as the measures take it."""
    return Material(case.trace, case.graph, case.findings, case.evidence)


def measured(run: Material, dimension: Deliberated) -> Score:
    """The built-in judge's score of aesthetics or usability; `insufficient` where there is too little to measure."""
    if reason := _too_little(run, dimension):
        return Score(
            dimension=dimension,
            value=None,
            status="insufficient",
            reason=reason,
            judge=BUILT_IN,
            protocol="heuristic",
        )
    adjustments = tuple(_aspects(run, dimension))
    total = total_of(BASE, [each.amount for each in adjustments])
    sample = Sample(
        number=1,
        status="ok",
        base=BASE,
        base_reason="where the built-in judge starts",
        adjustments=adjustments,
        total=total,
        model=BUILT_IN,
    )
    return Score(
        dimension=dimension,
        value=single_score(total),
        status="scored",
        judge=BUILT_IN,
        protocol="heuristic",
        base=BASE,
        aspects=tuple(
            AspectScore(aspect=a.aspect, adjustment=a.amount, reason=a.reason, citations=a.citations)
            for a in adjustments
        ),
        samples=(sample,),
        notes=(WEAK[dimension],),
    )


def _too_little(run: Material, dimension: Deliberated) -> str:
    if run.looks and not _shows_something(run):
        return "no state showed anything: no text, no control, no picture"
    if dimension == "aesthetics":
        return "" if run.looks else "no state's looks were measured"
    if len(run.actions) < _FEWEST_ACTIONS:
        return f"{plural(len(run.actions), 'action')} cannot tell of usability; at least {_FEWEST_ACTIONS} are needed"
    return ""


def _shows_something(run: Material) -> bool:
    """Texts, controls or pictures in any state, or a canvas."""
    drawn = any(data.get("basis") == "canvas" for _, data in run.graph.nodes(data=True))
    return drawn or any(looks.texts or looks.controls or looks.images for looks in run.looks.values())


def _aspects(run: Material, dimension: Deliberated) -> Iterable[Adjustment]:
    for aspect in RUBRICS[dimension].names:
        measures = [m for m in MEASURES if (m.dimension, m.aspect) == (dimension, aspect)]
        found = [(measure.cap, list(measure.look(run))) for measure in measures]
        penalties = [penalty for _, some in found for penalty in some]
        cost = min(
            MOST_ADJUSTED, math.fsum(min(cap, math.fsum(p.amount for p in some)) for cap, some in found)
        )
        yield Adjustment(
            aspect=aspect,
            amount=-round(cost, 3) if cost else 0.0,
            reason=_reason(penalties, measured=bool(measures)),
            citations=tuple(dict.fromkeys(each for penalty in penalties for each in penalty.citations)),
        )


def _reason(penalties: list[Penalty], *, measured: bool) -> str:
    if penalties:
        return "; ".join(penalty.reason for penalty in penalties)
    return "nothing that is measured speaks against it" if measured else "not measured: no instrument sees it"
