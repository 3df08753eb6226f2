"""Finds an action's target in the page: by ref, by locator, or as the like of one that is gone."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Frame, Page

from explorer.browser_frames import bring_into_view, call, is_frame_at, name_of
from explorer.browser_tab import Tab
from graph.records import Action, Snapshot, Target

_T = TypeVar("_T")


class Missed(Exception):
    """The gesture could not be made; the text says why. Private to the browser side."""


class Spot(NamedTuple):
    """Where a target is, scrolled into view."""

    x: float
    y: float
    hit: bool
    """A click there reaches the target."""


@dataclass
class Finder:
    """Knows the last snapshot of one page, and looks in the page itself."""

    tab: Tab
    snapshot: Snapshot | None = None
    """What the page looked like last: says whose `ref` is still good."""
    targets: Mapping[str, Target] = field(default_factory=dict)
    """ref -> target of that snapshot."""
    frames: Mapping[str, Frame] = field(default_factory=dict)
    """Frames that have an agent of their own, by the name that refs and locators in them begin with."""

    def see(self, snapshot: Snapshot) -> None:
        """Takes note of a new snapshot."""
        self.snapshot = snapshot
        self.targets = {target.ref: target for target in snapshot.targets}

    @property
    def page(self) -> Page:
        return self.tab.page

    async def do(self, work: Awaitable[object]) -> None:
        """One bounded call."""
        await self.tab.bounded(work, self.tab.options.gesture_s)

    def handle(self, action: Action) -> str:
        """The ref where it belongs to the last snapshot, else the locator, else a like target's ref."""
        if not action.ref and not action.locator:
            return ""
        known = self.targets.get(action.ref)
        if known and (not action.locator or known.locator == action.locator):
            return action.ref
        return action.locator or action.ref

    def alike(self, action: Action) -> Target | None:
        """The target of the last snapshot with the same family and ordinal."""
        for target in self.targets.values():
            if action.family and target.family == action.family and target.ordinal == action.ordinal:
                return target
        return None

    async def ask(self, handle: str, expression: str) -> Any:
        """Value of an expression in the document that a ref or locator is in; Missed where its frame is gone."""
        if not name_of(handle):
            return await self.tab.evaluate(expression, seconds=self._bound)
        return await self.tab.bounded(_in_frame(self.frame_of(handle).evaluate(expression)), self._bound)

    def frame_of(self, handle: str) -> Frame:
        """The frame that a ref or locator is in."""
        frame = self.frames.get(name_of(handle)) if name_of(handle) else self.page.main_frame
        if frame is None or frame.is_detached():
            raise Missed(f"the frame {name_of(handle)} is gone")
        return frame

    async def spot(self, handle: str) -> Spot | None:
        """Scrolls a ref or locator into view; None where there is no such element."""
        left = top = 0.0
        if name_of(handle):
            left, top = await self.tab.bounded(_in_frame(bring_into_view(self.frame_of(handle))), self._bound)
        found = await self.ask(handle, call("reach", handle))
        if not found:
            return None
        x, y, width, height, hit = found
        x, y = left + x + width / 2, top + y + height / 2
        if hit and name_of(handle):
            hit = await self.tab.evaluate(is_frame_at(x, y), seconds=self._bound)
        return Spot(x, y, bool(hit))

    @property
    def _bound(self) -> float:
        return self.tab.options.gesture_s

    async def find(self, action: Action) -> tuple[str, Spot]:
        """Handle and place of an action's target; Missed where it is gone."""
        handle = self.handle(action)
        if not handle:
            raise Missed(f"{action.kind} needs a target")
        place = await self.spot(handle)
        if place is None and (other := self.alike(action)):
            handle = other.ref
            place = await self.spot(handle)
        if place is None:
            raise Missed(f"{action.role or 'element'} {action.name!r} is gone")
        return handle, place

    async def reach(self, action: Action) -> tuple[str, Spot]:
        """As `find`, but the mouse must be able to reach it."""
        handle, place = await self.find(action)
        if not place.hit:
            raise Missed(f"{action.role or 'element'} {action.name!r} is covered or has no size")
        return handle, place

    async def on_element(self, handle: str, body: str) -> object:
        """Runs `body` with the element as `e`; Missed where it is gone."""
        expression = f"(() => {{ const e = {call('find', handle)}; if (!e) return '\\0gone'; {body} }})()"
        value = await self.ask(handle, expression)
        if value == "\0gone":
            raise Missed("the element is gone")
        return value

    async def focus(self, action: Action) -> str:
        """Focuses an action's target without the mouse; its handle."""
        handle = self.handle(action)
        if not await self._focused(handle):
            handle, _ = await self.find(action)
            await self._focused(handle)
        return handle

    async def _focused(self, handle: str) -> bool:
        """Scrolls to an element, and focuses it without scrolling once more."""
        expression = (
            f"(async () => {{ if (!await {call('reach', handle)}) return false;"
            f" {call('find', handle)}?.focus({{ preventScroll: true }}); return true; }})()"
        )
        return bool(await self.ask(handle, expression))


async def _in_frame(work: Awaitable[_T]) -> _T:
    """The result of what is done in a frame; a frame that goes away meanwhile is no loss of the page."""
    try:
        return await work
    except PlaywrightError as error:
        raise Missed("its frame is gone") from error
