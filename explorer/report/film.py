"""The film strip: every step as a frame, in order."""

from __future__ import annotations

from explorer.report.content import Content, action_words
from explorer.report.markup import Html, tag
from explorer.report.overview import finding_chip
from graph.records import Step


def film_strip(content: Content) -> Html:
    """The section with a frame for each step and buttons that choose among them."""
    return tag(
        "section",
        tag("h2", "Film strip"),
        tag(
            "div",
            [
                tag(
                    "button",
                    label,
                    type="button",
                    data_film=kind,
                    aria_pressed="true" if kind == "all" else "false",
                )
                for kind, label in (
                    ("all", "All steps"),
                    ("gain", "Gains only"),
                    ("finding", "Findings only"),
                )
            ],
            class_="toolbar",
        ),
        tag("ol", [_frame(content, step) for step in content.run.trace.steps], class_="film"),
        id="steps",
    )


def _frame(content: Content, step: Step) -> Html:
    number = content.number.get(step.after)
    findings = content.findings_at.get(step.index, ())
    kinds = [kind for kind, holds in (("gain", step.gain), ("finding", findings)) if holds]
    words = action_words(step)
    shot = f"shot shot-{number}" if number in content.pictures else "shot none"
    return tag(
        "li",
        tag(
            "a",
            class_=shot + ("" if step.new_state else " known"),
            href=f"#state-{number}",
            aria_label=f"State S{number}",
        )
        if number is not None
        else tag("div", class_="shot none"),
        tag(
            "p",
            tag("b", step.index),
            content.state_link(step.after),
            tag("span", "new", class_="chip new") if step.new_state else None,
            tag("span", f"+{step.gain:,}", class_="gain") if step.gain else None,
            tag("span", "replay", class_="chip") if step.replayed else None,
            tag("span", "built-in", class_="chip", title="; ".join(step.notes)) if step.notes else None,
            class_="frame-head",
        ),
        tag("p", words, class_="words", title=step.action.reason if step.action else None),
        tag("p", step.failure, class_="aside") if not step.performed else None,
        tag("p", finding_chip(findings[0].kind), " ", findings[0].title, class_="words")
        if findings
        else None,
        id=f"step-{step.index}",
        class_="frame",
        data_kinds=" ".join(kinds),
        tabindex="-1",
    )
