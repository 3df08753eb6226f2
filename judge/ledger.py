"""The ledger: tokens, cache hits, calls and cost of each role, and the limits that end the asking politely."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from instrument.errors import UsageError
from judge.request import Model, ModelReply, ModelRequest, Usage

PRICES = Path(__file__).with_name("prices.toml")
"""The table that is taken where the user gives none."""
MOST_REASONS = 5
_MILLION = 1_000_000
_DATED = re.compile(r"[-@]\d{8}$")


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens of one model."""

    input: float
    output: float
    cache_read: float
    cache_write_5m: float
    cache_write_1h: float

    def of(self, usage: Usage, *, ttl: Literal["5m", "1h"]) -> float:
        """US dollars that this usage costs; `ttl`: how long what was written to the cache is kept."""
        write = self.cache_write_5m if ttl == "5m" else self.cache_write_1h
        total = (
            usage.input * self.input
            + usage.output * self.output
            + usage.cache_read * self.cache_read
            + usage.cache_write * write
        )
        return total / _MILLION


class Prices:
    """A table of prices by model name."""

    def __init__(self, table: Mapping[str, Price]) -> None:
        self._table = table

    def of(self, model: str) -> Price | None:
        """Price of a model, with or without a provider before it or a date after it; None where it is not known."""
        bare = model.rpartition(":")[2]
        return self._table.get(model) or self._table.get(bare) or self._table.get(_DATED.sub("", bare))


def load_prices(path: Path | None = None) -> Prices:
    """Reads a table of prices, the shipped one by default. Raises UsageError where a file is no such table."""
    try:
        rows = tomllib.loads((path or PRICES).read_text(encoding="utf-8"))
        return Prices(
            {name: Price(**{key: float(value) for key, value in row.items()}) for name, row in rows.items()}
        )
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise UsageError(
            f"{path} is no table of prices ({error}): give [model] sections with input, output, cache_read, "
            "cache_write_5m and cache_write_1h in US dollars per million tokens."
        ) from error


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a run may spend on models; None for no limit."""

    calls: int | None = None
    """Requests, of all roles together; repeats of one request count once."""
    cost: float | None = None
    """US dollars. It is looked at before each request: the one in hand may go over it."""


@dataclass(slots=True)
class Account:
    """One role's part of the ledger."""

    models: list[str] = field(default_factory=list)
    calls: int = 0
    sends: int = 0
    replayed: int = 0
    usage: Usage = field(default_factory=Usage)
    cost: float | None = 0.0
    """None once a model without a known price has answered."""
    latency_ms: float = 0.0
    statuses: Counter[str] = field(default_factory=Counter)
    reasons: list[str] = field(default_factory=list)
    """Why there was no answer, each reason once, at most MOST_REASONS."""

    def add(self, reply: ModelReply, cost: float | None) -> None:
        """Takes one reply in."""
        if reply.model not in self.models and reply.status != "over-limit":
            self.models.append(reply.model)
        self.statuses[reply.status] += 1
        if reply.status != "ok" and reply.reason not in self.reasons[:MOST_REASONS]:
            self.reasons.append(reply.reason)
        if reply.status == "over-limit":
            return
        self.calls += 1
        self.sends += reply.attempts
        self.replayed += reply.replayed
        self.usage += reply.usage
        self.latency_ms += reply.latency_ms
        self.cost = None if self.cost is None or cost is None else self.cost + cost

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> Account:
        """The way back from `row`."""
        tokens = row["tokens"]
        return cls(
            models=list(row["models"]),
            calls=int(row["calls"]),
            sends=int(row["sends"]),
            replayed=int(row["replayed"]),
            usage=Usage(tokens["input"], tokens["output"], tokens["cache_read"], tokens["cache_write"]),
            cost=None if row["cost"] is None else float(row["cost"]),
            latency_ms=float(row["latency_ms"]),
            statuses=Counter(row["statuses"]),
            reasons=list(row["reasons"]),
        )

    def row(self) -> dict[str, Any]:
        """As it stands in run.json; `cost` is in US dollars, null where the price is not known."""
        return {
            "models": self.models,
            "calls": self.calls,
            "sends": self.sends,
            "replayed": self.replayed,
            "tokens": {
                "input": self.usage.input,
                "output": self.usage.output,
                "cache_read": self.usage.cache_read,
                "cache_write": self.usage.cache_write,
            },
            "cost": None if self.cost is None else round(self.cost, 6),
            "latency_ms": round(self.latency_ms, 1),
            "statuses": dict(sorted(self.statuses.items())),
            "reasons": self.reasons[:MOST_REASONS],
        }


class Ledger:
    """Accounts by role. What a replayed reply cost when it was recorded counts like a fresh one's, so that a replayed
    run meets its limits where the recorded one did."""

    def __init__(self, *, bounds: Bounds | None = None, prices: Prices | None = None) -> None:
        self.accounts: dict[str, Account] = {}
        self._bounds = bounds or Bounds()
        self._prices = prices or load_prices()
        self._begun = 0
        """Requests that were let through, those in hand included."""
        self._cost = 0.0

    def resume(self, rows: Mapping[str, Mapping[str, Any]]) -> None:
        """Takes over the accounts of an earlier part of the run: its calls and its cost count against the limits."""
        self.accounts = {role: Account.of_row(row) for role, row in rows.items()}
        self._begun = sum(account.calls for account in self.accounts.values())
        self._cost = sum(account.cost or 0.0 for account in self.accounts.values())

    def check(self, model: str) -> None:
        """Raises UsageError where a limit on cost cannot be kept, since the model's price is not known."""
        if self._bounds.cost is not None and self._prices.of(model) is None:
            raise UsageError(
                f"--max-cost needs the price of {model}, which is not listed: give it with --prices FILE, "
                "or limit the number of requests with --max-calls."
            )

    def spent(self) -> str:
        """Which limit is reached, in words; "" while asking goes on."""
        calls, cost = self._bounds.calls, self._bounds.cost
        if calls is not None and self._begun >= calls:
            return f"the limit of {calls} model calls (--max-calls) is reached"
        if cost is not None and self._cost >= cost:
            return f"the limit of {cost:g} US dollars (--max-cost) is reached"
        return ""

    def begin(self) -> None:
        """A request is let through."""
        self._begun += 1

    def book(self, role: str, reply: ModelReply, *, ttl: Literal["5m", "1h"], model: str) -> None:
        """Enters what a request brought."""
        price = self._prices.of(reply.model) or self._prices.of(model)
        cost = price.of(reply.usage, ttl=ttl) if price else (0.0 if reply.usage == Usage() else None)
        self._cost += cost or 0.0
        self.accounts.setdefault(role, Account()).add(reply, cost)

    def rows(self) -> dict[str, dict[str, Any]]:
        """{role: account}, for run.json."""
        return {role: account.row() for role, account in sorted(self.accounts.items())}


class MeteredModel:
    """A Model whose requests are entered in a ledger, and stop at its limits."""

    def __init__(self, model: Model, ledger: Ledger) -> None:
        self._model = model
        self._ledger = ledger

    @property
    def name(self) -> str:
        return self._model.name

    async def ask(self, request: ModelRequest) -> ModelReply:
        """See `judge.request.Model`; "over-limit" where the ledger's limits are reached."""
        if reason := self._ledger.spent():
            reply = ModelReply("over-limit", reason=reason, model=self.name, lasting=True)
        else:
            self._ledger.begin()
            reply = await self._model.ask(request)
        self._ledger.book(request.role, reply, ttl=request.cache_ttl, model=self.name)
        return reply

    async def close(self) -> None:
        """See `judge.request.Model`."""
        await self._model.close()
