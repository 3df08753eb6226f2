"""A page without a browser: screens, what each button leads to, and the same six verbs as the real one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from graph.records import Action, Liveness, Looks, Observation, Snapshot, Target

NOWHERE = Snapshot(url="", title="", html="", digest="")


@dataclass(frozen=True)
class Effect:
    """What a button does."""

    to: str = ""
    """Screen it leads to; "" stays."""
    hits: frozenset[int] = frozenset()
    liveness: Liveness = "alive"


@dataclass(frozen=True)
class Screen:
    """One screen: its buttons by name, and the probes that run when it is shown."""

    buttons: Mapping[str, Effect] = field(default_factory=dict)
    hits: frozenset[int] = frozenset()


def snapshot_of(name: str, screen: Screen) -> Snapshot:
    """The screen as the observer would see it."""
    html = f"<title>{name}</title>" + "".join(f"<button>{button}</button>" for button in screen.buttons)
    targets = tuple(
        Target(
            f"e{index}",
            "button",
            "button",
            button,
            "body>button",
            index,
            f"#{button}",
            (0, 40 * index, 90, 30),
        )
        for index, button in enumerate(screen.buttons)
    )
    return Snapshot(url="/", title=name, html=html, digest=html, targets=targets)


class FakePage:
    """Implements explorer.page.Page over a mapping of screens; the first one is where the app opens."""

    def __init__(self, screens: Mapping[str, Screen], *, run_dir: Path | None = None) -> None:
        self.screens = screens
        self.run_dir = run_dir
        self.performed: list[Action] = []
        self._at = ""
        self._liveness: Liveness = "closed"
        self._seen: set[int] = set()

    async def open(self) -> Observation:
        self._at, self._liveness = next(iter(self.screens)), "alive"
        return self._look(self.screens[self._at].hits)

    async def restart(self) -> Observation:
        return await self.open()

    async def observe(self) -> Observation:
        return self._look(frozenset())

    async def perform(self, action: Action) -> Observation:
        self.performed.append(action)
        if self._liveness != "alive":
            return self._look(frozenset(), failure="the page is not open")
        effect = self.screens[self._at].buttons.get(action.name)
        if effect is None:
            return self._look(frozenset(), failure=f"button {action.name!r} is gone")
        self._at = effect.to or self._at
        self._liveness = effect.liveness
        shown = self.screens[self._at].hits if effect.to else frozenset[int]()
        return self._look(effect.hits | shown)

    async def screenshot(self, name: str) -> str:
        if self._liveness != "alive" or self.run_dir is None:
            return ""
        path = self.run_dir / "screenshots" / f"{name}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"\xff\xd8\xff\xd9")
        return f"screenshots/{name}.jpg"

    async def looks(self) -> Looks | None:
        return Looks(texts=len(self.screens[self._at].buttons)) if self._liveness == "alive" else None

    async def close(self) -> None:
        self._liveness = "closed"

    def _look(self, hits: frozenset[int], *, failure: str = "") -> Observation:
        fresh = hits - self._seen
        self._seen |= fresh
        snapshot = snapshot_of(self._at, self.screens[self._at]) if self._at else NOWHERE
        return Observation(snapshot, frozenset(fresh), self._liveness, performed=not failure, failure=failure)
