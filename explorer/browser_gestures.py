"""Makes the gestures of an Action with real mouse and keyboard, and synthetic events where those cannot do it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import Error as PlaywrightError

from explorer.browser_frames import call, name_of, parts_of
from explorer.browser_launch import within
from explorer.browser_tab import MovedOn
from explorer.browser_target import Finder, Missed, Spot
from explorer.samples import samples, write_samples
from graph.records import Action
from instrument.errors import BrowserError

_SHORT = 24
"""Texts up to this length are typed key by key, longer ones inserted at once."""
_NARROW = (390, 844)
_KEY_NAMES = {
    " ": "Space",
    "Spacebar": "Space",
    "Esc": "Escape",
    "Del": "Delete",
    "Left": "ArrowLeft",
    "Right": "ArrowRight",
    "Up": "ArrowUp",
    "Down": "ArrowDown",
    "Ctrl": "Control",
    "Cmd": "Meta",
    "OS": "Meta",
    "Win": "Meta",
}
_SET_TYPES = frozenset(("date", "time", "month", "week", "datetime-local", "color", "range"))
_CHECKABLE = frozenset(("checkbox", "radio"))
_CHOOSER_TRIES = 50
_MOST_FRAMES = 20
_HELD_MS = 96
"""How long a key is down on a page that listens for both its ends: six frames."""


@dataclass
class Gestures(Finder):
    """Makes gestures on one page."""

    samples: Path = Path("samples")
    """Folder in which sample files are made."""

    async def make(self, action: Action) -> None:
        """Makes the gesture; Missed where that is impossible, Gone where the page does not survive it."""
        gesture = _GESTURES.get(action.kind)
        if gesture is None:
            raise Missed(f"{action.kind} is not a gesture of this browser")
        try:
            await gesture(self, action)
        except MovedOn:
            return  # the gesture itself led to another document
        except (PlaywrightError, BrowserError) as error:
            # What the app put in the place of focus() and the like may throw, too.
            raise Missed(str(error).splitlines()[0]) from error

    # --- mouse

    async def click(self, action: Action) -> None:
        _, place = await self.reach(action)
        await self.do(self.page.mouse.click(place.x, place.y))

    async def double_click(self, action: Action) -> None:
        _, place = await self.reach(action)
        await self.do(self.page.mouse.dblclick(place.x, place.y))

    async def right_click(self, action: Action) -> None:
        _, place = await self.reach(action)
        await self.do(self.page.mouse.click(place.x, place.y, button="right"))

    async def hover(self, action: Action) -> None:
        _, place = await self.reach(action)
        await self.do(self.page.mouse.move(place.x - 4, place.y - 4))
        await self.do(self.page.mouse.move(place.x, place.y))

    async def check(self, action: Action) -> None:
        handle, place = await self.find(action)
        if place.hit:
            await self.do(self.page.mouse.click(place.x, place.y))
        else:  # a control that is drawn by its label, or not at all
            await self.on_element(handle, "(e.labels && e.labels[0] || e).click();")

    async def drag(self, action: Action) -> None:
        handle, start = await self.reach(action)
        if action.value.startswith("to "):
            goal = action.value.removeprefix("to ")
            together = name_of(handle) == name_of(goal)
            if together and await self.on_element(
                handle, "return !!e.closest('[draggable=true], a[href], img');"
            ):
                await self.synthetic_drag(handle, goal)
                return
            end = await self.spot(goal)
            again = await self.spot(handle)
            if end is None or again is None:
                raise Missed("the place to drop it on is gone")
            await self.mouse_drag(again, end.x - again.x, end.y - again.y)
            return
        await self.mouse_drag(start, *pair(action.value, default=(0, 120)))

    async def synthetic_drag(self, handle: str, goal: str) -> None:
        """DragEvents from one element to another: a real drag can leave the mouse dead."""
        accepted = await self.ask(handle, call("drag", handle, goal))
        if accepted is None:
            raise Missed("the place to drop it on is gone")

    async def mouse_drag(self, start: Spot, dx: float, dy: float) -> None:
        """Presses, moves in a few steps, releases inside the viewport."""
        assert self.page.viewport_size is not None  # set by us when the context was made
        width, height = self.page.viewport_size["width"], self.page.viewport_size["height"]
        x = min(max(start.x + dx, 1), width - 2)
        y = min(max(start.y + dy, 1), height - 2)
        mouse = self.page.mouse
        await self.do(mouse.move(start.x, start.y))
        await self.do(mouse.down())
        try:
            await self.do(mouse.move((start.x + x) / 2, (start.y + y) / 2, steps=3))
            await self.do(mouse.move(x, y, steps=3))
        finally:
            await self.do(mouse.up())
        await self.revive_mouse(x, y)

    async def revive_mouse(self, x: float, y: float) -> None:
        """A drag can leave the mouse dead until the page is loaded anew: checks, and loads."""
        await self.do(self.page.mouse.move(x + 1, y + 1))
        if self.frames:
            return  # what moves over a frame apart is heard there only
        if not await self.tab.evaluate("__explorer$.mouseAlive()"):
            await self.do(self.page.reload(wait_until="commit"))
            raise Missed("the mouse was dead after the drag, so the page was loaded anew")

    async def swipe(self, action: Action) -> None:
        handle, place = await self.find(action)
        if name_of(handle):
            raise Missed("a swipe does not reach into a sandboxed frame")
        dx, dy = pair(action.value, default=(-120, 0))
        await self.tab.evaluate(f"__explorer$.swipe({place.x}, {place.y}, {dx}, {dy})", seconds=self._bound)

    async def wheel(self, action: Action) -> None:
        dx, dy = pair(action.value, default=(0, 240))
        if action.ref or action.locator:
            _, place = await self.find(action)
            await self.do(self.page.mouse.move(place.x, place.y))
        else:
            width, height = await self._viewport()
            await self.do(self.page.mouse.move(width / 2, height / 2))
        await self.do(self.page.mouse.wheel(dx, dy))

    async def scroll(self, action: Action) -> None:
        dx, dy = pair(action.value, default=(0, 600))
        if action.ref or action.locator:
            handle, _ = await self.find(action)
            await self.on_element(handle, f"e.scrollBy({dx}, {dy});")
        else:
            await self.tab.evaluate(f"scrollBy({dx}, {dy})", seconds=self._bound)

    async def _viewport(self) -> tuple[int, int]:
        return self.snapshot.viewport if self.snapshot else self.tab.options.viewport

    # --- keyboard

    async def fill(self, action: Action) -> None:
        handle, place = await self.find(action)
        await self.enter(handle, place, action.value)

    async def enter(self, handle: str, place: Spot, text: str) -> None:
        """Replaces a field's value as a user would; date-like fields are set."""
        kind = str(
            await self.on_element(handle, "return e.localName === 'select' ? 'select' : e.type || '';")
        )
        if kind in _CHECKABLE:
            wanted = text.lower() not in ("", "false", "off", "no", "0")
            await self.on_element(handle, f"if (e.checked !== {json.dumps(wanted)}) e.click();")
        elif kind in _SET_TYPES or kind == "select":
            await self.set(handle, text)
        else:
            await self._focus(handle, place)
            await self.do(self.page.keyboard.press("Control+a"))
            await self.text(text, instead=True)

    async def _kind(self, handle: str) -> str:
        """Type of a field, as the snapshot has it or else as the page says."""
        known = self.targets.get(handle)
        if known and known.field:
            return known.field.type
        return str(
            await self.on_element(handle, "return e.localName === 'select' ? 'select' : e.type || '';")
        )

    async def _focus(self, handle: str, place: Spot) -> None:
        if place.hit:
            await self.do(self.page.mouse.click(place.x, place.y))
        else:
            await self.on_element(handle, "e.focus();")

    async def text(self, text: str, *, instead: bool = False) -> None:
        """Types; an empty text deletes what is selected where it is to stand instead of it."""
        keyboard = self.page.keyboard
        if not text:
            if instead:
                await self.do(keyboard.press("Delete"))
        elif len(text) <= _SHORT and "\n" not in text:
            await self.do(keyboard.type(text))
        else:
            await self.do(keyboard.insert_text(text))

    async def fill_form(self, action: Action) -> None:
        """All fields in order, then the button that the action names, if any."""
        missing = []
        for locator, text in action.fields:
            place = await self.spot(locator)
            if place is None:
                missing.append(locator)
            else:
                await self.enter(locator, place, text)
        if action.fields and len(missing) == len(action.fields):
            raise Missed("all fields of the form are gone")
        if action.ref or action.locator:
            if action.role == "form":
                await self.submit(action)
            else:
                await self.click(action)

    async def type(self, action: Action) -> None:
        if action.ref or action.locator:
            handle, place = await self.find(action)
            await self._focus(handle, place)
        await self.text(action.value)

    async def press(self, action: Action) -> None:
        if action.ref or action.locator:
            await self.focus(action)
        else:
            await self.tab.evaluate(_BLUR_FIELD, seconds=self._bound)
        await self.key(action.value or "Enter")

    async def key(self, value: str) -> None:
        """One key or chord, held for some frames where the page listens for its release."""
        chord = key_chord(value)
        keyboard = self.page.keyboard
        try:
            if not self._plays() or "+" in chord:
                await self.do(keyboard.press(chord))
                return
            await self.do(keyboard.down(chord))
            await self.tab.evaluate(f"__explorer$.advance({_HELD_MS})", seconds=self._bound)
            await self.do(keyboard.up(chord))
        except PlaywrightError as error:
            if "Unknown key" not in str(error):
                raise
            if len(value) != 1:
                raise Missed(f"there is no key {value!r}") from error
            await self.do(keyboard.insert_text(value))

    def _plays(self) -> bool:
        events = {handler.event for handler in self.snapshot.page_handlers} if self.snapshot else set()
        return {"keydown", "keyup"} <= events

    async def slide(self, action: Action) -> None:
        handle = await self.focus(action)
        value = action.value or "ArrowRight"
        if value.lstrip("-").replace(".", "", 1).isdigit():
            await self.set(handle, value)
        else:
            await self.key(value)

    # --- controls

    async def set(self, handle: str, value: str) -> None:
        """Sets a field that no keyboard fills reliably, with input and change events."""
        inside = json.dumps(parts_of(handle)[1])
        done = await self.ask(handle, f"__explorer$.set({inside}, {json.dumps(value)})")
        if done is None:
            raise Missed("the field is gone")
        if done is False:
            raise Missed(f"the field does not take {value!r}")

    async def select(self, action: Action) -> None:
        await self.set(await self.focus(action), action.value)

    async def submit(self, action: Action) -> None:
        handle, _ = await self.find(action)
        await self.on_element(
            handle,
            "const f = e.localName === 'form' ? e : e.form || e.closest('form'); if (f) f.requestSubmit();",
        )

    async def upload(self, action: Action) -> None:
        """Gives a sample to a file input, or to the chooser that a button opens."""
        names = [action.value or "text.txt"]
        if names[0] not in samples():
            raise Missed(f"there is no sample file {names[0]!r}")
        paths = write_samples(self.samples, names)
        handle, place = await self.find(action)
        kind = await self.on_element(handle, "return e.localName === 'input' ? e.type : '';")
        if kind == "file":
            js = await self.tab.bounded(
                self.frame_of(handle).evaluate_handle(call("find", handle)), self._bound
            )
            element = js.as_element()
            if element is None:
                raise Missed("the file input is gone")
            await self.do(element.set_input_files(paths))
            return
        self.tab.next_files = names
        await self.do(self.page.mouse.click(place.x, place.y))
        for _ in range(_CHOOSER_TRIES):
            if not self.tab.next_files:
                return
            await asyncio.sleep(0.02)
        self.tab.next_files = []
        raise Missed("no file chooser was opened")

    # --- the browser itself

    async def back(self, _: Action) -> None:
        await self.travel(-1)

    async def forward(self, _: Action) -> None:
        await self.travel(1)

    async def travel(self, by: int) -> None:
        """Moves in the history, never beyond the app's own entries."""
        history = await self.tab.send("Page.getNavigationHistory")
        index = history["currentIndex"] + by
        entries = history["entries"]
        if not 0 <= index < len(entries) or not entries[index]["url"].startswith(
            ("http:", "https:", "blob:")
        ):
            raise Missed("there is no earlier page" if by < 0 else "there is no later page")
        await self.tab.send("Page.navigateToHistoryEntry", {"entryId": entries[index]["id"]})

    async def reload(self, _: Action) -> None:
        """Loads the page anew, at its top: the browser's way back to where it was scrolled to races with the load."""
        await self.tab.evaluate("history.scrollRestoration = 'manual'", seconds=self._bound)
        await self.do(self.page.reload(wait_until="commit"))

    async def resize(self, action: Action) -> None:
        """To "width,height"; without a value between a phone's size and the normal one."""
        width, height = self.tab.options.viewport
        normal = (await self._viewport()) == (width, height)
        w, h = pair(action.value, default=_NARROW if normal else (width, height))
        await self.do(self.page.set_viewport_size({"width": max(int(w), 100), "height": max(int(h), 100)}))

    async def advance_time(self, action: Action) -> None:
        advance = f"__explorer$.advance({float(action.value or 1000)})"
        await self.tab.evaluate(advance)
        for frame in self.page.frames[1:_MOST_FRAMES]:  # those of other origins have clocks of their own
            guarded = f"globalThis.__explorer$ && __explorer$.advance && {advance}"
            await within(self.tab.options.recover_s, frame.evaluate(guarded))

    async def network(self, action: Action) -> None:
        await self.do(self.page.context.set_offline(action.value == "offline"))

    async def storage(self, action: Action) -> None:
        """ "clear" empties the app's storage; anything else is a change by another tab."""
        await self.tab.evaluate(_CLEAR if action.value == "clear" else _STORAGE_EVENT, seconds=self._bound)


_BLUR_FIELD = (
    "(() => { const e = document.activeElement;"
    " if (e && e !== document.body && (e.isContentEditable || /^(input|textarea|select)$/.test(e.localName)))"
    " e.blur(); })()"
)
_CLEAR = "(() => { localStorage.clear(); sessionStorage.clear(); })()"
_STORAGE_EVENT = (
    "(() => { const key = Object.keys(localStorage)[0] || null, value = key && localStorage.getItem(key);"
    " dispatchEvent(new StorageEvent('storage', { key, oldValue: value, newValue: value, url: location.href,"
    " storageArea: localStorage })); })()"
)


def pair(value: str, *, default: tuple[float, float]) -> tuple[float, float]:
    """Two numbers from "dx,dy"; the default where there are none."""
    first, _, second = value.partition(",")
    try:
        return float(first), float(second)
    except ValueError:
        return default


def key_chord(value: str) -> str:
    """A key or chord in Playwright's names: "Ctrl+ " is "Control+Space", "+" is itself."""
    parts = ["+"] if value == "+" else value.split("+")
    if len(parts) > 1 and parts[-1] == "":  # "Control++"
        parts = [*parts[:-2], "+"]
    return "+".join(_KEY_NAMES.get(part, part) for part in parts)


_Gesture = Callable[[Gestures, Action], Awaitable[None]]
_GESTURES: Mapping[str, _Gesture] = {
    "click": Gestures.click,
    "double-click": Gestures.double_click,
    "right-click": Gestures.right_click,
    "hover": Gestures.hover,
    "fill": Gestures.fill,
    "fill-form": Gestures.fill_form,
    "select": Gestures.select,
    "check": Gestures.check,
    "press": Gestures.press,
    "type": Gestures.type,
    "drag": Gestures.drag,
    "swipe": Gestures.swipe,
    "slide": Gestures.slide,
    "upload": Gestures.upload,
    "scroll": Gestures.scroll,
    "wheel": Gestures.wheel,
    "back": Gestures.back,
    "forward": Gestures.forward,
    "reload": Gestures.reload,
    "resize": Gestures.resize,
    "advance-time": Gestures.advance_time,
    "submit": Gestures.submit,
    "network": Gestures.network,
    "storage": Gestures.storage,
}
