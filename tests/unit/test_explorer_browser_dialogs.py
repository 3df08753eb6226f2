"""Dialogs: what is answered, and that the same app is answered alike."""

from __future__ import annotations

import pytest

from explorer.browser_dialogs import Answer, DialogPolicy, answer, prompt_values


@pytest.mark.parametrize(
    ("message", "first"),
    [
        ("Type DELETE to confirm", "DELETE"),
        ('Write "yes, please" to go on', "yes, please"),
        ("Enter 'reset' now", "reset"),
        ("Enter the 4-digit PIN", "1234"),
        ("How many copies?", "3"),
        ("Your name", "Test"),
        ("The user's name", "Test"),
    ],
)
def test_prompts_get_what_their_message_names(message: str, first: str) -> None:
    assert prompt_values(message)[0] == first
    assert prompt_values(message)[-1] == "Test"


def test_the_default_is_offered_once() -> None:
    assert prompt_values("Your name", default="Ann") == ("Ann", "Test")
    assert prompt_values("Your name", default="Test") == ("Test",)


def test_confirms_alternate_and_prompts_end_with_a_dismissal() -> None:
    assert [answer("confirm", "Sure?", nth=n).accept for n in range(4)] == [True, False, True, False]
    prompts = [answer("prompt", "Type GO", nth=n) for n in range(4)]
    assert prompts == [Answer(True, "GO"), Answer(True, "Test"), Answer(False), Answer(True, "GO")]
    assert answer("alert", "Hello", nth=7) == Answer(True)
    assert answer("beforeunload", "", nth=1) == Answer(True)


def test_each_message_is_counted_apart_until_the_app_is_loaded_again() -> None:
    policy = DialogPolicy()
    assert [policy.reply("confirm", "A").accept, policy.reply("confirm", "B").accept] == [True, True]
    assert policy.reply("confirm", "A").accept is False
    policy.reset()
    assert policy.reply("confirm", "A").accept is True
