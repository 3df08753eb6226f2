"""Judges a run folder: reads it as evidence, asks the judge, writes scores.json; what `explore-app judge` and
`explore(..., judge=...)` share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.outputs import load_exploration, write_outputs
from explorer.rundir import CRITERIA, PROBES, write_text
from explorer.wording import plural
from instrument.errors import UsageError
from judge.criteria import SAMPLES, Checklist, write_criteria
from judge.criteriafile import read_criteria, to_toml
from judge.evidence import read_case
from judge.judging import JudgeSettings, ModelJudge, judge_case
from judge.records import CRITERION_KINDS, DIMENSIONS, Scores
from judge.roles import ModelSettings, open_models
from judge.scorefile import save_scores
from judge.seam import built_in

if TYPE_CHECKING:
    from judge.request import Model

Say = Callable[[str], None]
_HOW = "set ANTHROPIC_API_KEY, or name a server that speaks the Messages API with --base-url and its model with --judge-model"


@dataclass(frozen=True, slots=True)
class Judging:
    """What a run is judged by, and by whom."""

    requirements: str | Path | None = None
    """A file of criteria (.toml, see docs/judging.md), or the requirement as text, of which criteria are made first."""
    settings: JudgeSettings = field(default_factory=JudgeSettings)
    models: ModelSettings = field(default_factory=ModelSettings)


def check_judging(judging: Judging) -> None:
    """Raises UsageError, one sentence, for what would not work; before an app is explored for nothing."""
    settings = judging.settings
    if settings.most_calls < 1:
        raise UsageError(f"With {settings.most_calls} calls no criterion can be judged: give at least 1.")
    unknown = [name for name in settings.dimensions if name not in DIMENSIONS]
    if unknown:
        raise UsageError(f"There is no dimension {unknown[0]}: choose from {', '.join(DIMENSIONS)}.")
    if judging.requirements is None:
        if settings.dimensions and set(settings.dimensions) <= set(CRITERION_KINDS):
            raise UsageError(
                f"{', '.join(settings.dimensions)} is judged by criteria: name their file with --requirements."
            )
    elif (path := _criteria_file(judging)) is not None:
        if not path.is_file():
            raise UsageError(f"There is no file {path}: name a file of criteria, or the requirement as text.")
        read_criteria(path)
    else:
        requirement_of(str(judging.requirements))


def _criteria_file(judging: Judging) -> Path | None:
    """The file of criteria; None where the requirement itself was given, as a text file or as text."""
    path = Path(judging.requirements or "").expanduser()
    return path if path.suffix.lower() == ".toml" and len(str(path).split()) == 1 else None


async def judge_folder(
    folder: Path,
    judging: Judging,
    *,
    now: datetime,
    environ: Mapping[str, str] | None = None,
    say: Say = lambda _: None,
) -> Scores:
    """Judges a run folder, writes its scores.json, and its report anew with the scores in it.

    say: told what happens. Raises UsageError for a folder that is no run, or a bad file of criteria.
    """
    scores = await scores_of(folder, judging, now=now, environ=environ, say=say)
    place = folder.expanduser().absolute()
    save_scores(scores, place)
    _report(place, say)
    return scores


async def scores_of(
    folder: Path,
    judging: Judging,
    *,
    now: datetime,
    environ: Mapping[str, str] | None = None,
    say: Say = lambda _: None,
) -> Scores:
    """As `judge_folder`, without writing scores or report: for a second judge of a run that has scores."""
    check_judging(judging)
    case = read_case(folder)
    models = open_models(judging.models, environ=os.environ if environ is None else environ)
    try:
        model, own = models.of("judge"), built_in()
        judge = ModelJudge(model, settings=judging.settings, say=say) if model else own
        say(f"judged by {judge.name}: {models.reason}")
        checklist = await _checklist(judging, model, Path(case.evidence.folder), say, reason=models.reason)
        scores = await judge_case(
            case,
            judge,
            criteria=checklist.criteria,
            requirement=checklist.requirement,
            fallback=own if model else None,
            settings=judging.settings,
        )
    finally:
        await models.close()
    # Made anew rather than copied, so that it is validated like what is read back.
    return Scores(
        **{
            **dict(scores),
            "judged": now.isoformat(timespec="seconds"),
            "usage": models.ledger.rows(),
            "notes": (*scores.notes, *checklist.notes),
        }
    )


async def _checklist(
    judging: Judging, model: Model | None, folder: Path, say: Say, *, reason: str
) -> Checklist:
    """The criteria to check, those of a text written first; a copy is kept in the run folder, beside what comes of it."""
    path, kept = _criteria_file(judging), folder / CRITERIA
    if judging.requirements is None:
        return Checklist("", ())
    if path is not None:
        checklist = read_criteria(path)
        if path.resolve() != kept.resolve():
            write_text(kept, to_toml(checklist))
        return checklist
    if model is None:
        raise UsageError(
            "What is required is no file of criteria (.toml), and making criteria of a text takes a model, "
            f"but {reason}: {_HOW}."
        )
    say(f"writing criteria of the requirement, {SAMPLES} times")
    checklist = await write_criteria(model, requirement_of(str(judging.requirements)))
    write_text(kept, to_toml(checklist))
    say(f"{plural(len(checklist.criteria), 'criterion', many='criteria')} in {kept}")
    return checklist


def _report(folder: Path, say: Say) -> None:
    """The report with its scores. A folder that holds no more than a trace can be judged, but not reported."""
    if not (folder / PROBES).is_file():
        say(f"no report is written: {folder} has no {PROBES}")
        return
    write_outputs(load_exploration(folder), folder)


async def criteria_of(requirement: str, models: ModelSettings, *, samples: int) -> Checklist:
    """Criteria of a requirement's text, by the judge's model. Raises UsageError where there is none."""
    opened = open_models(models, environ=os.environ)
    try:
        model = opened.of("judge")
        if model is None:
            raise UsageError(
                f"Writing criteria takes a model, and {opened.reason}: {_HOW}; or write the file by hand "
                "(docs/judging.md shows one)."
            )
        return await write_criteria(model, requirement, samples=samples)
    finally:
        await opened.close()


def requirement_of(given: str) -> str:
    """The requirement's text: of a file where there is one of that name, of stdin for "-", else what was given.

    Raises UsageError for what looks like a file and is none.
    """
    if given == "-":
        return sys.stdin.read()
    path = Path(given).expanduser()
    try:
        if path.is_file():
            return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is no text in UTF-8 ({error.reason}): save it as UTF-8.") from error
    except OSError:
        # A long text is no name of a file, and the system says so.
        return given
    if len(given.split()) == 1 and ("/" in given or path.suffix in (".txt", ".md", ".toml")):
        raise UsageError(
            f"There is no file {given}: name a text file, or give the requirement itself in quotes."
        )
    return given
