"""How a page is opened and how long anything may take: all the numbers of the browser side in one record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class BrowserOptions:
    """What a BrowserPage is like; every bound is in the unit that its name ends with."""

    headed: bool = False
    viewport: tuple[int, int] = (1280, 720)
    """Width and height in CSS pixels; one CSS pixel is one pixel of a screenshot."""
    seed: int = 0
    """Seed of the page's Math.random and crypto.getRandomValues."""
    clock: Literal["virtual", "real"] = "virtual"
    """virtual: Date, timers and animation frames can be advanced, and start at the same moment in each run."""
    network: Literal["app", "open"] = "app"
    """app: the browser reaches the app's origin and `allow_hosts` only."""
    allow_hosts: tuple[str, ...] = ()
    """Host names, `*` as wildcard: "cdn.example.com", "*.example.com"."""
    istanbul: tuple[str, ...] = ()
    """Names of the coverage globals of an app that arrives instrumented ("__coverage__"): they are read too."""
    axe: bool = False
    """Audit a few states with axe-core, see `explorer.axe`."""
    locale: str = "en-US"
    timezone: str = "UTC"
    geolocation: tuple[float, float] = (52.52, 13.405)
    """Latitude and longitude that the app is told."""
    settle_ms: int = 1000
    """Longest wait for the page to rest, in real time."""
    horizon_ms: int = 300
    """Timers due within this time of the page are waited for."""
    targets: int = 400
    """Most targets in a snapshot."""
    gesture_s: float = 10.0
    """A gesture that takes longer found the page hung."""
    observe_s: float = 20.0
    """An observation that takes longer, its settling included, found the page hung."""
    load_s: float = 30.0
    """Longest wait for a document to be parsed."""
    rest_s: float = 2.5
    """Longest wait for the load event after the document was parsed: fonts and images that never come."""
    recover_s: float = 2.0
    """Bound on each rung of the way back from a hang."""
    dialogs: int = 20
    """Dialogs of one action that are shown; more are a loop, which is stopped."""
