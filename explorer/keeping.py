"""Keeps probes.json.gz in step with a map that grows: a run that is killed can be reported and resumed all the same."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from explorer.archive import Archive, save_archive
from graph.records import Step
from instrument.probes import ProbeMap

EVERY_S = 5.0
"""Seconds between two writings that no step calls for."""


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

    def look(self, step: Step) -> None:
        """Writes anew, before a step is recorded, where that speaks of probes that the file does not hold yet.

        Growth that the step does not show waits a moment, for more may come.
        """
        if self._probes() is self.archive.probes:
            return
        shown = step.snapshot is not None or max(step.hits, default=-1) >= len(self.archive.probes.probes)
        if shown or self._clock() - self._written >= EVERY_S:
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
