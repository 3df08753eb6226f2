"""The command-line options that say which model plays which role in a run; they end up in Options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

_Command = TypeVar("_Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--model", default="", metavar="NAME", help="Model for all roles; none for the built-ins."),
    click.option("--tester-model", default="", metavar="NAME", help="Model for --tester model."),
    click.option("--hint-model", default="", metavar="NAME", help="Model for hints and texts of fields."),
    click.option(
        "--base-url",
        default="",
        metavar="URL",
        help="Another server of the Messages API; else EXPLORER_BASE_URL.",
    ),
    click.option("--max-calls", type=click.IntRange(1), help="Model calls, then the built-ins go on."),
    click.option(
        "--max-cost", type=click.FloatRange(0, min_open=True), help="US dollars, then the built-ins go on."
    ),
    click.option("--prices", default="", metavar="FILE", help="Table of prices (TOML) for --max-cost."),
    click.option(
        "--record", default="", metavar="DIR", help="Keep all requests to models and their replies there."
    ),
    click.option("--replay", default="", metavar="DIR", help="Read the replies from a recording."),
    click.option(
        "--replay-missing",
        type=click.Choice(["error", "ask"]),
        default="error",
        show_default=True,
        help="What to do with a request that was not recorded.",
    ),
    click.option(
        "--tester-screenshots", is_flag=True, help="Show the model tester a screenshot before each action."
    ),
)


def model_options(command: _Command) -> _Command:
    """Adds the options to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
