"""Asks patiently: one request becomes a few sends, bounded in time; one reply comes of them, whatever happens.

In this order a reply is looked at: why it stopped (refused, cut off), then its text (JSON, schema). One that was cut off
is asked for again with twice the room; one that is not valid is asked for once more, with the validator's words. What
the network or the server says against it is tried again where that may help, never longer than `seconds` altogether.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from pydantic import BaseModel

from judge.answer import InvalidAnswer, parse_answer
from judge.request import ModelReply, ModelRequest, Status, Usage

SECONDS = 180.0
"""Wall seconds that one request may take with all its repeats."""
MOST_SENDS = 4
"""Sends of one request for the network's or the server's sake."""
FIRST_WAIT = 0.5
"""Seconds before the second send, doubled each time, where the server does not say."""
LONGEST_WAIT = 8.0
GIVE_UP = 3
"""Requests without an answer in a row after which the model is not asked again."""
MOST_SHOWN = 6000
"""Characters of an invalid answer that the model is shown again."""

_SECRET = re.compile(r"\b(sk|key|token|bearer)[-_ ][\w.~+/-]{8,}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Sent:
    """What one send brought."""

    text: str
    stop_reason: str
    usage: Usage
    model: str


class SendError(Exception):
    """A send brought nothing; `str()` says why, without a key in it."""

    def __init__(
        self, reason: str, *, again: bool = False, lasting: bool = False, wait_s: float | None = None
    ) -> None:
        super().__init__(_SECRET.sub(r"\1-…", " ".join(reason.split()))[:300])
        self.again = again
        """Sending once more may help."""
        self.lasting = lasting
        """No request of this run will fare better."""
        self.wait_s = wait_s
        """Seconds that the server wants us to wait; None where it does not say."""


class Sender(Protocol):
    """Sends a request once, to one kind of API."""

    @property
    def name(self) -> str:
        """Name of the model."""

    async def send(self, request: ModelRequest, *, max_tokens: int, timeout_s: float) -> Sent:
        """One reply as it came. Raises SendError."""

    async def close(self) -> None:
        """Lets connections go."""


@dataclass(slots=True)
class _Tally:
    """What the sends of one request add up to."""

    model: str
    deadline: float
    usage: Usage = field(default_factory=Usage)
    stop_reason: str = ""
    attempts: int = 0
    begun: float = field(default_factory=time.perf_counter)

    def reply(
        self, status: Status, *, record: BaseModel | None = None, reason: str = "", lasting: bool = False
    ) -> ModelReply:
        return ModelReply(
            status,
            record,
            reason,
            usage=self.usage,
            stop_reason=self.stop_reason,
            model=self.model,
            latency_ms=round((time.perf_counter() - self.begun) * 1000, 1),
            attempts=self.attempts,
            lasting=lasting,
        )


class PatientModel:
    """A Model over a Sender."""

    def __init__(
        self,
        sender: Sender,
        *,
        seconds: float = SECONDS,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._sender = sender
        self._seconds = seconds
        self._sleep = sleep
        self._failures = 0
        self._closed = ""
        """Why the model is not asked any more."""

    @property
    def name(self) -> str:
        return self._sender.name

    async def ask(self, request: ModelRequest) -> ModelReply:
        """See `judge.request.Model`."""
        tally = _Tally(self.name, time.monotonic() + self._seconds)
        if self._closed:
            return tally.reply("unavailable", reason=self._closed, lasting=True)
        try:
            async with asyncio.timeout(self._seconds):
                reply = await self._answer(request, tally)
        except TimeoutError:
            return self._failed(tally, f"no answer within {self._seconds:g} s")
        except SendError as error:
            return self._failed(tally, str(error), lasting=error.lasting)
        self._failures = 0
        return reply

    async def close(self) -> None:
        """See `judge.request.Model`."""
        await self._sender.close()

    def _failed(self, tally: _Tally, reason: str, *, lasting: bool = False) -> ModelReply:
        self._failures += 1
        if lasting:
            self._closed = reason
        elif self._failures >= GIVE_UP:
            self._closed = f"{self._failures} requests in a row brought no answer, the last one: {reason}"
        return tally.reply("unavailable", reason=self._closed or reason, lasting=bool(self._closed))

    async def _answer(self, request: ModelRequest, tally: _Tally) -> ModelReply:
        sent = await self._whole(request, tally)
        if stopped := _stopped(sent):
            return tally.reply(stopped[0], reason=stopped[1])
        try:
            return tally.reply("ok", record=parse_answer(sent.text, request.schema))
        except InvalidAnswer as error:
            sent = await self._whole(repair(request, sent.text, complaint=str(error)), tally)
        if stopped := _stopped(sent):
            return tally.reply(stopped[0], reason=f"{stopped[1]}, when it was asked to repair its answer")
        try:
            return tally.reply("ok", record=parse_answer(sent.text, request.schema))
        except InvalidAnswer as error:
            return tally.reply("invalid", reason=f"also after a repair: {error}")

    async def _whole(self, request: ModelRequest, tally: _Tally) -> Sent:
        """A reply, with twice the room where the first was cut off."""
        sent = await self._send(request, tally, max_tokens=request.max_tokens)
        if sent.stop_reason == "max_tokens":
            sent = await self._send(request, tally, max_tokens=2 * request.max_tokens)
        return sent

    async def _send(self, request: ModelRequest, tally: _Tally, *, max_tokens: int) -> Sent:
        """One reply, sent for again while that may help and there is time."""
        for turn in range(1, MOST_SENDS + 1):
            tally.attempts += 1
            try:
                left = max(1.0, tally.deadline - time.monotonic())
                sent = await self._sender.send(request, max_tokens=max_tokens, timeout_s=left)
                break
            except SendError as error:
                if not error.again or turn == MOST_SENDS:
                    raise
                await self._wait(error, tally, turn=turn)
        tally.usage += sent.usage
        tally.stop_reason, tally.model = sent.stop_reason, sent.model or tally.model
        return sent

    async def _wait(self, error: SendError, tally: _Tally, *, turn: int) -> None:
        wait = error.wait_s if error.wait_s is not None else min(LONGEST_WAIT, FIRST_WAIT * 2 ** (turn - 1))
        if wait > tally.deadline - time.monotonic():
            raise SendError(f"{error}; it asks to wait {wait:g} s, longer than a request may take") from error
        await self._sleep(wait)


def with_schema(request: ModelRequest) -> str:
    """The question, asking for JSON of the schema in words."""
    schema = json.dumps(request.schema.model_json_schema(), ensure_ascii=False)
    return f"{request.question}\n\nAnswer with JSON that fits this schema, and nothing else:\n{schema}"


def repair(request: ModelRequest, text: str, *, complaint: str) -> ModelRequest:
    """The request again, with what was wrong with its answer: same evidence, so that the cached prefix still holds."""
    shown = text[:MOST_SHOWN].replace("</", "<\\/")
    return replace(
        request,
        question=(
            f"{with_schema(request)}\n\nAn earlier answer to this was:\n<earlier-answer>\n{shown}\n</earlier-answer>\n"
            f"It was not accepted: {complaint}.\nAnswer the question again, whole."
        ),
    )


def _stopped(sent: Sent) -> tuple[Status, str] | None:
    """The status of a reply whose text is not worth reading; None where it may be read. Unknown stop reasons may."""
    if sent.stop_reason == "refusal":
        said = " ".join(sent.text.split())[:120]
        return "refused", f"the model declined to answer{f' (“{said}”)' if said else ''}"
    if sent.stop_reason == "max_tokens":
        return "truncated", "the answer was cut off, with twice the room too"
    if sent.stop_reason == "model_context_window_exceeded":
        return "truncated", "the request and its answer do not fit into the model's context window"
    return None
