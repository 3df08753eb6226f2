"""How dialogs are answered: accepting and dismissing take turns, and prompts get what their message asks for."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

_QUOTED = re.compile(r'"([^"\n]{1,60})"|“([^”\n]{1,60})”|`([^`\n]{1,60})`|\'([^\'\n]{1,60})\'(?!\w)')
_CAPITALS = re.compile(r"\b[A-Z][A-Z0-9_-]+\b")
_DIGITS = re.compile(r"\b(\d{1,2})[- ]?(?:digit|number|figure)", re.IGNORECASE)
_NUMBER = re.compile(
    r"\b(?:how many|number|amount|age|quantity|count|pin|code|digits?|year)\b", re.IGNORECASE
)
_NOT_A_WORD = frozenset(("OK", "ID", "PIN", "URL", "JSON", "CSV", "HTML", "NOT", "ALL"))
_PLAIN = "Test"


@dataclass(frozen=True, slots=True)
class Answer:
    """One way to close a dialog."""

    accept: bool
    text: str = ""


def prompt_values(message: str, *, default: str = "") -> tuple[str, ...]:
    """What could be typed into a prompt, the most telling first, each once."""
    found = [next(filter(None, match)) for match in _QUOTED.findall(message)]
    found += [word for word in _CAPITALS.findall(message) if word not in _NOT_A_WORD]
    if digits := _DIGITS.search(message):
        found.append("1234567890123456789012345678901234567890"[: int(digits.group(1))])
    elif _NUMBER.search(message):
        found.append("3")
    if default:
        found.append(default)
    found.append(_PLAIN)
    return tuple(dict.fromkeys(found))


def answer(kind: str, message: str, *, nth: int, default: str = "") -> Answer:
    """The answer to the nth dialog (from 0) with this message: same message and number, same answer."""
    if kind == "confirm":
        return Answer(nth % 2 == 0)
    if kind == "prompt":
        values = prompt_values(message, default=default)
        turn = nth % (len(values) + 1)
        return Answer(False) if turn == len(values) else Answer(True, values[turn])
    return Answer(True)


@dataclass
class DialogPolicy:
    """Counts how often each dialog came since the app was loaded, so that a replay answers alike."""

    asked: Counter[tuple[str, str]] = field(default_factory=Counter)

    def reply(self, kind: str, message: str, *, default: str = "") -> Answer:
        """The answer to a dialog that is open now."""
        key = (kind, message)
        nth = self.asked[key]
        self.asked[key] += 1
        return answer(kind, message, nth=nth, default=default)

    def reset(self) -> None:
        """Forgets: the app was loaded anew."""
        self.asked.clear()
