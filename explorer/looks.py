"""What was measured of how the states look, over the whole run: each rule once, with where it is broken. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graph.records import Flaw, Step

MOST_EXAMPLES = 5

WORDS = {
    "low-contrast": "texts with too little contrast",
    "tiny-text": "tiny texts",
    "small-target": "controls that are hard to hit",
    "unnamed-control": "controls without a name",
    "unlabelled-field": "fields without a label",
    "image-without-alternative": "pictures without a text instead",
    "distorted-image": "pictures out of shape",
    "overlapping-text": "texts that lie over each other",
    "clipped-text": "texts that are cut off",
    "page-too-wide": "page wider than the window",
    "page-without-title": "document without a title",
    "page-without-language": "document without a language",
}
"""Rule -> what breaks it."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule that is broken somewhere."""

    name: str
    words: str
    worst: int
    """Times in the state that breaks it most."""
    states: int
    """States that break it."""
    examples: tuple[tuple[str, Flaw], ...]
    """(StateId, flaw), different ones first."""


def broken_rules(steps: Sequence[Step]) -> tuple[Rule, ...]:
    """All rules that any measured state breaks, those of most states first."""
    counts: dict[str, list[int]] = {}
    examples: dict[str, dict[tuple[str, str], tuple[str, Flaw]]] = {}
    for step in steps:
        if step.looks is None:
            continue
        for name, number in step.looks.counts:
            counts.setdefault(name, []).append(number)
        for flaw in step.looks.flaws:
            examples.setdefault(flaw.rule, {}).setdefault((flaw.element, flaw.detail), (step.after, flaw))
    rules = [
        Rule(
            name,
            _words(name, [flaw for _, flaw in examples.get(name, {}).values()]),
            max(numbers),
            len(numbers),
            tuple(examples.get(name, {}).values())[:MOST_EXAMPLES],
        )
        for name, numbers in counts.items()
    ]
    return tuple(sorted(rules, key=lambda rule: (-rule.states, -rule.worst, rule.name)))


def _words(name: str, flaws: Sequence[Flaw]) -> str:
    """A rule of ours in words; one of axe-core by its own."""
    return WORDS.get(name) or (flaws[0].detail if flaws else name)


def measured_states(steps: Sequence[Step]) -> int:
    """States whose looks were measured."""
    return sum(1 for step in steps if step.looks is not None)


def checks(steps: Sequence[Step]) -> tuple[str, ...]:
    """What measured: "rules", "axe VERSION"."""
    return tuple(
        dict.fromkeys(each for step in steps if step.looks is not None for each in step.looks.checks)
    )
