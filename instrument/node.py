"""The JavaScript side's processes: the one place of this package that starts a program.

The worker (js/src/worker.mjs) reads one JSON object a line and answers each with one. A pool keeps one process a
core; each serves one request at a time, so that a request that never ends costs its own process only.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from instrument.errors import AppError, UsageError

WORKER_PROGRAM = Path(__file__).parent / "_js" / "worker.mjs"
_LINE_LIMIT = 1 << 30
"""Longest answer in bytes: an instrumented script with its tables."""


class ScriptError(Exception):
    """The worker could not do what it was asked for with this file; `str()` is the reason in words."""


def _deep_stack() -> tuple[str, ...]:
    """Node's option for a deeper stack, as far as the system's own limit allows: bundlers write deep expressions."""
    if sys.platform == "win32":
        return ()
    import resource

    limit = resource.getrlimit(resource.RLIMIT_STACK)[0]
    megabytes = 8 if limit == resource.RLIM_INFINITY else limit >> 20
    return (f"--stack-size={min(megabytes, 16) * 750}",) if megabytes >= 4 else ()


def find_node() -> Path:
    """The Node to run the JavaScript side on: Playwright's own, else one from PATH or from PyPI.

    Raises UsageError where there is none.
    """
    if chosen := os.environ.get("PLAYWRIGHT_NODEJS_PATH"):
        return Path(chosen)
    name = "node.exe" if os.name == "nt" else "node"
    spec = importlib.util.find_spec("playwright")
    if spec is not None and spec.origin is not None:
        bundled = Path(spec.origin).parent / "driver" / name
        if bundled.is_file():
            return bundled
    if on_path := shutil.which("node"):
        return Path(on_path)
    raise UsageError("No Node was found: run `pip install --force-reinstall playwright`, which brings one.")


class _Process:
    """One worker process; `None` inside until it is first needed and again after it was ended."""

    def __init__(self, command: tuple[str, ...]) -> None:
        self._command = command
        self._running: asyncio.subprocess.Process | None = None
        self._requests = 0

    async def ask(self, message: dict[str, Any], timeout_s: float) -> bytes:
        """The answer's line. Raises ScriptError when the process dies or takes too long."""
        running = self._running or await self._start()
        assert running.stdin is not None and running.stdout is not None
        self._requests += 1
        line = json.dumps({"id": self._requests, **message}, ensure_ascii=False)
        try:
            async with asyncio.timeout(timeout_s):
                running.stdin.write(line.encode("utf-8", "surrogatepass") + b"\n")
                await running.stdin.drain()
                answer = await running.stdout.readline()
        except TimeoutError:
            await self.end()
            raise ScriptError(f"the parser did not end within {timeout_s:.0f} s") from None
        except asyncio.CancelledError:
            await self.end()
            raise
        except (ConnectionError, ValueError) as error:
            await self.end()
            raise ScriptError(f"the instrumenter stopped: {error}") from error
        if not answer.endswith(b"\n"):
            await self.end()
            raise ScriptError("the instrumenter stopped, perhaps for lack of memory")
        return answer

    async def _start(self) -> asyncio.subprocess.Process:
        try:
            self._running = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                limit=_LINE_LIMIT,
            )
        except OSError as error:
            raise AppError(f"Node could not be started ({error}): check {self._command[0]}.") from error
        return self._running

    async def end(self) -> None:
        """Ends the process; the next request starts a new one."""
        running, self._running = self._running, None
        if running is None:
            return
        with contextlib.suppress(ProcessLookupError):
            running.kill()
        await running.wait()


class WorkerPool:
    """Worker processes, started when first needed. Use as an async context manager, or call close().

    `size`: processes, by default one a core but at most two. Requests beyond that wait for a free one.
    """

    def __init__(
        self, *, size: int | None = None, node: Path | None = None, program: Path | None = None
    ) -> None:
        self.program = program or WORKER_PROGRAM
        if not self.program.is_file():
            raise UsageError(f"{self.program} is missing: run `node js/build.mjs` in the checkout.")
        command = (str(node or find_node()), *_deep_stack(), str(self.program))
        count = size or min(2, os.cpu_count() or 1)
        self._processes = [_Process(command) for _ in range(count)]
        self._free: asyncio.LifoQueue[_Process] = asyncio.LifoQueue()
        for process in self._processes:
            self._free.put_nowait(process)

    async def call(self, op: str, *, timeout_s: float = 60.0, **message: Any) -> bytes:
        """Raw JSON of the answer's line, `{"id": ..., "ok": ...}`; see `answer_of`.

        Raises ScriptError when the process dies or does not answer in time.
        """
        process = await self._free.get()
        try:
            return await process.ask({"op": op, **message}, timeout_s)
        finally:
            self._free.put_nowait(process)

    async def close(self) -> None:
        """Ends all processes."""
        for process in self._processes:
            await process.end()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def answer_of(line: bytes) -> dict[str, Any]:
    """What an answer's line holds. Raises ScriptError where the worker reports an error."""
    answer = json.loads(line)
    if "error" in answer:
        raise ScriptError(answer["error"])
    result: dict[str, Any] = answer["ok"]
    return result
