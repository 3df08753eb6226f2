"""The top of the report: the verdict at a glance."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath

from explorer.notices import notices
from explorer.report.content import PARTS, Content
from explorer.report.markup import Child, Html, tag
from explorer.wording import duration, percent, plural
from instrument.coverage import Count

GRAVE = frozenset({"exception", "rejection", "hang", "crash", "blank-page", "error-overlay", "window-closed"})
"""Findings that stop a user; the others annoy."""

MODES = {"istanbul": "counters in the code (Istanbul)", "v8": "the browser (V8)", "none": "nothing"}
"""How coverage was measured, as it follows "measured by"."""

STOPS = {
    "budget": "budget spent",
    "complete": "nothing left to try",
    "time": "time limit",
    "interrupt": "stopped by the user",
    "unusable": "app unusable",
    "": "cut off",
}


def overview(content: Content) -> Html:
    """Headline, one sentence, tiles."""
    run = content.run
    return tag(
        "header",
        tag("p", "explore-app", tag("span", " exploration report"), class_="brand"),
        tag("h1", _name(run.target)),
        tag("p", _sentence(content), class_="verdict"),
        tag("div", _tiles(content), class_="tiles"),
        _vendor(content),
        [tag("p", _unbroken(notice), class_="notice") for notice in notices(run)],
        class_="top",
        id="overview",
    )


def finding_chip(kind: str, count: int | None = None) -> Html:
    """A finding's kind, coloured by how grave it is."""
    name = kind.replace("-", " ")
    label = name if count is None else plural(count, name)
    return tag("span", label, class_=f"chip {'grave' if kind in GRAVE else 'minor'}")


def bar(count: Count) -> Html:
    """A bar that is as full as the count; its numbers stand beside it in the text."""
    width = f"{100 * count.covered / count.total if count.total else 0:.2f}%"
    return tag(
        "svg",
        tag("rect", width="100%", height="100%", class_="empty"),
        tag("rect", width=width, height="100%", class_="full"),
        class_="bar",
        aria_hidden="true",
    )


def _name(target: str) -> str:
    parts = [part for part in PurePosixPath(target.replace("\\", "/")).parts if part not in ("/", ".")]
    return "/".join(parts[-2:]) or target


def _sentence(content: Content) -> Child:
    run = content.run
    count = content.numbers.own.statements
    measured: Child = (
        [tag("strong", percent(count)), " of the app’s own statements ran in "]
        if count.total
        else ["No coverage was measured in "]
    )
    return [
        measured,
        plural(run.actions, "action"),
        ", which led to ",
        plural(len(content.states), "state"),
        " and showed ",
        plural(len(run.findings), "fault") if run.findings else "no fault",
        ". ",
        f"The run ended because {run.trace.stop_reason}."
        if run.trace.stop_reason
        else _ended(run.trace.stop),
    ]


def _ended(stop: str) -> str:
    if stop:
        return f"The run ended: {STOPS.get(stop, stop)}."
    return "The run was cut off before its end; everything up to there is shown."


def _tiles(content: Content) -> Iterator[Html]:
    run = content.run
    for part in PARTS:
        count: Count = getattr(content.numbers.own, part)
        told = f"{count.covered:,} of {count.total:,}" if count.total else "none in the app"
        yield _tile(part.capitalize(), percent(count), bar(count), told)
    edges = run.graph.number_of_edges()
    yield _tile("States", f"{len(content.states):,}", None, plural(edges, "transition"))
    spent = f"{run.actions:,}" + (f" / {run.budget:,}" if run.budget else "")
    yield _tile("Actions", spent, None, STOPS.get(run.trace.stop, run.trace.stop))
    kinds = Counter(finding.kind for finding in run.findings)
    chips = [finding_chip(kind, count) for kind, count in kinds.most_common()]
    yield _tile(
        "Findings", f"{len(run.findings):,}", tag("div", chips, class_="chips") if chips else None, ""
    )
    step = run.timings_ms.get("median_step")
    yield _tile("Duration", duration(run.seconds), None, f"{step:.0f} ms a step (median)" if step else "")
    made = run.instrumentation
    scripts = plural(made.scripts, "script")
    told = f"in the code of {scripts} (Istanbul)" if made.mode == "istanbul" else scripts
    yield _tile("Measured by", MODES[made.mode].split(" in ")[0], None, told)


def _tile(label: str, value: str, extra: Html | None, note: str) -> Html:
    return tag(
        "div",
        tag("span", label, class_="label"),
        tag("span", value, class_="value"),
        extra,
        tag("span", note, class_="note") if note else None,
        class_="tile",
    )


def _unbroken(text: str) -> Iterator[Child]:
    """Text whose options stay whole at the end of a line."""
    for place, part in enumerate(re.split(r"(--[a-z-]+)", text)):
        yield tag("code", part) if place % 2 else part


def _vendor(content: Content) -> Html | None:
    files = content.files_of("vendor")
    if not files:
        return None
    count = content.numbers.vendor.statements
    return tag(
        "p",
        f"Vendor code is not in these numbers: {count.covered:,} of {count.total:,} statements ({percent(count)}) in ",
        tag("a", plural(len(files), "file"), href="#files"),
        ".",
        class_="aside",
    )
