"""Actions in words, for edges, findings and paths: `click button "Save"`."""

from __future__ import annotations

from graph.records import Action

_LONGEST = 60


def describe(action: Action) -> str:
    """One action as a person would say it; at most about 140 characters."""
    thing = " ".join(
        part for part in (action.role, f'"{_short(action.name)}"' if action.name else "") if part
    )
    if action.fields:
        values = ", ".join(f'"{_short(text)}"' for _, text in action.fields)
        return f"{action.kind} {thing} with {_short(values)}".replace("  ", " ")
    value = f' "{_short(action.value)}"' if action.value else ""
    if action.kind in ("fill", "type", "select", "upload", "press", "drag", "slide") and thing:
        preposition = "on" if action.kind in ("press", "drag", "slide") else "into"
        return f"{action.kind}{value} {preposition} {thing}"
    return " ".join(part for part in (action.kind, thing) if part) + value


def gesture(action: Action) -> str:
    """What makes two actions of one state the same gesture: kind, target, value; never the reason."""
    fields = "\x1f".join(f"{locator}={text}" for locator, text in action.fields)
    target = action.locator or f"{action.family}#{action.ordinal}"
    return "\x1e".join((action.kind, target, action.value, fields))


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
