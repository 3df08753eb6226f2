"""Keeps probes.json.gz in step with a map that grows, so that a run can be reported whenever it ends."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from explorer.archive import Archive, save_archive
from instrument.probes import ProbeMap

EVERY_S = 5.0
"""Seconds between two writings during a run."""


class ArchiveKeeper:
    """The archive of a run: written at once, and again as its probes grow.

    `made` tells what is known now, `probes` the map as it stands; `check` may refuse before anything is written.
    """

    def __init__(
        self,
        made: Callable[[], Archive],
        folder: Path,
        *,
        probes: Callable[[], ProbeMap],
        check: Callable[[Archive], None] = lambda _: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._made = made
        self._folder = folder
        self._probes = probes
        self._clock = clock
        self.archive = replace(made(), probes=probes())
        """What was written last."""
        check(self.archive)
        self._write(self.archive)

    def look(self) -> None:
        """Writes anew where the map has grown, unless that was done a moment ago."""
        if self._probes() is not self.archive.probes and self._clock() - self._written >= EVERY_S:
            self.end()

    def end(self) -> Archive:
        """Writes what is known when a run is over, where that is more than before."""
        now = replace(self._made(), probes=self._probes())
        grown = now.probes is not self.archive.probes
        if grown or now.instrumentation != self.archive.instrumentation:
            self._write(now)
        return self.archive

    def _write(self, archive: Archive) -> None:
        save_archive(archive, self._folder)
        self.archive = archive
        self._written = self._clock()
