"""The files: a table of own and vendor sources, and the data of the source view."""

from __future__ import annotations

from typing import Any

from explorer.report.content import PARTS, Content, Part
from explorer.report.markup import Html, tag
from explorer.report.overview import bar
from explorer.wording import percent, plural
from instrument.classify import NO_SIGN
from instrument.coverage import Count, Numbers
from instrument.probes import SourceFile
from instrument.probetable import positions_of

SOURCE_CHARACTERS = 12_000_000
"""Characters of source that one report holds, own files first; the others are listed without their text."""

MOST_ROWS = 400
"""Files of a class that are listed, those with most left to run; a bundle with a source map may name thousands."""


def files_section(content: Content) -> Html:
    """Own files first, then vendor code with the reason why it counts as such."""
    groups = [("own", "The app’s own code"), ("vendor", "Vendor code, counted apart")]
    return tag(
        "section",
        tag("h2", "Files"),
        [_table(content, kind, title) for kind, title in groups if content.files_of(kind)]
        or tag("p", "No script was measured.", class_="aside"),
        id="files",
    )


def _table(content: Content, file_class: str, title: str) -> Html:
    files = content.files_of(file_class)
    heads = [("File", "text"), *((part.capitalize(), "number") for part in PARTS), ("Left", "number")]
    table = tag(
        "table",
        tag("thead", tag("tr", [_head(label, kind) for label, kind in heads])),
        tag("tbody", [_row(content, file) for file in files[:MOST_ROWS]]),
        class_="files",
    )
    body = [tag("div", table, class_="scroll"), _left_out(content, files[MOST_ROWS:])]
    if file_class == "own":
        return tag("div", tag("h3", title), body)
    return tag("details", tag("summary", f"{title} ({len(files):,})"), body)


def _left_out(content: Content, files: tuple[SourceFile, ...]) -> Html | None:
    if not files:
        return None
    left = sum((content.numbers.files[file.path] for file in files), Numbers()).statements
    told = f"and {plural(len(files), 'file')} more, with {plural(left.total - left.covered, 'statement')} left to run"
    return tag("p", told, class_="aside")


def _head(label: str, kind: str) -> Html:
    return tag("th", tag("button", label, type="button", data_sort=kind), scope="col", class_=kind)


def _row(content: Content, file: SourceFile) -> Html:
    numbers = content.numbers.files[file.path]
    left = numbers.statements.total - numbers.statements.covered
    return tag(
        "tr",
        tag(
            "th",
            content.source_link(file.path, label=file.path),
            tag("span", origin, class_="note") if (origin := _origin(file)) else None,
            scope="row",
            data_value=file.path,
        ),
        [_cell(getattr(numbers, part)) for part in PARTS],
        tag("td", f"{left:,}", class_="number", data_value=left),
    )


def _origin(file: SourceFile) -> str:
    """Why the file is classed as it is, where that says something, and where it is from unless that is the reason."""
    reason = "" if file.class_reason == NO_SIGN else file.class_reason
    if not file.mapped_from or "source map" in reason:
        return reason
    return "; ".join(part for part in (reason, f"in {', '.join(file.mapped_from[:3])}") if part)


def _cell(count: Count) -> Html:
    return tag(
        "td",
        tag("span", percent(count), class_="percent"),
        tag("span", f"{count.covered:,}/{count.total:,}", class_="note"),
        bar(count) if count.total else None,
        class_="number",
        data_value=f"{count.pct:g}" if count.total else "-1",
    )


def source_data(content: Content) -> list[dict[str, Any]]:
    """Per file, in the probe map's order: text and what ran, positions as flat numbers (line, column, end line,
    end column, ran) for the source view."""
    room = SOURCE_CHARACTERS
    rows: dict[str, dict[str, Any]] = {}
    for file in (*content.files_of("own"), *content.files_of("vendor")):
        held = len(file.text) <= room
        room -= len(file.text) if held else 0
        rows[file.path] = {
            "path": file.path,
            "class": file.file_class,
            "text": file.text if held else "",
            "missing": _missing(file, held=held),
            **{part: _flat(content, file, part) for part in PARTS},
        }
    return [rows[file.path] for file in content.run.probes.files]


def _missing(file: SourceFile, *, held: bool) -> str:
    if not held:
        return f"The source ({len(file.text):,} characters) is left out to keep this file small."
    return "" if file.text else "The source of this file is not known: its source map does not hold it."


def _flat(content: Content, file: SourceFile, part: Part) -> list[int]:
    flat: list[int] = []
    items, hits = getattr(file, part), content.run.hits
    for item, position in zip(items, positions_of(content.run.probes.probes, items), strict=True):
        flat += position
        flat.append(int(item in hits))
    return flat
