"""Numbers of things as messages say them, and texts of a bounded length."""

from __future__ import annotations


def plural(count: int, word: str, *, many: str = "") -> str:
    """ "1 state", "1,200 states", "2 branches", "2 crashes"; `many` for a word that goes its own way."""
    ending = "es" if word.endswith(("s", "sh", "ch", "x")) else "s"
    return f"{count:,} {word}" if count == 1 else f"{count:,} {many or word + ending}"


def cut(text: str, most: int) -> str:
    """At most `most` characters, with an ellipsis where something was left out."""
    return text if len(text) <= most else text[: most - 1] + "…"


def in_short(text: str, most: int) -> str:
    """The same on one line, white space folded."""
    return cut(" ".join(text.split()), most)
