"""Ranks: z-scores with the population's deviation, weights, ties, what is missing, and judges kept apart."""

import json
import random
from collections.abc import Mapping
from pathlib import Path

import pytest

from instrument.errors import UsageError
from judge.rank import WEIGHTS, Entry, grouped, load_reference, rank, reference_of, save_reference


def entry(name: str, *values: float | None, judge: str = "m") -> Entry:
    raw: Mapping[str, float | None] = dict(zip(WEIGHTS, values, strict=False))
    return Entry(name, raw, judge)


def test_weights_are_the_papers() -> None:
    assert sum(WEIGHTS.values()) == pytest.approx(1)
    assert WEIGHTS["functional"] == WEIGHTS["content"] == WEIGHTS["visual"] == pytest.approx(1 / 9)


def test_z_scores_use_the_populations_deviation() -> None:
    (table,) = rank([entry("a", 40, 40, 40, 40, 40), entry("b", 60, 60, 60, 60, 60)])
    assert [row.entry.name for row in table.rows] == ["b", "a"]
    assert [row.overall for row in table.rows] == pytest.approx([1, -1])  # the sample's would give 0.71
    assert table.pooled


def test_each_dimension_weighs_what_it_should() -> None:
    pool = [entry("a", 60, 50, 50, 50, 50), entry("b", 40, 50, 50, 50, 60)]
    (table,) = rank(pool)
    by_name = {row.entry.name: row.overall for row in table.rows}
    assert by_name == pytest.approx({"a": 1 / 3 - 1 / 9, "b": 1 / 9 - 1 / 3})
    assert any("same usability" in note for note in table.notes)


def test_equal_scores_share_a_rank() -> None:
    (table,) = rank([entry(name, value, value) for name, value in (("a", 5), ("b", 9), ("c", 5), ("d", 1))])
    assert [(row.entry.name, row.rank) for row in table.rows] == [("b", 1), ("a", 2), ("c", 2), ("d", 4)]
    assert any("functional, content, visual" in note for note in table.notes)


def test_an_entry_without_a_score_is_not_placed_by_a_made_up_one() -> None:
    (table,) = rank([entry("a", 50, 60), entry("b", None, 99), entry("c", 40, 20)])
    last = table.rows[-1]
    assert (last.entry.name, last.rank, last.overall) == ("b", None, None)
    assert "aesthetics" in last.reason


def test_judges_have_tables_of_their_own() -> None:
    tables = rank([entry("a", 50, 50), entry("b", 90, 90, judge="heuristic"), entry("c", 60, 60)])
    assert [(table.judge, [row.entry.name for row in table.rows]) for table in tables] == [
        ("heuristic", ["b"]),
        ("m", ["c", "a"]),
    ]


def test_a_reference_makes_pools_comparable(tmp_path: Path) -> None:
    pool = [entry(str(i), 40 + 10 * i, 30 + 20 * i) for i in range(3)]
    save_reference(reference_of(pool), tmp_path / "r.json")
    kept = load_reference(tmp_path / "r.json")
    assert kept == reference_of(pool)
    alone = rank([entry("new", 50, 50)], reference=kept)[0]
    assert alone.rows[0].overall == pytest.approx(0)
    assert not alone.pooled
    with pytest.raises(UsageError, match="judge"):
        rank([entry("x", 1, 1, judge="other")], reference=kept)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 9}', '{"version": 1, "judge": "m"}'])
def test_a_file_that_is_no_reference_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "r.json").write_text(text)
    with pytest.raises(UsageError):
        load_reference(tmp_path / "r.json")


def test_an_unknown_dimension_is_refused(tmp_path: Path) -> None:
    row = {"version": 1, "judge": "m", "entries": 2, "moments": {"beauty": [1, 1]}}
    (tmp_path / "r.json").write_text(json.dumps(row))
    with pytest.raises(UsageError, match="beauty"):
        load_reference(tmp_path / "r.json")


def test_groups_are_means_of_the_runs_that_have_the_score() -> None:
    runs = [("x", entry("1", 50, None)), ("x", entry("2", 70, 40)), ("y", entry("3", 10, 20))]
    (x, y) = grouped(runs)
    assert (x.name, x.runs, x.raw["aesthetics"], x.raw["usability"]) == ("x", 2, 60, 40)
    assert (y.name, y.raw["visual"]) == ("y", None)


def test_ranks_do_not_depend_on_order_shift_or_scale() -> None:
    chance = random.Random(7)
    for _ in range(50):
        pool = [entry(str(i), *(chance.uniform(0, 50) for _ in WEIGHTS)) for i in range(6)]
        moved = [
            Entry(e.name, {name: 2 * v + 3 for name, v in e.raw.items() if v is not None}, "m") for e in pool
        ]
        chance.shuffle(moved)
        one, other = rank(pool)[0], rank(moved)[0]
        assert [row.entry.name for row in one.rows] == [row.entry.name for row in other.rows]
        assert [row.overall for row in one.rows] == pytest.approx([row.overall for row in other.rows])
        assert sum(row.overall or 0 for row in one.rows) == pytest.approx(0, abs=1e-9)


def test_nothing_to_rank_is_said() -> None:
    with pytest.raises(UsageError, match="judged"):
        rank([])
