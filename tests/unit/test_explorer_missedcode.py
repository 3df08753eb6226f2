"""Excerpts of code that never ran: what is near, what fits, what is marked."""

from __future__ import annotations

from explorer.guide import Guide
from explorer.links import link
from explorer.memory import Memory
from explorer.missedcode import FAR, IN_PART, LONGEST_EXCERPT, MOST_CHARACTERS, Missed, missed
from graph.records import StateId
from instrument.probes import Position, Probe, ProbeMap, SourceFile
from tests.views import HERE, THERE, button, view


def app(text: str, functions: list[tuple[int, int]], statements: list[tuple[int, int]]) -> ProbeMap:
    """functions: (first line, last line); statements: (line, function)."""
    first = len(functions)
    probes = (
        *(Probe(i, "function", "a.js", Position(b, 0, e, 1), f"f{i}") for i, (b, e) in enumerate(functions)),
        *(
            Probe(first + i, "statement", "a.js", Position(line, 2, line, 9), "")
            for i, (line, _) in enumerate(statements)
        ),
    )
    body = {
        i: frozenset(first + at for at, (_, owner) in enumerate(statements) if owner == i)
        for i in range(len(functions))
    }
    ids = tuple(range(first, len(probes)))
    file = SourceFile("a.js", "own", "", text, ids, tuple(range(first)))
    return ProbeMap((file,), probes, {}, frozenset(range(len(probes))), body)


def look(
    probes: ProbeMap, memory: Memory | None = None, *, covered: tuple[int, ...] = ()
) -> tuple[Missed, ...]:
    guide = Guide(probes)
    guide.add(covered)
    return missed(HERE, memory or Memory(), guide, links=link(probes))


def test_lines_that_never_ran_are_marked_and_those_that_ran_are_not() -> None:
    probes = app("function f0() {\n  ran();\n  never();\n}\n", [(1, 4)], [(2, 0), (3, 0)])
    (row,) = look(probes, covered=(0, 1))
    assert row.verdict == IN_PART
    assert row.statements == 1
    assert row.excerpt.splitlines() == [
        "f0 (a.js:1)",
        "  function f0() {",
        "    ran();",
        "!   never();",
        "  }",
    ]


def test_what_ran_whole_is_not_told() -> None:
    assert look(app("f", [(1, 1)], [(1, 0)]), covered=(0, 1)) == ()


def test_a_function_inside_one_that_is_shown_is_not_shown_again() -> None:
    text = "function f0() {\n  const f1 = () => {\n    inner();\n  };\n}\n"
    rows = look(app(text, [(1, 5), (2, 4)], [(2, 0), (3, 1)]))
    assert [row.function for row in rows] == [0]
    assert "inner();" in rows[0].excerpt


def test_the_nearest_comes_first() -> None:
    text = "\n".join(f"function f{i}() {{ x(); }}" for i in range(4))
    probes = app(text, [(i, i) for i in range(1, 5)], [(i + 1, i) for i in range(4)])
    memory = Memory()
    here, there = view(button("a", 2), button("go")), view(button("b", 1))
    memory.arrive(THERE, there.candidates, step=0)
    memory.arrive(HERE, here.candidates, step=1)
    memory.arrive(StateId("lost"), view(button("c", 3)).candidates, step=2)
    go = next(c for c in here.candidates if c.target and c.target.name == "go")
    memory.record(HERE, go.key, go.action(""), after=THERE, gain=0)
    rows = look(probes, memory)
    assert [(row.function, row.distance) for row in rows] == [(2, 0), (1, 1), (0, FAR), (3, FAR)]


def test_all_together_and_each_are_bounded() -> None:
    line = "x" * 120
    body = "\n".join([line] * 60)
    text = "\n".join(f"function f{i}() {{\n{body}\n}}" for i in range(30))
    probes = app(text, [(62 * i + 1, 62 * i + 62) for i in range(30)], [(62 * i + 2, i) for i in range(30)])
    rows = look(probes)
    assert 5 < len(rows) < 30
    assert all(len(row.excerpt) <= LONGEST_EXCERPT for row in rows)
    assert sum(len(row.excerpt) for row in rows) <= MOST_CHARACTERS


def test_of_a_minified_line_the_functions_own_part_is_shown() -> None:
    text = "a" * 5000 + "function f0(){never()}" + "b" * 5000
    probes = app(text, [(1, 1)], [(1, 0)])
    place = Position(1, 5000, 1, 5022)
    moved = ProbeMap(
        probes.files,
        (Probe(0, "function", "a.js", place, "f0"), probes.probes[1]),
        {},
        probes.own,
        probes.body,
    )
    (row,) = look(moved)
    assert "function f0(){never()}" in row.excerpt
    assert "aaaa" not in row.excerpt
    assert len(row.excerpt) < 600


def test_without_a_source_the_place_alone_is_told() -> None:
    (row,) = look(app("", [(1, 1)], [(1, 0)]))
    assert row.excerpt == "f0 (a.js:1)"
