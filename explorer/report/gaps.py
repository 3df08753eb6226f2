"""Unreached code: each function that never ran with its verdict, file by file, the largest first."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from explorer.report.content import Content
from explorer.report.markup import Child, Html, tag
from explorer.unreached import VERDICTS, Unreached
from explorer.wording import plural

MOST_ROWS = 1500
"""Functions that are listed; a bundle may have ten thousand."""
OPEN_ROWS = 40
"""Functions that are in sight at first; what comes after them is folded away."""

MEANING: Mapping[str, str] = {
    "appeared, not tried": "An element that runs it was seen, and no action has done so yet: a larger budget may.",
    "tried but guarded": "It was acted on, or its caller ran, but a condition kept it from running.",
    "element never appeared": "The source binds it to an event, but no state had the element.",
    "no handler bound": "Nothing that was seen or read leads to it: dead code, or started from outside.",
}

_STYLE: Mapping[str, str] = {
    "appeared, not tried": "untried",
    "tried but guarded": "guarded",
    "element never appeared": "unseen",
    "no handler bound": "unbound",
}

_Inner = Mapping[int, list[Unreached]]


def unreached_section(content: Content) -> Html:
    """Filter, then one list a file."""
    rows = content.unreached
    if not rows:
        told = "Every function of the app ran." if content.run.probes.own else "Nothing was measured."
        return tag("section", tag("h2", "Unreached code"), tag("p", told, class_="aside"), id="unreached")
    shown, left_out = rows[:MOST_ROWS], rows[MOST_ROWS:]
    return tag(
        "section",
        tag("h2", "Unreached code"),
        tag(
            "p",
            f"{plural(len(rows), 'function')} of the app never ran. Why, as far as the run can tell:",
            class_="aside",
        ),
        _filter(rows),
        _lists(content, shown),
        tag("p", f"{len(left_out):,} more are in unreached.json.", class_="aside") if left_out else None,
        id="unreached",
    )


def _filter(rows: tuple[Unreached, ...]) -> Html:
    counts = Counter(row.verdict for row in rows)
    sizes: Counter[str] = Counter()
    for row in rows:
        sizes[row.verdict] += row.statements
    return tag(
        "div",
        [
            tag(
                "button",
                tag("span", verdict, class_=f"verdict-name {_STYLE[verdict]}"),
                tag("span", f"{counts[verdict]:,}", class_="value"),
                tag("span", plural(sizes[verdict], "statement"), class_="note"),
                tag("span", MEANING[verdict], class_="meaning"),
                type="button",
                data_verdict=_STYLE[verdict],
                aria_pressed="false",
                disabled=not counts[verdict],
            )
            for verdict in VERDICTS
        ],
        class_="verdicts",
    )


def _lists(content: Content, rows: tuple[Unreached, ...]) -> Iterator[Html]:
    inner: defaultdict[int, list[Unreached]] = defaultdict(list)
    files: defaultdict[str, list[Unreached]] = defaultdict(list)
    listed = {row.function for row in rows}
    for row in rows:
        if row.parent in listed and row.parent is not None:
            inner[row.parent].append(row)
        else:
            files[row.file].append(row)
    room = OPEN_ROWS
    for file, found in files.items():
        yield _file(content, file, found, inner, is_open=room > 0)
        room -= min(len(found), OPEN_ROWS)


def _file(content: Content, file: str, found: list[Unreached], inner: _Inner, *, is_open: bool) -> Html:
    size = sum(_size(row, inner) for row in found)
    count = f"{plural(len(found), 'function')}, {plural(size, 'statement')}"
    first, more = found[:OPEN_ROWS], found[OPEN_ROWS:]
    return tag(
        "details",
        tag("summary", tag("code", file), tag("span", count, class_="aside")),
        tag("ul", [_row(content, row, inner) for row in first], class_="gaps"),
        tag(
            "details",
            tag("summary", f"{len(more):,} smaller ones"),
            tag("ul", [_row(content, row, inner) for row in more], class_="gaps"),
        )
        if more
        else None,
        class_="gap-file",
        open=is_open,
    )


def _size(row: Unreached, inner: _Inner) -> int:
    """Statements in a function and in those defined inside it."""
    return row.statements + sum(_size(item, inner) for item in inner.get(row.function, ()))


def _row(content: Content, row: Unreached, inner: _Inner) -> Html:
    nested = inner.get(row.function, [])
    event = content.links.binding.get(row.function)
    name = row.name or (f"{event} listener" if event else "anonymous function")
    return tag(
        "li",
        tag(
            "p",
            content.source_link(row.file, row.line, row.column, label=name),
            tag("span", f"line {row.line} · {plural(_size(row, inner), 'statement')}", class_="note"),
            tag("span", row.verdict, class_=f"verdict-name {_STYLE[row.verdict]}"),
            class_="gap-head",
        ),
        tag("p", row.reason[:1].upper() + row.reason[1:], ".", _where(content, row), class_="words"),
        tag(
            "details",
            tag("summary", f"{len(nested)} more inside"),
            tag("ul", [_row(content, item, inner) for item in nested], class_="gaps"),
        )
        if nested
        else None,
        data_verdict=_STYLE[row.verdict],
    )


def _where(content: Content, row: Unreached) -> Child:
    """What to do in which states, for a function that an action would run; else where its element was seen."""
    if row.sighting is None:
        return None
    states = [[" ", content.state_link(state)] for state in row.states]
    if row.verdict == "appeared, not tried" and not row.sighting.disabled:
        return [" ", tag("b", row.sighting.gesture[:1].upper() + row.sighting.gesture[1:]), " in", states]
    return states
