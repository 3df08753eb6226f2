"""Views made by hand: an app of one file whose functions have so many statements each, and a page of a few targets."""

from collections.abc import Sequence
from random import Random
from typing import Any

from explorer.actions import Candidate, Keyboard, candidates
from explorer.guide import Guide
from explorer.lexicon import Lexicon
from explorer.memory import Memory
from explorer.policy import View
from graph.records import Field, Handler, Snapshot, StateId, Target
from instrument.probes import Position, Probe, ProbeMap, SourceFile

HERE, THERE = StateId("here"), StateId("there")


def probes(sizes: Sequence[int]) -> ProbeMap:
    """One own file; function i has sizes[i] statements."""
    functions = [
        Probe(i, "function", "app.js", Position(i + 1, 0, i + 1, 99), f"f{i}") for i in range(len(sizes))
    ]
    statements: list[Probe] = []
    body = {}
    for function, size in enumerate(sizes):
        first = len(sizes) + len(statements)
        statements += [
            Probe(
                first + n,
                "statement",
                "app.js",
                Position(function + 1, n + 1, function + 1, n + 2),
                f"f{function}",
            )
            for n in range(size)
        ]
        body[function] = frozenset(range(first, first + size))
    everything = (*functions, *statements)
    file = SourceFile(
        "app.js", "own", "", "", tuple(p.id for p in statements), tuple(p.id for p in functions)
    )
    return ProbeMap((file,), everything, {}, frozenset(p.id for p in everything), body)


def button(name: str, function: int | None = None, **changes: Any) -> Target:
    plain: dict[str, Any] = {
        "tag": "button", "role": "button", "name": name, "family": f"main>button|{name}", "ordinal": 0,
        "locator": f"#{name}", "box": (10, 10, 60, 20),
        "handlers": () if function is None else (Handler("click", function),),
    }  # fmt: skip
    return Target(ref=f"e-{name}", **{**plain, **changes})


def text(name: str, form: str = "", **changes: Any) -> Target:
    return button(
        name,
        tag="input",
        role="textbox",
        family=f"main>input|{name}",
        field=Field("text", name=name, form=form, **changes),
        form=form,
    )


def view(*targets: Target, sizes: Sequence[int] = (3, 3, 3), state: StateId = HERE, **changes: Any) -> View:
    snapshot = Snapshot("/", "", "<p>", "d", targets=targets)
    guide = Guide(probes(sizes))
    memory = Memory()
    plain: dict[str, Any] = {
        "snapshot": snapshot, "state": state, "candidates": candidates(snapshot, Keyboard()), "memory": memory,
        "guide": guide, "lexicon": Lexicon(guide), "random": Random(1), "remaining": 50, "stuck": 0,
    }  # fmt: skip
    made = View(**{**plain, **changes})
    made.memory.arrive(state, made.candidates, step=0)
    return made


def done(v: View, candidate: Candidate, *, after: StateId = HERE, gain: int = 0, times: int = 1) -> None:
    for _ in range(times):
        v.memory.record(
            v.state, candidate.key, candidate.action(""), after=after, gain=gain, candidate=candidate
        )


def of(v: View, name: str, kind: str = "click") -> Candidate:
    return next(c for c in v.candidates if c.kind == kind and c.target and c.target.name == name)
