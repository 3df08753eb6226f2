"""Numbers of things as messages say them."""

from __future__ import annotations


def plural(count: int, word: str, *, many: str = "") -> str:
    """ "1 state", "1,200 states", "2 branches", "2 crashes"; `many` for a word that goes its own way."""
    ending = "es" if word.endswith(("s", "sh", "ch", "x")) else "s"
    return f"{count:,} {word}" if count == 1 else f"{count:,} {many or word + ending}"
