"""Who plays which role in a run: a model where one is to be had, the built-in otherwise, and the reason in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from explorer.hints import BuiltInHint, Hinter
from explorer.modelhint import ModelHint
from explorer.options import MODEL_TESTER, Options
from explorer.policy.model import ModelTester
from explorer.policy.registry import TESTERS
from explorer.policy.seam import Tester
from instrument.errors import UsageError
from judge.roles import Models, ModelSettings, RoleKind, open_models

HINTED = ("guided", MODEL_TESTER)
"""Testers that heed hints."""


@dataclass(frozen=True, slots=True)
class Cast:
    """The roles of one run."""

    tester: Tester
    hinter: Hinter
    models: Models
    told: str
    """Who plays, for the output: `tester guided, hint built-in (no key was found)`."""
    notes: tuple[str, ...] = ()
    """What a reader of the results must know."""


def cast_of(options: Options, *, folder: Path, environ: Mapping[str, str]) -> Cast:
    """Opens the models of a run; nothing is asked yet. Raises UsageError for a model that is wanted and not to be had."""
    models = open_models(settings_of(options), environ=environ)
    tester, hinter = _tester(options, models, folder), _hinter(options, models)
    told = f"tester {tester.name}, hint {hinter.name}"
    if options.tester in HINTED:
        told += f" ({models.reason})"
    return Cast(tester, hinter, models, told, _notes(options, tester, hinter))


def settings_of(options: Options) -> ModelSettings:
    """The options that concern models, as the judge package takes them."""
    roles: dict[RoleKind, str] = {"tester": options.tester_model, "hint": options.hint_model}
    return ModelSettings(
        model=options.model,
        roles={role: name for role, name in roles.items() if name},
        base_url=options.base_url,
        max_calls=options.max_calls,
        max_cost=options.max_cost,
        prices=_path(options.prices),
        record=_path(options.record),
        replay=_path(options.replay),
        replay_missing=options.replay_missing,
    )


def _tester(options: Options, models: Models, folder: Path) -> Tester:
    if options.tester != MODEL_TESTER:
        return TESTERS[options.tester]()
    model = models.of("tester")
    if model is None:
        raise UsageError(
            f"--tester model wants a model, and there is none ({models.reason}): set ANTHROPIC_API_KEY, name a local "
            "server with --base-url, or leave --tester out for the built-in."
        )
    return ModelTester(model, pictures=folder if options.tester_screenshots else None)


def _hinter(options: Options, models: Models) -> Hinter:
    """A model only for testers that heed hints: the others are there to be compared with."""
    model = models.of("hint") if options.tester in HINTED else None
    if model is None:
        return BuiltInHint()
    return ModelHint(model, texts=options.tester != MODEL_TESTER)


def _notes(options: Options, tester: Tester, hinter: Hinter) -> tuple[str, ...]:
    playing = [
        f"{role} {who.name}" for role, who in (("tester", tester), ("hint", hinter)) if "model " in who.name
    ]
    if not playing:
        return ()
    if options.replay:
        return (f"Replies of models were read from a recording: {', '.join(playing)}.",)
    return (
        f"Models took part ({', '.join(playing)}) and may answer otherwise the next time; "
        "--record DIR and --replay DIR repeat a run.",
    )


def _path(text: str) -> Path | None:
    return Path(text).expanduser() if text else None
