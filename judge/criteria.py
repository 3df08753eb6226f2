"""From a requirement to criteria: a model writes them several times, what the majority of samples has is kept.

WebCraftBench, section 3.3 and appendix A.2: functional, content and visual criteria that can be observed, without a word
about the implementation; three writers, majority vote. The matching of wordings and the list of words are ours.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator
from rapidfuzz import fuzz

from instrument.errors import UsageError
from judge.briefs import SYSTEM
from judge.packs import marked
from judge.records import Criterion, CriterionKind, Said
from judge.request import Model, ModelReply, ModelRequest, TextBlock

SAMPLES = 3
"""Times that the criteria are written (WebCraftBench: three models)."""
ALIKE = 75.0
"""Token ratio (0 to 100, of the telling words) from which two wordings of one kind are one criterion."""
LONGEST = 300
"""Characters of a criterion."""
MAX_TOKENS = 8192

_STOP = frozenset(
    "a an the is are be been can could should must may will shall user users app application page it its this that there "
    "to of in on at for from by with and or as which when where each every all any one they their them able allows allow "
    "has have shows show shown displays display displayed provides provide provided".split()
)
_NEVER = re.compile(
    r"\b(?:react|vue|angular|svelte|next\.?js|jquery|tailwind|bootstrap|typescript|javascript|webpack|vite|node\.?js|npm"
    r"|localstorage|sessionstorage|indexeddb|web ?workers?|service workers?|websockets?"
    r"|source code|code ?base|clean code|well[- ]structured code|maintainab\w+|refactor\w*|unit tests?"
    r"|event listeners?|event handlers?|callbacks?|addeventlistener|useeffect|usestate"
    r"|css (?:class|variable|grid|animation|selector)\w*|class ?names?|dom (?:node|element|tree)s?|z-index|flexbox"
    r"|(?:helper|pure|async\w*) functions?|data structures?|state management|design patterns?)\b"
    r"|\w+\(\)|</?\w+>",
    re.IGNORECASE,
)
"""Words that speak of how an app is made, whatever the requirement says."""
_UNLESS_ASKED = re.compile(
    r"\b(?:api|apis|endpoints?|database|sql|json|html|css|dom|canvas element|svg|backend|back-end|server[- ]side|"
    r"frameworks?|modules?|variables?|arrays?|algorithms?)\b",
    re.IGNORECASE,
)
"""Words that may be the app's own subject: they pass where the requirement uses them."""


class CriterionReply(BaseModel):
    """One criterion."""

    model_config = ConfigDict(extra="forbid")

    type: CriterionKind
    text: Said


class CriteriaReply(BaseModel):
    """The criteria of a requirement."""

    model_config = ConfigDict(extra="forbid")

    criteria: list[CriterionReply]

    @model_validator(mode="after")
    def _some(self) -> Self:
        if not self.criteria:
            raise ValueError("criteria: at least one")
        return self


@dataclass(frozen=True, slots=True)
class Checklist:
    """The criteria of a requirement and what did not become one."""

    requirement: str
    criteria: tuple[Criterion, ...]
    dropped: tuple[tuple[str, str], ...] = ()
    """(text, why it is no criterion)."""
    notes: tuple[str, ...] = ()


_BRIEF = """\
Write the acceptance criteria of the app that this requirement asks for; somebody will check them one by one by watching
recordings of the app in use, without ever seeing how it is made.

- functional: what the app does when it is used, with its visible result ("Adding an entry puts it at the end of the list").
- content: what is there to read or see ("The page names the three price plans").
- visual: how it looks ("The current tab stands out from the others").

Each is one short sentence about one thing that is either so or not, and can be observed from outside. Say nothing of
code, technology, storage or other means. Ask only for what the requirement says or plainly implies: a short requirement
has few criteria, a long one many."""


async def write_criteria(model: Model, requirement: str, *, samples: int = SAMPLES) -> Checklist:
    """The criteria that more than half of the samples have. `samples` requests.

    Raises UsageError where the requirement is empty, no sample came to anything, or nothing is left of them.
    """
    if not requirement.strip():
        raise UsageError(
            "The requirement is empty: give the text that the app was made from, or a file that holds it."
        )
    if samples < 1:
        raise UsageError(f"{samples} samples give no criteria: ask for at least 1.")
    block = TextBlock(marked("requirement", requirement.strip()), cache_end=True)
    request = ModelRequest("criteria", SYSTEM, (block,), _BRIEF, CriteriaReply, max_tokens=MAX_TOKENS)
    first = await model.ask(request)
    rest = await asyncio.gather(*(model.ask(replace(request, sample=each)) for each in range(1, samples)))
    replies = (first, *rest)
    written = [answer for reply in replies if (answer := reply.of(CriteriaReply)) is not None]
    if not written:
        raise UsageError(f"No criteria were written ({_why(replies)}): try again, or write the file by hand.")
    notes = (
        ()
        if len(written) == samples
        else (f"{len(written)} of {samples} samples are valid: {_why(replies)}",)
    )
    checklist = merge([answer.criteria for answer in written], requirement=requirement)
    if not checklist.criteria:
        raise UsageError("No criterion is in more than half of the samples: ask for more with --samples.")
    return replace(checklist, notes=notes)


def _why(replies: Iterable[ModelReply]) -> str:
    return "; ".join(
        dict.fromkeys(f"{reply.status}: {reply.reason}" for reply in replies if reply.status != "ok")
    )


def merge(samples: Sequence[Sequence[CriterionReply]], *, requirement: str = "") -> Checklist:
    """The criteria that more than half of the samples have, in the order in which they were first written. Pure.

    Of several wordings the one that is closest to all others is taken.
    """
    dropped: list[tuple[str, str]] = []
    groups: list[_Group] = []
    for number, sample in enumerate(samples):
        for written in sample:
            text = " ".join(written.text.split())
            if reason := fault_of(text, requirement=requirement):
                dropped.append((text, reason))
                continue
            group = _closest(groups, written.type, text, number)
            if group is None:
                groups.append(group := _Group(written.type))
            group.wordings.setdefault(number, text)
    kept = [group for group in groups if len(group.wordings) * 2 > len(samples)]
    dropped += [
        (group.best(), f"in {len(group.wordings)} of {len(samples)} samples")
        for group in groups
        if group not in kept
    ]
    criteria = tuple(
        Criterion(id=f"C{number}", kind=group.kind, text=group.best(), votes=len(group.wordings))
        for number, group in enumerate(kept, 1)
    )
    return Checklist(requirement.strip(), criteria, tuple(dict.fromkeys(dropped)))


def fault_of(text: str, *, requirement: str = "") -> str:
    """Why a text is no observable criterion; "" where it is one."""
    if not text:
        return "it says nothing"
    if len(text) > LONGEST:
        return f"longer than {LONGEST} characters"
    if found := _NEVER.search(text):
        return f'speaks of the implementation ("{found.group()}")'
    asked = requirement.casefold()
    for found in _UNLESS_ASKED.finditer(text):
        if found.group().casefold() not in asked:
            return f'speaks of the implementation ("{found.group()}")'
    return ""


def likeness(one: str, other: str) -> float:
    """0 to 100: token ratio of the telling words of two texts; 0 where they name different numbers."""
    if sorted(_NUMBER.findall(one.casefold())) != sorted(_NUMBER.findall(other.casefold())):
        return 0.0
    return float(fuzz.token_ratio(_telling(one), _telling(other)))


_NUMBER = re.compile(r"\d+|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve)\b")


@dataclass(eq=False, slots=True)
class _Group:
    """Wordings of one criterion, at most one a sample."""

    kind: CriterionKind
    wordings: dict[int, str] = field(default_factory=dict)

    def best(self) -> str:
        """The wording that is most like all others; of equals the earliest."""
        said = list(self.wordings.values())
        # By all words here: a wording with more to it than the others is not the nearest.
        return max(said, key=lambda one: sum(fuzz.token_sort_ratio(one, other) for other in said))


def _closest(groups: Sequence[_Group], kind: CriterionKind, text: str, sample: int) -> _Group | None:
    """The group that a wording belongs to: of its kind, and not yet held by its sample unless the words are the same."""
    found, most = None, ALIKE
    for group in groups:
        if group.kind != kind or group.wordings.get(sample, text) != text:
            continue
        alike = max(likeness(text, wording) for wording in group.wordings.values())
        if alike > most or (found is None and alike >= most):
            found, most = group, alike
    return found


def _telling(text: str) -> str:
    words = re.findall(r"\w+", text.casefold())
    return " ".join(_stem(word) for word in words if word not in _STOP) or " ".join(words)


def _stem(word: str) -> str:
    """Plural and verb endings off, roughly: "entries" and "entry", "adding" and "adds" are one."""
    for ending, instead in (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)] + instead
    return word
