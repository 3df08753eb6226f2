"""Models in the results: what is said of them in the terminal and in run.json."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

from bs4 import BeautifulSoup

from explorer.exploration import Closing
from explorer.modelsaid import closing_of, closing_row, fallbacks, model_lines
from explorer.report import render_report
from explorer.report.content import Content
from explorer.summary import run_json
from explorer.terminal import lines
from judge.ledger import Account, Ledger, Price, Prices
from judge.request import ModelReply, Usage
from tests.explorations import exploration

RUN = exploration(steps=12)
ROW = Account(["m"], calls=1, statuses=Counter(ok=1)).row()
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


def test_the_report_tells_of_models_at_the_step_and_in_all() -> None:
    steps = tuple(replace(step, notes=(REASON,)) if step.index == 3 else step for step in RUN.trace.steps)
    closing = Closing("model m", ("adds <b>",), ("added 3",), ("lost one",))
    run = replace(RUN, trace=replace(RUN.trace, steps=steps), closing=closing, models={"tester": ROW})
    report = BeautifulSoup(render_report(Content(run)), "html.parser")
    chips = [chip for chip in report.select("#step-3 .chip") if chip.get_text() == "built-in"]
    assert [chip["title"] for chip in chips] == [REASON]
    assert not [chip for chip in report.select("#step-4 .chip") if chip.get_text() == "built-in"]
    told = report.select_one("#run").get_text()  # type: ignore[union-attr]
    for words in (
        "Seen: adds <b>",
        "Done: added 3",
        "Failed: lost one",
        "tester m: 1 call",
        f"{REASON} (1 step)",
    ):
        assert words in told


def test_without_models_nothing_is_said() -> None:
    told = run_json(RUN)
    assert (told["models"], told["summary"], told["fallbacks"]) == ({}, None, [])
    assert not any(line.startswith("Model") for line in lines(RUN))
