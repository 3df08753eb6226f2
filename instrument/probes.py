"""Coverage as integers: every counter of the page is flattened to probe ids of the user's own sources.

A *counter* is one slot of a script's counter array in the page. A *probe* is one statement, function or
branch arm of a source file. Without a source map they are the same; with one, several counters may stand
for one probe, and a probe may have no counter at all (it then stays uncovered, as dead code does).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple

ProbeKind = Literal["statement", "function", "branch"]
"""Istanbul's three kinds; a branch probe is one arm of a branch."""

FileClass = Literal["own", "vendor"]


class Position(NamedTuple):
    """A range in a source file: lines from 1, columns from 0 in UTF-16 units, as Istanbul has them.

    Four zeros: an arm that is not written, such as the else of an if without one.
    """

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Probe:
    """One statement, function or branch arm of one source file."""

    id: int
    kind: ProbeKind
    file: str
    position: Position
    function: str
    """Name of the innermost function around it (of itself for a function), "" at top level."""


BranchGroup = tuple[str, Position, tuple[int, ...]]
"""Istanbul's branch: type (if, cond-expr, binary-expr, switch, default-arg), position, the arms' probe ids."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One source file of the app, as the user wrote it wherever a source map tells."""

    path: str
    """Relative to the app's root, with `/`; an inline script is counted in its html file."""
    file_class: FileClass
    class_reason: str
    """Why it is own or vendor code, in words for the report."""
    text: str
    """The whole source; "" where it is not known."""
    statements: tuple[int, ...] = ()
    functions: tuple[int, ...] = ()
    branches: tuple[int, ...] = ()
    """Probe ids, in source order. A function's position is from its name (or keyword) to the end of its body."""
    bodies: tuple[Position, ...] = ()
    """Where the body of each of `functions` is; empty where that is not known."""
    branch_groups: tuple[BranchGroup, ...] = ()
    mapped_from: tuple[str, ...] = ()
    """Served files whose source map names this one; empty for a file that is served as it is."""


def own_probes(sources: Iterable[SourceFile]) -> frozenset[int]:
    """All probes of the app's own files."""
    return frozenset(
        probe
        for source in sources
        if source.file_class == "own"
        for kind in (source.statements, source.functions, source.branches)
        for probe in kind
    )


@dataclass(frozen=True, slots=True)
class FailedScript:
    """A script that is served as it is, and why it has no counters."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Mined:
    """What the syntax tree of one function offers to a tester, like a fuzzer's dictionary."""

    literals: tuple[str, ...] = ()
    """Strings and numbers that the function compares with, switches on or looks for in a text."""
    keys: tuple[str, ...] = ()
    """Keys that the function looks for, as KeyboardEvent.key has them ("Enter", "a"); chords as "Control+s"."""
    calls: tuple[str, ...] = ()
    """Plain names of the functions that it calls."""
    patterns: tuple[str, ...] = ()
    """Regular expressions that it tests texts by: "/^\\d+$/i"."""
    storage: tuple[str, ...] = ()
    """Keys of localStorage and sessionStorage that it reads or writes."""


@dataclass(frozen=True, repr=False)
class ProbeMap:
    """All probes of an app and how the page's counters lead to them."""

    files: tuple[SourceFile, ...]
    probes: Sequence[Probe]
    """Index is the probe's id."""
    counters: Mapping[str, Sequence[tuple[int, ...]]]
    """Script key -> for each counter slot the probes it stands for (usually one; none where a map has none)."""
    own: frozenset[int] = frozenset()
    """Probes of the app's own files: the headline's denominator."""
    body: Mapping[int, frozenset[int]] = field(default_factory=dict)
    """Function probe -> statement probes directly inside it (nested functions' statements excluded)."""
    mined: Mapping[int, Mined] = field(default_factory=dict)
    """Function probe (or -1-file index for a file's top level) -> what was mined there."""

    def __repr__(self) -> str:
        """Short: asyncio.run() makes the repr of what its coroutine returned, and throws it away."""
        return f"<ProbeMap: {len(self.probes)} probes of {len(self.files)} files>"

    def resolve(self, script: str, slots: Iterable[int]) -> frozenset[int]:
        """Probes that the given counter slots of a script stand for; an unknown script has none."""
        table = self.counters.get(script)
        if table is None:
            return frozenset()
        size = len(table)
        return frozenset(probe for slot in slots if 0 <= slot < size for probe in table[slot])

    def function_of(self, script: str, slot: int) -> int | None:
        """The function probe that a counter slot belongs to: itself, or the innermost function around it.

        None at top level and for a slot that stands for nothing.
        """
        table = self.counters.get(script, ())
        found = table[slot] if 0 <= slot < len(table) else ()
        # A function's own counter may show of statements around the function that they ran: they come second.
        for probe in sorted(found, key=lambda probe: self.probes[probe].kind != "function"):
            if (function := self.function_around(probe)) is not None:
                return function
        return None

    def function_around(self, probe: int) -> int | None:
        """The innermost function that a probe is in; a function probe is its own."""
        found = self.probes[probe]
        if found.kind == "function":
            return probe
        if found.kind == "statement":
            return self._function_of_statement.get(probe)
        return self._innermost(found)

    @cached_property
    def _function_of_statement(self) -> dict[int, int]:
        return {statement: function for function, body in self.body.items() for statement in body}

    @cached_property
    def _functions_by_file(self) -> dict[str, list[tuple[Position, int]]]:
        return {
            source.path: sorted((self.probes[function].position, function) for function in source.functions)
            for source in self.files
        }

    def _innermost(self, probe: Probe) -> int | None:
        """By position: the last function that begins before the probe and ends after it."""
        place = probe.position
        if place.line == 0:
            return None
        functions = self._functions_by_file.get(probe.file, [])
        at = bisect_right(functions, ((place.line, place.column, place.end_line + 1, 0), 0))
        for around, function in reversed(functions[:at]):
            if (around.end_line, around.end_column) >= (place.end_line, place.end_column):
                return function
        return None
