"""The ledger counts per role, knows what it does not know, and ends the asking at its limits."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from pydantic import BaseModel

from instrument.errors import UsageError
from judge.ledger import PRICES, Bounds, Ledger, MeteredModel, Price, Prices, load_prices
from judge.request import ModelReply, ModelRequest, TextBlock, Usage
from tests.scriptedmodel import ScriptedModel


class Answer(BaseModel):
    text: str


def request(role: str = "tester", **changes: object) -> ModelRequest:
    return ModelRequest(role, "s", (TextBlock("e"),), "q", Answer, **changes)  # type: ignore[arg-type]


ROUND = Prices({"scripted": Price(1.0, 10.0, 0.1, 2.0, 4.0)})
USAGE = Usage(input=1_000_000, output=100_000, cache_read=1_000_000, cache_write=500_000)


def ask(ledger: Ledger, *requests: ModelRequest, model: ScriptedModel | None = None) -> list[ModelReply]:
    metered = MeteredModel(model or ScriptedModel(lambda _: {"text": "x"}, usage=USAGE), ledger)

    async def run() -> list[ModelReply]:
        return [await metered.ask(each) for each in requests]

    return asyncio.run(run())


def test_tokens_calls_and_cost_stand_by_role() -> None:
    ledger = Ledger(prices=ROUND)
    ask(ledger, request("tester", cache_ttl="5m"), request("tester", cache_ttl="5m"), request("advocate"))
    rows = ledger.rows()
    assert list(rows) == ["advocate", "tester"]
    assert rows["tester"]["calls"] == 2
    assert rows["tester"]["tokens"] == {
        "input": 2_000_000,
        "output": 200_000,
        "cache_read": 2_000_000,
        "cache_write": 1_000_000,
    }
    assert rows["tester"]["cost"] == pytest.approx(2 * (1 + 1 + 0.1 + 1))
    assert rows["advocate"]["cost"] == pytest.approx(1 + 1 + 0.1 + 2)
    assert rows["advocate"]["models"] == ["scripted"]
    assert rows["advocate"]["statuses"] == {"ok": 1}


def test_an_unknown_price_makes_an_unknown_cost() -> None:
    ledger = Ledger(prices=Prices({}))
    ask(ledger, request())
    assert ledger.rows()["tester"]["cost"] is None


def test_what_cost_nothing_is_known_to_cost_nothing() -> None:
    ledger = Ledger(prices=Prices({}))
    ask(ledger, request(), model=ScriptedModel(lambda _: ModelReply("unavailable", reason="no network")))
    row = ledger.rows()["tester"]
    assert row["cost"] == 0
    assert row["reasons"] == ["no network"]
    assert row["statuses"] == {"unavailable": 1}


def test_a_limit_on_calls_holds_for_all_roles_together() -> None:
    ledger, model = Ledger(bounds=Bounds(calls=2), prices=ROUND), ScriptedModel(lambda _: {"text": "x"})
    replies = ask(ledger, request("a"), request("b"), request("a"), request("b"), model=model)
    assert [reply.status for reply in replies] == ["ok", "ok", "over-limit", "over-limit"]
    assert len(model.requests) == 2
    assert replies[2].lasting
    assert "--max-calls" in replies[2].reason
    assert ledger.rows()["a"]["calls"] == 1
    assert ledger.rows()["a"]["statuses"] == {"ok": 1, "over-limit": 1}


def test_a_limit_on_cost_stops_once_it_is_spent() -> None:
    ledger = Ledger(bounds=Bounds(cost=5.0), prices=ROUND)
    replies = ask(ledger, request(), request(), request())
    assert [reply.status for reply in replies] == ["ok", "ok", "over-limit"]
    assert "5 US dollars" in replies[2].reason


def test_calls_at_once_do_not_slip_past_the_limit() -> None:
    model = ScriptedModel(lambda _: {"text": "x"})
    metered = MeteredModel(model, Ledger(bounds=Bounds(calls=3), prices=ROUND))

    async def run() -> list[ModelReply]:
        return await asyncio.gather(*(metered.ask(request()) for _ in range(8)))

    assert [reply.status for reply in asyncio.run(run())].count("ok") == 3


def test_a_resumed_run_goes_on_where_its_limits_were() -> None:
    first = Ledger(prices=ROUND)
    ask(first, request("a"), request("b"))
    rows = json.loads(json.dumps(first.rows()))
    again = Ledger(bounds=Bounds(calls=3), prices=ROUND)
    again.resume(rows)
    assert again.rows() == first.rows()
    assert [reply.status for reply in ask(again, request("a"), request("a"))] == ["ok", "over-limit"]
    assert again.rows()["a"]["calls"] == 2
    costly = Ledger(bounds=Bounds(cost=6.0), prices=ROUND)
    costly.resume(rows)
    assert "--max-cost" in costly.spent()


def test_a_cost_limit_without_a_price_is_refused_at_the_door() -> None:
    with pytest.raises(UsageError, match="--prices"):
        Ledger(bounds=Bounds(cost=1.0), prices=ROUND).check("unheard-of")
    Ledger(bounds=Bounds(calls=1), prices=ROUND).check("unheard-of")


def test_the_shipped_table_reads_and_dated_or_prefixed_names_find_their_price(tmp_path: Path) -> None:
    prices = load_prices()
    assert PRICES.is_file()
    price = prices.of("claude-sonnet-5-5")
    assert price
    assert prices.of("claude-sonnet-5-5-20260928") == prices.of("anthropic:claude-sonnet-5-5") == price
    assert prices.of("claude-of-tomorrow") is None


@pytest.mark.parametrize("text", ["[m]\ninput = 1", "[m]\ninput = 'x'", "not toml", "m = 3"])
def test_a_bad_table_is_refused_with_a_sentence(tmp_path: Path, text: str) -> None:
    (path := tmp_path / "p.toml").write_text(text)
    with pytest.raises(UsageError, match="dollars per million"):
        load_prices(path)


def test_an_own_table_is_taken(tmp_path: Path) -> None:
    rows = "\n".join(
        f"{key} = 3" for key in ("input", "output", "cache_read", "cache_write_5m", "cache_write_1h")
    )
    (path := tmp_path / "p.toml").write_text(f'["my.model:7b"]\n{rows}\n')
    assert load_prices(path).of("my.model:7b") == Price(3, 3, 3, 3, 3)
