"""explorer.keeping: the archive on the disk holds whatever a recorded step speaks of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from explorer.archive import Archive, load_archive
from explorer.exploration import Instrumentation
from explorer.keeping import EVERY_S, ArchiveKeeper
from graph.records import Snapshot, Step
from instrument.errors import UsageError
from instrument.probes import ProbeMap
from tests.explorations import probe_map

SMALL, LARGE = probe_map({"a.js": "go();"}), probe_map({"a.js": "go();", "b.js": "more(); and_more();"})
QUIET = Step(1, None, "", "s", "/", "", 0, ())


class Run:
    """A run whose map and clock the test sets."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.probes, self.now, self.scripts = folder, SMALL, 0.0, 1
        self.keeper = ArchiveKeeper(self.made, folder, probes=lambda: self.probes, clock=lambda: self.now)

    def made(self) -> Archive:
        return Archive(
            "app", "server", "", Instrumentation("istanbul", "", self.scripts), ProbeMap((), (), {})
        )

    def kept(self) -> int:
        """Files on the disk."""
        return len(load_archive(self.folder).probes.files)


def test_growth_is_written_when_a_step_speaks_of_it_or_after_a_while(tmp_path: Path) -> None:
    run = Run(tmp_path)
    assert run.kept() == 1
    run.probes = LARGE
    run.keeper.look(QUIET)
    assert run.kept() == 1
    run.now = EVERY_S
    run.keeper.look(QUIET)
    assert run.kept() == 2


@pytest.mark.parametrize(
    "step", [replace(QUIET, hits=(len(SMALL.probes),)), replace(QUIET, snapshot=Snapshot("/", "", "", "d"))]
)
def test_a_step_never_speaks_of_probes_that_are_not_on_the_disk(tmp_path: Path, step: Step) -> None:
    run = Run(tmp_path)
    run.probes = LARGE
    run.keeper.look(step)
    assert run.kept() == 2


def test_the_end_writes_what_is_new_and_only_that(tmp_path: Path) -> None:
    run = Run(tmp_path)
    first = (tmp_path / "probes.json.gz").stat().st_mtime_ns
    assert run.keeper.end() is run.keeper.archive
    assert (tmp_path / "probes.json.gz").stat().st_mtime_ns == first
    run.scripts = 2
    assert run.keeper.end().instrumentation.scripts == 2
    assert load_archive(tmp_path).instrumentation.scripts == 2


def test_what_is_refused_is_not_written(tmp_path: Path) -> None:
    def refuse(_: Archive) -> None:
        raise UsageError("changed")

    with pytest.raises(UsageError):
        ArchiveKeeper(Run(tmp_path / "x").made, tmp_path / "y", probes=lambda: SMALL, check=refuse)
    assert not (tmp_path / "y").exists()
