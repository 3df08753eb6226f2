"""What a run is about and where it happens: the two records that bringing up an app gives and takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from explorer.cdn_answers import Cdn
from explorer.provision import Browser
from explorer.proxy import TransitProxy
from explorer.request import Request
from instrument.bundle import Bundle
from instrument.probes import ProbeMap


@dataclass(frozen=True, slots=True)
class Subject:
    """An app that answers at a URL for as long as `opened` lasts."""

    bundle: Bundle
    url: str
    cdn: Cdn | None = None
    """Answers in place of CDNs; None where the app gets none."""
    carrier: TransitProxy | None = None
    """Instruments an app that is served elsewhere; None where the bundle is all that there is."""


@dataclass(frozen=True, slots=True)
class Scene:
    """Where a run happens: all that bringing up its app may need."""

    request: Request
    browser: Browser
    folder: Path
    """The run folder."""
    say: Callable[[str], None]
    verify: bool = False
    """Compare the app with and without instrumentation first."""
    known: ProbeMap | None = None
    """Probes of the run that is resumed: what an app served elsewhere adds comes after them."""
