"""Fifth stage: the trace of a run becomes the graph of its states.

Nodes are StateIds, edges gestures that led from one to another. Every edge of the trace is there: A to C and B
to C both, different gestures between the same two states side by side; the same gesture done again is one edge
with all its steps.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import networkx

from graph.normalize import ABSTRACTIONS, DEFAULT, Basis, Normalizer
from graph.records import Snapshot, StateId, Step, Trace
from graph.similar import THRESHOLD, near_duplicates
from graph.wording import describe, gesture

if TYPE_CHECKING:
    Graph = networkx.MultiDiGraph[str]


OutlineOf = Callable[[Snapshot], tuple[str, Basis]]
"""A snapshot's normal form and what its state rests on, as `Normalizer.outline` gives them."""


def collapse(trace: Trace, *, threshold: float = THRESHOLD, outline_of: OutlineOf | None = None) -> Graph:
    """The state graph of a trace; pure, and the same for the same trace.

    outline_of: of the run's own Normalizer, which has seen every snapshot; None makes one for the trace's abstraction.

    Graph attributes: start (state of the load), target, abstraction. Nodes: url, title, outline (digest of the
    normal form, "" where no snapshot was kept), first_step, screenshot, visits, basis ("outline" | "canvas"),
    targets, untried (targets without an action of any kind yet), gain (own statements that ran first on arriving
    here), near (cluster of near duplicates, "" for none), name (as `names_of` has it). Edges, keyed by a short digest
    of the gesture: action (in words), kind, name, value, gain, findings, steps (tuple), count, replayed (times of
    those that were replays).
    """
    graph: Graph = networkx.MultiDiGraph()
    start = trace.steps[0].after if trace.steps else ""
    graph.graph.update(start=start, target=trace.head.target, abstraction=trace.head.abstraction)
    tried: dict[str, set[str]] = {}
    snapshots: dict[StateId, Snapshot] = {}
    for step in trace.steps:
        _add_node(graph, step, snapshots)
        if step.action is not None and step.before:
            _add_edge(graph, step)
            tried.setdefault(step.before, set()).update(_touched(step))
    look = outline_of or _normalizer(trace.head.abstraction).outline
    seen = {state: look(snapshot) for state, snapshot in snapshots.items()}
    outlines = {state: text for state, (text, _) in seen.items()}
    for state, snapshot in snapshots.items():
        locators = {target.locator for target in snapshot.targets if not target.disabled}
        graph.nodes[state].update(
            outline=hashlib.blake2b(outlines[state].encode("utf-8", "replace"), digest_size=8).hexdigest(),
            basis=seen[state][1],
            targets=len(snapshot.targets),
            untried=len(locators - tried.get(state, set())),
        )
    _mark_near(graph, outlines, threshold)
    for node, name in names_of(graph).items():
        graph.nodes[node]["name"] = name
    return graph


def _blank_node(step: Step) -> dict[str, Any]:
    return {
        "url": step.url,
        "title": step.title,
        "outline": "",
        "first_step": step.index,
        "screenshot": "",
        "visits": 0,
        "basis": "outline",
        "targets": 0,
        "untried": 0,
        "gain": 0,
        "near": "",
    }


def _add_node(graph: Graph, step: Step, snapshots: dict[StateId, Snapshot]) -> None:
    if step.before and step.before not in graph:
        graph.add_node(step.before, **{**_blank_node(step), "url": "", "title": ""})
    if not step.after:
        return
    if step.after not in graph:
        graph.add_node(step.after, **_blank_node(step))
    node = graph.nodes[step.after]
    node["visits"] += 1
    node["gain"] += step.gain
    node["screenshot"] = node["screenshot"] or step.screenshot
    if step.snapshot is not None:
        snapshots.setdefault(StateId(step.after), step.snapshot)


def _add_edge(graph: Graph, step: Step) -> None:
    action = step.action
    if action is None or not step.after:
        return
    key = hashlib.blake2b(gesture(action).encode("utf-8", "replace"), digest_size=6).hexdigest()
    if not graph.has_edge(step.before, step.after, key):
        graph.add_edge(
            step.before,
            step.after,
            key=key,
            action=describe(action),
            kind=action.kind,
            name=action.name,
            value=action.value,
            gain=0,
            findings=0,
            steps=(),
            count=0,
            replayed=0,
        )
    edge = graph.edges[step.before, step.after, key]
    edge["gain"] += step.gain
    edge["findings"] += len(step.findings)
    edge["steps"] += (step.index,)
    edge["count"] += 1
    edge["replayed"] += step.replayed


def _touched(step: Step) -> set[str]:
    action = step.action
    if action is None or not step.performed:
        return set()
    return {action.locator, *(locator for locator, _ in action.fields)} - {""}


def _normalizer(abstraction: str) -> Normalizer:
    return Normalizer(abstraction=abstraction if abstraction in ABSTRACTIONS else DEFAULT)


def _mark_near(graph: Graph, outlines: Mapping[StateId, str], threshold: float) -> None:
    for number, members in enumerate(near_duplicates(outlines, threshold=threshold), start=1):
        for state in members:
            graph.nodes[state]["near"] = f"near-{number}"


def names_of(graph: Graph) -> dict[str, str]:
    """State -> N1, N2, ... in the order in which they were first visited: what report and judges call them."""
    return {state: f"N{number}" for number, state in enumerate(graph.nodes, start=1)}


def start_of(graph: Graph) -> str:
    """The state of the first load; "" for an empty graph."""
    return str(graph.graph.get("start", ""))
