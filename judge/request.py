"""The seam to a language model: one self-contained request in, one reply out; every failure is a status, never a score.

A request carries its whole context: a system text, evidence in order, a question, and the shape of the answer. There is
no conversation; a role that needs history renders it into the evidence again. `judge.model` has the implementations,
`judge.ledger` and `judge.cassette` wrap them, `judge.roles` puts them together.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeVar

from pydantic import BaseModel

Record = TypeVar("Record", bound=BaseModel)

Status = Literal["ok", "invalid", "refused", "truncated", "unavailable", "over-limit"]
"""ok: `record` holds the answer; invalid: no valid answer after one repair; refused: the model declined; truncated: cut
off twice; unavailable: no answer came (no key, key revoked, overload, timeout, network); over-limit: --max-calls or
--max-cost is spent, nothing was asked."""

LEAST_TOKENS = 4096
"""Least `max_tokens` of a request: what a model thinks counts against it too."""


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A piece of evidence in words."""

    text: str
    cache_end: bool = False
    """The stable prefix ends here: what is before is the same from request to request and may be cached."""


@dataclass(frozen=True, slots=True)
class ImageBlock:
    """A picture; what it shows is told by the text block before it."""

    data: bytes = field(repr=False)
    """An encoded JPEG, PNG, WebP or GIF; `judge.model` makes it smaller where the API would refuse it."""
    cache_end: bool = False


Block = TextBlock | ImageBlock


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """Everything that one answer is made from. Keep ports, absolute paths and times out of it: requests are recorded
    by their content, and only equal ones are found again."""

    role: str
    """Who asks: "tester", "hint", "values", "advocate", ...; the ledger counts per role."""
    system: str
    blocks: tuple[Block, ...]
    """Evidence, in order; one of them may end the cacheable prefix."""
    question: str
    """What to do with the evidence; comes after it."""
    schema: type[BaseModel]
    """Shape of the answer. Every field required (nullable, not optional), no recursion."""
    sample: int = 0
    """Tells apart requests that are equal otherwise: the third of five opinions has sample 2."""
    max_tokens: int = LEAST_TOKENS
    cache_ttl: Literal["5m", "1h"] = "1h"
    """How long the prefix is wanted: 1h for judging, 5m where the next request follows in seconds."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one reply, all attempts together."""

    input: int = 0
    """Tokens that were neither read from the cache nor written to it."""
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
        )


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What came of a request; `record` is there exactly if the status is ok."""

    status: Status
    record: BaseModel | None = None
    reason: str = ""
    """Why there is no record, one clause for the user; never holds a key."""
    usage: Usage = Usage()
    stop_reason: str = ""
    """As the API said it: end_turn, max_tokens, refusal, ..."""
    model: str = ""
    """The model that answered, by the reply; the one that was asked where none did."""
    latency_ms: float = 0.0
    """Wall milliseconds, waits and repeats included."""
    attempts: int = 0
    """HTTP requests that were made; 0 where nothing was asked."""
    lasting: bool = False
    """Asking again in this run would bring the same: no key, key revoked, unknown model, limit spent."""
    replayed: bool = False
    """Read from a cassette."""

    def of(self, schema: type[Record]) -> Record | None:
        """The answer with its type; None where there is none."""
        return self.record if isinstance(self.record, schema) else None


class Model(Protocol):
    """Answers requests. Safe to ask several times at once from one event loop."""

    @property
    def name(self) -> str:
        """Name of the model, as the user gives it."""

    async def ask(self, request: ModelRequest) -> ModelReply:
        """One answer; failures are statuses, exceptions are errors of ours."""

    async def close(self) -> None:
        """Lets connections go; safe to call twice."""
