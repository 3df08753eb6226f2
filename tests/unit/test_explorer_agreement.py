"""Two measurements compared: who is right is not asked, each kind of disagreement is counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from explorer.agreement import (
    AGREEMENT,
    BLOCK_NOT_TOLD,
    LEFT_EARLY,
    MOST_NAMED,
    MOST_SHOWN,
    NOT_SEEN,
    NOT_TOLD,
    RAN_BEFORE,
    RAN_ONCE_MORE,
    Agreement,
    Disagreement,
    agreement_json,
    agreement_lines,
    compare_hits,
    load_agreement,
)
from instrument.errors import UsageError
from instrument.probes import Position, Probe, ProbeMap, SourceFile


def _map(path: str = "a.js", text: str = "") -> ProbeMap:
    """Two functions of two statements each (0, 1 in 4; 2, 3 in 5)."""
    probes = [Probe(at, "statement", path, Position(at + 1, 0, at + 1, 9), "") for at in range(4)]
    probes += [Probe(at, "function", path, Position(at, 0, at, 9), "") for at in (4, 5)]
    source = SourceFile(path, "own", "plain", text, statements=(0, 1, 2, 3), functions=(4, 5))
    body = {4: frozenset({0, 1}), 5: frozenset({2, 3})}
    return ProbeMap(files=(source,), probes=probes, counters={}, body=body)


def _kinds(counters: set[int], ranges: set[int], *, elsewhere: int = 0) -> dict[str, int]:
    (found,) = compare_hits(_map(), counters, _map(), ranges, elsewhere=elsewhere)
    return dict(found.kinds)


def test_equal_hits_agree_wholly() -> None:
    (found,) = compare_hits(_map(), {0, 4}, _map(), {0, 4})
    assert (found.pct, found.both, found.total, found.kinds) == (100.0, 1, 4, {})


def test_kinds_of_disagreement() -> None:
    assert _kinds({0, 4}, {0, 1, 4}) == {LEFT_EARLY: 1}
    assert _kinds({0, 4}, {0, 2, 4}) == {RAN_ONCE_MORE: 1}
    assert _kinds({0, 2, 3}, {0, 2}) == {BLOCK_NOT_TOLD: 1}
    assert _kinds({0, 2}, {0}, elsewhere=1) == {RAN_BEFORE: 1}
    assert _kinds({0, 2}, set()) == {NOT_TOLD: 2}


def test_runs_differ_only_where_a_step_led_elsewhere() -> None:
    assert _kinds({0, 2}, {0}) == {NOT_SEEN: 1}, "V8 is blind there, nothing else tells them apart"


def test_statements_that_disagree_are_named() -> None:
    source = "let a = 1;\nlet b = 2;\nlet c = 3;\nlet d = 4;\n"
    (found,) = compare_hits(_map(text=source), {0, 2}, _map(text=source), {0, 1})
    assert found.named == (
        Disagreement("a.js", 2, 1, "v8", LEFT_EARLY, "let b = 2"),
        Disagreement("a.js", 3, 1, "counters", NOT_SEEN, "let c = 3"),
    )
    assert [row.place for row in found.named] == ["a.js:2:1", "a.js:3:1"]


def test_many_are_counted_and_the_first_are_named() -> None:
    probes = [Probe(at, "statement", "a.js", Position(at + 1, 0, at + 1, 9), "") for at in range(60)]
    source = SourceFile("a.js", "own", "plain", "", statements=tuple(range(60)))
    known = ProbeMap(files=(source,), probes=probes, counters={})
    agreement = Agreement(compare_hits(known, set(range(60)), known, set()), steps=1, elsewhere=0)
    rows = agreement_json(agreement)["disagreements"]
    assert isinstance(rows, list)
    assert (len(rows), rows[0]["line"], rows[-1]["line"]) == (MOST_NAMED, 1, MOST_NAMED)
    told = agreement_lines(agreement)
    assert len([line for line in told if line.startswith("  - a.js:")]) == MOST_SHOWN
    assert told[-1] == f"  and {60 - MOST_SHOWN} more; {AGREEMENT} names up to {MOST_NAMED}"


def test_only_what_both_know_is_compared() -> None:
    assert compare_hits(_map("a.js"), {0}, _map("b.js"), {0}) == ()


def _agreement() -> Agreement:
    return Agreement(compare_hits(_map(), {0, 4}, _map(), {0, 1, 4}), steps=7, elsewhere=0)


def test_the_terminal_names_files_that_disagree_and_the_sum() -> None:
    assert agreement_lines(_agreement()) == [
        "Agreement of counters and V8 in statements; 7 steps were done again, all led to the same states:",
        "  a.js        75.00 % of 4 (counters only 0, V8 only 1: 1 block left early)",
        "  all files   75.00 % of 4 (counters only 0, V8 only 1: 1 block left early)",
        "  - a.js:2:1 ran by V8, not by the counters (block left early)",
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
