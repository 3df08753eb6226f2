"""Small runs for the tests of the judges: a trace written by hand, and the material that is made of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from graph.collapse import collapse
from graph.records import (
    Action,
    Finding,
    FindingKind,
    Flaw,
    Looks,
    Request,
    Snapshot,
    Step,
    Target,
    Trace,
    TraceHead,
)
from judge.evidence import gather
from judge.material import Material

HEAD = TraceHead(1, "./app", 0, 50, "guided", "built-in", "list", 10)


def page(html: str = "<p>Hello</p>", *, title: str = "App", targets: Sequence[Target] = ()) -> Snapshot:
    """A snapshot of that html."""
    return Snapshot("/", title, html, html, tuple(targets))


def button(name: str, *, role: str = "button") -> Target:
    """A target of that name."""
    return Target("e0", "button", role, name, "f", 0, f"#{name}", (0, 0, 90, 30))


def step(index: int, before: str, after: str, **fields: Any) -> Step:
    """A click that led from one state to another; index 0 is the load."""
    action = None if index == 0 else Action("click", "test", locator=f"#{index}", name=f"b{index}")
    given = {"action": action, "url": "/", "title": "App", "gain": 0, "hits": (), **fields}
    return Step(index=index, before=before, after=after, **given)


def run(
    steps: Iterable[Step] = (), *, findings: Sequence[Finding] = (), html: str = "<p>Hello</p>"
) -> Material:
    """Material of a load (state a, with picture and looks) and these steps."""
    load = step(
        0,
        "",
        "a",
        new_state=True,
        snapshot=page(html),
        screenshot="screenshots/0000.jpg",
        looks=Looks(texts=10, controls=10),
    )
    trace = Trace(HEAD, (load, *steps), "budget", "spent")
    graph = collapse(trace)
    return Material(trace, graph, findings, gather(trace, graph, findings=findings))


def busy(number: int = 4) -> list[Step]:
    """So many clicks that change nothing."""
    return [step(index, "a", "a") for index in range(1, number + 1)]


def looking(material: Material, looks: Looks) -> Material:
    """The same run with other looks of its first state."""
    first, *rest = material.trace.steps
    trace = replace(material.trace, steps=(replace(first, looks=looks), *rest))
    return replace(material, trace=trace)


def flawed(rule: str, count: int = 1, **numbers: Any) -> Looks:
    """Looks that break one rule so many times."""
    flaw = Flaw(rule, "p “x”", "p", "measured", (0, 0, 9, 9))
    return Looks((flaw,), ((rule, count),), **{"texts": 10, "controls": 10, **numbers})


def finding(kind: FindingKind, at: int = 1, title: str = "") -> Finding:
    """A fault first seen at a step."""
    title = title or f"a {kind}"
    return Finding(kind, f"{kind}|{title}", title, step=at)


def refused(url: str, *, resource: str = "fetch", blocked: bool = False) -> Request:
    """A request that was answered with 500."""
    return Request("GET", url, 500, "", blocked, resource)
