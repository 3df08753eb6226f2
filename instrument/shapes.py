"""Answers of the worker as arrays: the shape of a text (its statements, functions, branches) and units of counters."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from instrument.places import Places, read_places

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """Statements, functions and branches of one text.

    Positions are rows of line (from 1), column (from 0), end line, end column. A *local id* counts statements
    first, then functions, then arms.
    """

    path: str
    text: str
    vendor: str
    """Why the source map says that it is library code; "" for the user's own."""
    parsed: str
    """acorn, babel or points: without a syntax tree, positions as the source map has them."""
    problem: str
    """Why it could not be parsed."""
    statements: Ints
    owner: Ints
    """Local function index of each statement, -1 at top level."""
    names: tuple[str, ...]
    decl: Ints
    loc: Ints
    branch_types: tuple[str, ...]
    branch_loc: Ints
    branch_sizes: Ints
    branch_owner: Ints
    arms: Ints
    mined: tuple[tuple[Any, ...], ...] = ()
    """(function index or -1, literals, keys, calls, patterns, storage)."""

    @property
    def sizes(self) -> tuple[int, int, int]:
        """How many statements, functions, arms."""
        return len(self.statements), len(self.names), len(self.arms)


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """One script with counters, and what they stand for."""

    key: str
    line: int
    sizes: tuple[int, int, int, int]
    """Counters for statements, functions, arms, extra points, in slot order."""
    served: Shape
    files: tuple[Shape, ...] = ()
    """Sources that the map names; empty where every counter stands for its own place in `served`."""
    table: Ints = field(default_factory=lambda: np.empty((0, 3), np.int32))
    """Rows of counter slot, index in `files`, local id in that file."""
    problem: str = ""
    """Why the source map could not be used."""
    shared: Ints = field(default_factory=lambda: np.empty((0, 2), np.int32))
    """Rows of a counter slot that the page never writes, and the slot whose count is always the same."""
    places: Places | None = None
    """Where the counters would be in the plain text, for a script that V8 measures; then none is shared."""
    digest: str = ""
    """Of a script within html: equal for equal code, wherever it stands."""
    transpiled: bool = False
    """Whether a transpiler in the page reads it: what V8 runs is what that makes of it."""


def read_unit(answer: dict[str, Any], *, path: str, text: str) -> Unit:
    """A unit of the worker's answer; `path` and `text` are the served file's."""
    first, second, third, fourth = answer["sizes"]
    places = read_places(answer.get("places"), text=text, sizes=(first, second, third, fourth))
    return Unit(
        key=answer["key"],
        line=answer["line"],
        sizes=(first, second, third, fourth),
        served=_shape({**answer["served"], "path": path, "text": text}),
        files=tuple(_shape(row) for row in answer["files"]),
        table=_ints(answer["table"], 3),
        problem=answer["problem"],
        shared=_ints("" if places else answer["shared"], 2),
        places=places,
        digest=answer.get("digest", ""),
        transpiled=answer.get("transpiled", False),
    )


def _shape(row: dict[str, Any]) -> Shape:
    functions, branches = row["functions"], row["branches"]
    return Shape(
        path=row["path"],
        text=row["text"],
        vendor=row.get("vendor", ""),
        parsed=row["parsed"],
        problem=row.get("problem", ""),
        statements=_ints(row["statements"], 4),
        owner=_ints(row["owner"]),
        names=tuple(functions["names"]),
        decl=_ints(functions["decl"], 4),
        loc=_ints(functions["loc"], 4),
        branch_types=tuple(branches["types"]),
        branch_loc=_ints(branches["loc"], 4),
        branch_sizes=_ints(branches["sizes"]),
        branch_owner=_ints(branches["owner"]),
        arms=_ints(branches["arms"], 4),
        mined=tuple(tuple(entry) for entry in row.get("mined", ())),
    )


def _ints(packed: str, width: int = 0) -> Ints:
    numbers = np.frombuffer(base64.b64decode(packed), "<i4").astype(np.int32, copy=False)
    return numbers.reshape(-1, width) if width else numbers
