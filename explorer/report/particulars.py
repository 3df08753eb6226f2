"""The run itself: how it was measured, what was left out, how to make it again."""

from __future__ import annotations

from collections.abc import Sequence

from explorer.agreement import Agreement
from explorer.exploration import Closing
from explorer.libraries import Libraries, Library
from explorer.modelsaid import fallbacks, model_lines
from explorer.report.content import Content
from explorer.report.markup import Html, tag
from explorer.report.overview import MODES
from explorer.wording import plural
from graph.records import Request
from instrument.probes import FailedScript

MOST_REQUESTS = 1000
"""Requests that are listed; an app that counts its visitors may make any number of them."""


def run_section(content: Content) -> Html:
    """Particulars as a list of terms, then what was left out."""
    run, measured = content.run, content.run.instrumentation
    return tag(
        "section",
        tag("h2", "The run"),
        _again(content),
        tag("dl", [(tag("dt", term), tag("dd", told)) for term, told in _terms(content) if told]),
        _scripts("Served as they are, without counters", measured.failed),
        _scripts("Could not be measured", measured.unmeasured),
        _disagreements(run.agreement),
        _served(run.libraries),
        _unavailable(run.libraries),
        _blocked(run.blocked),
        _notes("Notes", (*measured.notes, *run.notes)),
        _notes("Models", model_lines(run)),
        _notes("Where a built-in stood in for a model", fallbacks(run)),
        _closing(run.closing),
        id="run",
    )


def _again(content: Content) -> Html | None:
    if not content.run.command:
        return None
    return tag(
        "div",
        tag("p", "Run it again", class_="label"),
        tag(
            "div",
            tag("code", content.run.command, id="command"),
            tag("button", "Copy", type="button", id="copy-command", hidden=True),
            class_="command",
        ),
        tag("p", "Same app, seed and budget: same actions, same graph.", class_="aside"),
    )


def _terms(content: Content) -> list[tuple[str, str]]:
    run, measured = content.run, content.run.instrumentation
    timings = ", ".join(f"{name.replace('_', ' ')} {value:.1f} ms" for name, value in run.timings_ms.items())
    return [
        ("Target", run.target),
        ("Started", run.started),
        ("Build", f"{run.build_kind}: {run.build_reason}"),
        ("Measured by", f"{MODES[measured.mode]}: {measured.reason}"),
        ("Counters", _ways(measured.ways)),
        ("Counters and V8", _agreement(run.agreement)),
        ("Tester", f"{run.tester}, hint {run.hint}, seed {run.seed}, budget {run.budget}"),
        ("States", f"abstraction {run.abstraction}"),
        ("Stopped", run.trace.stop_reason or run.trace.stop or "cut off before its end"),
        ("Times", timings),
        ("Versions", ", ".join(f"{name} {version}" for name, version in run.versions.items())),
    ]


_WAYS = {
    "source": "put in before the build",
    "served": "put in as it is served",
    "v8": "none, the browser's own ranges",
}


def _ways(ways: tuple[tuple[str, tuple[str, ...]], ...]) -> str:
    return "; ".join(f"{_WAYS[way]}: {plural(len(files), 'file')}" for way, files in ways)


def _scripts(title: str, scripts: tuple[FailedScript, ...]) -> Html | None:
    rows = [tag("li", tag("code", item.path), f" – {item.reason}") for item in scripts]
    return _list(title, rows)


def _agreement(agreement: Agreement | None) -> str:
    """What --verify-coverage found, in a sentence."""
    if agreement is None:
        return ""
    whole = agreement.sum()
    led = f"{agreement.elsewhere:,} led elsewhere" if agreement.elsewhere else "all led to the same states"
    return (
        f"the same actions measured by V8 agree on {whole.pct:.2f} % of {plural(whole.total, 'statement')} "
        f"(counters only {whole.counters_only:,}, V8 only {whole.v8_only:,}); "
        f"{plural(agreement.steps, 'step')} done again, {led}"
    )


def _disagreements(agreement: Agreement | None) -> Html | None:
    if agreement is None:
        return None
    whole = agreement.sum()
    rows = [
        tag(
            "li",
            tag("code", row.place),
            f" – {row.verdict}",
            [": ", tag("code", row.text)] if row.text else None,
        )
        for row in whole.named
    ]
    count = whole.counters_only + whole.v8_only
    if count > len(rows):
        rows.append(tag("li", f"and {count - len(rows):,} more"))
    return _list("Statements on which counters and V8 disagree", rows, count)


def _served(libraries: Libraries) -> Html | None:
    rows = [
        tag("li", tag("code", f"{item.name}@{item.version}"), f" – {_provenance(item)}")
        for item in libraries.served
    ]
    return _list(
        "Libraries served from npm in place of CDNs, not measured: they are not the app's own code", rows
    )


def _provenance(item: Library) -> str:
    wanted = f", asked for as {', '.join(item.wanted)}" if item.wanted else ""
    return f"{plural(item.files, 'address')} of {', '.join(item.hosts)}{wanted}"


def _unavailable(libraries: Libraries) -> Html | None:
    rows = [
        tag("li", tag("code", item.url), f" – answered by {item.answer}: {item.reason}")
        for item in libraries.unavailable[:MOST_REQUESTS]
    ]
    return _list("Asked of other hosts and not to be had", rows, len(libraries.unavailable))


def _blocked(requests: tuple[Request, ...]) -> Html | None:
    rows = [
        tag("li", tag("code", f"{item.method} {item.url}"), f" – {item.reason or 'blocked'}")
        for item in requests[:MOST_REQUESTS]
    ]
    if len(requests) > MOST_REQUESTS:
        rows.append(tag("li", f"and {len(requests) - MOST_REQUESTS:,} more, which run.json lists"))
    return _list("Requests to other hosts, kept in", rows, len(requests))


def _closing(closing: Closing | None) -> Html | None:
    """What a model tester told at the end."""
    if closing is None:
        return None
    told = {"Seen": closing.functionality, "Done": closing.interactions, "Failed": closing.failures}
    rows = [tag("li", f"{word}: {line}") for word, lines in told.items() for line in lines]
    rows += [tag("li", f"It told nothing: {closing.reason}")] if closing.reason else []
    return _list(f"Closing summary of the tester, {closing.source}", rows)


def _notes(title: str, notes: Sequence[str]) -> Html | None:
    return _list(title, [tag("li", note) for note in notes])


def _list(title: str, rows: list[Html], count: int | None = None) -> Html | None:
    if not rows:
        return None
    count = len(rows) if count is None else count
    return tag(
        "details", tag("summary", f"{title} ({count})"), tag("ul", rows, class_="plain"), open=count <= 12
    )
