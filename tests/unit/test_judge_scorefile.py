"""scores.json: written whole, read back as it was, and what is none is refused with a sentence."""

from pathlib import Path

import pytest

from instrument.errors import UsageError
from judge.records import Score, Scores
from judge.scorefile import SCORES, load_scores, save_scores

SCORED = Scores(
    judge="m", scores=(Score(dimension="usability", value=50.0, status="scored"),), notes=("“x”",)
)


def test_scores_are_read_back_as_they_were(tmp_path: Path) -> None:
    assert load_scores(tmp_path) is None
    assert save_scores(SCORED, tmp_path) == tmp_path / SCORES
    assert load_scores(tmp_path) == SCORED
    assert [path.name for path in tmp_path.iterdir()] == [SCORES]


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"judge": "m", "surprise": 1}', '{"judge": "m", "version": 9}']
)
def test_a_file_that_holds_no_scores_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / SCORES).write_text(text)
    with pytest.raises(UsageError, match="judge the run again"):
        load_scores(tmp_path)


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        save_scores(SCORED, tmp_path / "none")
