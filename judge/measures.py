"""The built-in judge's measures: each looks at one thing, costs at most its cap, and cites what it saw. Pure.

Which measure belongs to which aspect, and what it costs, is ours; docs/built-in-judge.md has the table. Contrast, target size
and names follow WCAG 2.2 (1.4.3, 2.5.8, 4.1.2), layout shift the Layout Instability API and its usual bounds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from graph.records import FindingKind, Request, Step
from instrument.wording import plural
from judge.material import Material
from judge.records import Deliberated

GOOD_SHIFT, POOR_SHIFT = 0.1, 0.25
"""Cumulative layout shift up to which a page is called good, and from which it is called poor."""
MOST_SIZES, MOST_FONTS, MOST_COLOURS = 8, 3, 12
"""Text sizes, font families and text colours of one state beyond which it looks put together by chance."""
_LEFTOVER = re.compile(
    r"(?i:lorem ipsum|placeholder text)|\bundefined\b|\bNaN\b|\[object Object\]|\{\{.+?\}\}|^null$"
)
"""Filler, and values and templates that were never turned into text."""
_FAULTS: tuple[tuple[FindingKind, float, float], ...] = (
    ("crash", 1.0, 1.0),
    ("hang", 1.0, 1.0),
    ("dialog-loop", 0.75, 0.75),
    ("exception", 0.3, 0.9),
    ("rejection", 0.3, 0.6),
    ("console-error", 0.1, 0.3),
)
"""Kind of fault -> what each costs the stability, and at most."""


@dataclass(frozen=True, slots=True)
class Penalty:
    """What a measure takes from an aspect, on the scale of 0 to 5."""

    amount: float
    """0 or more."""
    reason: str
    citations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure of one aspect."""

    dimension: Deliberated
    aspect: str
    cap: float
    """Most that it may cost, whatever it finds."""
    look: Callable[[Material], Iterable[Penalty]]


# --- aesthetics


def blank_or_broken_start(run: Material) -> Iterable[Penalty]:
    """What the first look is of: nothing, or a framework's error page."""
    found = run.of_kind("blank-page", "error-overlay")
    if found:
        yield Penalty(1.0, found[0].title, run.shown_at(run.states_of(found)))


def jumping_layout(run: Material) -> Iterable[Penalty]:
    """Layout that moves by itself."""
    state, shift = max(
        ((s, looks.shift) for s, looks in run.looks.items()), key=lambda x: x[1], default=("", 0.0)
    )
    if shift > GOOD_SHIFT:
        cost = 0.5 if shift > POOR_SHIFT else 0.25
        reason = f"the layout shifts by itself by {shift:.2f}, up to {GOOD_SHIFT} is good"
        yield Penalty(cost, reason, run.shown_at([state]))


def broken_images(run: Material) -> Iterable[Penalty]:
    """Pictures that could not be shown."""
    found = run.of_kind("broken-image")
    if found:
        reason = f"{plural(len(found), 'picture')} could not be shown: {found[0].title}"
        yield Penalty(0.25 * len(found), reason, run.shown_at(run.states_of(found)))


def leftover_texts(run: Material) -> Iterable[Penalty]:
    """Texts that were meant for nobody's eyes, unless the tester typed them itself."""
    typed = run.typed()
    found = [
        (state, match.group())
        for state, line in run.texts()
        if (match := _LEFTOVER.search(line)) and not any(match.group().lower() in text for text in typed)
    ]
    kinds = dict.fromkeys(text.lower() for _, text in found)
    if kinds:
        words = ", ".join(f"“{text}”" for text in list(kinds)[:3])
        yield Penalty(
            0.25 * len(kinds), f"the pages show {words}", run.shown_at([state for state, _ in found])
        )


def overlaps_and_cuts(run: Material) -> Iterable[Penalty]:
    """Texts over each other or cut off, and pages wider than the viewport."""
    for rule, cost, cap, words in (
        ("overlapping-text", 0.2, 0.75, "pairs of texts lie over each other"),
        ("clipped-text", 0.1, 0.5, "texts are cut off"),
        ("page-too-wide", 0.5, 0.5, "page is wider than the viewport"),
    ):
        number = run.worst(rule)
        if number:
            found = list(run.flaws(rule))
            reason = f"{number} {words}: {found[0][1].element} ({found[0][1].detail})"
            yield Penalty(min(cap, cost * number), reason, run.shown_at([state for state, _ in found]))


def distorted_images(run: Material) -> Iterable[Penalty]:
    """Pictures that are drawn in another shape than their own."""
    number, found = run.worst("distorted-image"), list(run.flaws("distorted-image"))
    if found:
        reason = f"{plural(number, 'picture')} out of shape: {found[0][1].detail}"
        yield Penalty(0.25 * number, reason, run.shown_at([state for state, _ in found]))


def hard_to_read(run: Material) -> Iterable[Penalty]:
    """Low contrast and tiny type, by the share of texts; too many sizes."""
    texts = sum(looks.texts for looks in run.looks.values())
    for rule, scale, cap, words in (
        ("low-contrast", 1.5, 0.75, "texts have too little contrast"),
        ("tiny-text", 1.5, 0.5, "texts are tiny"),
    ):
        number = run.broken(rule)
        if number and texts:
            found = list(run.flaws(rule))
            part = number / texts
            reason = f"{number} of {texts} {words}: {found[0][1].element} ({found[0][1].detail})"
            yield Penalty(min(cap, scale * part), reason, run.shown_at([state for state, _ in found]))
    yield from _too_many(run, "sizes", MOST_SIZES, "text sizes", 0.25)


def mixed_styles(run: Material) -> Iterable[Penalty]:
    """More fonts and text colours than one idea needs."""
    yield from _too_many(run, "fonts", MOST_FONTS, "font families", 0.5)
    yield from _too_many(run, "colours", MOST_COLOURS, "text colours", 0.25)


def _too_many(run: Material, name: str, most: int, words: str, cost: float) -> Iterable[Penalty]:
    state, number = max(
        ((s, getattr(looks, name)) for s, looks in run.looks.items()), key=lambda x: x[1], default=("", 0)
    )
    if number > most:
        yield Penalty(cost, f"{number} {words} in one state", run.shown_at([state]))


# --- usability


def failing_operations(run: Material) -> Iterable[Penalty]:
    """Requests that a gesture made and that failed, and exceptions in answer to a gesture."""
    requests = run.refused(documents=False)
    thrown = [finding for finding in run.of_kind("exception", "rejection") if finding.step > 0]
    if requests:
        reason = f"{plural(len(requests), 'request')} failed after a gesture: {_told(requests[0][1])}"
        yield Penalty(0.3 * len(requests), reason, _cited(requests))
    if thrown:
        reason = f"{plural(len(thrown), 'gesture')} ended in an exception: {thrown[0].title}"
        yield Penalty(0.3 * len(thrown), reason, run.steps_of(thrown))


def _told(request: Request) -> str:
    return f"{request.method} {request.url} ({request.status or request.reason or 'no answer'})"


def _cited(requests: Iterable[tuple[Step, Request]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"S{step.index}" for step, _ in requests))[:5]


def silent_controls(run: Material) -> Iterable[Penalty]:
    """Controls that look live and do nothing."""
    found = run.of_kind("dead-control")
    if found:
        reason = f"{plural(len(found), 'control')} did nothing when used twice: {found[0].title}"
        yield Penalty(0.25 * len(found), reason, run.steps_of(found))


def unfit_controls(run: Material) -> Iterable[Penalty]:
    """Controls without a name or too small to hit, by their share."""
    controls = sum(looks.controls for looks in run.looks.values())
    for rules, cap, words in (
        (("unlabelled-field", "unnamed-control"), 0.5, "controls have no name"),
        (("small-target",), 0.4, "controls are smaller than 24 × 24 px"),
    ):
        number = run.broken(*rules)
        if number and controls:
            found = list(run.flaws(*rules))
            reason = f"{number} of {controls} {words}: {found[0][1].element}"
            yield Penalty(min(cap, number / controls), reason, run.known_as([state for state, _ in found]))


def audit_violations(run: Material) -> Iterable[Penalty]:
    """Grave violations of axe-core's rules that no rule of our own looks for, where it was asked to audit."""
    rules = {
        flaw.rule: (state, flaw)
        for state, looks in run.looks.items()
        for flaw in looks.flaws
        if flaw.rule.startswith("axe:") and flaw.rule[4:] not in _OWN_RULES and _GRAVE.search(flaw.detail)
    }
    if rules:
        first = next(flaw for _, flaw in rules.values())
        reason = f"{plural(len(rules), 'grave violation')} by axe-core: {first.detail}, {first.element}"
        yield Penalty(0.15 * len(rules), reason, run.known_as([state for state, _ in rules.values()]))


_GRAVE = re.compile(r"\((?:serious|critical) impact\)$")
_OWN_RULES = frozenset(
    "color-contrast target-size label button-name link-name input-button-name select-name image-alt document-title "
    "html-has-lang".split()
)
"""axe-core's names of what js/src/agent/looks.js measures itself, so that nothing costs twice."""


def nameless_document(run: Material) -> Iterable[Penalty]:
    """A document without title or language leaves users of tabs and screen readers in the dark."""
    for rule in ("page-without-title", "page-without-language"):
        found = list(run.flaws(rule))
        if found:
            yield Penalty(0.1, found[0][1].detail, run.known_as([state for state, _ in found]))


def no_way_back(run: Material) -> Iterable[Penalty]:
    """States that were left only by a reload, though gestures were tried in them."""
    found = [state for state in run.graph.nodes if _is_trap(run, state)]
    if found:
        reason = (
            f"{plural(len(found), 'state')} could not be left by any of the gestures that were tried there"
        )
        yield Penalty(0.25 * len(found), reason, run.known_as(found))


_TRIES = 3
"""Gestures that must have failed to leave a state before it counts as one without a way out."""


def _is_trap(run: Material, state: str) -> bool:
    if state == run.graph.graph["start"]:
        return False
    edges = list(run.graph.out_edges(state, data=True))
    return len(edges) >= _TRIES and all(target == state for _, target, _ in edges)


def dead_ends(run: Material) -> Iterable[Penalty]:
    """Pages that a gesture leads to and that are not there."""
    found = run.refused(documents=True)
    if found:
        reason = f"{plural(len(found), 'page')} that the app leads to cannot be had: {_told(found[0][1])}"
        yield Penalty(0.5 * len(found), reason, _cited(found))


def instability(run: Material) -> Iterable[Penalty]:
    """Crashes, hangs, exceptions and errors in the console."""
    for kind, cost, cap in _FAULTS:
        found = run.of_kind(kind)
        if found:
            words = kind.replace("-", " ")
            reason = f"{plural(len(found), words)}: {found[0].title}"
            yield Penalty(min(cap, cost * len(found)), reason, run.steps_of(found))


MEASURES: tuple[Measure, ...] = (
    Measure("aesthetics", "first-impression", 1.0, blank_or_broken_start),
    Measure("aesthetics", "first-impression", 0.5, jumping_layout),
    Measure("aesthetics", "content-completeness", 0.75, broken_images),
    Measure("aesthetics", "content-completeness", 0.75, leftover_texts),
    Measure("aesthetics", "layout-structure", 1.0, overlaps_and_cuts),
    Measure("aesthetics", "visual-detail", 0.5, distorted_images),
    Measure("aesthetics", "hierarchy-and-typography", 1.0, hard_to_read),
    Measure("aesthetics", "stylistic-consistency", 0.5, mixed_styles),
    Measure("usability", "core-operations", 1.0, failing_operations),
    Measure("usability", "feedback", 1.0, silent_controls),
    Measure("usability", "controls-and-input", 0.9, unfit_controls),
    Measure("usability", "controls-and-input", 0.5, audit_violations),
    Measure("usability", "flow-and-discoverability", 0.2, nameless_document),
    Measure("usability", "reachability-and-recovery", 0.5, no_way_back),
    Measure("usability", "dead-ends-and-consistency", 1.0, dead_ends),
    Measure("usability", "stability", 1.0, instability),
)
"""Every measure, in the order of the aspects. "emotion-and-trust" has none: nothing measurable speaks of it."""
