"""Brains for the model server of the tests: functions from a prompt to an answer (see tests/modelserver.py).

A brain for several roles is put together by the type of answer that is wanted:

    brain = by_schema({"Move": pick_first, "Verdict": lambda prompt: {...}})
"""

from __future__ import annotations

import re
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


# --- exploring: what a modest tester would answer, from the text of the prompt alone --------------------------


_ROW = re.compile(r"^(?P<ref>e\d+|page) (?P<thing>.*?)(?P<new> \[not tried\])?(?:^|\s)?-> (?P<kinds>.+)$")


def rows_of(prompt: Prompt) -> list[tuple[str, str, bool, list[tuple[str, list[str]]]]]:
    """What can be done by a tester's prompt: (reference, element, never tried, [(kind, values)])."""
    found = []
    for line in prompt.texts[-1].splitlines():
        match = _ROW.match(line)
        if match:
            kinds = [_kind_of(each) for each in match["kinds"].split("; ")]
            found.append((match["ref"], match["thing"], bool(match["new"]), kinds))
    return found


def _kind_of(text: str) -> tuple[str, list[str]]:
    kind, _, values = text.partition(" ")
    return kind, values.strip("()").split(" | ") if values and values != "TEXT" else []


def plain_tester(prompt: Prompt) -> object:
    """A tester that takes what was never tried, fields first, and says that it is done when nothing is new."""
    rows = rows_of(prompt)
    fresh = [row for row in rows if row[2] and row[0] != "page"]
    fresh.sort(key=lambda row: row[3][0][0] != "fill")
    if not fresh:
        return {**_NOTHING, "complete": True, "why": "everything was tried"}
    ref, thing, _, kinds = fresh[0]
    kind, values = kinds[0]
    value = "Buy milk" if kind in ("fill", "type") else values[0] if values else ""
    return {**_NOTHING, "ref": ref, "action": kind, "value": value, "why": f"{thing} was never tried"}


def steady_tester(prompt: Prompt) -> object:
    """The same tester, which goes on in turn through what is there when nothing is new, to the end of its budget."""
    move = plain_tester(prompt)
    if isinstance(move, dict) and not move["complete"]:
        return move
    rows = [row for row in rows_of(prompt) if row[0] != "page"] or rows_of(prompt)
    turn = len(prompt.texts)
    ref, _, _, kinds = rows[turn * 7 % len(rows)]
    kind, values = kinds[turn % len(kinds)]
    texts = ("Buy milk", "", "42", "x" * 60)
    value = texts[turn % 4] if kind in ("fill", "type") else values[0] if values else ""
    return {
        **_NOTHING,
        "ref": ref,
        "action": kind,
        "value": value,
        "why": "nothing is new: once more, in turn",
    }


_NOTHING = {"observed": "", "complete": False, "ref": "", "action": "", "value": "", "why": ""}


def plain_summary(prompt: Prompt) -> object:
    """Tells what the steps show: their number, and every error."""
    steps = [text for text in prompt.texts if text.startswith("Step ")]
    errors = [line for line in prompt.evidence.splitlines() if line.startswith("error thrown: ")]
    return {"functionality": ["an app"], "interactions": [f"{len(steps)} steps"], "failures": errors}


def plain_hint(prompt: Prompt) -> object:
    """Takes the first way that is listed, in other words."""
    ways = re.findall(r"^(w\d+): (\S+)", prompt.evidence, re.MULTILINE)
    return {
        "suggestions": [{"text": f"do the {kind} that was left out", "way": way} for way, kind in ways[:2]]
    }


def reading_values(prompt: Prompt) -> object:
    """Types the code that the page tells into a field that asks for one, and a word of the page into a search."""
    fields = []
    code = re.search(r"code is (\w+) ?(\w*)", prompt.texts[0])
    for ref, facts in re.findall(r"^(e\d+) (.*)$", prompt.texts[-1], re.MULTILINE):
        if code and "code" in facts.lower():
            fields.append({"ref": ref, "texts": [code[1] + code[2], ""]})
        elif "search" in facts.lower() and (word := re.search(r'listitem "(\w+)', prompt.texts[0])):
            fields.append({"ref": ref, "texts": [word[1]]})
    return {"fields": fields}


explorer_brain = by_schema(
    {"Move": plain_tester, "ClosingSummary": plain_summary, "Advice": plain_hint, "Texts": reading_values}
)
"""All roles of exploring."""
