"""Brains for the model server of the tests: functions from a prompt to an answer (see tests/modelserver.py).

A brain for several roles is put together by the type of answer that is wanted:

    brain = by_schema({"Move": pick_first, "Verdict": lambda prompt: {...}})
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.modelserver import Brain, Prompt


def by_schema(brains: Mapping[str, Brain], *, otherwise: Brain | None = None) -> Brain:
    """One brain for each name of an answer's type; others get `otherwise`, or the simplest answer that fits."""

    def brain(prompt: Prompt) -> object:
        return brains.get(prompt.schema_name, otherwise or simplest)(prompt)

    return brain


def simplest(prompt: Prompt) -> object:
    """The simplest value that fits the schema: empty lists and texts, 0, false, first enum values, null where allowed."""
    return _simplest(prompt.schema, prompt.schema.get("$defs", {}))


def _simplest(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> object:
    if "$ref" in schema:
        return _simplest(defs[schema["$ref"].rsplit("/", 1)[1]], defs)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        kinds = schema["anyOf"]
        return None if {"type": "null"} in kinds else _simplest(kinds[0], defs)
    if schema.get("type") == "object":
        return {name: _simplest(each, defs) for name, each in schema.get("properties", {}).items()}
    plain: Mapping[str, object] = {"array": [], "string": "", "integer": 0, "number": 0, "boolean": False}
    return plain[schema["type"]]
