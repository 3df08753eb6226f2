"""Coverage over actions, as inline SVG in percentages: it fits any width and its text keeps its size."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from explorer.report.content import Content, action_words
from explorer.report.markup import Html, tag
from explorer.wording import plural
from graph.records import Step

HEIGHT = 240
"""CSS pixels of the plotting area."""
FOLLOWED = ("hint:", "on the way to:")
"""How the reasons of actions begin that a hint led to."""
PLATEAU = 3
"""Actions in a row without gain that make a plateau, as the loop has it."""


@dataclass(frozen=True, slots=True)
class _Point:
    """One step of the curve."""

    index: int
    words: str
    gain: int
    share: float
    """Of the app's own statements, after the step; 0 to 1."""
    hinted: bool
    """The tester did what the hint said, or took a step on the way to it."""
    new_state: bool
    findings: tuple[str, ...]


def coverage_plot(content: Content) -> Html:
    """The section with the curve, or a sentence where nothing was measured."""
    points = _points(content)
    if not points or not content.numbers.own.statements.total:
        body = tag("p", "No statement of the app was measured, so there is no curve.", class_="aside")
    else:
        body = tag("div", _axis(points), _area(points), class_="plot")
    return tag(
        "section", tag("h2", "Coverage over actions"), body, _legend() if points else None, id="coverage"
    )


def _points(content: Content) -> list[_Point]:
    # Of all that was known in the end: an app that is served elsewhere shows its code bit by bit.
    total, covered, points = content.numbers.own.statements.total, 0, []
    for step in content.run.trace.steps:
        covered += step.gain
        points.append(
            _Point(
                index=step.index,
                words=action_words(step),
                gain=step.gain,
                share=covered / total if total else 0.0,
                hinted=_followed(step),
                new_state=step.new_state,
                findings=tuple(finding.title for finding in content.findings_at.get(step.index, ())),
            )
        )
    return points


def _followed(step: Step) -> bool:
    """A hint may be given and not be followed: the tester's own reason tells."""
    return step.action is not None and step.action.reason.startswith(FOLLOWED)


def _top(points: list[_Point]) -> float:
    """The scale's upper end: the next tenth above the curve, so that it uses the height."""
    return min(1.0, max(0.1, math.ceil(points[-1].share * 10 + 0.2) / 10))


def _axis(points: list[_Point]) -> Html:
    top = _top(points)
    marks = [
        tag("text", f"{top * share:.0%}", x="100%", y=f"{100 * (1 - share):g}%", dy="4", text_anchor="end")
        for share in (0, 0.5, 1)
    ]
    return tag("svg", marks, class_="axis", height=HEIGHT, aria_hidden="true")


def _area(points: list[_Point]) -> Html:
    final = points[-1]
    return tag(
        "svg",
        tag("title", f"{final.share:.1%} of the app’s own statements after {plural(final.index, 'step')}"),
        _grid(points),
        _plateaus(points),
        _curve(points),
        _marks(points),
        tag("line", x1="0", x2="0", y1="0", y2="100%", class_="cursor", id="plot-cursor"),
        _columns(points),
        class_="curve",
        height=HEIGHT,
        role="img",
        tabindex="0",
        id="plot",
    )


def _left(place: int, points: list[_Point]) -> str:
    return f"{100 * place / len(points):.3f}%"


def _grid(points: list[_Point]) -> Iterator[Html]:
    for share in (0, 50, 100):
        yield tag("line", x1="0", x2="100%", y1=f"{share}%", y2=f"{share}%", class_="grid")
    every = max(1, _nice(len(points) / 6))
    for place in range(every, len(points), every):
        x = _left(place, points)
        yield tag("text", points[place].index, x=x, y="100%", dy="16", text_anchor="middle", class_="tick")


def _nice(step: float) -> int:
    """The next of 1, 2, 5, 10, 20, 50, ... above a step."""
    scale = 10 ** math.floor(math.log10(max(step, 1)))
    return int(next(scale * factor for factor in (1, 2, 5, 10) if scale * factor >= step))


def _plateaus(points: list[_Point]) -> Iterator[Html]:
    width, start = 100 / len(points), 1
    for place in range(1, len(points) + 1):
        if place == len(points) or points[place].gain:
            if place - start >= PLATEAU:
                x, wide = _left(start, points), f"{width * (place - start):.3f}%"
                yield tag("rect", x=x, width=wide, height="100%", class_="plateau")
            start = place + 1


def _curve(points: list[_Point]) -> Iterator[Html]:
    """An area of columns with a line along their tops; steps without gain lengthen the column before them."""
    top, before = _top(points), 0.0
    starts = [place for place, point in enumerate(points) if point.gain or not place]
    for place, end in zip(starts, [*starts[1:], len(points)], strict=True):
        share = points[place].share / top
        x, right, y = _left(place, points), _left(end, points), f"{100 * (1 - share):.2f}%"
        width, from_y = f"{100 * (end - place) / len(points):.3f}%", f"{100 * (1 - before):.2f}%"
        yield tag("rect", x=x, y=y, width=width, height=f"{100 * share:.2f}%", class_="under")
        yield tag("line", x1=x, x2=x, y1=from_y, y2=y, class_="rise")
        yield tag("line", x1=x, x2=right, y1=y, y2=y, class_="rise")
        before = share


def _marks(points: list[_Point]) -> Iterator[Html]:
    """Findings above the curve, hints at the foot."""
    top = _top(points)
    for place, point in enumerate(points):
        x = _left(2 * place + 1, [*points, *points])
        if point.findings:
            y = f"{100 * (1 - point.share / top):.2f}%"
            yield tag("circle", cx=x, cy=y, r="5", class_="fault")
        if point.hinted:
            yield tag("circle", cx=x, cy="100%", r="3.5", class_="hint")


def _columns(points: list[_Point]) -> Iterator[Html]:
    """One invisible column a step, for the pointer; the script reads its data, others read its title."""
    width = f"{100 / len(points):.3f}%"
    for place, point in enumerate(points):
        faults = "; ".join(point.findings)
        told = f"Step {point.index}: {point.words}\n+{plural(point.gain, 'statement')}, {point.share:.1%}"
        yield tag(
            "rect",
            tag("title", told + (f"\n{faults}" if faults else "")),
            x=_left(place, points),
            width=width,
            height="100%",
            class_="column",
            data_step=point.index,
        )


def _legend() -> Html:
    entries = (("line", "own statements that ran"), ("fault", "finding"), ("hint", "hint followed"))
    keys = [tag("li", tag("i", class_=f"key {kind}"), words) for kind, words in entries]
    plateau = tag("li", tag("i", class_="key plateau"), f"plateau: {PLATEAU} or more actions without gain")
    return tag("ul", keys, plateau, class_="legend")
