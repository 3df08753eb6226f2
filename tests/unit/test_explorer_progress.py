"""Progress on stderr: lines where there is no terminal, a bar where there is one, nothing when quiet."""

import io

import pytest
from rich.console import Console

from explorer.progress import Lines, Quiet, Standing, make_progress, summary
from graph.records import Action, Step


def step(index: int, gain: int = 0) -> Step:
    action = Action("click", "") if index else None
    return Step(index=index, action=action, before="", after="s", url="/", title="", gain=gain, hits=())


def test_a_line_for_every_stage_and_every_ten_actions() -> None:
    out = io.StringIO()
    told = Lines(Console(file=out, width=200))
    told.phase("instrumenting [bold]app[/bold]")
    for done in range(25):
        told.step(step(done), Standing(done, 24, done, 50, 1, 0))
    said = out.getvalue().splitlines()
    assert said[0] == "instrumenting [bold]app[/bold]"
    assert [line.split()[0] for line in said[1:]] == ["after", "10/24", "20/24", "24/24"]


def test_summary_says_where_a_run_stands() -> None:
    text = summary(step(3, gain=7), Standing(3, 100, 20, 80, 4, 2))
    assert text == "3/100 actions: 25.0 % of statements (+7), 4 states, 2 findings"
    assert Standing(0, 1, 0, 0, 0, 0).percent == 0


def test_the_load_is_called_so_and_one_is_singular() -> None:
    load = summary(step(0, gain=9), Standing(0, 60, 9, 36, 1, 1))
    assert load == "after the load: 25.0 % of statements, 1 state, 1 finding"
    assert summary(step(1), Standing(1, 1, 9, 36, 1, 0)).startswith("1/1 action: ")


def test_without_a_terminal_progress_is_plain(capsys: pytest.CaptureFixture[str]) -> None:
    with make_progress() as told:
        told.phase("looking")
    assert capsys.readouterr().err == "looking\n"


def test_quiet_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with make_progress(quiet=True) as told:
        assert isinstance(told, Quiet)
        told.phase("looking")
        told.step(step(1), Standing(1, 2, 3, 4, 5, 6))
    assert capsys.readouterr() == ("", "")


def test_on_a_terminal_a_bar_follows_the_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    with make_progress() as told:
        told.phase("looking")
        told.step(step(1, gain=2), Standing(1, 2, 3, 4, 5, 6))
        assert "looking" in capsys.readouterr().err
