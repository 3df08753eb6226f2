"""Who plays a run, by options and environment; and what is refused at the door."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.casting import cast_of
from explorer.hints import BuiltInHint
from explorer.modelhint import ModelHint
from explorer.options import TESTERS, Options, check
from explorer.policy.model import ModelTester
from instrument.errors import UsageError

KEY = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_CONFIG_DIR": "/nonexistent"}
NO_KEY = {"ANTHROPIC_CONFIG_DIR": "/nonexistent"}
FOLDER = Path()


def test_without_a_key_all_is_built_in_and_the_output_says_so() -> None:
    cast = cast_of(Options(), folder=FOLDER, environ=NO_KEY)
    assert isinstance(cast.hinter, BuiltInHint)
    assert cast.told == "tester guided, hint built-in (no key was found (ANTHROPIC_API_KEY))"
    assert cast.notes == ()


def test_with_a_key_the_mode_is_mixed() -> None:
    cast = cast_of(Options(), folder=FOLDER, environ=KEY)
    assert cast.tester.name == "guided"
    assert isinstance(cast.hinter, ModelHint)
    assert "hint model claude-sonnet-5-5 (a key was found (ANTHROPIC_API_KEY))" in cast.told
    assert "may answer otherwise" in cast.notes[0]


def test_none_turns_models_off_with_a_key_too() -> None:
    cast = cast_of(Options(model="none"), folder=FOLDER, environ=KEY)
    assert isinstance(cast.hinter, BuiltInHint)
    assert cast.told.endswith("(--model none)")


@pytest.mark.parametrize("tester", [name for name in TESTERS if name != "guided"])
def test_testers_to_compare_with_are_given_no_model(tester: str) -> None:
    cast = cast_of(Options(tester=tester), folder=FOLDER, environ=KEY)
    assert isinstance(cast.hinter, BuiltInHint)
    assert cast.models.ledger.rows() == {}


def test_the_model_tester_may_have_a_model_of_its_own() -> None:
    options = Options(tester="model", tester_model="big", hint_model="none")
    cast = cast_of(options, folder=FOLDER, environ=KEY)
    assert isinstance(cast.tester, ModelTester)
    assert cast.tester.name == "model big"
    assert isinstance(cast.hinter, BuiltInHint)


def test_a_model_tester_without_a_model_is_refused_with_a_remedy() -> None:
    for options in (Options(tester="model"), Options(tester="model", model="none")):
        with pytest.raises(UsageError, match="--tester model wants a model"):
            cast_of(options, folder=FOLDER, environ=NO_KEY)


def test_a_recording_is_told() -> None:
    cast = cast_of(Options(replay=str(FOLDER)), folder=FOLDER, environ=NO_KEY)
    assert "read from a recording" in cast.notes[0]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (Options(max_calls=0), "--max-calls 0"),
        (Options(max_cost=0.0), "--max-cost 0"),
        (Options(record="a", replay="b"), "--replay-missing ask"),
        (Options(replay_missing="ask"), "--replay DIR"),
        (Options(tester_screenshots=True), "--tester-screenshots"),
        (Options(tester="models"), "no tester models"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options: Options, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        check(options, budget=5)
    check(
        Options(tester="model", tester_screenshots=True, record="a", replay="a", replay_missing="ask"),
        budget=5,
    )
