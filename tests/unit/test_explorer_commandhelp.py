"""Help that answers: targets and examples first, every option in its group, exit codes; a wrong call names its help."""

from __future__ import annotations

import click
import pytest

from explorer.cli import commands, main
from explorer.commandhelp import EXAMPLES, EXIT_CODES, SECTIONS, SHORT
from explorer.options import Options


def called(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[object, str, str]:
    try:
        main(list(words))
        code: object = 0
    except SystemExit as left:
        code = left.code
    said = capsys.readouterr()
    return code, said.out, said.err


def test_help_tells_the_default_command_targets_and_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = called(capsys, "--help")

    assert (code, err) == (0, "")
    assert out.startswith("Usage: explore-app TARGET [OPTIONS]")
    assert all(command in out for command, _ in EXAMPLES)
    assert all(f"  {number} " in out and what in out for number, what in EXIT_CODES)
    assert "..." not in out.replace("COMMAND ...", "")
    assert len(out.splitlines()) <= 45 and max(map(len, out.splitlines())) <= 100


def test_every_command_has_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = called(capsys, "--help")

    assert set(SHORT) == set(commands.commands)
    assert all(line in " ".join(out.split()) for line in SHORT.values())


def test_without_a_word_the_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert called(capsys) == called(capsys, "--help")


def test_options_of_explore_stand_in_groups_once_each(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = called(capsys, "explore", "--help")

    options = [each for each in commands.commands["explore"].params if isinstance(each, click.Option)]
    grouped = [name for names in SECTIONS.values() for name in names]
    assert sorted(grouped) == sorted(each.name or "" for each in options)
    lines = [line.strip() for line in out.splitlines()]
    assert all(sum(line.split(" ")[0] == each.opts[0] for line in lines) == 1 for each in options)
    assert all(f"{title}:" in lines for title in (*SECTIONS, "Exit codes", "Examples"))
    assert "http://localhost" in out and "project" in out
    assert all(each.help for each in options)


def test_every_option_of_a_run_is_on_the_command_line() -> None:
    named = {each.name for each in commands.commands["explore"].params}
    assert set(Options.__dataclass_fields__) <= named


@pytest.mark.parametrize(
    ("words", "help_of"),
    [
        (["judge"], "explore-app judge"),
        (["resume", "run", "--budget", "no"], "explore-app resume"),
        (["./dist", "--budgt", "5"], "explore-app explore"),
    ],
)
def test_wrong_use_names_the_help_of_what_was_called(
    capsys: pytest.CaptureFixture[str], words: list[str], help_of: str
) -> None:
    code, out, err = called(capsys, *words)

    assert (code, out) == (2, "")
    assert err.endswith(f"Try `{help_of} --help`.\n") and "Usage:" not in err


@pytest.mark.parametrize("words", [["--budget", "5"], ["./nowhere"], ["detect", "./nowhere"]])
def test_a_target_that_is_missing_says_what_can_be_one(
    capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    code, _, err = called(capsys, *words)

    assert code == 2
    assert "a project, a folder with a web app, an html file, or the address of a running app" in err
