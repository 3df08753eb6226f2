"""Texts of replies become records, or the validator's words."""

from __future__ import annotations

import pytest
from pydantic import BaseModel, Field

from judge.answer import InvalidAnswer, parse_answer


class Answer(BaseModel):
    name: str
    marks: list[int] = Field(max_length=3)


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "x", "marks": [1]}',
        '  \n{"name": "x", "marks": [1]}\n',
        '```json\n{"name": "x", "marks": [1]}\n```',
        '```\n{"name": "x", "marks": [1]}```',
        'Sure!\n\n```JSON\r\n{"name": "x", "marks": [1]}\r\n```\nDone.',
        'The answer is {"name": "x", "marks": [1]}, I think.',
        '```json\n{"broken": \n```\nsorry:\n```json\n{"name": "x", "marks": [1]}\n```',
    ],
)
def test_json_is_found(text: str) -> None:
    assert parse_answer(text, Answer) == Answer(name="x", marks=[1])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("I cannot", "not JSON"),
        ('{"name": "x"}', "marks: Field required"),
        ('{"name": "x", "marks": [1, "b"]}', "marks.1"),
        ('{"name": "x", "marks": [1, 2, 3, 4]}', "at most 3"),
        ("[]", "the answer"),
        ('{"name": "x", "marks": [' + ",".join(['"b"'] * 3) + "]}", "marks.2"),
    ],
)
def test_what_is_wrong_is_said(text: str, words: str) -> None:
    with pytest.raises(InvalidAnswer, match=words):
        parse_answer(text, Answer)
