"""What judging takes and gives: criteria, exhibits, claims, opinions, samples, scores, verdicts.

Exhibits and evidence are held in memory only; all that is written to scores.json is a pydantic record. Numbers that
could not be had are None beside a status and a reason, never a stand-in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict

from graph.export import clean

Dimension = Literal["aesthetics", "usability", "functional", "content", "visual"]
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)
CriterionKind = Literal["functional", "content", "visual"]
CRITERION_KINDS: tuple[CriterionKind, ...] = get_args(CriterionKind)
Deliberated = Literal["aesthetics", "usability"]
"""Dimensions that are judged by deliberation; the others come of criteria."""
ExhibitKind = Literal["step", "node", "edge", "screenshot"]
Side = Literal["advocate", "critic", "judge"]
ScoreStatus = Literal["scored", "insufficient", "undetermined"]
"""scored: there is a value; insufficient: evidence or valid samples do not suffice for one; undetermined: nobody could
judge it (no model, limit spent, no criteria)."""

BUILT_IN = "heuristic"
"""Name of the judge that needs no model; it labels every score that it gives."""


Said = Annotated[str, AfterValidator(clean)]
"""Text of a model's answer, without what no file and no request can hold (lone surrogates, control characters)."""


class Record(BaseModel):
    """A record that is written to scores.json: frozen, and with no field that it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")


# --- evidence -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One thing that can be cited."""

    id: str
    """S12 is step 12 of the trace, N3 the third state that was seen, E7 the seventh transition, P2 the second picture."""
    kind: ExhibitKind
    text: str
    """What a judge is shown of it, one or more lines, as it is: not yet escaped."""
    file: str = ""
    """A picture's file, relative to the run folder."""
    state: str = ""
    """StateId of a node, or of what a picture shows."""
    quotable: str = ""
    """Text that may be quoted besides `text`: the page that a picture shows."""
    weight: int = 0
    """How much it tells; what has least is left out first."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that a run left to judge by. Its ids do not depend on the order of the exhibits."""

    exhibits: tuple[Exhibit, ...]
    head: str = ""
    """What was explored, in words without ports, paths and times."""
    limits: str = ""
    """What the tester's set-up kept from the app, which is no fault of it; "" for nothing."""
    folder: str = ""
    """Run folder, for reading pictures; never shown to a model."""
    pages: Mapping[str, str] = field(default_factory=dict)
    """Live DOM of each node by its id, as the browser gave it."""
    families: tuple[str, ...] = ()
    """Models that took part in exploring, by name."""

    def of(self, kind: ExhibitKind) -> tuple[Exhibit, ...]:
        """The exhibits of one kind, in their order."""
        return tuple(exhibit for exhibit in self.exhibits if exhibit.kind == kind)

    def by_id(self) -> dict[str, Exhibit]:
        """The exhibits by their ids."""
        return {exhibit.id: exhibit for exhibit in self.exhibits}


# --- deliberation -------------------------------------------------------------------------------------------


class Claim(Record):
    """Something that a side says about the app."""

    text: str
    citations: tuple[str, ...] = ()
    quote: str = ""
    """Words that stand in one of the cited exhibits; "" where nothing is quoted."""
    aspect: str = ""


class Dropped(Record):
    """Something that a model said and that did not stand up to the check of its citations."""

    by: Side
    text: str
    reason: str
    citations: tuple[str, ...] = ()
    quote: str = ""


class Opinion(Record):
    """What the advocate or the critic has to say, after the check."""

    by: Side
    claims: tuple[Claim, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    status: str = "ok"
    """As `judge.request.Status`."""
    reason: str = ""


class Adjustment(Record):
    """What one aspect adds to the base or takes from it, on the scale of 0 to 5."""

    aspect: str
    amount: float
    """After clamping and the check; 0 where the aspect adds nothing."""
    reason: str
    citations: tuple[str, ...] = ()
    note: str = ""
    """What was changed of the model's own number, and why; "" for nothing."""


class Sample(Record):
    """One of the judge's five goes."""

    number: int
    status: str
    """As `judge.request.Status`."""
    reason: str = ""
    """Why there is no total."""
    base: float | None = None
    base_reason: str = ""
    base_citations: tuple[str, ...] = ()
    adjustments: tuple[Adjustment, ...] = ()
    total: float | None = None
    """Base and adjustments, clipped to [0, 5]; None unless the status is ok."""
    observations: tuple[Claim, ...] = ()
    """What the judge saw itself and neither side had said, after the check."""
    note: str = ""
    model: str = ""


class AspectScore(Record):
    """One aspect over the samples that counted."""

    aspect: str
    adjustment: float
    """Mean of the samples that were kept, on the scale of 0 to 5."""
    reason: str
    """Of the middle sample, whose total is the median."""
    citations: tuple[str, ...] = ()
    """Of the middle sample."""


class Score(Record):
    """One dimension's score, or why there is none."""

    dimension: Dimension
    value: float | None
    """0 to 100; None unless the status is scored."""
    status: ScoreStatus
    reason: str = ""
    judge: str = ""
    """Name of the model, or "heuristic"."""
    protocol: Literal["deliberation", "single-round", "criteria", "heuristic"] = "deliberation"
    base: float | None = None
    """Mean of the bases of the samples that were kept."""
    aspects: tuple[AspectScore, ...] = ()
    samples: tuple[Sample, ...] = ()
    opinions: tuple[Opinion, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    """All that was dropped, of all sides and samples."""
    met: int | None = None
    """Criteria that are met; None for a dimension without criteria."""
    determined: int | None = None
    undetermined: int | None = None
    notes: tuple[str, ...] = ()


# --- criteria -----------------------------------------------------------------------------------------------


class Criterion(Record):
    """Something that a user can see of the app, true or not."""

    id: str
    kind: CriterionKind
    text: str
    votes: int = 0
    """Samples that had it; 0 for one that a person wrote."""


class Verdict(Record):
    """Whether a criterion is met, by the evidence."""

    criterion: Criterion
    met: bool | None
    """None: undetermined, `reason` says why; it counts in no score."""
    citations: tuple[str, ...] = ()
    quote: str = ""
    analysis: str = ""
    confidence: float | None = None
    """0 to 1, as the judge put it."""
    status: str = "ok"
    """Of the last answer, as `judge.request.Status`; ok too where the judge came to no verdict within its calls."""
    reason: str = ""
    """What code changed of the verdict, or why there is none."""
    judge: str = ""
    calls: int = 0
    """Requests that it took."""
    looked: tuple[str, ...] = ()
    """What the judge did to find out, a line a call."""


class Scores(Record):
    """scores.json: everything that judging a run gave."""

    version: int = 1
    judge: str
    """The judge that was asked for: name of a model, or "heuristic"."""
    protocol: Literal["deliberation", "single-round", "heuristic"] = "deliberation"
    judged: str = ""
    """Wall clock, ISO 8601 with offset."""
    scores: tuple[Score, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    requirement: str = ""
    warnings: tuple[str, ...] = ()
    """What speaks against trusting the scores as they stand."""
    notes: tuple[str, ...] = ()
    """What a reader must know: what fell back, what was left out."""
    usage: Mapping[str, Mapping[str, Any]] = {}
    """Calls, tokens and cost by role, as `judge.ledger.Account.row` has them."""

    def score(self, dimension: Dimension) -> Score | None:
        """The score of one dimension; None where it was not judged."""
        return next((score for score in self.scores if score.dimension == dimension), None)
