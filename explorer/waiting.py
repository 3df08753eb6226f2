"""Waits for a role that asks a model, and stops waiting when the run is to end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

Answer = TypeVar("Answer")

LOOK_EVERY = 0.2
"""Seconds between looks at whether the run is to end: a Ctrl-C is heard by a flag, not by the event loop."""


async def patiently(answer: Awaitable[Answer], *, ended: Callable[[], bool]) -> Answer | None:
    """What an awaitable brings; None, and it is cancelled, once `ended` says so. The page's events go on meanwhile."""
    task = asyncio.ensure_future(answer)
    try:
        while not ended():
            done, _ = await asyncio.wait({task}, timeout=LOOK_EVERY)
            if done:
                return task.result()
        return None
    finally:
        # Also where the whole run is cancelled.
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
