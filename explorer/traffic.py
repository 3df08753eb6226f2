"""Scripts and pages that are on their way to the browser: what a page cannot see of itself, for imports tell nobody."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

CALM_S = 0.25
"""Seconds without a script on its way after which none is expected to follow: modules ask for modules."""
_POLL_S = 0.02
_COUNTED = frozenset(
    ("script", "worker", "sharedworker", "serviceworker", "document", "iframe", "frame", "style")
)


class Traffic:
    """Counts requests in flight. Told by the carrier's thread, asked by the engine's."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._numbers = itertools.count()
        self._flying: dict[int, str] = {}
        self._given_up: set[int] = set()
        self._landed = float("-inf")

    @contextmanager
    def flight(self, url: str, destination: str) -> Iterator[None]:
        """One request, by its Sec-Fetch-Dest, from its start to its end."""
        if destination not in _COUNTED:
            yield
            return
        number = next(self._numbers)
        self._flying[number] = url
        try:
            yield
        finally:
            self._flying.pop(number, None)
            self._given_up.discard(number)
            self._landed = self._clock()

    @property
    def calm(self) -> bool:
        """Whether nothing is on its way, nor came a moment ago."""
        return not self._waiting() and self._clock() - self._landed >= CALM_S

    def _waiting(self) -> set[int]:
        return set(self._flying) - self._given_up

    async def settled(self, seconds: float) -> bool:
        """Waits until it is calm; whether there was something to wait for.

        What does not come within `seconds` is not waited for again.
        """
        if self.calm:
            return False
        end = self._clock() + seconds
        while not self.calm and self._clock() < end:  # noqa: ASYNC110 - told by another thread
            await asyncio.sleep(_POLL_S)
        self._given_up |= self._waiting()
        return True
