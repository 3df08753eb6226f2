"""The way to a fault, on a real page: it was walked, so walking it again shows the fault again."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer import Options, explore, load_exploration
from explorer.paths import composed

pytestmark = pytest.mark.browser


def test_the_path_to_a_fault_leads_there_again(apps: Path, tmp_path: Path) -> None:
    for seed in (0, 1, 2):
        run = explore(apps / "third-try", budget=40, seed=seed, out=tmp_path / f"run{seed}")
        [thrown] = [finding for finding in run.findings if finding.kind == "exception"]
        steps = {step.index: step for step in run.trace.steps}
        way = [steps[index] for index in thrown.path]
        clicks = [step for step in way if step.action and step.action.name == "Check"]
        assert way[0].action is None and len(clicks) >= 3
        assert list(thrown.path) == sorted(thrown.path)
        assert composed(thrown, run.trace.steps), "the way through the states alone is shorter, and wrong"


def test_findings_are_walked_to_again(apps: Path, tmp_path: Path) -> None:
    run = explore(apps / "third-try", budget=30, out=tmp_path / "run", options=Options(replay_findings=True))
    [thrown] = [finding for finding in run.findings if finding.kind == "exception"]
    assert thrown.verified is True
    assert load_exploration(tmp_path / "run").findings == run.findings
