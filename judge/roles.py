"""Which model plays which role in a run: opened once, metered together, recorded or replayed, or none and why.

models = open_models(ModelSettings(model="claude-sonnet-5-5", max_calls=50), environ=os.environ)
if (judge := models.of("judge")) is not None: reply = await judge.ask(request)
...
await models.close(); models.ledger.rows()
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from judge.cassette import Missing, RecordingModel, ReplayingModel
from judge.credentials import base_url_of, find_credentials, is_loopback
from judge.ledger import Bounds, Ledger, MeteredModel, load_prices
from judge.model import open_model
from judge.request import Model

RoleKind = Literal["tester", "hint", "judge"]
DEFAULT_MODEL = "claude-sonnet-5-5"
OFF = "none"
"""Name that turns a role, or all of them, off."""


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """What the user said of models; all of it may be left out."""

    model: str = ""
    """For all roles; "" for DEFAULT_MODEL where a key is found, "none" for the built-ins."""
    roles: Mapping[RoleKind, str] = field(default_factory=dict)
    """{"tester": name, "hint": name, "judge": name} where a role has another one."""
    base_url: str = ""
    max_calls: int | None = None
    max_cost: float | None = None
    prices: Path | None = None
    record: Path | None = None
    replay: Path | None = None
    replay_missing: Missing = "error"


class Models:
    """The models of one run. `of` gives None where a role is the built-in's; `reason` says why, for the output."""

    def __init__(self, settings: ModelSettings, *, environ: Mapping[str, str]) -> None:
        self._settings = settings
        self._environ = environ
        self._opened: dict[str, Model] = {}
        self.available, self.reason = _available(settings, environ)
        bounds = Bounds(settings.max_calls, settings.max_cost)
        self.ledger = Ledger(bounds=bounds, prices=load_prices(settings.prices))

    def name_of(self, kind: RoleKind) -> str:
        """Name of the model that plays a role; "" for the built-in."""
        name = self._settings.roles.get(kind) or self._settings.model or DEFAULT_MODEL
        return name if self.available and name != OFF else ""

    def of(self, kind: RoleKind) -> Model | None:
        """The model that plays a role, None for the built-in. Raises UsageError where it cannot be opened."""
        name = self.name_of(kind)
        if not name:
            return None
        if name not in self._opened:
            self.ledger.check(name)
            self._opened[name] = MeteredModel(self._open(name), self.ledger)
        return self._opened[name]

    async def close(self) -> None:
        """Lets all connections go."""
        for model in self._opened.values():
            await model.close()

    def _open(self, name: str) -> Model:
        settings = self._settings
        if settings.replay is None:
            model = open_model(name, base_url=settings.base_url, environ=self._environ)
            return RecordingModel(model, settings.record) if settings.record else model
        missing: Model | None = None
        if settings.replay_missing == "ask":
            asked = open_model(name, base_url=settings.base_url, environ=self._environ)
            missing = RecordingModel(asked, settings.record or settings.replay)
        return ReplayingModel(name, settings.replay, otherwise=missing)


def open_models(settings: ModelSettings, *, environ: Mapping[str, str]) -> Models:
    """The models of one run; nothing is connected before a role is asked for. Raises UsageError for a bad price table."""
    return Models(settings, environ=environ)


def _available(settings: ModelSettings, environ: Mapping[str, str]) -> tuple[bool, str]:
    """Whether models play at all, and why, or why not."""
    named = [settings.model, *settings.roles.values()]
    wanted = any(name and name != OFF for name in named)
    if settings.model == OFF and not wanted:
        return False, "--model none"
    if settings.replay is not None:
        return True, f"replies are read from {settings.replay}"
    if where := find_credentials(environ):
        return True, f"a key was found ({where})"
    if is_loopback(base_url_of(settings.base_url, environ)):
        return True, "a server on this machine was named"
    if wanted:
        return True, "a model was named"
    return False, "no key was found (ANTHROPIC_API_KEY)"
