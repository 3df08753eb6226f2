"""Runs the user's build scripts and servers: the one file of this package that starts other people's programs.

Their output goes to a log line by line, their time and disk are limited, and whatever they started ends with them.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from instrument.buildlog import reasons
from instrument.errors import AppError
from instrument.processgroup import MARK, kill_now, members, signal_all

TIMEOUT_S = 600.0
"""Seconds that a build may take."""
DISK_LIMIT = 8 << 30
"""Bytes that a build may add to the disk."""
_LOG_LIMIT = 32 << 20
_TAIL = 400
"""Lines that are kept in memory, for the reason of a failure."""
_GRACE_S = 3.0
"""Seconds between asking a process to end and killing it."""
_SPARE = 256 << 20
_POLL_S = 0.05
_ANSI = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]|[\x00-\x08\x0e-\x1f]"
)

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended."""

    code: int
    """Exit code; negative for a signal."""
    lines: tuple[str, ...]
    """The last lines of its output, without colours."""
    seconds: float
    stopped: str = ""
    """Why we ended it, in words; "" where it ended by itself."""

    @property
    def ok(self) -> bool:
        return self.code == 0 and not self.stopped


@dataclass(frozen=True, slots=True)
class Limits:
    """What a command may use."""

    seconds: float = TIMEOUT_S
    disk: int = DISK_LIMIT


async def run_command(
    command: str | Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    log: Path,
    say: Say | None = None,
    limits: Limits | None = None,
) -> Finished:
    """Runs a command to its end; a text goes through the shell, a sequence does not.

    All output is added to `log`; `say` is told each line. Nothing that it started is left afterwards, however this
    call ends. Raises AppError where the program is not there.
    """
    limits = limits or Limits()
    begun, free = time.monotonic(), _free(cwd)
    with _Log(log, say) as output, _cancelled_by_sigterm():
        output.note(_shown(command))
        async with _started(command, cwd=cwd, env=env, output=output) as process:
            stopped = ""
            # Not process.wait(): that also waits for offspring that holds the output open.
            while process.returncode is None and not stopped:
                await asyncio.sleep(_POLL_S)
                if process.returncode is None:
                    stopped = _excess(limits, begun, cwd, free)
            code = process.returncode if process.returncode is not None else -signal.SIGTERM
        seconds = time.monotonic() - begun
        if stopped:
            output.note(stopped)
        return Finished(code, tuple(output.tail), round(seconds, 2), stopped)


@contextmanager
def _cancelled_by_sigterm() -> Iterator[None]:
    """SIGTERM counts as Ctrl-C meanwhile: else this program would be gone, and the build would go on."""
    loop, task, heard = asyncio.get_running_loop(), asyncio.current_task(), []
    assert task is not None

    def cancel() -> None:
        heard.append(True)
        task.cancel()

    try:
        earlier = signal.getsignal(signal.SIGTERM)
        loop.add_signal_handler(signal.SIGTERM, cancel)
    except (NotImplementedError, ValueError, RuntimeError):  # not this thread, or not this system
        yield
        return
    try:
        yield
    except asyncio.CancelledError:
        if heard:
            raise KeyboardInterrupt from None
        raise
    finally:
        loop.remove_signal_handler(signal.SIGTERM)
        signal.signal(signal.SIGTERM, earlier)


def _excess(limits: Limits, begun: float, place: Path, free: int) -> str:
    """What limit is broken, in words; "" for none."""
    if time.monotonic() - begun > limits.seconds:
        return f"it did not end within {limits.seconds:g} seconds"
    left = _free(place)
    if free - left > limits.disk:
        return f"it filled more than {limits.disk / (1 << 30):.1f} GB of the disk"
    if left < _SPARE < free:
        return "it filled the disk"
    return ""


def _free(place: Path) -> int:
    return shutil.disk_usage(place).free


@dataclass
class Server:
    """A server that answers at a URL for as long as `start_server` lasts."""

    url: str
    log: Path
    process: asyncio.subprocess.Process
    lines: deque[str] = field(repr=False)

    @property
    def alive(self) -> bool:
        """Whether the command that started it still runs."""
        return self.process.returncode is None

    @property
    def tail(self) -> tuple[str, ...]:
        """The last lines of its output."""
        return tuple(self.lines)


@asynccontextmanager
async def start_server(
    command: str | Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    url: str,
    timeout_s: float = 120.0,
    log: Path,
    say: Say | None = None,
) -> AsyncIterator[Server]:
    """Starts a server and waits until its URL answers; it ends, with all that it started, when the context does.

    `command`: a text goes through the shell, a sequence does not. `timeout_s`: how long it may take until the first
    answer, whatever its status. `log`: its output is added there. Raises AppError where something answers at the URL
    already, where the command ends before it answers (its last lines are in the message), or takes too long.
    """
    if await answers(url):
        raise AppError(
            f"Something answers at {url} already, before {_shown(command)} was started: "
            "stop it, or give --url alone to explore it."
        )
    with _Log(log, say) as output:
        output.note(_shown(command))
        async with _started(command, cwd=cwd, env=env, output=output) as process:
            await _until_it_answers(process, _shown(command), url, timeout_s=timeout_s, output=output)
            yield Server(url, log, process, output.tail)


async def _until_it_answers(
    process: asyncio.subprocess.Process, shown: str, url: str, *, timeout_s: float, output: _Log
) -> None:
    deadline = time.monotonic() + timeout_s
    while not await answers(url):
        last = " / ".join(reasons(list(output.tail)))
        if process.returncode is not None:
            raise AppError(
                f"`{shown}` ended with code {process.returncode} before {url} answered"
                f"{f' ({last})' if last else ''}: start it by hand to see why; its output is in {output.path}."
            )
        if time.monotonic() > deadline:
            raise AppError(
                f"`{shown}` runs, but {url} did not answer within {timeout_s:g} seconds"
                f"{f' (it said last: {last})' if last else ''}: check the address that --url names."
            )
        await asyncio.sleep(0.1)


async def answers(url: str, *, timeout_s: float = 3.0) -> bool:
    """Whether an HTTP server answers at a URL, with any status."""
    return await asyncio.to_thread(_answers, url, timeout_s)


def _answers(url: str, timeout_s: float) -> bool:
    unchecked = ssl.create_default_context()
    unchecked.check_hostname, unchecked.verify_mode = False, ssl.CERT_NONE
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=unchecked)
    )
    try:
        with opener.open(url, timeout=timeout_s):
            return True
    except urllib.error.HTTPError as error:
        error.close()
        return True
    except (OSError, ValueError):
        return False


def free_port(preferred: int = 0) -> int:
    """A port of the loopback that nothing listens on: the preferred one where it is free."""
    for port in (preferred, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            found: int = probe.getsockname()[1]
            return found
    raise AppError("No port of this machine is free: end some servers.")


# -- one process with all that it starts


@asynccontextmanager
async def _started(
    command: str | Sequence[str], *, cwd: Path, env: Mapping[str, str], output: _Log
) -> AsyncIterator[asyncio.subprocess.Process]:
    """The process, its output on the way to the log; ended as a group when the context ends."""
    mark = uuid.uuid4().hex
    spawning = asyncio.ensure_future(_spawn(command, cwd=cwd, env={**env, MARK: mark}))
    try:
        process = await asyncio.shield(spawning)
    except asyncio.CancelledError:
        # It may have started others by now: seen to its end first, it cannot leave any.
        kill_now((await spawning).pid, mark)
        raise
    reader = asyncio.create_task(_read(process, output))
    try:
        yield process
    finally:
        try:
            await _end(process, mark)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(reader), timeout=2.0)
        finally:
            kill_now(process.pid, mark)
            reader.cancel()


async def _spawn(
    command: str | Sequence[str], *, cwd: Path, env: Mapping[str, str]
) -> asyncio.subprocess.Process:
    # A session of its own: Ctrl-C reaches us alone, and we end the whole group.
    own: dict[str, object] = (
        {"creationflags": 0x200} if sys.platform == "win32" else {"start_new_session": True}
    )
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    try:
        if isinstance(command, str):
            return await asyncio.create_subprocess_shell(command, cwd=cwd, env=env, **streams, **own)  # type: ignore[arg-type]
        program = shutil.which(command[0], path=env.get("PATH")) or command[0]
        return await asyncio.create_subprocess_exec(program, *command[1:], cwd=cwd, env=env, **streams, **own)  # type: ignore[arg-type]
    except OSError as error:
        name = command if isinstance(command, str) else command[0]
        raise AppError(
            f"{name} could not be started ({error.strerror}): install it, or check PATH."
        ) from error


async def _end(process: asyncio.subprocess.Process, mark: str) -> None:
    """Asks all to end, waits a moment, kills what is left."""
    if sys.platform == "win32":
        if process.returncode is None:
            tree = ("taskkill", "/T", "/F", "/PID", str(process.pid))
            await (await asyncio.create_subprocess_exec(*tree, stdout=subprocess.DEVNULL)).wait()
    elif process.returncode is None or members(process.pid, mark):
        signal_all(process.pid, mark, signal.SIGTERM)
        for _ in range(int(_GRACE_S / 0.05)):
            if not members(process.pid, mark):
                break
            await asyncio.sleep(0.05)
        kill_now(process.pid, mark)
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), timeout=2.0)


async def _read(process: asyncio.subprocess.Process, output: _Log) -> None:
    assert process.stdout is not None
    rest = b""
    while chunk := await process.stdout.read(1 << 16):
        *lines, rest = (rest + chunk).replace(b"\r\n", b"\n").split(b"\n")
        for line in lines:
            output.line(line)
        if len(rest) > 1 << 20:
            output.line(rest)
            rest = b""
    if rest:
        output.line(rest)


class _Log:
    """Output on its way to a file; the last lines are kept."""

    def __init__(self, path: Path, say: Say | None) -> None:
        self.path = path
        self.tail: deque[str] = deque(maxlen=_TAIL)
        self._say = say
        self._file: IO[str] | None = None
        self._written = 0

    def __enter__(self) -> _Log:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.path.open("a", encoding="utf-8")
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def note(self, words: str) -> None:
        """A line of ours."""
        self._write(f"$ {words}")

    def line(self, raw: bytes) -> None:
        """A line of the program's; of one that was overwritten again and again the last state counts."""
        text = _ANSI.sub("", raw.decode("utf-8", "replace").rstrip("\r").rpartition("\r")[2]).rstrip()
        self.tail.append(text)
        self._write(text)
        if self._say is not None and text.strip():
            self._say(text)

    def _write(self, text: str) -> None:
        if self._file is None or self._written > _LOG_LIMIT:
            return
        self._written += len(text) + 1
        self._file.write(text + "\n" if self._written <= _LOG_LIMIT else "(the rest is left out)\n")
        self._file.flush()


def _shown(command: str | Sequence[str]) -> str:
    """A command for the log and for messages."""
    if isinstance(command, str):
        return command
    return " ".join([os.fspath(Path(command[0]).name), *command[1:]])
