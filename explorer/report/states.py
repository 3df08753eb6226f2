"""The state graph's section: a canvas for the script to draw on, and every state in full as a list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from explorer.report.content import Content, action_words
from explorer.report.markup import Child, Html, tag
from explorer.report.overview import finding_chip
from explorer.sightings import brief
from explorer.wording import plural
from graph.records import Snapshot, Target

MOST_ACTIONS = 40
"""Transitions, and untried targets, that one state lists."""


def graph_section(content: Content) -> Html:
    """Toolbar, canvas, side panel, list."""
    missing = content.pictures_left_out
    return tag(
        "section",
        tag("h2", "State graph"),
        tag("p", _what(content), class_="aside"),
        tag(
            "div",
            _toolbar(),
            tag("div", _canvas(), _panel(), class_="graph-body"),
            id="graph-view",
            hidden=True,
        ),
        tag(
            "p",
            f"{plural(missing, 'screenshot')} left out to keep this file small: see the folder screenshots/.",
        )
        if missing > 0
        else None,
        tag(
            "details",
            tag("summary", f"{plural(len(content.states), 'state')} as a list"),
            tag("div", [_state(content, state) for state in content.states], class_="states"),
            id="state-list",
            open=True,
        ),
        id="graph",
    )


def graph_data(content: Content) -> dict[str, Any]:
    """Nodes and edges for the script: transitions between two states are one edge, loops are left out."""
    graph = content.run.graph
    edges: dict[tuple[int, int], dict[str, Any]] = {}
    for before, after, data in graph.edges(data=True):
        if before == after:
            continue
        place = content.number[before], content.number[after]
        edge = edges.setdefault(place, {"actions": [], "gain": 0, "findings": 0, "first": min(data["steps"])})
        edge["actions"].append(data["action"])
        edge["gain"] += data["gain"]
        edge["findings"] += data["findings"]
        edge["first"] = min(edge["first"], *data["steps"])
    labels = state_labels(content)
    nodes = [
        {**_node(content, number, state), "label": labels[state]}
        for number, state in enumerate(content.states)
    ]
    return {
        "nodes": nodes,
        "edges": [
            {"from": before, "to": after, "discovers": edge["first"] == nodes[after]["step"], **edge}
            for (before, after), edge in edges.items()
        ],
    }


def _node(content: Content, number: int, state: str) -> dict[str, Any]:
    data = content.run.graph.nodes[state]
    return {
        "id": number,
        "name": content.name[state],
        "title": data["title"],
        "url": data["url"],
        "step": data["first_step"],
        "visits": data["visits"],
        "findings": sum(1 for finding in content.run.findings if finding.state == state),
        "picture": number in content.pictures,
    }


def state_labels(content: Content) -> dict[str, str]:
    """What stands under a state's picture: its title, or where others have the same, its address or how it was got to."""
    nodes = content.run.graph.nodes
    titles = Counter(nodes[state]["title"] for state in content.states)
    places = Counter((nodes[state]["title"], nodes[state]["url"]) for state in content.states)
    found = {}
    for state in content.states:
        title, url = nodes[state]["title"], nodes[state]["url"]
        if titles[title] == 1:
            found[state] = title or url
        elif places[title, url] == 1:
            found[state] = url or "/"
        else:
            found[state] = _first_way(content, state)
    return found


def _first_way(content: Content, state: str) -> str:
    step = content.step_by_index.get(content.run.graph.nodes[state]["first_step"])
    return action_words(step) if step is not None else ""


def _what(content: Content) -> str:
    run = content.run
    canvas = sum(1 for state in content.states if run.graph.nodes[state].get("basis") == "canvas")
    told = (
        f"Two pages are one state when their outlines are equal under “{run.abstraction}”. States are called N1, N2 and so "
        "on in the order in which they were first seen, and judges cite them so; steps they cite as S1, S2."
    )
    if canvas:
        told += f" {plural(canvas, 'state')} told apart by what canvases show, not by the outline."
    return told


def _toolbar() -> Html:
    buttons = (
        ("zoom-in", "+", "Zoom in"),
        ("zoom-out", "−", "Zoom out"),
        ("fit", "Fit", "Show the whole graph"),
    )
    return tag(
        "div",
        [
            tag("button", label, type="button", id=f"graph-{name}", title=title)
            for name, label, title in buttons
        ],
        tag("label", tag("input", type="checkbox", id="graph-labels"), "Label all transitions"),
        tag(
            "span", "Drag to pan, pinch or hold Ctrl and scroll to zoom, click a state.", class_="aside wide"
        ),
        class_="toolbar",
    )


def _canvas() -> Html:
    told = "State graph. Left and right arrow keys go from state to state; the list below says the same in words."
    return tag("div", id="graph-canvas", tabindex="0", role="application", aria_label=told)


def _panel() -> Html:
    return tag("aside", tag("p", "Choose a state.", class_="aside"), id="graph-panel", aria_live="polite")


# --- one state -----------------------------------------------------------------------------------------------


def _state(content: Content, state: str) -> Html:
    number, name, data = content.number[state], content.name[state], content.run.graph.nodes[state]
    return tag(
        "article",
        tag("div", class_=f"shot shot-{number}", role="img", aria_label=f"Screenshot of state {name}")
        if number in content.pictures
        else tag("div", "no screenshot", class_="shot none"),
        tag(
            "div",
            tag("h3", tag("span", name, class_="chip state"), " ", data["title"] or "without a title"),
            tag("p", data["url"] or "/", class_="url"),
            tag("p", _facts(content, state), class_="facts"),
            _faults(content, state),
            _transitions(content, state, out=True),
            _transitions(content, state, out=False),
            _untried(content, state),
            class_="state-text",
        ),
        class_="state-card",
        id=f"state-{number}",
        tabindex="-1",
    )


def _facts(content: Content, state: str) -> Child:
    data = content.run.graph.nodes[state]
    visits = "once" if data["visits"] == 1 else f"{data['visits']} times"
    near = [
        other for other in content.states if other != state and _near(content, other) == _near(content, state)
    ]
    return [
        "first seen at ",
        content.step_link(data["first_step"]),
        f" · seen {visits}",
        [" · much like ", [content.state_link(other) for other in near[:5]]]
        if _near(content, state) and near
        else "",
    ]


def _near(content: Content, state: str) -> str:
    return str(content.run.graph.nodes[state].get("near", ""))


def _faults(content: Content, state: str) -> Html | None:
    here = [
        (number, finding) for number, finding in enumerate(content.run.findings) if finding.state == state
    ]
    rows = [
        tag("li", finding_chip(finding.kind), " ", tag("a", finding.title, href=f"#finding-{number}"))
        for number, finding in here
    ]
    return tag("ul", rows, class_="plain") if rows else None


def _transitions(content: Content, state: str, *, out: bool) -> Html | None:
    graph = content.run.graph
    edges = graph.out_edges(state, data=True) if out else graph.in_edges(state, data=True)
    rows = [_transition(content, data, after if out else before, state) for before, after, data in edges]
    if not rows:
        return None
    label = f"{plural(len(rows), 'action')} from here" if out else f"{plural(len(rows), 'way')} to get here"
    return tag("details", tag("summary", label), tag("ul", _first(rows), class_="plain"))


def _transition(content: Content, data: dict[str, Any], other: str, state: str) -> Html:
    gain = tag("span", f"+{data['gain']:,}", class_="gain") if data["gain"] else None
    faults = (
        tag("span", plural(data["findings"], "finding"), class_="chip grave") if data["findings"] else None
    )
    times = f" ×{data['count']}" if data["count"] > 1 else ""
    place = "stays" if other == state else content.state_link(other)
    return tag(
        "li", data["action"], times, " ", gain, " ", faults, " ", tag("span", "→ " if place else "", place)
    )


def _untried(content: Content, state: str) -> Html | None:
    snapshot = next(
        (step.snapshot for step in content.run.trace.steps if step.snapshot and step.after == state), None
    )
    rows = [tag("li", words) for words in _never_acted_on(content, state, snapshot)] if snapshot else []
    if not rows:
        return None
    return tag(
        "details",
        tag("summary", f"{plural(len(rows), 'target')} untried here"),
        tag("ul", _first(rows), class_="plain"),
    )


def _never_acted_on(content: Content, state: str, snapshot: Snapshot) -> Iterator[str]:
    tried = {
        place
        for step in content.run.trace.steps
        if step.before == state and step.action
        for place in (step.action.locator, *(locator for locator, _ in step.action.fields))
    }
    for target in snapshot.targets:
        if target.locator not in tried:
            yield brief(target) + _why_not(target)


def _why_not(target: Target) -> str:
    if target.disabled:
        return " (disabled)"
    return " (covered by another element)" if target.covered else ""


def _first(rows: list[Html]) -> Child:
    more = len(rows) - MOST_ACTIONS
    return [rows[:MOST_ACTIONS], tag("li", f"and {more} more", class_="aside") if more > 0 else None]
