"""What a run leaves behind, as a record."""

from __future__ import annotations

from tests.explorations import exploration


def test_its_repr_is_a_line_not_the_whole_run() -> None:
    run = exploration()
    said = repr(run)
    assert run.target in said
    assert f"{run.actions} actions, {len(run.graph)} states, {len(run.findings)} findings" in said
    assert len(said) < 200
