"""Where the counters of a script would be in the text that the browser runs: what V8's ranges are laid over."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]

FUNCTION, FIELDS, STATICS = range(3)
"""Kinds of a home: a function, the fields of a class, its static fields and blocks."""
TOP = -1
"""Home of what runs with the script itself."""


def utf16(text: str) -> str:
    """The text with a character for each UTF-16 unit, so that V8's offsets are Python's."""
    if text.isascii():
        return text
    return "".join(map(chr, memoryview(text.encode("utf-16-le", "surrogatepass")).cast("H")))


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """One script as the browser runs it; offsets are UTF-16 units into `text`.

    A *home* is what runs as one: a function, or a class's initial values, which V8 reports as functions of their own.
    """

    digest: str
    """SHA-256 of the text in UTF-8, in hex, as V8 tells it of a script."""
    length: int
    text: str
    """As the browser runs it: without byte order mark, within html with its line ends normalised."""
    at: tuple[int, int]
    """Line and column, from 0, of the text in its file."""
    slots: Ints
    """A row a counter slot: offset (-1: no range tells), offset that must have run less often (-1: none), home, end."""
    homes: Ints
    """A row a home: start, end, kind; functions first, in the order of their counters."""
    functions: int
    """How many of `homes` are functions."""
    first_function: int
    """Counter slot of the first function."""
    first_arm: int
    """Counter slot of the first branch arm."""
    first_extra: int


def read_places(
    answer: dict[str, Any] | None, *, text: str, sizes: tuple[int, int, int, int]
) -> Places | None:
    """The places of the worker's answer; `text` is the served script's, `sizes` are its unit's."""
    if answer is None:
        return None
    statements, functions, arms, _ = sizes
    line, column = answer["at"]
    return Places(
        digest=answer["digest"],
        length=answer["length"],
        text=text if answer["text"] is None else answer["text"],
        at=(line, column),
        slots=_ints(answer["slots"], 4),
        homes=_ints(answer["homes"], 3),
        functions=functions,
        first_function=statements,
        first_arm=statements + functions,
        first_extra=statements + functions + arms,
    )


def _ints(packed: str, width: int) -> Ints:
    return np.frombuffer(base64.b64decode(packed), "<i4").astype(np.int32, copy=False).reshape(-1, width)
