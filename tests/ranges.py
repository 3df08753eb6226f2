"""Places of counters and reports of V8, made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from instrument.places import Places

TEXT = "x" * 100


def places(
    statements: Sequence[tuple[int, int]],
    *,
    functions: Sequence[tuple[int, int]] = (),
    arms: Sequence[tuple[int, int, int, int]] = (),
    text: str = TEXT,
) -> Places:
    """Statements are (offset, home), functions (start, end), arms (offset, less, home, end)."""
    slots = [(offset, -1, home, offset + 1) for offset, home in statements]
    slots += [(start, -1, home, end) for home, (start, end) in enumerate(functions)]
    slots += list(arms)
    return Places(
        digest="",
        length=len(text),
        text=text,
        at=(0, 0),
        slots=np.array(slots, np.int32).reshape(-1, 4),
        homes=np.array([(*row, 0) for row in functions], np.int32).reshape(-1, 3),
        functions=len(functions),
        first_function=len(statements),
        first_arm=len(statements) + len(functions),
        first_extra=len(slots),
    )


def ran(*ranges: tuple[int, int, int], name: str = "", block: bool = True) -> dict[str, Any]:
    """A function as V8 reports it; ranges are (start, end, count)."""
    rows = [{"startOffset": start, "endOffset": end, "count": count} for start, end, count in ranges]
    return {"functionName": name, "ranges": rows, "isBlockCoverage": block}
