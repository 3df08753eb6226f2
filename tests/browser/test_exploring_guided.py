"""What the built-in tester does with forms, dead ends and counters, on miniature apps in a real browser."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from explorer import Exploration, explore

pytestmark = pytest.mark.browser


def clicks(run: Exploration) -> Counter[str]:
    """Clicks by the name of what was clicked."""
    return Counter(
        step.action.name
        for step in run.trace.steps
        if step.action is not None and step.action.kind == "click"
    )


@pytest.mark.parametrize(("app", "budget"), [("boundaries", 35), ("resets", 25)])
def test_refused_forms_and_counters_that_begin_anew_are_reached(
    apps: Path, tmp_path: Path, app: str, budget: int
) -> None:
    """Empty and partly empty forms, a number beyond its limit; a fourth click in a row on one screen."""
    for seed in range(2):
        run = explore(apps / app, budget=budget, seed=seed, out=tmp_path / str(seed))
        assert run.coverage.own.statements.pct == 100


def test_dead_ends_are_not_tried_again_and_again(apps: Path, tmp_path: Path) -> None:
    """A button whose callback waits for a server, and one that does nothing."""
    for seed in range(2):
        run = explore(apps / "deadend", budget=25, seed=seed, out=tmp_path / str(seed))
        assert run.coverage.own.statements.covered == run.coverage.own.statements.total - 1
        assert clicks(run)["Export"] <= 4 and clicks(run)["Settings"] == 2
        hinted = [
            step.action for step in run.trace.steps if step.action and step.action.reason.startswith("hint")
        ]
        assert sum(action.name == "Export" for action in hinted) <= 1
        assert [finding.title for finding in run.findings if finding.kind == "dead-control"] == [
            'button "Settings" does nothing'
        ]
