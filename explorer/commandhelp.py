"""How the commands explain themselves: options in groups, commands in the order of a day's work, examples, exit codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

WIDTH = 100
"""Columns that help takes at most; a narrower terminal takes fewer."""

EXIT_CODES = (
    ("0", "fine"),
    ("1", "a gate that was asked for failed (--fail-under, --fail-on)"),
    ("2", "wrong use"),
    ("3", "the app could not be read, built, served or opened"),
    ("130", "interrupted; what was explored until then is written"),
)

EXAMPLES = (
    ("explore-app ./my-project", "sources: built in a copy, then explored"),
    ("explore-app ./dist --budget 200", "what a build made, or any static site"),
    ("explore-app http://localhost:5173", "an app that is served already"),
    ("explore-app page.html", "one html file and what it leads to"),
    ('explore-app ./my-project --start "npm run dev" --url http://localhost:5173', ""),
)

SECTIONS: Mapping[str, Sequence[str]] = {
    "Run": ("budget", "seed", "time_limit", "out"),
    "Target and build": (
        "app",
        "entry",
        "build",
        "build_timeout",
        "sandbox",
        "start",
        "url",
        "port",
    ),
    "What the browser may do": ("network", "allow_host", "clock", "browser", "headed"),
    "Measuring": ("coverage", "verify", "verify_coverage", "replay_findings", "abstraction", "axe"),
    "Tester and models": (
        "tester",
        "tester_screenshots",
        "model",
        "tester_model",
        "hint_model",
        "base_url",
        "max_calls",
        "max_cost",
        "prices",
        "record",
        "replay",
        "replay_missing",
    ),
    "Judging": ("judge", "requirements", "judge_model"),
    "Output and gates": ("fail_under", "fail_on", "as_json", "quiet"),
}
"""Options of `explore` by what they are about."""
LAST = "Output and gates"
"""Holds what no section names, so that nothing can be missing."""

SHORT: Mapping[str, str] = {
    "explore": "Explore an app; the default, so `explore-app TARGET` is enough.",
    "detect": "Say what a folder holds and what would be run; nothing is run.",
    "resume": "Go on with a run that was killed, interrupted or out of budget.",
    "report": "Write the report of a run folder anew.",
    "judge": "Judge a run from what it recorded.",
    "criteria": "Write criteria of a requirement into a file to edit.",
    "rank": "Rank judged runs on one scale.",
    "agreement": "Compare scores with people's votes, or with another judge's.",
    "doctor": "Say what this machine has, and how to get what is missing.",
    "cache": "Say what is kept from run to run, and free it.",
}
"""Commands as they are wanted, exploring first, each in a line; those of no line come last, with their own words."""


class SectionedCommand(click.Command):
    """A command of many options: its help shows them in groups, after examples, and its exit codes."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """What it does, then examples."""
        super().format_help_text(ctx, formatter)
        write_examples(formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options, a section each."""
        options = (each for each in self.get_params(ctx) if isinstance(each, click.Option))
        left = {parameter.name: parameter for parameter in options}
        groups = {
            title: [left.pop(name) for name in names if name in left] for title, names in SECTIONS.items()
        }
        groups[LAST] += left.values()
        for title, parameters in groups.items():
            _write_options(ctx, formatter, title, parameters)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The exit codes."""
        write_exit_codes(formatter)


class DefaultGroup(click.Group):
    """A group whose first word may be a target: `explore-app ./dist` is `explore-app explore ./dist`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Puts the default command in front where no other is named; without any word, shows the help."""
        if not args:
            click.echo(ctx.get_help())
            ctx.exit()
        if args[0] not in self.commands and args[0] not in ("--help", "-h", "--version"):
            args = ["explore", *args]
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """The default command first: it is what most want."""
        return ["TARGET [OPTIONS]  |  COMMAND ..."]

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """What it does, then examples."""
        super().format_help_text(ctx, formatter)
        write_examples(formatter)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """As they are wanted: exploring first, looking after the machine last."""
        known = [name for name in SHORT if name in self.commands]
        return [*known, *sorted(set(self.commands) - set(known))]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Each command in a line of its own, never cut."""
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name, SHORT.get(name) or self.commands[name].get_short_help_str(1000))
                    for name in self.list_commands(ctx)
                ]
            )

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands first: the few options are for whoever reads on."""
        self.format_commands(ctx, formatter)
        click.Command.format_options(self, ctx, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Where the rest stands, and the exit codes."""
        write_exit_codes(formatter)
        formatter.write_paragraph()
        formatter.write_text(
            f"`{ctx.command_path} explore --help` has all options of a run, "
            f"`{ctx.command_path} COMMAND --help` those of a command."
        )


def _write_options(
    ctx: click.Context, formatter: click.HelpFormatter, title: str, parameters: Sequence[click.Parameter]
) -> None:
    rows = [row for parameter in parameters if (row := parameter.get_help_record(ctx)) is not None]
    if rows:
        with formatter.section(title):
            formatter.write_dl(rows)


def write_examples(formatter: click.HelpFormatter) -> None:
    """Command lines that can be copied, with what each is for."""
    wide = max(len(command) for command, what in EXAMPLES if what)
    with formatter.section("Examples"):
        for command, what in EXAMPLES:
            formatter.write(
                f"{'':{formatter.current_indent}}"
                + (f"{command:<{wide}}  {what}" if what else command)
                + "\n"
            )


def write_exit_codes(formatter: click.HelpFormatter) -> None:
    """What a script has to know."""
    with formatter.section("Exit codes"):
        formatter.write_dl(EXIT_CODES)


def settings() -> dict[str, Any]:
    """What all commands share."""
    return {"help_option_names": ["-h", "--help"], "max_content_width": WIDTH}


def where_help_is(error: click.ClickException, *, program: str) -> str:
    """The command line that explains what was called wrongly."""
    ctx = error.ctx if isinstance(error, click.UsageError) else None
    return f"{ctx.command_path if ctx is not None else program} --help"
