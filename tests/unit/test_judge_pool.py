"""Run folders, tables and votes that are read from disk: what is right is taken, what is wrong is told with its place."""

import json
from pathlib import Path

import pytest

from instrument.errors import UsageError
from judge.agreement import Vote
from judge.pool import entry_of, read_scores, read_votes, run_folders
from judge.records import Score, Scores
from judge.scorefile import save_scores


def judged(folder: Path, usability: float | None, *, judge: str = "m", by: str = "") -> Path:
    """A run folder with a score of usability."""
    folder.mkdir(parents=True)
    status = "scored" if usability is not None else "insufficient"
    score = Score(dimension="usability", value=usability, status=status, judge=by or judge)  # type: ignore[arg-type]
    save_scores(Scores(judge=judge, scores=(score,)), folder)
    return folder


def test_run_folders_are_found_one_level_down_each_once(tmp_path: Path) -> None:
    b, a = judged(tmp_path / "b", 1), judged(tmp_path / "a", 2)
    (tmp_path / "c").mkdir()
    assert run_folders([a, tmp_path]) == (a, b)
    with pytest.raises(UsageError, match="explore-app judge"):
        run_folders([tmp_path / "c"])
    with pytest.raises(UsageError, match="no folder"):
        run_folders([tmp_path / "nowhere"])


def test_a_score_that_another_judge_gave_does_not_count(tmp_path: Path) -> None:
    assert entry_of(judged(tmp_path / "a", 60)).raw["usability"] == 60
    assert entry_of(judged(tmp_path / "b", 60, by="heuristic")).raw["usability"] is None
    assert entry_of(judged(tmp_path / "c", None)).raw["usability"] is None
    assert entry_of(tmp_path / "a").raw["visual"] is None


def test_scores_come_from_a_csv_a_ranking_or_runs(tmp_path: Path) -> None:
    table = tmp_path / "s.csv"
    table.write_text("\ufeffname,score,usability\na,50,7\nb,,8\n", encoding="utf-8")
    assert read_scores(table) == {"a": 50}
    assert read_scores(table, dimension="usability") == {"a": 7, "b": 8}
    ranked = tmp_path / "r.json"
    row = {"name": "x", "overall": 0.5, "raw": {"usability": 40}}
    ranked.write_text(json.dumps({"tables": [{"rows": [row, {**row, "name": "y", "overall": None}]}]}))
    assert read_scores(ranked) == {"x": 0.5}
    judged(tmp_path / "runs" / "one", 33)
    assert read_scores(tmp_path / "runs", dimension="usability") == {"one": 33}
    with pytest.raises(UsageError, match="rank them first"):
        read_scores(tmp_path / "runs")


@pytest.mark.parametrize("text", ["name,beauty\na,1\n", "name,score\na,much\n", "{}", '{"tables": [1, 2]}'])
def test_a_table_without_scores_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "s.csv"
    path.write_text(text)
    with pytest.raises(UsageError, match="columns name and score"):
        read_scores(path)


def test_votes_name_the_winner_in_any_of_its_ways(tmp_path: Path) -> None:
    path = tmp_path / "v.csv"
    path.write_text("left,right,winner,voter\na,b,a,x\na,b,RIGHT,y\na,b,tie,x\nb,a,left,z\na,b,,\n")
    assert read_votes(path) == (
        Vote("a", "b", "a", "x"),
        Vote("a", "b", "b", "y"),
        Vote("a", "b", "", "x"),
        Vote("b", "a", "b", "z"),
        Vote("a", "b", "", ""),
    )


@pytest.mark.parametrize("row", ["a,b,c", "a,a,a", ",b,b"])
def test_a_vote_that_makes_no_sense_is_told_with_its_line(tmp_path: Path, row: str) -> None:
    path = tmp_path / "v.csv"
    path.write_text(f"left,right,winner\na,b,a\n{row}\n")
    with pytest.raises(UsageError, match="line 3"):
        read_votes(path)


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n"])
def test_a_file_without_votes_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "v.csv").write_text(text)
    with pytest.raises(UsageError, match="columns left, right, winner"):
        read_votes(tmp_path / "v.csv")
