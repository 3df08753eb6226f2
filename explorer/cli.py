"""The command `explore-app`: reads the line, calls `explore()`, shows progress, and exits with a code that says how it went.

Exit codes: 0 fine; 1 a gate that was asked for failed (--fail-under, --fail-on); 2 wrong use; 3 the app could not be
built, served or opened; 130 interrupted (what was explored until then is written).

Each command loads what it needs when it is called, so that `--help` and a mistyped option answer at once.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from explorer.commandhelp import DefaultGroup, SectionedCommand, settings, where_help_is
from explorer.commands_cache import cache_command
from explorer.commands_detect import detect_command
from explorer.commands_judge import criteria_command, judge_command, judging_options
from explorer.commands_rank import agreement_command, rank_command
from explorer.model_options import model_options
from explorer.options import COVERAGE_MODES, MODEL_TESTER, NETWORK_MODES, TESTERS, Options
from explorer.progress import make_progress
from graph.records import ABSTRACTIONS, FindingKind
from instrument.errors import ExplorerError, UsageError
from instrument.freshness import BUILD_MODES

if TYPE_CHECKING:
    from explorer.exploration import Exploration

INTERRUPTED = 130
FINDING_KINDS = get_args(FindingKind)


@click.group(cls=DefaultGroup, context_settings=settings())
@click.version_option(package_name="explore-app", message="%(version)s")
def commands() -> None:
    """Explores a web app in a real browser, steered by code coverage, and judges it from what it saw.

    TARGET is a project's folder, a built or static site, an html file, or the address of an app that is served.
    """


commands.add_command(detect_command)
commands.add_command(judge_command)
commands.add_command(criteria_command)
commands.add_command(rank_command)
commands.add_command(agreement_command)
commands.add_command(cache_command)


def positive(_: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
    """A budget or a limit of nothing explores nothing: refused with a sentence."""
    if value is not None and value <= 0:
        raise click.BadParameter(f"must be at least 1; {value:g} would explore nothing.", param=parameter)
    return value


@commands.command(name="explore", cls=SectionedCommand)
@click.argument("target", default="")
@click.option(
    "--budget", default=100, show_default=True, type=int, callback=positive, help="Actions to spend."
)
@click.option("--seed", default=0, show_default=True, type=int, help="Same app, seed and options: same run.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Run folder; default: a fresh one under ./explorations (elsewhere where a dev server would see it).",
)
@click.option("--entry", default="", metavar="PAGE", help="Which html file to open where there are several.")
@click.option("--app", default="", metavar="NAME", help="Which app of a workspace, by name or path.")
@click.option(
    "--build",
    type=click.Choice(BUILD_MODES),
    default="auto",
    show_default=True,
    help="Build sources anew; auto takes a build that is newer than they are.",
)
@click.option(
    "--build-timeout",
    type=float,
    default=600.0,
    show_default=True,
    callback=positive,
    help="Seconds that installing and building may take, each.",
)
@click.option("--sandbox", is_flag=True, help="Build without network, writing nowhere but in the work copy.")
@click.option("--start", default="", metavar="COMMAND", help="Start the app's server by this; needs --url.")
@click.option(
    "--url", default="", metavar="URL", help="Where the app answers; TARGET may then be its folder."
)
@click.option(
    "--tester",
    type=click.Choice([*TESTERS, MODEL_TESTER]),
    default="guided",
    show_default=True,
    help="Who chooses the actions: by unexecuted code (guided), by chance, in order, or a model.",
)
@click.option(
    "--abstraction", type=click.Choice(ABSTRACTIONS), default=None, help="What counts as one state."
)
@click.option("--time-limit", type=float, callback=positive, help="Wall seconds after which the run stops.")
@click.option(
    "--network",
    type=click.Choice(NETWORK_MODES),
    default="auto",
    show_default=True,
    help="What it may reach: itself (app), libraries of CDNs too, served from npm (cdn), everything (open); "
    "auto is cdn for plain html, app for what was built.",
)
@click.option("--allow-host", multiple=True, metavar="HOST", help="Another host that the app may reach.")
@click.option(
    "--clock",
    type=click.Choice(["virtual", "real"]),
    default="virtual",
    show_default=True,
    help="The page's clock; virtual moves by actions alone, so that runs repeat.",
)
@click.option(
    "--browser", default=None, metavar="PATH", help="A Chromium; else EXPLORER_BROWSER, else what is found."
)
@click.option("--headed", is_flag=True, help="Show the browser.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Port of the app's server; 0 takes a free one."
)
@click.option(
    "--coverage",
    type=click.Choice(COVERAGE_MODES),
    default="auto",
    show_default=True,
    help="Counters in the scripts (istanbul) or the browser's own ranges (v8); auto is counters where they can be.",
)
@click.option(
    "--axe",
    is_flag=True,
    help="Audit the first states with axe-core too (pip install axe-playwright-python).",
)
@click.option("--verify", is_flag=True, help="Compare the app with and without instrumentation first.")
@click.option(
    "--verify-coverage", is_flag=True, help="Do the same actions again with v8 coverage, and compare both."
)
@click.option(
    "--replay-findings",
    is_flag=True,
    help="Walk to the findings again, and say of each whether it came again.",
)
@model_options
@judging_options
@click.option(
    "--fail-under", type=click.FloatRange(0, 100), help="Exit 1 below this statement coverage in %."
)
@click.option(
    "--fail-on",
    multiple=True,
    metavar="KIND",
    help=f"Exit 1 on a finding of this kind, or any: {', '.join(FINDING_KINDS)}.",
)
@click.option("--json", "as_json", is_flag=True, help="Print run.json on stdout.")
@click.option("--quiet", is_flag=True, help="No progress.")
def explore_command(target: str, **options: Any) -> None:
    """Explore a web app and write a run folder with its report.

    TARGET is a project's folder (its sources are built in a copy), a built or static site (./dist, ./build, ./out), an
    html file, or the address of an app that is served (http://localhost:5173). `explore-app TARGET` is the same.
    """
    from explorer.api import explore
    from explorer.commands_judge import judging_of, score_lines
    from explorer.terminal import gate_failures

    kinds = tuple(options.pop("fail_on"))
    _check_kinds(kinds)
    fail_under, as_json = options.pop("fail_under"), options.pop("as_json")
    wanted = {name: options.pop(name) for name in ("judge", "requirements", "judge_model")}
    chosen = Options(
        **{name: value for name, value in options.items() if name not in _NOT_OPTIONS and value is not None}
    )
    with make_progress(quiet=options["quiet"]) as progress:
        exploration = explore(
            target,
            budget=options["budget"],
            seed=options["seed"],
            out=options["out"],
            options=chosen,
            judge=judging_of(chosen, **wanted),
            progress=progress,
        )
    _show(exploration, as_json=as_json)
    if exploration.scores is not None and not as_json:
        click.echo("\n".join(score_lines(exploration.scores)))
    _leave(exploration, gate_failures(exploration, fail_under=fail_under, fail_on=kinds))


_NOT_OPTIONS = ("budget", "seed", "out", "quiet")


@commands.command(name="resume")
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--budget", type=int, callback=positive, help="Actions altogether, those already done included."
)
@click.option("--json", "as_json", is_flag=True, help="Print run.json on stdout.")
@click.option("--quiet", is_flag=True, help="No progress.")
def resume_command(run: Path, budget: int | None, as_json: bool, quiet: bool) -> None:
    """Go on with a run that was killed, interrupted or out of budget.

    RUN is its folder. What it learned is kept: coverage, states, findings, what was tried where. The app is loaded anew
    and the draws begin again, so the rest is not step for step what the run would have done without the break.
    """
    from explorer.api import resume

    with make_progress(quiet=quiet) as progress:
        exploration = resume(run, budget=budget, progress=progress)
    _show(exploration, as_json=as_json)
    _leave(exploration, [])


@commands.command(name="report")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print run.json on stdout.")
def report_command(run: Path, as_json: bool) -> None:
    """Write the report of a run folder anew, also of a run that was killed."""
    from explorer.outputs import load_exploration, write_outputs

    exploration = load_exploration(run)
    write_outputs(exploration, Path(exploration.folder))
    _show(exploration, as_json=as_json)


@commands.command(name="doctor")
@click.option("--browser", default=None, metavar="PATH", help="The Chromium to look at.")
def doctor_command(browser: str | None) -> None:
    """Say what was found on this machine, with a fix for each thing that is missing."""
    from explorer.doctor import examine, healthy

    checks = examine(browser=browser)
    width = max(len(check.name) for check in checks)
    for check in checks:
        mark = "ok" if check.ok else "--" if not check.needed else "NO"
        click.echo(f"{mark}  {check.name:<{width}}  {check.found}")
        if check.fix:
            click.echo(f"    {'':<{width}}  {check.fix}")
    if not healthy(checks):
        sys.exit(3)


def _leave(exploration: Exploration, failures: list[str]) -> None:
    """Exits with the code that the run earned."""
    for failure in failures:
        click.echo(f"failed: {failure}", err=True)
    if exploration.trace.stop == "interrupt":
        sys.exit(INTERRUPTED)
    if exploration.trace.stop == "unusable":
        click.echo(
            f"explore-app: the app cannot be explored further: {exploration.trace.stop_reason}.", err=True
        )
        sys.exit(3)
    sys.exit(1 if failures else 0)


def _check_kinds(kinds: tuple[str, ...]) -> None:
    for kind in kinds:
        if kind != "any" and kind not in FINDING_KINDS:
            raise UsageError(
                f"--fail-on {kind}: there is no such finding; choose from any, {', '.join(FINDING_KINDS)}."
            )


def _show(exploration: Exploration, *, as_json: bool) -> None:
    from explorer.summary import run_json
    from explorer.terminal import lines

    if as_json:
        click.echo(json.dumps(run_json(exploration), indent=2, ensure_ascii=False))
    else:
        for line in lines(exploration):
            click.echo(line)


def main(arguments: list[str] | None = None) -> None:
    """Entry point of the command; every error of ours is one sentence on stderr."""
    _run(lambda: commands(args=arguments, standalone_mode=False, prog_name="explore-app"))


def _run(call: Callable[[], Any]) -> None:
    try:
        call()
    except ExplorerError as error:
        click.echo(f"explore-app: {error}", err=True)
        sys.exit(error.exit_code)
    except click.exceptions.Exit as done:
        sys.exit(done.exit_code)
    except click.ClickException as error:
        click.echo(f"explore-app: {error.format_message()}", err=True)
        click.echo(f"Try `{where_help_is(error, program='explore-app')}`.", err=True)
        sys.exit(2)
    except (KeyboardInterrupt, click.Abort):
        click.echo("explore-app: stopped.", err=True)
        sys.exit(INTERRUPTED)
