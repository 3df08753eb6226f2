"""From the text of a reply to a record: JSON with or without a fence around it, validated; or the validator's words. Pure."""

from __future__ import annotations

import json
import re
from typing import TypeVar

from pydantic import BaseModel, ValidationError

Record = TypeVar("Record", bound=BaseModel)

_FENCE = re.compile(r"```[\w-]*[ \t]*\r?\n(.*?)\r?\n?[ \t]*```", re.DOTALL)
MOST_ERRORS = 6
"""Complaints that are passed on to the model."""


class InvalidAnswer(Exception):
    """The text is not a valid answer; `str()` are the validator's words, for the model and for the reason."""


def parse_answer(text: str, schema: type[Record]) -> Record:
    """The record in a text. Raises InvalidAnswer.

    The text is tried as it is first, since valid JSON may hold fences in its strings; then what is inside a fence; then
    what lies between the first opening and the last closing brace.
    """
    if not text.strip():
        raise InvalidAnswer("the answer is empty")
    candidates = [text.strip(), *(match.strip() for match in _FENCE.findall(text)), _braced(text)]
    complaint = ""
    for candidate in dict.fromkeys(filter(None, candidates)):
        try:
            value = json.loads(candidate)
        except ValueError as error:
            complaint = complaint or f"the answer is not JSON ({error})"
            continue
        try:
            return schema.model_validate(value)
        except ValidationError as error:
            complaint = _words(error)
    raise InvalidAnswer(complaint)


def _braced(text: str) -> str:
    first, last = text.find("{"), text.rfind("}")
    return text[first : last + 1] if 0 <= first < last else ""


def _words(error: ValidationError) -> str:
    """The validator's complaints, without the values: they may be long, and the model sees its own text anyway."""
    told = [
        f"{'.'.join(map(str, each['loc'])) or 'the answer'}: {each['msg']}"
        for each in error.errors(include_url=False, include_input=False)
    ]
    more = f"; and {len(told) - MOST_ERRORS} more" if len(told) > MOST_ERRORS else ""
    return "; ".join(told[:MOST_ERRORS]) + more
