"""What a model tester is shown: the page once, then each action with its effect, then what can be done now. Pure.

Everything that stems from the app stands between data marks (explorer.prompting). Nothing of its code is shown, and of
coverage only whether an action reached code that had never run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from explorer.actions import Candidate
from explorer.policy.seam import View
from explorer.prompting import page
from graph.pagetext import difference, page_lines
from graph.records import Step, Target
from graph.wording import describe
from instrument.wording import cut

MOST_LINES = 160
"""Lines of a page that are shown."""
MOST_CHANGES = 40
"""Changed lines of a page that are listed; a page that changed more is shown anew."""
MOST_TARGETS = 150
"""Elements that are offered."""
MOST_TOLD = 6
"""Messages, errors or requests of a kind that are told of one action."""
WHOLE_TURNS = 30
"""At least so many of the latest actions are told with the change of the page, the earlier ones without it."""
LONGEST = 300
"""Characters of a message, an error or a value."""


@dataclass(frozen=True, slots=True)
class Shown:
    """How the page changed with one step: its difference, or all of it."""

    whole: bool
    lines: tuple[str, ...]


class Transcript:
    """Follows the page from view to view; renders the run so far."""

    def __init__(self) -> None:
        self._opening: tuple[str, ...] | None = None
        self._lines: tuple[str, ...] = ()
        self._digest = ""
        self._shown: dict[int, Shown] = {}
        self._noted: dict[int, str] = {}
        self._begun = 0
        """Index of the first step that is told: a resumed run begins anew."""

    def look(self, view: View) -> None:
        """Takes in what the last step made of the page."""
        history = view.memory.history
        lines = self._lines if view.snapshot.digest == self._digest else page_lines(view.snapshot.html)
        if self._opening is None:
            self._opening, self._begun = lines, len(history)
        elif history:
            changes = difference(self._lines, lines, most=MOST_CHANGES + 1)
            whole = len(changes) > MOST_CHANGES
            self._shown[history[-1].index] = Shown(whole, lines if whole else changes)
        self._lines, self._digest = lines, view.snapshot.digest

    def note(self, index: int, text: str) -> None:
        """What the tester observed before it chose the step of this index."""
        self._noted[index] = text

    def blocks(self, steps: Sequence[Step]) -> list[str]:
        """The page at first, then one text per step; earlier texts stay as they were as long as possible, so that they
        can be cached.
        """
        told = steps[self._begun :]
        # In jumps: a window that moves with each step would change every prefix.
        terse = max(0, len(told) - WHOLE_TURNS) // WHOLE_TURNS * WHOLE_TURNS
        opening = f"The page as the run began:\n{_page_of(self._opening or ())}"
        return [opening, *(self._turn(step, terse=at < terse) for at, step in enumerate(told))]

    def _turn(self, step: Step, *, terse: bool) -> str:
        said = []
        if not terse and (noted := self._noted.get(step.index)):
            said.append(f"you noted: {cut(noted, LONGEST)}")
        if not terse and step.hint.startswith("model "):
            # What a model made of the app's code; the built-in's hints name code, which a tester is not to see.
            said.append(f"a colleague suggested: {cut(step.hint.partition(': ')[2], LONGEST)}")
        said.append(describe(step.action) if step.action else "the page was loaded anew")
        head = f"Step {step.index}"
        if step.replayed:
            head += " (done again by the engine, after the page was lost)"
        if not terse:
            said += _effects(step)
            said += self._change(step)
        code = "Code that had never run before was reached." if step.gain else "No new code was reached."
        return f"{head}\n{page(chr(10).join(said))}\n{code}"

    def _change(self, step: Step) -> list[str]:
        shown = self._shown.get(step.index)
        lines = shown.lines if shown else step.changes
        if shown and shown.whole:
            return ["the page is now:", *_bounded(lines)]
        return ["the page changed:", *lines] if lines else ["the page shows the same as before"]


def _page_of(lines: Sequence[str]) -> str:
    return page("\n".join(_bounded(lines)) or "(empty)")


def _bounded(lines: Sequence[str]) -> list[str]:
    more = [f"… and {len(lines) - MOST_LINES} more lines"] if len(lines) > MOST_LINES else []
    return [*lines[:MOST_LINES], *more]


def _effects(step: Step) -> list[str]:
    """What a tester with the console open would notice."""
    said = []
    if not step.performed:
        said.append(f"it could not be done: {step.failure}")
    if step.liveness != "alive":
        said.append(f"the page was lost: {step.liveness}")
    said.append(f"address: {step.url}, title: {step.title}")
    groups = {
        "error thrown": [fault.text for fault in step.faults],
        "console": [f"{m.level}: {m.text}" for m in step.messages if m.level in ("warning", "error")],
        "dialog": [f"{d.type}: {d.text}" for d in step.dialogs],
        "request failed": [
            f"{r.method} {r.url} {r.status or r.reason}" for r in step.requests if not r.blocked
        ],
        "file downloaded": list(step.downloads),
        "window opened": list(step.popups),
        "fault noticed": [finding.title for finding in step.findings],
    }
    for name, texts in groups.items():
        said += [f"{name}: {cut(' '.join(text.split()), LONGEST)}" for text in texts[:MOST_TOLD]]
        if len(texts) > MOST_TOLD:
            said.append(f"{name}: and {len(texts) - MOST_TOLD} more")
    return said


# --- what can be done -----------------------------------------------------------------------------------------


def choices(view: View) -> str:
    """Everything that can be done now, one element a line, by reference; inside data marks."""
    grouped: dict[str, list[Candidate]] = {}
    for candidate in view.candidates:
        if view.memory.allowed(candidate.key):
            grouped.setdefault(candidate.target.ref if candidate.target else PAGE, []).append(candidate)
    refs, whole_page = by_locator(view), grouped.pop(PAGE, [])
    # What was tried is left out first; the order stays the page's.
    kept = set(sorted(grouped, key=lambda ref: _tries(grouped[ref], view) > 0)[:MOST_TARGETS])
    rows = [_row(ref, items, view, refs) for ref, items in grouped.items() if ref in kept]
    if len(grouped) > len(kept):
        rows.append(f"… and {len(grouped) - len(kept)} more elements")
    rows += [_row(PAGE, whole_page, view, refs)] if whole_page else []
    return page("\n".join(rows) or "(nothing)")


def _tries(items: Sequence[Candidate], view: View) -> int:
    return sum(view.memory.tries[item.key] for item in items)


PAGE = "page"
"""Reference of what is done to the page as a whole."""


def by_locator(view: View) -> Mapping[str, str]:
    """Locator -> reference, for gestures that end on another element."""
    return {target.locator: target.ref for target in view.snapshot.targets}


def shown_value(candidate: Candidate, refs: Mapping[str, str]) -> str:
    """A candidate's value without locators: `to e7`."""
    goal = candidate.value.removeprefix("to ")
    return f"to {refs.get(goal, '?')}" if goal != candidate.value else candidate.value


def _row(ref: str, items: Sequence[Candidate], view: View, refs: Mapping[str, str]) -> str:
    kinds: dict[str, list[str]] = {}
    for item in items:
        kinds.setdefault(item.kind, []).append(shown_value(item, refs))
    told = "; ".join(_kind(kind, values) for kind, values in kinds.items())
    mark = "" if _tries(items, view) else " [not tried]"
    target = items[0].target
    return f"{ref} {_thing(target)}{mark} -> {told}" if target else f"{ref} -> {told}"


def _kind(kind: str, values: Sequence[str]) -> str:
    if kind in ("fill", "type"):
        return f"{kind} TEXT"
    given = [value for value in values if value]
    return f"{kind} ({' | '.join(given)})" if given else kind


def _thing(target: Target) -> str:
    """An element as a tester sees it: role, name, and of a field what it says of itself."""
    said = f'{target.role or target.tag} "{target.name}"'
    field = target.field
    if field is None:
        return said
    facts = [field.type]
    if field.value:
        facts.append(f'now "{cut(field.value, 80)}"')
    facts += [
        f"{name} {value}"
        for name, value in (
            ("placeholder", field.placeholder),
            ("min", field.min),
            ("max", field.max),
            ("pattern", field.pattern),
            ("minlength", field.minlength),
            ("maxlength", field.maxlength),
        )
        if value not in ("", None)
    ]
    facts += [name for name in ("required", "checked") if getattr(field, name)]
    return f"{said} ({', '.join(facts)})"
