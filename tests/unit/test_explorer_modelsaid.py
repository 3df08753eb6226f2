"""Models in the results: what is said of them in the terminal and in run.json."""

from __future__ import annotations

import json
from dataclasses import replace

from explorer.exploration import Closing
from explorer.modelsaid import closing_of, closing_row, fallbacks, model_lines
from explorer.summary import run_json
from explorer.terminal import lines
from judge.ledger import Ledger, Price, Prices
from judge.request import ModelReply, Usage
from tests.explorations import exploration

RUN = exploration(steps=12)
REASON = "tester: built-in (guided) instead of model m, since 401"


def with_models(*, priced: bool = True) -> list[str]:
    ledger = Ledger(prices=Prices({"m": Price(1, 1, 1, 1, 1)} if priced else {}))
    usage = Usage(input=1000, output=50, cache_read=9000)
    ledger.book("tester", ModelReply("ok", usage=usage, model="m"), ttl="5m", model="m")
    ledger.book("tester", ModelReply("refused", reason="x", usage=usage, model="m"), ttl="5m", model="m")
    return model_lines(replace(RUN, models=ledger.rows()))


def test_a_line_tells_calls_tokens_cache_cost_and_what_failed() -> None:
    assert with_models() == [
        "tester m: 2 calls, 20,000 tokens in (90 % from the cache), 100 out, $0.0201, 1 refused"
    ]
    assert "cost not known" in with_models(priced=False)[0]


def test_what_fell_back_is_counted_by_steps() -> None:
    steps = tuple(
        replace(step, notes=(REASON,)) if step.index in (3, 5) else step for step in RUN.trace.steps
    )
    run = replace(RUN, trace=replace(RUN.trace, steps=steps))
    assert fallbacks(run) == [f"{REASON} (2 steps)"]
    assert run_json(run)["fallbacks"] == [f"{REASON} (2 steps)"]
    assert any(REASON in line for line in lines(run))


def test_the_closing_summary_survives_run_json() -> None:
    closing = Closing("model m", ("adds",), ("added 3",), ("lost one",))
    told = json.loads(json.dumps(run_json(replace(RUN, closing=closing))))["summary"]
    assert closing_of(told) == closing
    assert closing_row(None) is None
    assert closing_of(None) is None


def test_without_models_nothing_is_said() -> None:
    told = run_json(RUN)
    assert (told["models"], told["summary"], told["fallbacks"]) == ({}, None, [])
    assert not any(line.startswith("Model") for line in lines(RUN))
