"""What a user could do in a snapshot: every gesture that some control, listener or the page itself invites."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from graph.records import Action, ActionKind, Snapshot, Target

SAMPLES = ("valid.json", "broken.json", "table.csv", "text.txt", "picture.png")
"""Names of the sample files that an upload may send, most telling first."""

DEFAULT_KEYS = (
    "Enter",
    "Escape",
    "ArrowLeft",
    "ArrowRight",
    "ArrowUp",
    "ArrowDown",
    "Space",
    "Tab",
    "Delete",
)
TYPED = ("Test item", "42", "=1+2*3")
"""What is typed where the page itself takes keys and no field is focused."""
SHORTCUT_LETTERS = frozenset("abcfinostuvxyz")
TEXT_TYPES = frozenset(
    "text textarea search email password number url tel date time datetime-local month week color contenteditable".split()
)
CLICK_ROLES = frozenset(
    "button link tab menuitem menuitemcheckbox menuitemradio checkbox switch option combobox treeitem radio gridcell".split()
)
CLICK_EVENTS = ("click", "mousedown", "mouseup", "pointerdown", "pointerup")
TOUCH_EVENTS = ("touchstart", "touchmove", "touchend")
HOVER_EVENTS = (
    "mouseenter",
    "mouseover",
    "mousemove",
    "pointerenter",
    "pointerover",
    "pointermove",
    "mouseleave",
)
KEY_EVENTS = ("keydown", "keyup", "keypress")
DRAG_EVENTS = ("mousemove", "pointermove")
FIELD_EVENTS = ("input", "change", "blur", "focus", "beforeinput")
PRESS_EVENTS = ("mousedown", "pointerdown", "touchstart")
_DRAG_PARTS = (*PRESS_EVENTS, *DRAG_EVENTS, "mouseup", "pointerup")
SWIPES = ("120,0", "-120,0", "0,120", "0,-120")
MAX_OPTIONS = 6
MAX_KEYS = 40
DISTINCT = 2
"""Of a family, this many members are told apart; later ones are all the same experience."""
NARROW = 600
"""Viewport width in CSS pixels below which a page shows what it has for phones."""
LONGEST_WAIT_MS = 6 * 3600 * 1000


class Key(NamedTuple):
    """What makes two actions the same experience, whichever list item or state they are done in."""

    kind: ActionKind
    family: str
    variant: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One possible action, with the code that it is known to start."""

    key: Key
    kind: ActionKind
    value: str = ""
    target: Target | None = None
    functions: frozenset[int] = frozenset()
    """Function probes of the handlers that it would fire; empty where they are not known."""
    place: str = ""
    """Part of the family that says where it stands: the unit of structural back-off."""

    def action(self, reason: str, *, value: str | None = None) -> Action:
        """The Action record of this candidate."""
        target = self.target
        text = self.value if value is None else value
        if target is None:
            return Action(
                kind=self.kind, reason=reason, value=text, family=self.key.family, variant=self.key.variant
            )
        return Action(
            kind=self.kind,
            reason=reason,
            ref=target.ref,
            locator=target.locator,
            role=target.role or target.tag,
            name=target.name,
            family=target.family,
            ordinal=target.ordinal,
            value=text,
            variant=self.key.variant,
        )


def key_of(action: Action) -> Key:
    """The key of the candidate that an action was made from."""
    family = f"{action.family}#{min(action.ordinal, DISTINCT)}" if action.locator else action.family
    return Key(action.kind, family, action.variant)


@dataclass(frozen=True, slots=True)
class Keyboard:
    """Keys that the app looks for: mined per handler, and all of them."""

    by_function: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    everywhere: tuple[str, ...] = ()

    def keys(self, functions: Iterable[int]) -> tuple[str, ...]:
        """Keys to try on handlers of these functions, the ones they name first."""
        named = [key for function in sorted(functions) for key in self.by_function.get(function, ())]
        found = list(dict.fromkeys([*named, *self.everywhere])) or list(DEFAULT_KEYS)
        return tuple(found[:MAX_KEYS])


def candidates(snapshot: Snapshot, keyboard: Keyboard, *, history: bool = False) -> tuple[Candidate, ...]:
    """All that can be done in this snapshot, in a stable order; `history`: there is a page to go back to."""
    found: list[Candidate] = []
    around = _Around(snapshot, keyboard)
    for target in snapshot.targets:
        if target.covered and target.ref == snapshot.focus:
            found.extend(_TargetView(target, around).typing_blind())
        if not (target.disabled or target.covered):
            found.extend(_TargetView(target, around).candidates())
    found.extend(_page_candidates(snapshot, keyboard, history=history))
    unique: dict[tuple[Key, str], Candidate] = {}
    for candidate in found:
        unique.setdefault((candidate.key, candidate.target.ref if candidate.target else ""), candidate)
    return tuple(unique.values())


def _submits(target: Target) -> bool:
    kind = target.field.type if target.field else ""
    return (target.tag == "button" and kind in ("", "submit")) or (
        target.tag == "input" and kind in ("submit", "image")
    )


class _Around:
    """What all targets of a snapshot share, worked out once."""

    def __init__(self, snapshot: Snapshot, keyboard: Keyboard) -> None:
        self.viewport = snapshot.viewport
        self.keyboard = keyboard
        self.page_drag = any(handler.event in DRAG_EVENTS for handler in snapshot.page_handlers)
        self.droppable = [target for target in snapshot.targets if target.droppable]
        self.families: dict[str, list[Target]] = {}
        """Members of each family that nothing lies over."""
        for target in snapshot.targets:
            if not target.covered:
                self.families.setdefault(target.family, []).append(target)
        self._corners: dict[str, tuple[tuple[int, Target], ...]] = {}

    def furthest(self, target: Target) -> Target | None:
        """The member of its family that is furthest away (in x plus in y), the first of equals; None where it is alone.

        Whoever is furthest from a point is the outermost in one of the four diagonal directions, so that a large family
        is looked through once and not once for each member.
        """
        family = self.families.get(target.family, ())
        if target.family not in self._corners:
            self._corners[target.family] = (
                tuple(
                    max(enumerate(family), key=lambda each: (_along(each[1], sign), -each[0]))
                    for sign in _DIAGONALS
                )
                if family
                else ()
            )
        others = [each for each in self._corners[target.family] if each[1].ref != target.ref]
        if not others:
            # It is the outermost in all directions itself: they all lie in one place.
            return next((other for other in family if other.ref != target.ref), None)
        x, y = target.box[:2]
        return max(others, key=lambda each: (abs(each[1].box[0] - x) + abs(each[1].box[1] - y), -each[0]))[1]


_DIAGONALS = ((1, 1), (1, -1), (-1, 1), (-1, -1))


def _along(target: Target, direction: tuple[int, int]) -> int:
    return direction[0] * target.box[0] + direction[1] * target.box[1]


class _TargetView:
    """One target and what around it decides which gestures make sense on it."""

    def __init__(self, target: Target, around: _Around) -> None:
        self.target = target
        self.around = around
        handlers = target.handlers
        self.events = {handler.event for handler in handlers}
        self.own_events = {handler.event for handler in handlers if handler.own}
        self._family = f"{target.family}#{min(target.ordinal, DISTINCT)}"
        self._place = target.family.split("|", 1)[0]
        self._functions: dict[tuple[str, ...], frozenset[int]] = {}

    def candidates(self) -> Iterable[Candidate]:
        kind = self.target.field.type if self.target.field else ""
        if self.target.tag == "select" or kind == "select":
            yield from self._options()
        elif kind == "file":
            for name in SAMPLES:
                yield self._make("upload", FIELD_EVENTS, value=name, variant=name)
        elif kind == "range":
            for key in ("End", "Home", "ArrowRight"):
                yield self._make("slide", FIELD_EVENTS, value=key, variant=key)
        elif kind in ("checkbox", "radio"):
            yield self._make("check", ("click", "change", "input"))
        elif kind in TEXT_TYPES:
            yield from self._typing(kind)
        elif self._clickable():
            yield self._make("click", (*CLICK_EVENTS, *self._submit_events()))
        yield from self._gestures()

    def typing_blind(self) -> Iterable[Candidate]:
        """A focused field that lies under something else: how code editors and terminals take their input."""
        if self.target.field and self.target.field.type in TEXT_TYPES and not self.target.field.readonly:
            yield self._make("type", (*FIELD_EVENTS, *KEY_EVENTS))
            for key in ("Enter", "Backspace", "Tab"):
                yield self._make("press", KEY_EVENTS, value=key, variant=key)

    def _make(
        self, kind: ActionKind, events: tuple[str, ...], *, value: str = "", variant: str = ""
    ) -> Candidate:
        return Candidate(
            key=Key(kind, self._family, variant),
            kind=kind,
            value=value,
            target=self.target,
            functions=self._started_by(events),
            place=self._place,
        )

    def _started_by(self, events: tuple[str, ...]) -> frozenset[int]:
        """The functions that handle any of these events."""
        found = self._functions.get(events)
        if found is None:
            handlers = () if self.events.isdisjoint(events) else self.target.handlers
            found = self._functions[events] = frozenset(
                handler.function
                for handler in handlers
                if handler.event in events and handler.function is not None
            )
        return found

    def _has(self, events: tuple[str, ...], *, own: bool = False) -> bool:
        return not (self.own_events if own else self.events).isdisjoint(events)

    def _submit_events(self) -> tuple[str, ...]:
        return ("submit",) if self.target.form and _submits(self.target) else ()

    def _clickable(self) -> bool:
        target = self.target
        own = self._has((*CLICK_EVENTS, *TOUCH_EVENTS), own=True)
        if _leads_outside(target.href) and not own:
            return False
        if target.container and not target.role and not self._own_function(CLICK_EVENTS):
            return False
        large = target.box[2] * target.box[3] > 0.5 * self.around.viewport[0] * self.around.viewport[1]
        if large and not own:
            return False
        return (
            own
            or target.role in CLICK_ROLES
            or target.pointer
            or target.tag in ("label", "summary", "canvas")
        )

    def _own_function(self, events: tuple[str, ...]) -> bool:
        return any(h.own and h.function is not None and h.event in events for h in self.target.handlers)

    def _options(self) -> Iterable[Candidate]:
        options = self.target.field.options if self.target.field else ()
        current = self.target.field.value if self.target.field else ""
        for option in options[:MAX_OPTIONS]:
            if option != current or len(options) == 1:
                yield self._make("select", FIELD_EVENTS, value=option, variant=option)

    def _typing(self, kind: str) -> Iterable[Candidate]:
        described = self.target.field
        if described is None or described.readonly:
            # Pickers open on a click or on focus, and fill the field themselves.
            yield self._make("click", (*CLICK_EVENTS, "focus", "focusin"))
            return
        yield self._make("fill", (*FIELD_EVENTS, *KEY_EVENTS))
        if self._has(CLICK_EVENTS, own=True):
            yield self._make("click", CLICK_EVENTS)
        listens = self._has(KEY_EVENTS)
        if listens or (self.target.form and kind != "textarea"):
            keys = {"Enter": None, "Escape": None} if listens else {"Enter": None}
            named = self.around.keyboard.by_function
            for handler in self.target.handlers:
                if handler.own and handler.event in KEY_EVENTS and handler.function is not None:
                    keys.update(dict.fromkeys(named.get(handler.function, ())[:10]))
            for key in keys:
                yield self._make("press", (*KEY_EVENTS, "submit"), value=key, variant=key)

    def _gestures(self) -> Iterable[Candidate]:
        for event, kind in _TEXT_GESTURES:
            # Delegated from far above, these are meant for content, seldom for the controls in it.
            if self._has((event,), own=True) or (self._has((event,)) and not self._is_control()):
                yield self._make(kind, (event,))
        if self._has(HOVER_EVENTS, own=True) or self.target.hover_reveals:
            yield self._make("hover", HOVER_EVENTS)
        yield from self._drags()
        if self._has(TOUCH_EVENTS, own=True):
            for swipe in SWIPES:
                yield self._make("swipe", TOUCH_EVENTS, value=swipe, variant=swipe)
        if self._has(("wheel", "mousewheel"), own=True):
            yield self._make("wheel", ("wheel", "mousewheel"), value="0,240")
        if self.target.tag not in ("input", "textarea") and self._has(KEY_EVENTS, own=True):
            functions = [h.function for h in self.target.handlers if h.own and h.function is not None]
            for key in self.around.keyboard.keys(functions)[:12]:
                yield self._make("press", KEY_EVENTS, value=key, variant=key)

    def _is_control(self) -> bool:
        return self.target.role in CLICK_ROLES or self.target.field is not None

    def _drags(self) -> Iterable[Candidate]:
        target = self.target
        if target.draggable or self._has(("dragstart",), own=True):
            others = [other for other in self.around.droppable if other.ref != target.ref]
            for index, other in enumerate(others[:3]):
                yield self._make(
                    "drag",
                    ("dragstart", "drop", "dragover"),
                    value=f"to {other.locator}",
                    variant=f"to{index}",
                )
            if not others:
                yield self._make("drag", ("dragstart",), value="0,120", variant="down")
            return
        starts = self._has(PRESS_EVENTS, own=True)
        moves = self.around.page_drag or self._has(DRAG_EVENTS)
        if target.grabbable:
            goals = [f"to {goal.locator}" for goal in self._like_ones()]
            for index, value in enumerate((*goals, "160,20", "0,120")):
                yield self._make("drag", _DRAG_PARTS, value=value, variant=f"by its handle {index}")
        elif (starts and moves) or (target.tag == "canvas" and self._has(PRESS_EVENTS)):
            width, height = max(30, target.box[2] // 3), max(30, target.box[3] // 3)
            for dx, dy in ((width, height), (-width, 0), (0, -height)):
                variant = f"{(dx > 0) - (dx < 0)},{(dy > 0) - (dy < 0)}"
                yield self._make("drag", _DRAG_PARTS, value=f"{dx},{dy}", variant=variant)
        elif self._has(PRESS_EVENTS) and not self._is_control():
            # Libraries listen on the document and look what was pressed: any list item may be movable.
            for goal in self._like_ones():
                yield self._make("drag", _DRAG_PARTS, value=f"to {goal.locator}", variant="to like")

    def _like_ones(self) -> list[Target]:
        """The member of its family that is furthest away, where it is one of several."""
        furthest = self.around.furthest(self.target)
        return [furthest] if furthest else []


def leads_on(href: str) -> bool:
    """Whether a link leads to a page or a route of the app, not just to a place in the page or a script."""
    plain = href.strip()
    inside = not plain.startswith("#") or plain.startswith(("#/", "#!"))
    return (
        inside
        and not _leads_outside(plain)
        and not re.match(r"(javascript|data|blob):", plain, re.IGNORECASE)
    )


def _leads_outside(href: str) -> bool:
    return bool(re.match(r"(https?:)?//|mailto:|tel:|ftp:", href))


def _page_candidates(snapshot: Snapshot, keyboard: Keyboard, *, history: bool) -> Iterable[Candidate]:
    listeners: dict[str, set[int]] = {}
    for handler in snapshot.page_handlers:
        functions = listeners.setdefault(handler.event, set())
        if handler.function is not None:
            functions.add(handler.function)

    def make(kind: ActionKind, value: str, *events: str, variant: str | None = None) -> Candidate:
        functions = frozenset(item for event in events for item in listeners.get(event, ()))
        return Candidate(
            Key(kind, "page", value if variant is None else variant), kind, value, None, functions, "page"
        )

    if any(event in listeners for event in KEY_EVENTS):
        functions = {item for event in KEY_EVENTS for item in listeners.get(event, ())}
        keys = keyboard.keys(functions)
        for key in keys:
            yield make("press", key, *KEY_EVENTS)
        yield make("type", TYPED[0], *KEY_EVENTS, variant="")
        for key in keys:
            if key in SHORTCUT_LETTERS:
                yield make("press", f"Control+{key}", *KEY_EVENTS)
    for event, kind, value in _PAGE_EVENTS:
        if event in listeners:
            yield make(kind, value, event)
    yield from _time(snapshot)
    if snapshot.document[1] > snapshot.viewport[1] + 8:
        yield make("scroll", f"0,{snapshot.viewport[1]}", "scroll", variant="down")
    yield make("reload", "", "beforeunload", "pagehide", "unload")
    if history:
        yield make("back", "", "popstate", "hashchange")
    narrow = snapshot.viewport[0] < NARROW
    yield make(
        "resize", "1280,720" if narrow else "390,844", "resize", variant="wide" if narrow else "narrow"
    )


_TEXT_GESTURES: tuple[tuple[str, ActionKind], ...] = (
    ("dblclick", "double-click"),
    ("contextmenu", "right-click"),
)
_PAGE_EVENTS: tuple[tuple[str, ActionKind, str], ...] = (
    ("offline", "network", "offline"),
    ("online", "network", "online"),
    ("storage", "storage", "event"),
    ("wheel", "wheel", "0,240"),
    ("mousewheel", "wheel", "0,240"),
)


def _time(snapshot: Snapshot) -> Iterable[Candidate]:
    """Waiting, as long as it takes for the next timer that is not about to fire anyway."""
    due = sorted({timer.due_ms for timer in snapshot.timers if timer.due_ms <= LONGEST_WAIT_MS})
    functions = frozenset(
        timer.function
        for timer in snapshot.timers
        if timer.function is not None and timer.due_ms <= LONGEST_WAIT_MS
    )
    longest = max(due, default=0)
    wait = max(2000, _rounded(longest))
    yield Candidate(Key("advance-time", "page"), "advance-time", str(wait), None, functions, "page")


def _rounded(due_ms: int) -> int:
    """Enough for a timer, in whole half seconds, above ten seconds in steps of five: how much of the page's time has
    passed since the load differs from run to run where a server answers, and is no other action.
    """
    if due_ms < 10_000:
        return -(-(due_ms + 50) // 500) * 500
    # Intervals are round numbers, and the time that has passed makes them a little less, seldom more.
    return -(-(due_ms - 450) // 5000) * 5000 + 500
