"""Forms: which fields belong to the control that sends them, and what stands in them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from explorer.actions import CLICK_ROLES, TEXT_TYPES, Candidate
from explorer.values import is_search, valid_value
from graph.records import Target

SUBMITS = re.compile(
    r"\b(add|save|submit|next|ok|send|create|log ?in|sign|search|go|apply|update|post|enter|register|continue|done|"
    r"confirm|unlock|set|calc\w*|convert|generate|start)\b",
    re.IGNORECASE,
)
SENDS_NOT = re.compile(
    r"\b(cancel|close|back|reset|clear|delete|remove|dismiss|previous|abort|show|hide)\b|^[x×✕]?$",
    re.IGNORECASE,
)
NEAR_PX = 220
"""A button without a form belongs to the fields that are no further above or below it than this."""
MOST_NEAR = 4
_TYPING = frozenset({"input", "keyup", "keydown", "keypress"})


def fields_of(candidate: Candidate, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The `fill` candidates that a click or Enter sends: of its form, of the field itself, or close by.

    Empty for what sends nothing.
    """
    target = candidate.target
    if target is None or not _sends(candidate, target):
        return []
    fields = [c for c in candidates if c.kind == "fill" and c.target and _is_text(c.target)]
    if target.form:
        return [c for c in fields if c.target and c.target.form == target.form]
    if candidate.kind == "press":
        return [c for c in fields if c.target and c.target.ref == target.ref and not value_of(c)]
    if not SUBMITS.search(target.name):
        return []
    near = [
        c for c in fields if c.target and not c.target.form and abs(c.target.box[1] - target.box[1]) < NEAR_PX
    ]
    return near[:MOST_NEAR]


def _sends(candidate: Candidate, target: Target) -> bool:
    if candidate.kind == "click":
        control = target.tag in ("button", "input") or target.role in CLICK_ROLES
        return control and not SENDS_NOT.search(target.name)
    return candidate.kind == "press" and candidate.value == "Enter"


def _is_text(target: Target) -> bool:
    return target.field is not None and target.field.type in TEXT_TYPES - {"contenteditable"}


def value_of(candidate: Candidate) -> str:
    """What stands in the candidate's field now."""
    return candidate.target.field.value if candidate.target and candidate.target.field else ""


def valid_for(candidate: Candidate, *, typed: Sequence[str]) -> str:
    """A value that the candidate's field most probably takes; "" for what is no field."""
    described = candidate.target.field if candidate.target else None
    return valid_value(described, typed=typed) if described else ""


def suggests(candidate: Candidate) -> bool:
    """Whether the candidate's field seems to offer what to choose from while a user types into it."""
    target = candidate.target
    if candidate.kind != "fill" or target is None or target.field is None:
        return False
    listens = any(handler.own and handler.event in _TYPING for handler in target.handlers)
    if target.role == "combobox":
        return True
    return target.role in ("textbox", "searchbox") and target.field.autocomplete == "off" and listens


def filters(candidate: Candidate) -> bool:
    """Whether the candidate's field narrows down what the page shows."""
    described = candidate.target.field if candidate.target else None
    return described is not None and is_search(described)
