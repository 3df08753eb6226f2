"""What guidance by code is worth, as a statistic over seeds: the password that only the source names."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer import Options, explore

pytestmark = [pytest.mark.browser, pytest.mark.slow]
SEEDS = range(4)


def opened(app: Path, out: Path, tester: str) -> int:
    """In how many seeds the run got through the door."""
    line = next(
        n
        for n, text in enumerate((app / "index.html").read_text().splitlines(), 1)
        if "say('inside')" in text
    )
    times = 0
    for seed in SEEDS:
        run = explore(app, budget=30, seed=seed, out=out / f"{tester}-{seed}", options=Options(tester=tester))
        inside = [p.id for p in run.probes.probes if p.kind == "statement" and p.position.line == line]
        assert inside
        times += run.hits.issuperset(inside)
    return times


def test_password_in_the_source_is_found_by_the_guided_tester_alone(apps: Path, tmp_path: Path) -> None:
    assert opened(apps / "gated", tmp_path, "guided") >= 3
    assert opened(apps / "gated", tmp_path, "random") == 0
