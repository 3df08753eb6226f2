"""Findings, grouped by kind, each with the steps that lead to it."""

from __future__ import annotations

from collections import defaultdict

from explorer.report.content import Content, action_words
from explorer.report.markup import Child, Html, tag
from explorer.report.overview import GRAVE, finding_chip
from explorer.wording import plural
from graph.records import Finding

_WAYS = {
    None: "the way that was walked, without actions that changed nothing",
    True: "a way that was walked again in a fresh page, where the finding came again",
    False: "the way that was walked, without actions that changed nothing; walked again in a fresh page, it did not show it",
}
"""How a path is told, by `Finding.verified`."""
LONGEST_PATH = 60
"""Steps of a path that are listed."""


def findings_section(content: Content) -> Html:
    """Grave kinds first, the most frequent first among them."""
    groups: defaultdict[str, list[tuple[int, Finding]]] = defaultdict(list)
    for number, finding in enumerate(content.run.findings):
        groups[finding.kind].append((number, finding))
    ordered = sorted(groups.items(), key=lambda item: (item[0] not in GRAVE, -len(item[1]), item[0]))
    return tag(
        "section",
        tag("h2", "Findings"),
        [_group(content, kind, found) for kind, found in ordered]
        or tag("p", "No fault of the app was seen.", class_="aside"),
        id="findings",
    )


def _group(content: Content, kind: str, found: list[tuple[int, Finding]]) -> Html:
    return tag(
        "div",
        tag("h3", finding_chip(kind), f" {len(found)}"),
        [_finding(content, number, finding) for number, finding in found],
        class_="finding-group",
    )


def _finding(content: Content, number: int, finding: Finding) -> Html:
    times = f"seen {finding.count} times" if finding.count > 1 else "seen once"
    return tag(
        "details",
        tag("summary", tag("span", finding.title, class_="words"), tag("span", times, class_="aside")),
        tag(
            "p",
            "first at ",
            content.step_link(finding.step),
            [" in ", content.state_link(finding.state)] if finding.state in content.number else None,
            [" · ", _source(content, finding.source)] if finding.source else None,
            class_="facts",
        ),
        tag("pre", finding.detail) if finding.detail and finding.detail != finding.title else None,
        _path(content, finding),
        class_="finding",
        id=f"finding-{number}",
    )


def _source(content: Content, source: str) -> Html:
    """`file:line:column`, or less of it; the file's own name may hold colons."""
    parts = source.rsplit(":", 2)
    numbers = [int(part) for part in parts[1:] if part.isdigit()]
    file = parts[0] if len(numbers) == 2 else source.rpartition(":")[0] if numbers else source
    return content.source_link(file, *numbers, label=source)


def _path(content: Content, finding: Finding) -> Child:
    if not finding.path:
        return None
    steps = finding.path[-LONGEST_PATH:]
    left_out = len(finding.path) - len(steps)
    rows = [
        tag("li", content.step_link(index), " ", action_words(step) if step else "(not in the trace)")
        for index, step in ((index, content.step_by_index.get(index)) for index in steps)
    ]
    return [
        tag(
            "p",
            f"How to get there: {_WAYS[finding.verified]}",
            class_="label",
        ),
        tag("p", f"after {plural(left_out, 'step')} not listed here", class_="aside") if left_out else None,
        tag("ol", rows, class_="path"),
    ]
