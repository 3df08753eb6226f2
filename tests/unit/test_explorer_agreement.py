"""Two measurements compared: who is right is not asked, each kind of disagreement is counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from explorer.agreement import (
    AGREEMENT,
    BLOCK_NOT_TOLD,
    LEFT_EARLY,
    NOT_TOLD,
    RAN_BEFORE,
    RAN_ONCE_MORE,
    Agreement,
    agreement_json,
    agreement_lines,
    compare_hits,
    load_agreement,
)
from instrument.errors import UsageError
from instrument.probes import Position, Probe, ProbeMap, SourceFile


def _map(path: str = "a.js") -> ProbeMap:
    """Two functions of two statements each (0, 1 in 4; 2, 3 in 5)."""
    probes = [Probe(at, "statement", path, Position(at + 1, 0, at + 1, 9), "") for at in range(4)]
    probes += [Probe(at, "function", path, Position(at, 0, at, 9), "") for at in (4, 5)]
    source = SourceFile(path, "own", "plain", "", statements=(0, 1, 2, 3), functions=(4, 5))
    body = {4: frozenset({0, 1}), 5: frozenset({2, 3})}
    return ProbeMap(files=(source,), probes=probes, counters={}, body=body)


def _kinds(counters: set[int], ranges: set[int]) -> dict[str, int]:
    (found,) = compare_hits(_map(), counters, _map(), ranges)
    return dict(found.kinds)


def test_equal_hits_agree_wholly() -> None:
    (found,) = compare_hits(_map(), {0, 4}, _map(), {0, 4})
    assert (found.pct, found.both, found.total, found.kinds) == (100.0, 1, 4, {})


def test_kinds_of_disagreement() -> None:
    assert _kinds({0, 4}, {0, 1, 4}) == {LEFT_EARLY: 1}
    assert _kinds({0, 4}, {0, 2, 4}) == {RAN_ONCE_MORE: 1}
    assert _kinds({0, 2, 3}, {0, 2}) == {BLOCK_NOT_TOLD: 1}
    assert _kinds({0, 2}, {0}) == {RAN_BEFORE: 1}
    assert _kinds({0, 2}, set()) == {NOT_TOLD: 2}


def test_only_what_both_know_is_compared() -> None:
    assert compare_hits(_map("a.js"), {0}, _map("b.js"), {0}) == ()


def _agreement() -> Agreement:
    return Agreement(compare_hits(_map(), {0, 4}, _map(), {0, 1, 4}), steps=7, elsewhere=0)


def test_the_terminal_names_files_that_disagree_and_the_sum() -> None:
    assert agreement_lines(_agreement()) == [
        "Agreement of counters and V8 in statements; 7 steps were done again, all led to the same states:",
        "  a.js        75.00 % of 4 (counters only 0, V8 only 1: 1 block left early)",
        "  all files   75.00 % of 4 (counters only 0, V8 only 1: 1 block left early)",
    ]


def test_it_survives_the_run_folder(tmp_path: Path) -> None:
    assert load_agreement(tmp_path) is None
    path = tmp_path / AGREEMENT
    path.parent.mkdir()
    path.write_text(json.dumps(agreement_json(_agreement())))
    assert load_agreement(tmp_path) == _agreement()
    path.write_text("{}")
    with pytest.raises(UsageError, match=r"agreement\.json cannot be read"):
        load_agreement(tmp_path)
