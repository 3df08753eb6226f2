"""The commands `explore-app judge` and `explore-app criteria`: read the line, show the scores."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from explorer.judged import Judging
    from explorer.options import Options
    from judge.records import Score, Scores, Verdict
    from judge.roles import ModelSettings

DIMENSIONS = ("aesthetics", "usability", "functional", "content", "visual")
"""As `judge.records.DIMENSIONS`, known without loading it."""
_BUILT_IN = "heuristic"
"""As `judge.records.BUILT_IN`."""
_CALLS = 12
_SAMPLES = 3
_FILE = click.Path(path_type=Path)
_Command = TypeVar("_Command", bound=Callable[..., Any])


def model_options(command: _Command) -> _Command:
    """Adds the options of a command that asks the judge's model."""
    for option in reversed(
        (
            click.option(
                "--judge-model", default="", metavar="NAME", help="The model; none for the built-in."
            ),
            click.option(
                "--base-url",
                default="",
                metavar="URL",
                help="Another server of the Messages API; else EXPLORER_BASE_URL.",
            ),
            click.option(
                "--max-calls", type=click.IntRange(0), help="Model calls after which it stops asking."
            ),
            click.option(
                "--max-cost", type=click.FloatRange(0), help="US dollars after which it stops asking."
            ),
            click.option("--prices", type=_FILE, help="Table of prices (TOML), for --max-cost."),
            click.option("--record", type=_FILE, metavar="DIR", help="Keep all requests and replies there."),
            click.option("--replay", type=_FILE, metavar="DIR", help="Read the replies from a recording."),
            click.option(
                "--replay-missing",
                type=click.Choice(["error", "ask"]),
                default="error",
                show_default=True,
                help="What to do with a request that was not recorded.",
            ),
        )
    ):
        command = option(command)
    return command


def judging_options(command: _Command) -> _Command:
    """Adds the options of `explore` that have the run judged when it is over."""
    for option in reversed(
        (
            click.option(
                "--judge", is_flag=True, help="Judge the run when it is over, from what it recorded."
            ),
            click.option(
                "--requirements",
                metavar="FILE|TEXT",
                help="Judge it by these criteria (.toml), or by what a text requires, too.",
            ),
            click.option("--judge-model", default="", metavar="NAME", help="Judge it by this model."),
        )
    ):
        command = option(command)
    return command


def judging_of(
    options: Options, *, judge: bool, requirements: str | None, judge_model: str
) -> Judging | None:
    """How an exploration is judged, by the options of `judging_options`; None where nobody asked for it."""
    if not (judge or requirements or judge_model):
        return None
    from dataclasses import replace

    from explorer.casting import settings_of
    from explorer.judged import Judging

    models = settings_of(options)
    if judge_model:
        models = replace(models, roles={**models.roles, "judge": judge_model})
    return Judging(requirements, models=models)


def model_settings(options: dict[str, Any]) -> ModelSettings:
    """Takes the options of `model_options` out of a command's."""
    from judge.roles import ModelSettings

    name = options.pop("judge_model")
    return ModelSettings(
        roles={"judge": name} if name else {},
        **{key: options.pop(key) for key in _MODEL_KEYS},
    )


_MODEL_KEYS = ("base_url", "max_calls", "max_cost", "prices", "record", "replay", "replay_missing")


def _dimensions(given: tuple[str, ...]) -> tuple[str, ...]:
    """Names that were given one by one or with commas between them, each once."""
    names = [name.strip() for text in given for name in text.split(",") if name.strip()]
    for name in names:
        if name not in DIMENSIONS:
            raise click.BadParameter(f"there is no {name}; choose from {', '.join(DIMENSIONS)}.")
    return tuple(dict.fromkeys(names))


@click.command(name="judge")
@click.argument("run", type=_FILE)
@click.option(
    "--requirements",
    metavar="FILE|TEXT",
    help="Criteria (.toml, see `criteria`), a text file with the requirement, or the requirement itself.",
)
@click.option(
    "--dimensions",
    multiple=True,
    metavar="NAMES",
    callback=lambda _context, _parameter, given: _dimensions(given),
    help=f"Only these of {', '.join(DIMENSIONS)}. Default: all there is evidence for.",
)
@click.option("--single-round", is_flag=True, help="Score at once, without advocate and critic.")
@click.option(
    "--criterion-calls",
    type=click.IntRange(1),
    default=_CALLS,
    show_default=True,
    help="Model calls that a criterion may take.",
)
@click.option(
    "--author-model", default="", metavar="NAME", help="The model that made the app, to warn of kinship."
)
@model_options
@click.option("--json", "as_json", is_flag=True, help="Print scores.json on stdout.")
@click.option("--quiet", is_flag=True, help="No progress.")
def judge_command(run: Path, as_json: bool, quiet: bool, **options: Any) -> None:
    """Judge a run from what it recorded: RUN is its folder. Writes scores.json there.

    Aesthetics and usability by deliberation of an advocate, a critic and a judge; with --requirements also whether the
    criteria are met. The app is not opened again, and its source is never looked at.
    """
    from explorer.driving import run_to_end
    from explorer.judged import Judging, judge_folder
    from explorer.opening import now
    from judge.judging import JudgeSettings

    models = model_settings(options)
    settings = JudgeSettings(
        dimensions=options["dimensions"],
        single_round=options["single_round"],
        most_calls=options["criterion_calls"],
        author_model=options["author_model"],
    )
    judging = Judging(options["requirements"], settings, models)
    say = _silent if quiet else _progress
    scores = run_to_end(judge_folder(run, judging, now=now(), say=say))
    if as_json:
        click.echo(scores.model_dump_json(indent=2))
        return
    for line in score_lines(scores):
        click.echo(line)
    click.echo(f"Scores    {run / 'scores.json'}")


@click.command(name="criteria")
@click.argument("requirement")
@click.option("--out", type=_FILE, metavar="FILE", help="Where to write them; default: stdout.")
@click.option(
    "--samples", type=click.IntRange(1), default=_SAMPLES, show_default=True, help="Times they are written."
)
@model_options
def criteria_command(requirement: str, out: Path | None, samples: int, **options: Any) -> None:
    """Write criteria of a requirement into a file to edit: REQUIREMENT is a text file, - for stdin, or the text itself.

    What more than half of the samples have is kept; the rest stands in comments, with the reason. The file is for
    `explore-app judge RUN --requirements FILE`.
    """
    from explorer.driving import run_to_end
    from explorer.judged import criteria_of, requirement_of
    from explorer.rundir import write_text
    from explorer.wording import plural
    from judge.criteriafile import to_toml

    models = model_settings(options)
    checklist = run_to_end(criteria_of(requirement_of(requirement), models, samples=samples))
    text = to_toml(checklist)
    if out is None:
        click.echo(text, nl=False)
        return
    write_text(out.expanduser().absolute(), text)
    number = len(checklist.criteria)
    click.echo(f"{plural(number, 'criterion', many='criteria')} {'is' if number == 1 else 'are'} in {out}.")
    for note in checklist.notes:
        click.echo(f"Note      {note}")
    for said, why in checklist.dropped:
        click.echo(f"Left out  {said} ({why})")


def _progress(text: str) -> None:
    click.echo(text, err=True)


def _silent(_: str) -> None:
    """Says nothing."""


# --- scores in lines ----------------------------------------------------------------------------------------


def score_lines(scores: Scores) -> list[str]:
    """Scores for the terminal: a line a dimension with its aspects, a line a criterion, then what must be known."""
    found = [_judged_by(scores)]
    for score in scores.scores:
        found += _score(score, judge=scores.judge)
    found += [_verdict(verdict) for verdict in scores.verdicts]
    found += [f"Warning   {text}" for text in scores.warnings]
    found += [f"Note      {text}" for text in scores.notes]
    return found


def _judged_by(scores: Scores) -> str:
    if scores.judge == _BUILT_IN:
        return "Judged by the built-in judge: heuristic, by measured faults alone."
    return f"Judged by {scores.judge} ({scores.protocol})."


def _score(score: Score, *, judge: str) -> list[str]:
    by = f"  (by {score.judge})" if score.judge != judge else ""
    told = f"{score.value:.1f}" if score.value is not None else f"{score.status}: {score.reason}"
    if score.value is not None and score.met is not None:
        told += f", {score.met} of {score.determined} criteria met"
    lines = [f"{score.dimension.capitalize():<12}{told}{by}"]
    for aspect in score.aspects if any(each.adjustment for each in score.aspects) else ():
        if not aspect.adjustment and judge == _BUILT_IN:
            continue
        where = f" [{', '.join(aspect.citations)}]" if aspect.citations else ""
        lines.append(f"  {aspect.adjustment:+.2f}  {aspect.aspect}: {aspect.reason}{where}")
    if score.dropped:
        lines.append(
            f"  {len(score.dropped)} said without evidence and dropped: {score.dropped[0].reason}, …"
        )
    lines += [f"  {note}" for note in score.notes]
    return lines


def _verdict(verdict: Verdict) -> str:
    told = {True: "met", False: "not met", None: "undetermined"}[verdict.met]
    where = f" [{', '.join(verdict.citations)}]" if verdict.citations else ""
    why = verdict.reason or verdict.analysis
    return f"  {verdict.criterion.id:<4}{told:<13}{verdict.criterion.text}{where}" + (
        f": {why}" if why else ""
    )
