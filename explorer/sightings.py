"""Sightings: in which state something bound to a function was seen, and how often it was tried."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from graph.records import Action, ActionKind, PageHandler, Snapshot, Step, Target, Timer, Trace


@dataclass(frozen=True, slots=True)
class Sighting:
    """One state in which something bound to a function was seen."""

    state: str
    brief: str
    """The element in words: `button "Save"`, `the page`, `timer due after 2 s`."""
    event: str
    tried: int = 0
    """Actions that raised this event on this element, in any state."""
    disabled: bool = False
    family: str = ""
    ordinal: int = 0
    """With state and event they say which action a tester would make; family "" is the page itself."""

    @property
    def gesture(self) -> str:
        """What a user would do to raise the event: `double-click button "Save"`."""
        if self.event == "timer":
            return f"wait for {self.brief}"
        words = _GESTURES.get(self.event, f"raise {self.event} on")
        return f"{words} {self.brief}"


Seen = Mapping[int, Sequence[Sighting]]
"""Function probe -> where something bound to it was seen."""

Tried = Mapping[tuple[str, int, str], int]
"""(family, ordinal, event) -> actions that raised the event; family "" stands for the page's own listeners."""

_POINTER = ("mousedown", "mouseup", "pointerdown", "pointerup", "mouseover", "mouseenter", "focus", "focusin")
_TOUCH = ("touchstart", "touchmove", "touchend", "pointerdown", "pointermove", "pointerup")
_DRAG = ("dragstart", "drag", "dragend", "dragenter", "dragover", "dragleave", "drop")
_INPUT = ("beforeinput", "input", "change", "focus", "focusin", "blur", "focusout")
_KEYS = ("keydown", "keypress", "keyup")
_LEAVE = ("beforeunload", "pagehide", "unload")

RAISES: Mapping[ActionKind, tuple[str, ...]] = {
    "click": ("click", "submit", "change", *_POINTER),
    "double-click": ("dblclick", "click", *_POINTER),
    "right-click": ("contextmenu", "auxclick", *_POINTER),
    "hover": ("mouseover", "mouseenter", "mousemove", "pointerover", "pointerenter", "pointermove"),
    "fill": (*_INPUT, *_KEYS),
    "fill-form": (*_INPUT, "submit"),
    "select": ("input", "change"),
    "check": ("click", "input", "change"),
    "press": _KEYS,
    "type": (*_KEYS, *_INPUT),
    "drag": (*_DRAG, *_POINTER, "mousemove", "pointermove"),
    "swipe": _TOUCH,
    "slide": ("input", "change", "keydown", "keyup"),
    "upload": ("input", "change"),
    "scroll": ("scroll",),
    "wheel": ("wheel", "mousewheel", "scroll"),
    "back": ("popstate", "hashchange", *_LEAVE),
    "forward": ("popstate", "hashchange", *_LEAVE),
    "reload": ("load", "domcontentloaded", "pageshow", *_LEAVE),
    "resize": ("resize",),
    "advance-time": ("timer",),
    "submit": ("submit",),
    "network": ("online", "offline"),
    "storage": ("storage",),
}
"""Events that an action raises on its target, or on the page."""

_GESTURES: Mapping[str, str] = {
    "click": "click",
    "dblclick": "double-click",
    "contextmenu": "right-click",
    **dict.fromkeys(("mousedown", "mouseup", "pointerdown", "pointerup"), "press the mouse on"),
    **dict.fromkeys(("mouseover", "mouseenter", "pointerover", "pointerenter"), "hover"),
    **dict.fromkeys(("mousemove", "pointermove"), "move the mouse over"),
    **dict.fromkeys(("touchstart", "touchmove", "touchend"), "swipe on"),
    **dict.fromkeys(("keydown", "keyup", "keypress"), "press a key on"),
    **dict.fromkeys(("input", "change", "beforeinput"), "change"),
    **dict.fromkeys(("focus", "focusin"), "focus"),
    **dict.fromkeys(("blur", "focusout"), "leave"),
    **dict.fromkeys(("dragstart", "drag", "dragend"), "drag"),
    **dict.fromkeys(("dragenter", "dragover", "dragleave", "drop"), "drag something onto"),
    "submit": "submit",
    "wheel": "turn the wheel over",
    "scroll": "scroll",
    "resize": "resize",
}

_STAY_ON_TARGET = frozenset({"focus", "blur", "mouseenter", "pointerenter", "timer"})


def sightings(trace: Trace) -> dict[int, tuple[Sighting, ...]]:
    """What a whole trace saw bound to each function: snapshots of new states against the actions made."""
    tried = tried_events(trace.steps)
    found: defaultdict[int, list[Sighting]] = defaultdict(list)
    for step in trace.steps:
        if step.snapshot is not None:
            for function, sighting in sightings_in(step.snapshot, state=step.after, tried=tried):
                found[function].append(sighting)
    return {function: tuple(where) for function, where in found.items()}


def sightings_in(snapshot: Snapshot, *, state: str, tried: Tried) -> Iterable[tuple[int, Sighting]]:
    """(function probe, sighting) for all that one snapshot binds."""
    for target in snapshot.targets:
        for handler in target.handlers:
            if handler.function is not None:
                yield handler.function, _of_target(target, handler.event, state, tried)
    of_page: tuple[PageHandler | Timer, ...] = (*snapshot.page_handlers, *snapshot.timers)
    for item in of_page:
        if item.function is not None:
            yield item.function, _of_page(item, state, tried)


def tried_events(steps: Iterable[Step]) -> Tried:
    """How often each event was raised on each element, and on the page."""
    counts: defaultdict[tuple[str, int, str], int] = defaultdict(int)
    for step in steps:
        if step.action is not None and step.performed:
            for place in _raised(step.action):
                counts[place] += 1
    return counts


def brief(target: Target) -> str:
    """A target in words: its role, or tag, and its name."""
    kind = target.role or target.tag
    name = target.name or (target.field and (target.field.label or target.field.name)) or ""
    return f'{kind} "{name}"' if name else f"{kind} without a name"


def _raised(action: Action) -> Iterable[tuple[str, int, str]]:
    on_page = not action.locator
    for event in RAISES[action.kind]:
        if not on_page:
            yield action.family, action.ordinal, event
        if on_page or event not in _STAY_ON_TARGET:
            yield "", 0, event


def _of_target(target: Target, event: str, state: str, tried: Tried) -> Sighting:
    count = tried.get((target.family, target.ordinal, event), 0)
    return Sighting(state, brief(target), event, count, target.disabled, target.family, target.ordinal)


def _of_page(item: PageHandler | Timer, state: str, tried: Tried) -> Sighting:
    if isinstance(item, Timer):
        words = f"a timer due after {item.due_ms / 1000:g} s"
        return Sighting(state, words, "timer", tried.get(("", 0, "timer"), 0))
    return Sighting(state, "the page", item.event, tried.get(("", 0, item.event), 0))
