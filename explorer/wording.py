"""Numbers as the terminal and the report say them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from instrument.wording import plural

if TYPE_CHECKING:
    from instrument.coverage import Count

__all__ = ["duration", "percent", "plural", "size"]


def percent(count: Count) -> str:
    """ "61.3 %", and never 100 while anything is left; "–" where there is nothing to cover."""
    if not count.total:
        return "–"
    rounded = round(count.pct, 1)
    return f"{rounded if count.covered == count.total else min(rounded, 99.9):g} %"


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
