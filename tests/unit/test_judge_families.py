"""Families of models by name, and the warning about kin."""

from __future__ import annotations

import pytest

from judge.families import family_of, kinship_warnings


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("claude-opus-4-8", "Claude"),
        ("anthropic/claude-sonnet-5-5", "Claude"),
        ("bedrock:anthropic.claude-x", "Claude"),
        ("openai:gpt-5.6-sol", "GPT"),
        ("o3-mini", "GPT"),
        ("codex", "GPT"),
        ("google-gla:gemini-3.7-flash", "Gemini"),
        ("meta-llama/Llama-4", "Llama"),
        ("qwen3-coder", "Qwen"),
        ("kimi-k3", "Kimi"),
        ("deepseek-v4", "DeepSeek"),
        ("guided", ""),
        ("built-in", ""),
        ("heuristic", ""),
        ("random", ""),
        ("monkey", ""),
        ("breadth-first", ""),
        ("", ""),
    ],
)
def test_family_by_name(name: str, family: str) -> None:
    assert family_of(name) == family


def test_kin_is_warned_of_once_each_and_others_are_not() -> None:
    found = kinship_warnings(
        "claude-a", explorers=["guided", "claude-b", "claude-b", "gpt-5"], author="claude-c"
    )
    assert len(found) == 2
    assert "claude-b, which explored the app" in found[0] and "claude-c, which made the app" in found[1]
    assert kinship_warnings("heuristic", explorers=["heuristic"], author="claude") == ()
    assert kinship_warnings("gpt-5", explorers=["claude-b"], author="gemini") == ()
