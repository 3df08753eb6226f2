"""What a run leaves behind, as a record."""

from __future__ import annotations

from tests.explorations import exploration


def test_its_repr_is_a_line_not_the_whole_run() -> None:
    run = exploration()
    said = repr(run)
    assert run.target in said
    assert f"{run.actions} actions, {len(run.graph)} states, {len(run.findings)} findings" in said
    assert len(said) < 200


def test_its_coverage_has_the_numbers_of_own_and_vendor_code_and_of_each_file() -> None:
    run = exploration()
    own, files = run.coverage.own, run.coverage.files
    for kind, count in (("statement", own.statements), ("branch", own.branches)):
        ids = {probe.id for probe in run.probes.probes if probe.kind == kind and probe.id in run.probes.own}
        assert (count.covered, count.total) == (len(ids & run.hits), len(ids))
    assert round(own.statements.pct, 1) == 68.8
    assert own.functions == files["app.js"].functions + files["store.js"].functions
    assert run.coverage.vendor == files["vendor/emitter.js"]
