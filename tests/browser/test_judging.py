"""An app is explored and then judged from what was recorded, in one call."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from explorer import Judging, explore, load_exploration
from explorer.cli import commands
from judge.judging import JudgeSettings
from judge.roles import ModelSettings
from tests.cases import Asked, asked, claims, judgement, panel, turn
from tests.modelserver import ModelServer, Prompt

pytestmark = pytest.mark.browser

DEMO = Path(__file__).parents[1] / "apps" / "demo"

CRITERIA = """\
[[criterion]]
type = "functional"
text = "A theme can be chosen"
"""


def advocate(told: Asked) -> dict[str, object]:
    """Cites the first step whose page came to show something, with a quote of it."""
    for name, text in told.exhibits.items():
        lines = [line.strip() for line in text.splitlines() if line.strip().startswith("+ ")]
        if name.startswith("S") and lines:
            return claims(("It answers", [name], lines[0]), ("It flies", ["S9999"], ""))
    return claims()


def brain(prompt: Prompt) -> object:
    if prompt.schema_name != "AlignmentReply":
        return panel(
            advocate=advocate,
            judge=lambda told: judgement(told, 4, {"stability": -0.5, "visual-detail": 0.5}),
        )(prompt)
    if "<result" not in prompt.question:
        return turn("search", pattern=r"click button .(Dark|Light)", where="trace")
    found = [word for word in prompt.question.split() if word.startswith("S") and word[1:].isdigit()]
    return turn("verdict", met=bool(found), evidence=found[:1], confidence=1.0)


def test_explored_app_is_judged_from_its_run_folder(tmp_path: Path) -> None:
    criteria = tmp_path / "criteria.toml"
    criteria.write_text(CRITERIA)
    with ModelServer(brain) as server:
        judging = Judging(
            criteria, JudgeSettings(), ModelSettings(roles={"judge": "claude-test"}, base_url=server.url)
        )
        run = explore(DEMO, budget=25, out=tmp_path / "run", judge=judging)
    scores = run.scores
    assert scores is not None
    values = {score.dimension: score.value for score in scores.scores}
    assert values == {
        "aesthetics": 90.0,
        "usability": 70.0,
        "functional": 100.0,
        "content": None,
        "visual": None,
    }
    usability = scores.score("usability")
    assert usability is not None
    assert [claim.text for claim in usability.opinions[0].claims] == ["It answers"]
    assert [drop.citations for drop in usability.dropped] == [("S9999",)]
    (verdict,) = scores.verdicts
    assert verdict.met and verdict.citations[0].startswith("S")
    # Nothing of where it ran or how it is made reached the judge.
    told = [asked(prompt) for prompt in server.prompts]
    everything = "".join(text for each in told for text in each.exhibits.values())
    assert len(everything) > 5000
    for secret in ("127.0.0.1", str(tmp_path), "unexecuted", "compareMonths"):
        assert secret not in everything
    assert load_exploration(tmp_path / "run").scores == scores
    report = (tmp_path / "run" / "report.html").read_text()
    assert 'id="scores"' in report and "It answers" in report


def test_run_without_a_key_is_judged_by_the_built_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "EXPLORER_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", str(tmp_path / "none"))
    run = explore(DEMO, budget=8, out=tmp_path / "run", judge=Judging())
    assert run.scores is not None and run.scores.judge == "heuristic"
    assert {score.judge for score in run.scores.scores} == {"heuristic"}


def test_explore_command_judges_when_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "EXPLORER_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", str(tmp_path / "none"))
    criteria = tmp_path / "criteria.toml"
    criteria.write_text(CRITERIA)
    with ModelServer(brain) as server:
        words = [
            str(DEMO),
            "--budget",
            "12",
            "--out",
            str(tmp_path / "run"),
            "--quiet",
            "--hint-model",
            "none",
        ]
        result = CliRunner().invoke(
            commands,
            [
                *words,
                "--requirements",
                str(criteria),
                "--judge-model",
                "claude-test",
                "--base-url",
                server.url,
            ],
        )
        roles = {prompt.schema_name for prompt in server.prompts}
    assert result.exit_code == 0, result.output
    assert "Judged by claude-test (deliberation)." in result.stdout and "Usability   70.0" in result.stdout
    assert roles == {"PanelReply", "AlignmentReply"}
    assert (tmp_path / "run" / "scores.json").is_file()
    result = CliRunner().invoke(
        commands, [str(DEMO), "--out", str(tmp_path / "other"), "--requirements", "none.toml"]
    )
    assert "There is no file none.toml" in str(result.exception)
    assert not (tmp_path / "other").exists()
