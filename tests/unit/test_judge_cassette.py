"""A recorded request is found again by its content, on any machine, and nothing secret is in the recording."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from instrument.errors import UsageError
from judge.cassette import RecordingModel, ReplayingModel, key_of
from judge.request import ImageBlock, Model, ModelReply, ModelRequest, TextBlock
from judge.roles import ModelSettings, open_models
from tests.brains import simplest
from tests.modelserver import ModelServer
from tests.scriptedmodel import ScriptedModel


class Answer(BaseModel):
    text: str
    count: int


class Other(BaseModel):
    text: str


REQUEST = ModelRequest("tester", "s", (TextBlock("evidence"), ImageBlock(b"\xff\xd8\xff")), "q", Answer)


def ask(model: Model, *requests: ModelRequest) -> list[ModelReply]:
    async def run() -> list[ModelReply]:
        return [await model.ask(each) for each in requests]

    return asyncio.run(run())


def test_a_recorded_reply_comes_back_with_all_it_had(tmp_path: Path) -> None:
    model = ScriptedModel(lambda _: {"text": "ünï \ud800", "count": 3})
    (recorded,) = ask(RecordingModel(model, tmp_path / "tape"), REQUEST)
    (replayed,) = ask(ReplayingModel("scripted", tmp_path / "tape"), REQUEST)
    assert replayed == replace(recorded, replayed=True)
    assert isinstance(replayed.record, Answer)


@pytest.mark.parametrize(
    "change",
    [
        {"role": "hint"},
        {"system": "t"},
        {"question": "r"},
        {"schema": Other},
        {"sample": 1},
        {"blocks": (TextBlock("evidence"),)},
        {"blocks": (TextBlock("evidence"), ImageBlock(b"\xff\xd8\xfe"))},
        {"blocks": (ImageBlock(b"\xff\xd8\xff"), TextBlock("evidence"))},
    ],
)
def test_all_that_an_answer_depends_on_is_in_the_key(change: dict[str, Any]) -> None:
    assert key_of(replace(REQUEST, **change), "m") != key_of(REQUEST, "m")
    assert key_of(REQUEST, "m") != key_of(REQUEST, "n")


def test_the_key_is_the_same_on_every_machine() -> None:
    assert key_of(REQUEST, "m") == "3788ff98f41e37c1f2b397b1490ba8a1"


def test_what_an_answer_does_not_depend_on_is_not_in_the_key() -> None:
    assert key_of(replace(REQUEST, max_tokens=9999, cache_ttl="5m"), "m") == key_of(REQUEST, "m")


def test_a_miss_is_a_sentence_or_asked(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no reply to this request of the tester.*--replay-missing ask"):
        ask(ReplayingModel("m", tmp_path), REQUEST)
    model = ScriptedModel(lambda _: {"text": "x", "count": 1})
    (reply,) = ask(ReplayingModel("m", tmp_path, otherwise=model), REQUEST)
    assert reply.status == "ok"
    assert not reply.replayed
    with pytest.raises(UsageError, match="no such folder"):
        ReplayingModel("m", tmp_path / "missing")


@pytest.mark.parametrize("status", ["refused", "invalid", "truncated", "unavailable"])
def test_failures_are_recorded_so_that_a_run_that_fell_back_is_repeated(status: Any, tmp_path: Path) -> None:
    model = ScriptedModel(lambda _: ModelReply(status, reason="r", lasting=True))
    ask(RecordingModel(model, tmp_path), REQUEST)
    (kept,) = tmp_path.iterdir()
    assert json.loads(kept.read_text())["reply"]["status"] == status
    (reply,) = ask(ReplayingModel("scripted", tmp_path), REQUEST)
    assert (reply.status, reply.record, reply.lasting) == (status, None, True)


def test_what_had_no_answer_is_asked_for_again_where_that_is_allowed(tmp_path: Path) -> None:
    gone = ScriptedModel(lambda _: ModelReply("unavailable", reason="401"))
    ask(RecordingModel(gone, tmp_path), REQUEST)
    back = RecordingModel(ScriptedModel(lambda _: {"text": "x", "count": 1}), tmp_path)
    (reply,) = ask(ReplayingModel("scripted", tmp_path, otherwise=back), REQUEST)
    assert reply.status == "ok"
    (again,) = ask(ReplayingModel("scripted", tmp_path), REQUEST)
    assert (again.status, again.replayed) == ("ok", True)


def test_a_damaged_recording_is_told(tmp_path: Path) -> None:
    (tmp_path / f"{key_of(REQUEST, 'm')}.json").write_text('{"reply": {"status": "ok"}}')
    with pytest.raises(UsageError, match="damaged"):
        ask(ReplayingModel("m", tmp_path), REQUEST)


def test_two_servers_make_the_same_recording_and_no_key_is_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", str(tmp_path))
    request = replace(REQUEST, blocks=(TextBlock("evidence"),))
    for folder in ("a", "b"):
        with ModelServer(simplest, key="k-very-private") as server:
            settings = ModelSettings("claude-test", base_url=server.url, record=tmp_path / folder)
            models = open_models(settings, environ={"ANTHROPIC_API_KEY": "k-very-private"})
            tester = models.of("tester")
            assert tester is not None

            async def run(tester: Model = tester, models: Any = models) -> ModelReply:
                try:
                    return await tester.ask(request)
                finally:
                    await models.close()

            assert asyncio.run(run()).status == "ok"
    names = [sorted(path.name for path in (tmp_path / folder).iterdir()) for folder in ("a", "b")]
    assert names[0] == names[1]
    assert len(names[0]) == 1
    text = (tmp_path / "a" / names[0][0]).read_text()
    assert "k-very-private" not in text
    assert "127.0.0.1" not in text
