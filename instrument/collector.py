"""Making a hundred thousand small records that all stay: the garbage collector is better off asleep meanwhile."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def collector_paused() -> Iterator[None]:
    """Without garbage collection, which would walk all that was made so far again and again and find nothing."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            _count_as_old()
            gc.enable()


def _count_as_old() -> None:
    """Puts all that lives among the old objects, or else the next collection would walk it once more as new."""
    if not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()


@contextlib.contextmanager
def collector_spared() -> Iterator[None]:
    """What was made so far is left out of garbage collections, which then cost as if it were not there."""
    ours = not gc.get_freeze_count()
    if ours:
        gc.freeze()
    try:
        yield
    finally:
        if ours:
            gc.unfreeze()
