"""The model server of the tests refuses what the API would, and its batches work with the SDK."""

from __future__ import annotations

import asyncio
from typing import Any

import anthropic
import pytest

from tests.brains import by_schema, simplest
from tests.modelserver import ModelServer, Prompt, prompt_of, violation_of

SHAPE = {
    "title": "Answer",
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "kind": {"enum": ["a", "b"]},
        "none": {"anyOf": [{"type": "null"}]},
    },
    "required": ["text", "kind", "none"],
    "additionalProperties": False,
}


def body(**changes: Any) -> dict[str, Any]:
    return {
        "model": "m",
        "max_tokens": 100,
        "system": [{"type": "text", "text": "S"}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Q"}]}],
        "output_config": {"format": {"type": "json_schema", "schema": SHAPE}},
        **changes,
    }


def message(*blocks: dict[str, Any], role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": list(blocks)}


def test_a_sound_body_is_none() -> None:
    assert violation_of(body()) == ""
    assert violation_of(body(stream=True), stream=True) == ""


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (body(max_tokens="many"), "max_tokens"),
        (body(messages=[message({"type": "text", "text": 3})]), "SDK's types"),
        (body(messages=[message({"type": "image", "source": {"type": "base64", "data": 1}})]), "SDK's types"),
        (body(temperature=1), "temperature"),
        (body(thinking={"type": "enabled", "budget_tokens": 2000}), "thinking"),
        (body(messages=[message({"type": "text", "text": "x"}, role="assistant")]), "prefilled"),
        (body(messages=[message({"type": "text", "text": " "})]), "empty text"),
        (
            body(system=[{"type": "text", "text": "s", "cache_control": {"type": "ephemeral"}}] * 5),
            "cache points",
        ),
        (
            body(output_config={"format": {"type": "json_schema", "schema": {**SHAPE, "required": []}}}),
            "not required",
        ),
        (
            body(
                output_config={
                    "format": {"type": "json_schema", "schema": {**SHAPE, "additionalProperties": True}}
                }
            ),
            "additional",
        ),
    ],
)
def test_what_the_api_would_refuse_is_a_violation(wrong: dict[str, Any], words: str) -> None:
    assert words in violation_of(wrong)


def test_a_violation_is_answered_with_400_and_fails_the_test() -> None:
    async def call(url: str) -> None:
        async with anthropic.AsyncAnthropic(base_url=url, api_key="k", max_retries=0) as client:
            with pytest.raises(anthropic.BadRequestError, match="temperature"):
                await client.messages.create(**body(), extra_body={"temperature": 1})

    with pytest.raises(AssertionError, match="temperature"), ModelServer(simplest) as server:
        asyncio.run(call(server.url))


def test_batches_are_made_polled_and_read_in_any_order() -> None:
    def brain(prompt: Prompt) -> object:
        return {"text": prompt.question, "kind": "a", "none": None}

    async def call(url: str) -> dict[str, str]:
        async with anthropic.AsyncAnthropic(base_url=url, api_key="k", max_retries=0) as client:
            requests = [
                {"custom_id": name, "params": body(messages=[message({"type": "text", "text": name})])}
                for name in ("one", "two")
            ]
            batch = await client.messages.batches.create(requests=requests)  # type: ignore[arg-type]
            while batch.processing_status != "ended":
                batch = await client.messages.batches.retrieve(batch.id)
            assert batch.request_counts.succeeded == 2
            found = {}
            async for each in await client.messages.batches.results(batch.id):
                assert each.result.type == "succeeded"
                blocks = each.result.message.content
                found[each.custom_id] = "".join(block.text for block in blocks if block.type == "text")
            return found

    with ModelServer(brain) as server:
        found = asyncio.run(call(server.url))
    assert list(found) == ["two", "one"]
    assert '"two"' in found["two"]


def test_brains_are_chosen_by_the_type_of_answer() -> None:
    brain = by_schema({"Answer": lambda prompt: "chosen"})
    assert brain(prompt_of(body())) == "chosen"
    other = {**SHAPE, "title": "Other"}
    assert brain(prompt_of(body(output_config={"format": {"type": "json_schema", "schema": other}}))) == {
        "text": "",
        "kind": "a",
        "none": None,
    }
