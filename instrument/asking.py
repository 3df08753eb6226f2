"""Asks the worker for one script or page at a time, through the cache; what is left of its errors is a reason in words."""

from __future__ import annotations

import asyncio
import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from instrument.cache import ResultCache
from instrument.node import WorkerPool, answer_of

_TIMEOUT_S, _TIMEOUT_S_PER_MB = 30.0, 20.0
_TEXTS = ("code", "html", "map")
_UNCACHEABLE = b'"uncacheable":true}}'
"""End of an answer that depends on more than its question: sources were read from the disk."""


@dataclass
class Asking:
    """The worker with its cache."""

    worker: WorkerPool
    store: ResultCache
    branches: bool = True
    _program: str = field(init=False)

    def __post_init__(self) -> None:
        self._program = hashlib.sha256(self.worker.program.read_bytes()).hexdigest()

    async def ask(self, key: str, op: str, text: str, **message: Any) -> dict[str, Any]:
        """The worker's answer for a script or page of that key, from the cache if it is there.

        `text` is the one whose length tells how long it may take. Raises ScriptError where it cannot be parsed.
        """
        message |= {"key": key, "branches": self.branches}
        small = {name: value for name, value in message.items() if name not in _TEXTS}
        texts = [message.get(name, "") for name in _TEXTS]
        place = self.store.key(self._program, op, json.dumps(small, sort_keys=True), *texts)
        line = self.store.get(place)
        if line is None:
            limit = _TIMEOUT_S + _TIMEOUT_S_PER_MB * len(text) / 1e6
            line = await self.worker.call(op, timeout_s=limit, **message)
            if not line.rstrip().endswith(_UNCACHEABLE):
                await asyncio.to_thread(self.store.put, place, line)
        return answer_of(line)
