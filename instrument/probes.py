"""Coverage as integers: every counter of the page is flattened to probe ids of the user's own sources.

A *counter* is one slot of a script's counter array in the page. A *probe* is one statement, function or
branch arm of a source file. Without a source map they are the same; with one, several counters may stand
for one probe, and a probe may have no counter at all (it then stays uncovered, as dead code does).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

ProbeKind = Literal["statement", "function", "branch"]
"""Istanbul's three kinds; a branch probe is one arm of a branch."""

FileClass = Literal["own", "vendor"]


class Position(NamedTuple):
    """A range in a source file: lines from 1, columns from 0 in UTF-16 units, as Istanbul has them."""

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
    """Probe ids, in source order."""
    branch_groups: tuple[tuple[str, Position, tuple[int, ...]], ...] = ()
    """Istanbul's branches: (type, position, the arms' probe ids); types: if, cond-expr, binary-expr, switch,
    default-arg."""
    mapped_from: tuple[str, ...] = ()
    """Served files whose source map names this one; empty for a file that is served as it is."""


@dataclass(frozen=True, slots=True)
class FailedScript:
    """A script that is served as it is, and why it has no counters."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Mined:
    """What the syntax tree of one function offers to a tester, like a fuzzer's dictionary."""

    literals: tuple[str, ...] = ()
    """Strings and numbers that the function compares with, switches on or tests by a pattern."""
    keys: tuple[str, ...] = ()
    """Names of keys that the function looks for, as KeyboardEvent.key has them ("Enter", "a")."""
    calls: tuple[str, ...] = ()
    """Plain names of the functions that it calls."""


@dataclass(frozen=True)
class ProbeMap:
    """All probes of an app and how the page's counters lead to them."""

    files: tuple[SourceFile, ...]
    probes: tuple[Probe, ...]
    """Index is the probe's id."""
    counters: Mapping[str, tuple[tuple[int, ...], ...]]
    """Script key -> for each counter slot the probes it stands for (usually one, none for vendor-free maps)."""
    own: frozenset[int] = frozenset()
    """Probes of the app's own files: the headline's denominator."""
    body: Mapping[int, frozenset[int]] = field(default_factory=dict)
    """Function probe -> statement probes directly inside it (nested functions' statements excluded)."""
    mined: Mapping[int, Mined] = field(default_factory=dict)
    """Function probe (or -1-file index for a file's top level) -> what was mined there."""

    def resolve(self, script: str, slots: Iterable[int]) -> frozenset[int]:
        """Probes that the given counter slots of a script stand for; an unknown script has none."""
        table = self.counters.get(script)
        if table is None:
            return frozenset()
        size = len(table)
        return frozenset(probe for slot in slots if 0 <= slot < size for probe in table[slot])

    def function_of(self, script: str, slot: int) -> int | None:
        """The function probe that a counter slot belongs to: itself, or the innermost function around it."""
        raise NotImplementedError
