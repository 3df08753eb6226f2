"""Numbers as the terminal and the report say them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from instrument.coverage import Count


def percent(count: Count) -> str:
    """ "61.3 %", and never 100 while anything is left; "–" where there is nothing to cover."""
    if not count.total:
        return "–"
    rounded = round(count.pct, 1)
    return f"{rounded if count.covered == count.total else min(rounded, 99.9):g} %"


def plural(count: int, word: str, *, many: str = "") -> str:
    """ "1 state", "1,200 states", "2 branches", "2 crashes"; `many` for a word that goes its own way."""
    ending = "es" if word.endswith(("s", "sh", "ch", "x")) else "s"
    return f"{count:,} {word}" if count == 1 else f"{count:,} {many or word + ending}"


def size(number: int) -> str:
    """Bytes as a person says them: "1.4 GB", "620 MB", "under 1 MB"."""
    megabytes = number / 1024**2
    if megabytes >= 1000:
        return f"{megabytes / 1024:.1f} GB"
    return f"{megabytes:.0f} MB" if megabytes >= 1 else "under 1 MB" if number else "nothing"


def duration(seconds: float) -> str:
    """Seconds as a person says them."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
