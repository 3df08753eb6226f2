"""Looks and access: rules that the states break, measured in the page, each with examples."""

from __future__ import annotations

from explorer.looks import Rule, broken_rules, checks, measured_states
from explorer.report.content import Content
from explorer.report.markup import Html, tag
from explorer.wording import plural


def looks_section(content: Content) -> Html | None:
    """The section; None for a run in which nothing was measured."""
    steps = content.run.trace.steps
    measured = measured_states(steps)
    if not measured:
        return None
    rules = broken_rules(steps)
    by = [name for name in checks(steps) if name != "rules"]
    told = f"{plural(measured, 'state')} measured" + (f", the first ones by {by[0]} too" if by else "")
    return tag(
        "section",
        tag("h2", "Looks and access"),
        tag("p", f"{told}. Measured, not judged: what it means for users is for you to say.", class_="aside"),
        tag("div", _table(content, rules), class_="scroll", tabindex="0")
        if rules
        else tag("p", "No rule is broken.", class_="aside"),
        id="looks",
    )


def _table(content: Content, rules: tuple[Rule, ...]) -> Html:
    head = tag("tr", [tag("th", name, scope="col") for name in ("What", "At most", "Where")])
    return tag(
        "table", tag("thead", head), tag("tbody", [_row(content, rule) for rule in rules]), class_="aspects"
    )


def _row(content: Content, rule: Rule) -> Html:
    examples = [
        tag("li", content.state_link(state), " ", tag("b", flaw.element), f": {flaw.detail}")
        for state, flaw in rule.examples
    ]
    return tag(
        "tr",
        tag("th", rule.words, tag("span", rule.name, class_="note aside"), scope="row"),
        tag("td", f"{rule.worst:,} in one of {plural(rule.states, 'state')}", class_="amount"),
        tag("td", tag("ul", examples, class_="plain")),
    )
