"""`explore-app judge` and `explore-app criteria` from the command line, against the local server."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from explorer.cli import commands
from explorer.judged import requirement_of
from instrument.errors import UsageError
from judge.criteriafile import read_criteria
from judge.scorefile import load_scores
from tests.cases import asked, panel, turn, write_run
from tests.modelserver import ModelServer, Prompt, Trouble

CRITERIA = """\
requirement = "a list of notes"

[[criterion]]
type = "content"
text = "Three plans are named"

[[criterion]]
type = "functional"
text = "Notes can be flown"
"""


@pytest.fixture(autouse=True)
def bare_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "EXPLORER_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", str(tmp_path / "none"))
    yield


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run")


def brain(prompt: Prompt) -> object:
    """The panel gives 60; a criterion is met where its text speaks of plans; three writers agree on two criteria."""
    if prompt.schema_name == "CriteriaReply":
        return {
            "criteria": [
                {"type": "content", "text": "Three plans are named"},
                {"type": "visual", "text": f"Odd {prompt.number}"},
            ]
        }
    if prompt.schema_name != "AlignmentReply":
        return panel()(prompt)
    if "plans" not in prompt.question:
        return turn("verdict", met=False, confidence=0.8)
    if "<result" not in prompt.question:
        return turn("search", pattern="three plans", where="pages")
    return turn("verdict", met=True, evidence=["N3"], quote="Three plans", confidence=0.9)


def call(*words: object) -> Any:
    return CliRunner().invoke(commands, [str(word) for word in words])


def told(result: Any) -> str:
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return str(result.stdout)


def test_judge_writes_scores_and_prints_them(run: Path, tmp_path: Path) -> None:
    criteria = tmp_path / "criteria.toml"
    criteria.write_text(CRITERIA)
    with ModelServer(brain) as server:
        result = call(
            "judge", run, "--requirements", criteria, "--judge-model", "claude-test", "--base-url", server.url
        )
    said = told(result)
    assert "Judged by claude-test (deliberation)." in said
    assert "Aesthetics  60.0" in said and "Usability   60.0" in said
    assert "Content     100.0, 1 of 1 criteria met" in said and "Functional  0.0, 0 of 1" in said
    assert "C1  met          Three plans are named [N3]" in said
    scores = load_scores(run)
    assert scores is not None and scores.requirement == "a list of notes" and scores.judged
    assert [verdict.met for verdict in scores.verdicts] == [True, False]
    assert set(scores.usage) == {"advocate", "critic", "judge", "alignment"}
    assert scores.usage["judge"]["calls"] == 10
    assert read_criteria(run / "criteria.toml").criteria == read_criteria(criteria).criteria
    # Judged again by the copy, it is left as it is.
    (run / "criteria.toml").write_text("# mine\n" + CRITERIA)
    call("judge", run, "--requirements", run / "criteria.toml")
    assert (run / "criteria.toml").read_text().startswith("# mine")


def test_the_requirement_may_be_given_as_it_is(run: Path) -> None:
    with ModelServer(brain) as server:
        words = ("--requirements", "Three plans are named", "--base-url", server.url, "--quiet")
        result = call("judge", run, *words)
    assert result.exit_code == 0, result.output
    scores = load_scores(run)
    assert scores is not None and scores.requirement == "Three plans are named" and scores.verdicts


def test_prefix_is_read_from_the_cache(run: Path) -> None:
    with ModelServer(brain) as server:
        call("judge", run, "--dimensions", "usability", "--base-url", server.url, "--quiet")
    scores = load_scores(run)
    assert scores is not None
    tokens = {role: row["tokens"] for role, row in scores.usage.items()}
    assert tokens["advocate"]["cache_write"] > 500 and tokens["advocate"]["cache_read"] == 0
    for role in ("critic", "judge"):
        assert tokens[role]["cache_write"] == 0 and tokens[role]["cache_read"] > 500


def test_dimensions_are_named_with_commas_or_one_by_one(run: Path) -> None:
    for words in (
        ["--dimensions", "usability,aesthetics"],
        ["--dimensions", "aesthetics", "--dimensions", "usability"],
    ):
        assert call("judge", run, "--quiet", *words).exit_code == 0
        scores = load_scores(run)
        assert scores is not None and [each.dimension for each in scores.scores] == [
            "aesthetics",
            "usability",
        ]
    wrong = call("judge", run, "--dimensions", "beauty")
    assert wrong.exit_code == 2 and "there is no beauty; choose from aesthetics" in wrong.output


def test_json_is_the_file(run: Path) -> None:
    with ModelServer(brain) as server:
        result = call("judge", run, "--json", "--quiet", "--base-url", server.url)
    assert json.loads(told(result)) == json.loads((run / "scores.json").read_text())


def test_no_key_takes_the_built_in_and_says_so(run: Path) -> None:
    result = call("judge", run)
    assert result.exit_code == 0 and "Judged by the built-in judge: heuristic" in told(result)
    assert "no key was found" in result.stderr


def test_key_that_is_removed_in_the_middle_is_told(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret-one")

    def closing(prompt: Prompt) -> object:
        if prompt.number == 8:
            server.key = "another"
        return brain(prompt)

    with ModelServer(closing, key="secret-one") as server:
        result = call("judge", run, "--base-url", server.url)
    said = told(result)
    assert result.exit_code == 0
    assert "Aesthetics  60.0" in said and "(by heuristic)" in said
    assert "Note      usability is scored by the built-in judge (heuristic)" in said
    scores = load_scores(run)
    assert scores is not None
    assert [score.judge for score in scores.scores] == ["claude-sonnet-5-5", "heuristic"]
    assert "secret-one" not in (run / "scores.json").read_text()


def test_limit_of_calls_falls_back_and_says_so(run: Path) -> None:
    with ModelServer(brain) as server:
        result = call("judge", run, "--max-calls", 3, "--base-url", server.url)
        assert len(server.prompts) == 3
    assert "the limit of 3 model calls (--max-calls) is reached" in told(result)
    assert result.exit_code == 0


def test_recording_replays_without_a_server(run: Path, tmp_path: Path) -> None:
    with ModelServer(brain) as server:
        one = call("judge", run, "--base-url", server.url, "--record", tmp_path / "tape", "--quiet")
    # Another place on the disk: nothing in a request depends on it.
    moved = write_run(tmp_path / "elsewhere" / "run")
    two = call("judge", moved, "--judge-model", "claude-sonnet-5-5", "--replay", tmp_path / "tape", "--quiet")
    assert told(one).splitlines()[:-1] == told(two).splitlines()[:-1]


def test_requirement_as_text_gets_its_criteria_first(run: Path, tmp_path: Path) -> None:
    text = tmp_path / "wish.txt"
    text.write_text("a list of notes with plans")
    with ModelServer(brain) as server:
        result = call(
            "judge", run, "--requirements", text, "--dimensions", "content", "--base-url", server.url
        )
        assert any("a list of notes with plans" in prompt.evidence for prompt in server.prompts)
    assert "Content     100.0" in told(result)
    assert [each.text for each in read_criteria(run / "criteria.toml").criteria] == ["Three plans are named"]


def test_exploring_never_sees_criteria_and_judging_no_requirement(run: Path, tmp_path: Path) -> None:
    criteria = tmp_path / "criteria.toml"
    criteria.write_text(CRITERIA)
    with ModelServer(brain) as server:
        call("judge", run, "--requirements", criteria, "--base-url", server.url)
        members = [asked(prompt) for prompt in server.asked("PanelReply")]
    assert members and not any("flown" in f"{each.exhibits}{each.outside}" for each in members)


def test_criteria_are_written_to_a_file_to_edit(tmp_path: Path) -> None:
    out = tmp_path / "made" / "criteria.toml"
    with ModelServer(brain) as server:
        result = call("criteria", "a list of notes", "--out", out, "--base-url", server.url)
    said = told(result)
    assert "1 criterion is in" in said
    assert "Left out  Odd 1 (in 1 of 3 samples)" in said
    (only,) = read_criteria(out).criteria
    assert (only.kind, only.text, only.votes) == ("content", "Three plans are named", 3)
    with ModelServer(brain) as server:
        printed = told(call("criteria", "a list of notes", "--samples", "1", "--base-url", server.url))
        assert len(server.prompts) == 1
    assert printed.count("[[criterion]]") == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["judge", "RUN", "--requirements", "none.toml"], "There is no file none.toml"),
        (["judge", "RUN", "--requirements", "BAD"], "line 1: type is one of"),
        (["judge", "RUN", "--requirements", "WISH"], "takes a model, but no key was found"),
        (["judge", "RUN", "--dimensions", "visual"], "name their file with --requirements"),
        (["judge", "nowhere"], "There is no folder"),
        (["criteria", "a list"], "Writing criteria takes a model, and no key was found"),
        (["criteria", "none.txt"], "There is no file none.txt"),
    ],
)
def test_mistakes_are_one_sentence_that_helps(
    run: Path, tmp_path: Path, words: list[str], message: str
) -> None:
    (tmp_path / "bad.toml").write_text('[[criterion]]\ntext = "a"\n')
    (tmp_path / "wish.md").write_text("a list")
    places = {"RUN": run, "BAD": tmp_path / "bad.toml", "WISH": tmp_path / "wish.md"}
    result = call(*[places.get(word, word) for word in words])
    assert isinstance(result.exception, UsageError)
    assert message in str(result.exception)
    assert not (run / "scores.json").exists()


def test_model_that_never_answers_well_ends_in_words(run: Path) -> None:
    with ModelServer(lambda prompt: Trouble(400, "invalid_request_error", "no such model")) as server:
        result = call("judge", run, "--base-url", server.url, "--dimensions", "usability")
    assert result.exit_code == 0
    assert "usability is scored by the built-in judge" in told(result) and "no such model" in told(result)


def test_requirement_is_a_file_or_the_text_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("a timer"))
    assert requirement_of("-") == "a timer"
    (tmp_path / "wish").write_text("a clock", encoding="utf-8-sig")
    assert requirement_of(str(tmp_path / "wish")) == "a clock"
    assert requirement_of("a todo list/planner") == "a todo list/planner"
    assert requirement_of("x " * 5000) == "x " * 5000
    with pytest.raises(UsageError, match="There is no file"):
        requirement_of("wishes/one")
    (tmp_path / "latin").write_bytes(b"\xe9")
    with pytest.raises(UsageError, match="no text in UTF-8"):
        requirement_of(str(tmp_path / "latin"))
