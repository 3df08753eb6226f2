"""Numbers as the report says them."""

from __future__ import annotations

from instrument.coverage import Count


def percent(count: Count) -> str:
    """ "61.3 %", rounded down so that only a whole is 100; "–" where there is nothing to cover."""
    return f"{int(count.pct * 10) / 10:g} %" if count.total else "–"


def plural(count: int, word: str) -> str:
    """ "1 state", "1,200 states"."""
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def duration(seconds: float) -> str:
    """Seconds as a person says them."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
