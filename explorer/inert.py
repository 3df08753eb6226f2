"""Whether an action provably did nothing, so that a way on which it lies is the same without it.

In doubt it did something. `explorer.deadcontrols` asks another question, whether a user would notice anything.
"""

from __future__ import annotations

from graph.records import Action, Effects, Observation, Snapshot, Target, Timer

_MAY_BE_LEFT_OUT = frozenset("click double-click right-click hover scroll wheel swipe drag press".split())
"""Not what fills in a field, goes to another document, sizes the window, or lets time pass: a clock can be asked later."""
_NEVER = frozenset(("advance-time", "network", "storage", "resize", "back", "forward", "reload"))
"""They change what is around the page, even where the gesture failed."""


def did_nothing(before: Snapshot, action: Action, observation: Observation) -> bool:
    """Whether all that is known of the page is as it was, nothing was set off, and no code ran.

    before: the snapshot that the action was made on. A gesture that could not be made may be of any kind. The focus may
    have come to what was acted on: then only a later action that takes it too makes this one needless (explorer.paths).
    """
    after = observation.snapshot
    if action.kind in _NEVER or (observation.performed and action.kind not in _MAY_BE_LEFT_OUT):
        return False
    if observation.liveness != "alive" or observation.ran or observation.hits or _set_off(observation):
        return False
    if action.kind == "press" and after.focus:
        return False  # it may have moved the cursor in a field
    if before.focus != after.focus and not took_focus(action, after):
        return False
    return _page(before) == _page(after) and not _may_run_unseen(before, action)


def took_focus(action: Action, after: Snapshot) -> bool:
    """Whether the focus is on what an action was made on, so that it does not matter where it was before."""
    target = _target(action, after)
    return target is not None and target.ref == after.focus


def _target(action: Action, snapshot: Snapshot) -> Target | None:
    for target in snapshot.targets:
        if action.locator and target.locator == action.locator:
            return target
    return None


def _set_off(observation: Observation) -> bool:
    told = (observation.messages, observation.faults, observation.requests, observation.dialogs)
    opened = (observation.downloads, observation.popups, observation.overlay)
    return observation.effects != Effects() or any(told) or any(opened)


def _page(snapshot: Snapshot) -> tuple[object, ...]:
    return (
        snapshot.digest,
        snapshot.url,
        snapshot.title,
        snapshot.viewport,
        snapshot.scroll,
        snapshot.canvas,
        snapshot.page_handlers,
        [(target.locator, target.handlers, target.field) for target in snapshot.targets],
        sorted(map(_timer, snapshot.timers)),
    )


def _timer(timer: Timer) -> tuple[int, bool]:
    return (-1 if timer.function is None else timer.function, timer.repeats)


def _may_run_unseen(before: Snapshot, action: Action) -> bool:
    """Whether a handler without a counter may have heard it: such code runs without being seen."""
    if any(handler.function is None for handler in before.page_handlers):
        return True
    if not (action.locator or action.ref):
        return False
    target = _target(action, before)
    return target is None or any(handler.function is None for handler in target.handlers)
