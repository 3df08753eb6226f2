"""Who plays which role: models where there is a key or one is named, built-ins with a reason otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from instrument.errors import UsageError
from judge.credentials import find_credentials
from judge.roles import DEFAULT_MODEL, Models, ModelSettings, open_models


@pytest.fixture
def nothing(tmp_path: Path) -> dict[str, str]:
    return {"ANTHROPIC_CONFIG_DIR": str(tmp_path)}


def roles(settings: ModelSettings, environ: dict[str, str]) -> tuple[Models, dict[str, str]]:
    models = open_models(settings, environ=environ)
    return models, {kind: models.name_of(kind) for kind in ("tester", "hint", "judge")}


def test_without_a_key_all_is_built_in_and_says_why(nothing: dict[str, str]) -> None:
    models, names = roles(ModelSettings(), nothing)
    assert set(names.values()) == {""}
    assert models.of("judge") is None
    assert "no key" in models.reason


def test_with_a_key_the_default_model_plays(nothing: dict[str, str]) -> None:
    models, names = roles(ModelSettings(), {**nothing, "ANTHROPIC_API_KEY": "k-123"})
    assert set(names.values()) == {DEFAULT_MODEL}
    assert "ANTHROPIC_API_KEY" in models.reason
    assert "k-123" not in models.reason
    assert models.of("tester") is models.of("judge")


def test_a_role_may_have_its_own_model_or_none(nothing: dict[str, str]) -> None:
    settings = ModelSettings("big", {"hint": "small", "tester": "none"})
    _, names = roles(settings, {**nothing, "ANTHROPIC_AUTH_TOKEN": "t"})
    assert names == {"tester": "", "hint": "small", "judge": "big"}


def test_none_turns_all_off_but_what_is_named(nothing: dict[str, str]) -> None:
    environ = {**nothing, "ANTHROPIC_API_KEY": "k"}
    models, names = roles(ModelSettings("none"), environ)
    assert set(names.values()) == {""}
    assert models.reason == "--model none"
    assert roles(ModelSettings("none", {"judge": "j"}), environ)[1] == {
        "tester": "",
        "hint": "",
        "judge": "j",
    }


def test_a_named_model_without_a_key_is_an_error_not_a_silent_built_in(nothing: dict[str, str]) -> None:
    models, _ = roles(ModelSettings("big"), nothing)
    with pytest.raises(UsageError, match="no key"):
        models.of("judge")


def test_a_recording_needs_no_key(nothing: dict[str, str], tmp_path: Path) -> None:
    models, names = roles(ModelSettings(replay=tmp_path), nothing)
    assert names["judge"] == DEFAULT_MODEL
    assert models.of("judge") is not None


def test_a_cost_limit_wants_a_price(nothing: dict[str, str]) -> None:
    models, _ = roles(ModelSettings("unheard-of", max_cost=1.0), {**nothing, "ANTHROPIC_API_KEY": "k"})
    with pytest.raises(UsageError, match="--max-cost"):
        models.of("judge")


def test_credentials_are_found_where_the_sdk_finds_them(tmp_path: Path) -> None:
    environ = {"ANTHROPIC_CONFIG_DIR": str(tmp_path)}
    assert find_credentials(environ) == ""
    assert find_credentials({**environ, "ANTHROPIC_API_KEY": ""}) == ""
    assert find_credentials({**environ, "ANTHROPIC_AUTH_TOKEN": "t"}) == "ANTHROPIC_AUTH_TOKEN"
    assert find_credentials({**environ, "ANTHROPIC_PROFILE": "work"}) == "the profile work"
    federation = {"ANTHROPIC_FEDERATION_RULE_ID": "r", "ANTHROPIC_ORGANIZATION_ID": "o"}
    assert find_credentials({**environ, **federation}) == ""
    assert find_credentials({**environ, **federation, "ANTHROPIC_IDENTITY_TOKEN": "t"}) == "workload identity"
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "home.json").write_text("{}")
    assert find_credentials(environ) == ""
    (tmp_path / "active_config").write_text("home\n")
    assert find_credentials(environ) == "the profile home"
