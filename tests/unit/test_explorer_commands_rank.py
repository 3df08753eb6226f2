"""`explore-app rank` and `explore-app agreement` from the command line."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from explorer.cli import commands
from instrument.errors import UsageError
from judge.records import Dimension, Score, Scores
from judge.scorefile import load_scores, save_scores
from tests.cases import asked, flat, panel, write_run
from tests.modelserver import ModelServer, Prompt


def judged(folder: Path, aesthetics: float, usability: float, judge: str = "m") -> None:
    folder.mkdir(parents=True)
    given: tuple[tuple[Dimension, float], ...] = (("aesthetics", aesthetics), ("usability", usability))
    scores = tuple(Score(dimension=name, value=value, status="scored", judge=judge) for name, value in given)
    save_scores(Scores(judge=judge, scores=scores), folder)


def called(*arguments: str | Path) -> str:
    """What the command prints; its own errors come through."""
    result = CliRunner().invoke(commands, [str(argument) for argument in arguments], catch_exceptions=True)
    if isinstance(result.exception, UsageError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return str(result.stdout)


def test_ranking_prints_raw_scores_beside_the_overall(tmp_path: Path) -> None:
    for name, value in (("good", 80), ("bad", 20), ("fair", 50)):
        judged(tmp_path / name, value, value)
    lines = called("rank", tmp_path).splitlines()
    assert lines[0] == "Judge: m"
    assert [line.split()[:2] for line in lines[2:5]] == [["1", "good"], ["2", "fair"], ["3", "bad"]]
    assert "+1.225" in lines[2]
    assert "80.0" in lines[2]


def test_groups_references_and_judges(tmp_path: Path) -> None:
    judged(tmp_path / "x" / "1", 80, 60)
    judged(tmp_path / "x" / "2", 60, 60)
    judged(tmp_path / "y" / "1", 20, 20)
    kept = tmp_path / "reference.json"
    table = json.loads(
        called("rank", tmp_path / "x", tmp_path / "y", "--by", "folder", "--json", "--write-reference", kept)
    )
    (only,) = table["tables"]
    assert [(row["name"], row["runs"], row["raw"]["aesthetics"]) for row in only["rows"]] == [
        ("x", 2, 70),
        ("y", 1, 20),
    ]
    again = json.loads(called("rank", tmp_path / "y", "--reference", kept, "--json"))
    assert again["tables"][0]["rows"][0]["overall"] == pytest.approx(-1)
    judged(tmp_path / "z" / "1", 50, 50, judge="heuristic")
    text = called("rank", tmp_path / "x", tmp_path / "z")
    assert text.count("Judge: ") == 2
    with pytest.raises(UsageError, match="judge"):
        called("rank", tmp_path / "z", "--reference", kept)
    with pytest.raises(UsageError, match="one judge"):
        called("rank", tmp_path / "x", tmp_path / "z", "--write-reference", kept)


def test_agreement_prints_shares_with_intervals(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("name,score\na,80\nb,50\nc,48\n")
    (tmp_path / "v.csv").write_text(
        "left,right,winner,voter\na,b,a,1\nb,a,a,2\nb,c,c,1\na,c,tie,1\na,q,a,1\n"
    )
    text = called("agreement", tmp_path / "s.csv", tmp_path / "v.csv")
    assert "2 of 3 agree, 66.7 %" in text.replace("66.7%", "66.7 %")
    assert "1 tie, 1 vote about" in text
    found = json.loads(called("agreement", tmp_path / "s.csv", tmp_path / "v.csv", "--json"))
    assert found["by_margin"]["wide"]["share"] == 1
    assert found["spearman"] == pytest.approx(0.5)


def test_another_judge_is_compared_run_by_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", str(tmp_path / "none"))
    runs = tmp_path / "runs"
    for name, value in (("a", 80.0), ("b", 40.0), ("c", 60.0)):
        write_run(runs / name)
        scores = tuple(
            Score(dimension=each, value=value, status="scored", judge="first")
            for each in ("aesthetics", "usability")
        )
        save_scores(Scores(judge="first", scores=scores), runs / name)
    levels = iter((4.0, 1.0, 2.0))
    now = {"level": 0.0, "asked": 0}

    def brain(prompt: Prompt) -> object:
        if asked(prompt).side == "advocate" and now["asked"] % 2 == 0:
            now["level"] = next(levels)
        now["asked"] += asked(prompt).side == "advocate"
        return panel(judge=flat(now["level"]))(prompt)

    with ModelServer(brain) as server:
        words = ("agreement", runs, "--swap-judge", "second", "--base-url", server.url, "--json")
        found = json.loads(called(*words))
    assert found["usability"]["means"] == [60, pytest.approx(140 / 3)]
    assert found["usability"]["spearman"] == pytest.approx(1)
    assert found["aesthetics"]["kept"]["share"] == 1
    assert load_scores(runs / "a", swapped=True).judge == "second"  # type: ignore[union-attr]
    assert load_scores(runs / "a").judge == "first"  # type: ignore[union-attr]


def test_rankings_have_margins_of_their_own_and_strange_names_are_said(tmp_path: Path) -> None:
    for name, value in (("good", 80), ("bad", 20), ("fair", 50)):
        judged(tmp_path / "runs" / name, value, value)
    ranked, votes = tmp_path / "ranked.json", tmp_path / "v.csv"
    ranked.write_text(called("rank", tmp_path / "runs", "--json"))
    votes.write_text("left,right,winner\ngood,bad,good\ngood,fair,good\n")
    assert "0.75 apart or more           2 of 2 agree" in called("agreement", ranked, votes)
    votes.write_text("left,right,winner\nx,y,x\n")
    with pytest.raises(UsageError, match="check the names"):
        called("agreement", ranked, votes)


def test_agreement_wants_votes_or_a_judge_and_not_both(tmp_path: Path) -> None:
    for words in ((), (tmp_path / "v.csv", "--swap-judge", "m")):
        with pytest.raises(UsageError, match="name one"):
            called("agreement", tmp_path, *words)
