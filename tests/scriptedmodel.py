"""A Model without a network: answers from a function, and keeps the requests."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import BaseModel

from judge.request import ModelReply, ModelRequest, Usage

Answerer = Callable[[ModelRequest], object]
"""What is answered: a record or plain values that the schema takes (status ok), or a whole ModelReply."""


class ScriptedModel:
    """Implements judge.request.Model."""

    def __init__(self, answer: Answerer, *, name: str = "scripted", usage: Usage | None = None) -> None:
        self.name = name
        self.requests: list[ModelRequest] = []
        self.closed = False
        self._answer = answer
        self._usage = usage or Usage(input=100, output=10)

    async def ask(self, request: ModelRequest) -> ModelReply:
        self.requests.append(request)
        answer = self._answer(request)
        if isinstance(answer, ModelReply):
            return answer
        record = answer if isinstance(answer, BaseModel) else request.schema.model_validate(answer)
        return ModelReply(
            "ok", record, usage=self._usage, model=self.name, stop_reason="end_turn", attempts=1
        )

    async def close(self) -> None:
        self.closed = True
