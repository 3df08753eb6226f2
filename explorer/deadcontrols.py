"""Dead controls: what looks live, was clicked at least twice, and never changed a thing.

Precision comes first. A control is accused only where nothing at all changed (page, address, network, storage,
canvas, scroll, a field's focus, dialogs, downloads, tabs, sounds, timers, code that ran for the first time), and it is
cleared for good by a single click, on it or on one that looks the same, that did something.

A control without any handler is dead after two such clicks. One whose handler ran may have had nothing to do (undo
with nothing done), so it must have been clicked three times, in three states.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache

from lxml import etree

from graph.normalize import normalize
from graph.outline import parse
from graph.records import Action, ControlClick, Finding, Observation, Snapshot, StateId, Target
from graph.rules import (
    AttributeRule,
    ClassRule,
    Rule,
    TextRule,
    clocks,
    counters,
    relative_times,
    timestamps,
    transient_classes,
)

TRIES_WITHOUT_HANDLER = 2
TRIES_WITH_HANDLER = 3

_LIVE_ROLES = frozenset("button link tab menuitem".split())
_LIVE_TAGS = frozenset("a button".split())
_LIVE_INPUTS = frozenset("button submit image".split())
_CLICK_EVENTS = frozenset(
    "click mousedown mouseup pointerdown pointerup touchstart touchend submit dblclick keydown".split()
)
_INSIDE_CONTROL = re.compile(r"(?:^|[\s>])(?:a|button|label|summary|select|option)(?=[\s>:.#\[])")
_CHOSEN = re.compile(r"(?:.*[-_])?(?:active|selected|current|on|checked)", re.IGNORECASE)


@dataclass(slots=True)
class _Record:
    """The clicks on one control so far."""

    last: ControlClick
    silent: list[tuple[int, StateId]] = field(default_factory=list)
    path: tuple[int, ...] = ()
    worked: bool = False

    @property
    def dead(self) -> bool:
        if self.worked:
            return False
        if not self.last.handled:
            return len(self.silent) >= TRIES_WITHOUT_HANDLER
        return len({state for _, state in self.silent}) >= TRIES_WITH_HANDLER


class DeadControls:
    """Looks at every click of a run, in order."""

    def __init__(self) -> None:
        self._records: dict[str, _Record] = {}

    def look(
        self,
        before: Snapshot,
        action: Action,
        observation: Observation,
        *,
        step: int,
        state: StateId,
        path: tuple[int, ...] = (),
    ) -> ControlClick | None:
        """Takes in one action: `before` is the snapshot it was made on, `state` the state after it.

        Returns what it showed, for the trace; None where it tells nothing new.
        """
        target = _target(before, action)
        if target is None or self._has_worked(target):
            return None
        click = weigh(target, before, action, observation)
        if click is not None:
            self.take(click, step=step, state=state, path=path)
        return click

    def take(self, click: ControlClick, *, step: int, state: StateId, path: tuple[int, ...] = ()) -> None:
        """Takes in what a click showed, now or in an earlier run."""
        record = self._records.setdefault(click.control, _Record(click))
        if not click.silent:
            record.worked = True
        elif not record.worked:
            record.last, record.path = click, record.path or path
            record.silent.append((step, state))

    def _has_worked(self, target: Target) -> bool:
        record = self._records.get(_key(target))
        return record is not None and record.worked

    def findings(self) -> tuple[Finding, ...]:
        """The controls that are dead by all that is known now, in the order of their first click."""
        return tuple(_accuse(record) for record in self._records.values() if record.dead)

    def suspects(self) -> tuple[tuple[StateId, str], ...]:
        """(state, locator) of controls that one more click would accuse or clear."""
        return tuple(
            (record.silent[-1][1], record.last.locator)
            for record in self._records.values()
            if record.silent and not record.worked and not record.dead
        )


def weigh(target: Target, before: Snapshot, action: Action, observation: Observation) -> ControlClick | None:
    """What one action on a target shows; None where it says nothing about whether the target is alive."""
    if action.kind != "click" or not observation.performed or observation.liveness != "alive":
        return None
    if not looks_live(target, before):
        return None
    after = observation.snapshot
    if target.href.strip().startswith("#"):
        # Following "#" is a step in the history, which every such link makes.
        observation = replace(observation, effects=replace(observation.effects, navigations=0))
    # It was scrolled to in order to be clicked: only what else happened tells something.
    brought = target.offscreen and before.scroll != after.scroll
    quiet = silent(replace(before, scroll=after.scroll) if brought else before, observation)
    if quiet and (brought or _is_choice_made(target, before)):
        return None
    role = target.role or target.tag
    return ControlClick(
        control=_key(target),
        name=f'{role} "{target.name}"' if target.name else f"unnamed {role}",
        locator=target.locator,
        handled=_handled(target),
        silent=quiet,
    )


def _accuse(record: _Record) -> Finding:
    click = record.last
    steps = [str(step) for step, _ in record.silent]
    bound = "a handler is bound to it, but" if click.handled else "no handler is bound to it, and"
    return Finding(
        kind="dead-control",
        identity=identity_of(click.control),
        title=f"{click.name} does nothing",
        detail=f"Clicked in steps {', '.join(steps)}: {bound} nothing changed in the page, the address, the network, "
        f"the storage or a canvas. Locator: {click.locator}",
        step=record.silent[0][0],
        state=record.silent[0][1],
        path=record.path,
        count=len(record.silent),
    )


def identity_of(control: str) -> str:
    """Identity of the finding that a control is dead."""
    return f"dead-control|{control}"


def _key(target: Target) -> str:
    """Controls that look the same are one: if one of a list's buttons works, so do the others."""
    return f"{target.role or target.tag}|{target.family}|{counters(target.name) or target.locator}"


def _target(snapshot: Snapshot, action: Action) -> Target | None:
    for target in snapshot.targets:
        if target.locator == action.locator if action.locator else target.ref == action.ref:
            return target
    return None


def _handled(target: Target) -> bool:
    return any(handler.event in _CLICK_EVENTS for handler in target.handlers)


def looks_live(target: Target, snapshot: Snapshot) -> bool:
    """Whether a person would expect a click on the target to do something now.

    Not: disabled or covered things, fields, what is chosen already, links with an address, a submit button whose form
    the browser rejects, reset buttons, menus that open on hover, draggable things.
    """
    if target.disabled or target.covered or target.draggable or target.hover_reveals or target.container:
        return False
    if target.selected or target.checked is not None:
        return False
    if not _leads_nowhere(target.href):
        return False
    kind = target.field.type if target.field else ""
    if target.tag == "input":
        return kind in _LIVE_INPUTS and not _rejected(target, snapshot)
    if target.field is not None and kind not in ("", *_LIVE_INPUTS):
        return False
    if target.tag in _LIVE_TAGS or target.role in _LIVE_ROLES:
        return not _rejected(target, snapshot)
    inside = _INSIDE_CONTROL.search(target.locator) is not None
    return target.pointer and not target.role and not _handled(target) and not inside


def _leads_nowhere(href: str) -> bool:
    """No link, or one that waits for a handler. Any other link at least changes the address when it is followed."""
    href = href.strip().lower()
    return href in ("", "#", "#!") or href.startswith("javascript:")


def _rejected(target: Target, snapshot: Snapshot) -> bool:
    """A button of a form with an invalid field: the browser shows a bubble, which is no part of the page."""
    kind = target.field.type if target.field else ""
    if kind == "reset":
        return True
    return bool(target.form) and any(
        other.field is not None and other.field.form == target.form and not other.field.valid
        for other in snapshot.targets
    )


def _is_choice_made(target: Target, snapshot: Snapshot) -> bool:
    """Whether the page marks it as the tab, page or option that is shown already."""
    root = parse(snapshot.html)
    if root is None:
        return False
    wanted = " ".join(target.name.split())
    for element in root.iter(target.tag):
        label = " ".join("".join(map(str, element.itertext())).split())[:80]
        if wanted and wanted not in (label, element.get("aria-label"), element.get("title")):
            continue
        parent = element.getparent()
        if _marked(element) or (parent is not None and len(parent) == 1 and _marked(parent)):
            return True
    return False


def _marked(element: etree._Element) -> bool:
    if element.get("aria-current") not in (None, "false") or "true" in (
        element.get("aria-selected"),
        element.get("aria-pressed"),
    ):
        return True
    return any(_CHOSEN.fullmatch(token) for token in (element.get("class") or "").split())


# --- whether anything happened ------------------------------------------------------------------------------


def silent(before: Snapshot, observation: Observation) -> bool:
    """Whether an action changed nothing that a user or a program could notice.

    Mutations alone are no change: browsers and frameworks touch attributes on focus and hover. The page is compared
    without classes that hover, focus and transitions set, and without clocks, which run by themselves.
    """
    after, effects = observation.snapshot, observation.effects
    if observation.hits or observation.messages or observation.faults or observation.requests:
        return False
    if observation.dialogs or observation.downloads or observation.popups or observation.overlay:
        return False
    counts = (effects.requests, effects.storage, effects.navigations, effects.dialogs)
    if any(counts) or any((effects.downloads, effects.popups, effects.media)):
        return False
    if _bare(before.url) != _bare(after.url) or (before.scroll, before.canvas) != (
        after.scroll,
        after.canvas,
    ):
        return False
    if (before.title, before.viewport) != (after.title, after.viewport) or _waits(before) != _waits(after):
        return False
    if _field_in_focus(after) not in ("", _field_in_focus(before)):
        return False
    return before.digest == after.digest or _look(before.html) == _look(after.html)


def _bare(url: str) -> str:
    return url.removesuffix("#").removesuffix("#!")


def _waits(snapshot: Snapshot) -> int:
    return sum(not timer.repeats for timer in snapshot.timers)


def _field_in_focus(snapshot: Snapshot) -> str:
    for target in snapshot.targets:
        if (
            target.ref == snapshot.focus
            and target.field is not None
            and target.field.type not in _LIVE_INPUTS
        ):
            return target.locator
    return ""


def _momentary(name: str, value: str) -> str | None:
    return None if name in ("tabindex", "data-x-hover", "data-x-focus", "data-focus", "data-hover") else value


_LOOK: tuple[Rule, ...] = (
    AttributeRule("momentary attributes", _momentary),
    ClassRule("transient classes", transient_classes),
    TextRule("timestamps", timestamps),
    TextRule("clocks", clocks),
    TextRule("relative times", relative_times),
)


@lru_cache(maxsize=4)
def _look(html: str) -> str:
    return normalize(html, abstraction="exact", rules=_LOOK)
