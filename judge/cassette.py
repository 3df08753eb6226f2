"""Record and replay: a folder of requests and replies, found again by their content.

One file a request, `<key>.json`: the request as it was (pictures by their digest) and the reply. The key is a digest of
role, model, texts, pictures, schema and sample index; nothing in it depends on the machine, so a recorded run can be
repeated elsewhere without a model, and a benchmark be audited. Keys of the API and headers never get here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from instrument.errors import UsageError
from judge.request import ImageBlock, Model, ModelReply, ModelRequest, Usage

VERSION = 1
Missing = Literal["error", "ask"]
"""What a replay does with a request that was not recorded."""


def canonical(request: ModelRequest, model: str) -> dict[str, Any]:
    """Everything that an answer depends on, as plain values; pictures by their digest."""
    blocks = [
        {"image": hashlib.sha256(block.data).hexdigest()}
        if isinstance(block, ImageBlock)
        else {"text": block.text}
        for block in request.blocks
    ]
    return {
        "role": request.role,
        "model": model,
        "system": request.system,
        "blocks": blocks,
        "question": request.question,
        "schema": request.schema.model_json_schema(),
        "sample": request.sample,
    }


def key_of(request: ModelRequest, model: str) -> str:
    """Digest of the canonical request: 32 hex digits."""
    text = json.dumps(canonical(request, model), sort_keys=True, ensure_ascii=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


class RecordingModel:
    """A Model whose requests and replies are written to a folder; a request that is there already is written anew."""

    def __init__(self, model: Model, folder: Path) -> None:
        self._model = model
        self._folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"--record {folder}: the folder cannot be made ({error.strerror}).") from error

    @property
    def name(self) -> str:
        return self._model.name

    async def ask(self, request: ModelRequest) -> ModelReply:
        """See `judge.request.Model`. Failures are kept too: a run that fell back is repeated as it was."""
        reply = await self._model.ask(request)
        save(self._folder, request, reply, model=self.name)
        return reply

    async def close(self) -> None:
        """See `judge.request.Model`."""
        await self._model.close()


class ReplayingModel:
    """A Model that reads its replies from a folder."""

    def __init__(self, name: str, folder: Path, *, otherwise: Model | None = None) -> None:
        if not folder.is_dir():
            raise UsageError(f"--replay {folder}: there is no such folder; record one with --record.")
        self.name = name
        self._folder = folder
        self._otherwise = otherwise

    async def ask(self, request: ModelRequest) -> ModelReply:
        """See `judge.request.Model`. Raises UsageError for what was not recorded, where nobody else is asked."""
        reply = load(self._folder, request, model=self.name)
        if self._otherwise is not None and (reply is None or reply.status == "unavailable"):
            return await self._otherwise.ask(request)
        if reply is not None:
            return reply
        raise UsageError(
            f"The recording in {self._folder} has no reply to this request of the {request.role} to {self.name} "
            f"({key_of(request, self.name)}): the run is not the one that was recorded. Give the same app, seed, budget "
            "and options, or ask the model for what is missing with --replay-missing ask."
        )

    async def close(self) -> None:
        """See `judge.request.Model`."""
        if self._otherwise is not None:
            await self._otherwise.close()


def save(folder: Path, request: ModelRequest, reply: ModelReply, *, model: str) -> None:
    """Writes one file of a recording."""
    row = {
        "version": VERSION,
        "request": canonical(request, model),
        "reply": {
            **{name: value for name, value in asdict(reply).items() if name not in ("record", "replayed")},
            "record": reply.record.model_dump(mode="json") if reply.record is not None else None,
        },
    }
    path = folder / f"{key_of(request, model)}.json"
    part = path.with_suffix(".part")
    text = json.dumps(row, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    # A lone surrogate from a page is written as JSON's own escape.
    part.write_bytes(text.encode("utf-8", "backslashreplace"))
    part.replace(path)


def load(folder: Path, request: ModelRequest, *, model: str) -> ModelReply | None:
    """The recorded reply to a request; None where there is none. Raises UsageError for a damaged file."""
    path = folder / f"{key_of(request, model)}.json"
    try:
        row = json.loads(path.read_text(encoding="utf-8"))["reply"]
        return _reply(row, request)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, ValidationError) as error:
        raise UsageError(f"{path} is damaged ({error}): record it again.") from error


def _reply(row: Mapping[str, Any], request: ModelRequest) -> ModelReply:
    known = {**row, "usage": Usage(**row["usage"]), "replayed": True}
    if row["record"] is not None:
        known["record"] = request.schema.model_validate(row["record"])
    return ModelReply(**known)
