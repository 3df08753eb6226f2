"""The trace on disk: trace.jsonl, one JSON object a line, flushed step by step so that nothing done is lost.

The first line is `{"trace": VERSION, "head": {...}}`, then `{"step": {...}}` for each step, last
`{"end": {"stop": ..., "reason": ...}}`. Fields that have their default value are left out. A run that was killed
has no end line, and its last line may be torn: it reads back as a trace whose `stop` is "".
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from graph.records import Step, Trace, TraceHead
from instrument.errors import UsageError

VERSION = 1

_Record = TypeVar("_Record", Step, TraceHead)


class TraceWriter:
    """Writes a trace; every call reaches the disk before it returns.

    Raises OSError where the disk refuses. With `resume`, an existing file is continued: a torn last line and an
    end line are cut off, and `head` must not be written again.
    """

    def __init__(self, path: str | Path, *, resume: bool = False) -> None:
        self.path = Path(path)
        if resume:
            _cut_to_last_step(self.path)
        self._file = self.path.open("ab" if resume else "wb")

    def head(self, head: TraceHead) -> None:
        """Writes what the run is; first of all calls."""
        self._write(b'{"trace": %d, "head": %s}' % (VERSION, _dump(_heads(), head)))

    def step(self, step: Step) -> None:
        """Writes one step."""
        self._write(b'{"step": %s}' % _dump(_steps(), step))

    def end(self, *, stop: str, reason: str) -> None:
        """Writes why the run stopped; last of all calls."""
        self._write(json.dumps({"end": {"stop": stop, "reason": reason}}).encode())

    def close(self) -> None:
        """Closes the file; may be called twice."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _write(self, line: bytes) -> None:
        self._file.write(line + b"\n")
        self._file.flush()


def read_trace(path: str | Path) -> Trace:
    """Reads a trace back, also one that was cut off.

    Raises UsageError where the file is missing, is no trace, is damaged in its middle, or was written by a
    version that this one does not know.
    """
    path = Path(path)
    lines = _lines(path)
    head = _read_head(path, lines[0] if lines else b"")
    steps: list[Step] = []
    stop, reason = "", ""
    for number, line in enumerate(lines[1:], start=2):
        entry = _entry(line)
        if entry is None and number == len(lines):
            break
        if entry is not None and isinstance(entry.get("end"), dict):
            stop, reason = str(entry["end"].get("stop", "")), str(entry["end"].get("reason", ""))
            continue
        step = None if entry is None else _load(_steps(), entry.get("step"))
        if step is None:
            raise UsageError(
                f"Line {number} of {path} is damaged; cut the file off before it to read the rest."
            )
        steps.append(step)
    return Trace(head=head, steps=tuple(steps), stop=stop, stop_reason=reason)


def _lines(path: Path) -> list[bytes]:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(
            f"Cannot read the trace {path}: {error.strerror}; name a run folder's trace.jsonl."
        ) from error
    return data.removesuffix(b"\n").split(b"\n") if data else []


def _read_head(path: Path, line: bytes) -> TraceHead:
    entry = _entry(line) or {}
    version = entry.get("trace")
    if version is None:
        raise UsageError(f"{path} is not a trace of explore-app; name a run folder's trace.jsonl.")
    if version != VERSION:
        raise UsageError(
            f"{path} has trace format {version}, this version reads {VERSION}; update explore-app."
        )
    head = _load(_heads(), entry.get("head"))
    if head is None:
        raise UsageError(f"The first line of {path} is damaged; explore again.")
    return head


def _cut_to_last_step(path: Path) -> None:
    """Leaves the head line and the whole step lines."""
    kept = [line for line in _lines(path) if (entry := _entry(line)) is not None and "end" not in entry]
    path.write_bytes(b"".join(line + b"\n" for line in kept))


def _entry(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _dump(adapter: TypeAdapter[_Record], record: _Record) -> bytes:
    try:
        return adapter.dump_json(record, exclude_defaults=True)
    except PydanticSerializationError:
        # Lone surrogates, which pages may hold, have no UTF-8 form; JSON's \uXXXX can carry them.
        return json.dumps(adapter.dump_python(record, exclude_defaults=True), ensure_ascii=True).encode()


def _load(adapter: TypeAdapter[_Record], value: object) -> _Record | None:
    try:
        return adapter.validate_python(value)
    except ValidationError:
        return None


@lru_cache(maxsize=1)
def _steps() -> TypeAdapter[Step]:
    return TypeAdapter(Step)


@lru_cache(maxsize=1)
def _heads() -> TypeAdapter[TraceHead]:
    return TypeAdapter(TraceHead)
