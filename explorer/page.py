"""The seam to the browser: six verbs that a real page and the tests' fake page both offer."""

from __future__ import annotations

from typing import Protocol

from graph.records import Action, Looks, Observation


class Page(Protocol):
    """An app that is open in a browser. Every call is bounded in time; a fault of the app is data."""

    async def open(self) -> Observation:
        """Loads the app with empty storage and waits until it rests."""

    async def perform(self, action: Action) -> Observation:
        """Makes one gesture, waits until the page rests, and observes."""

    async def observe(self) -> Observation:
        """Observes without acting."""

    async def screenshot(self, name: str) -> str:
        """Writes a picture of the viewport into the run folder; its relative name, "" if it failed."""

    async def looks(self) -> Looks | None:
        """Measures how the page looks (contrast, sizes, names, overlaps); None where it does not answer."""

    async def restart(self) -> Observation:
        """Brings the app back after a hang or crash: new page or browser, empty storage, loaded."""

    async def close(self) -> None:
        """Closes page and browser; never raises."""
