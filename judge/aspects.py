"""What a deliberation looks at: seven aspects of aesthetics and seven of usability, each dimension with its riders.

The aspects and riders are WebCraftBench's (appendix A.2); their wording is ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from judge.records import Deliberated, ExhibitKind


@dataclass(frozen=True, slots=True)
class Aspect:
    """One of the seven things that a dimension is made of."""

    name: str
    asks: str
    """What it is about, for the model and for the reader of a report."""


@dataclass(frozen=True, slots=True)
class Rubric:
    """What a dimension is judged by."""

    dimension: Deliberated
    of: str
    aspects: tuple[Aspect, ...]
    riders: tuple[str, ...]
    cites: tuple[ExhibitKind, ...]
    """Kinds of exhibits that may be cited for it."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the aspects, in their order."""
        return tuple(aspect.name for aspect in self.aspects)


AESTHETICS = Rubric(
    dimension="aesthetics",
    of="how the app looks",
    aspects=(
        Aspect(
            "first-impression",
            "What the first look leaves behind: finished and inviting, or raw and careless.",
        ),
        Aspect(
            "content-completeness",
            "Whether what is shown is there in full: no empty frames, missing pictures, placeholder texts or leftovers.",
        ),
        Aspect(
            "layout-structure",
            "How space is divided: alignment, grouping, margins, balance; nothing overlaps, spills or is cut off.",
        ),
        Aspect(
            "visual-detail",
            "Care in the small: icons, borders, shadows, spacing, states of controls, sharp pictures.",
        ),
        Aspect(
            "hierarchy-and-typography",
            "Whether the eye finds the important first, and type is readable: sizes, weights, line lengths, contrast.",
        ),
        Aspect(
            "stylistic-consistency",
            "Whether colours, shapes and type follow one idea within a picture and from picture to picture.",
        ),
        Aspect(
            "emotion-and-trust",
            "What mood the look sets, whether it fits the purpose, and whether one would trust it.",
        ),
    ),
    riders=(
        "Plainness that was meant is no flaw: tell a deliberately simple design from one that was left unfinished.",
        "Wrong facts, prices or spelling are not ugly: leave them to others, and judge how things look.",
        "A picture stands still: conclude nothing from it about what moves, reacts, loads or fails.",
        "Each observation cites the picture in which it can be seen.",
    ),
    cites=("screenshot",),
)

USABILITY = Rubric(
    dimension="usability",
    of="how well the app can be used",
    aspects=(
        Aspect(
            "core-operations",
            "Whether what the app is for can be done, and leads to the result that it promises.",
        ),
        Aspect(
            "feedback",
            "Whether each action is answered at once and visibly, and the answer says what happened.",
        ),
        Aspect(
            "controls-and-input",
            "Whether controls fit what they do, fields take sensible values and refuse senseless ones with a reason.",
        ),
        Aspect(
            "flow-and-discoverability",
            "Whether the way through a task is short and logical, and the next step can be found without instruction.",
        ),
        Aspect(
            "reachability-and-recovery",
            "Whether states can be reached and left again: back, cancel, undo, a reload that keeps what was done.",
        ),
        Aspect(
            "dead-ends-and-consistency",
            "Whether there are controls without effect, states without a way out or errors; and like actions act alike.",
        ),
        Aspect(
            "stability",
            "Whether it bears unusual input and order: no exceptions, hangs, crashes or lost data.",
        ),
    ),
    riders=(
        "Each observation cites a step of the trace, or a state or transition of the graph.",
        "What was not tried speaks neither for nor against the app; a control that nobody used is not a dead one.",
        "A failure that keeps a user from a core operation costs a lot.",
        "The tester pokes at everything on purpose: odd input of its own is no fault of the app, only the answer to it is.",
    ),
    cites=("step", "node", "edge"),
)

RUBRICS: Mapping[Deliberated, Rubric] = {"aesthetics": AESTHETICS, "usability": USABILITY}
