"""What to type into a field: valid first, then its boundaries, then words mined from unexecuted code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, timedelta

from graph.records import Field

LONG = "x" * 90
_STRICT = frozenset({"date", "time", "datetime-local", "month", "week", "color", "range"})
"""Fields that take nothing but a value of their own form."""
_FREE = frozenset({"text", "textarea", "search", "password", "tel"})
"""Fields that take spaces."""


def values_for(field: Field, *, mined: Sequence[str] = (), typed: Sequence[str] = ()) -> tuple[str, ...]:
    """Values for a field in the order in which they should be tried.

    The first is meant to be valid; after it stand mined strings, boundaries and invalid ones. Equal values are
    given once. `mined` are literals of unexecuted code near the field, `typed` what was entered before
    (a search or a login may need it again).
    """
    base = _by_type(field) or _by_words(field, typed) or _plain(field)
    fitting = [word for word in mined if _could_be_text(word)][:6] if field.type not in _STRICT else []
    # A gate is often "must not be empty": that comes before the many words that may lead nowhere.
    empty = [""] if "" in base[1:] else []
    return tuple(dict.fromkeys([base[0], *fitting[:2], *empty, *base[1:], *fitting[2:]]))


def valid_value(field: Field, *, typed: Sequence[str] = ()) -> str:
    """The value for a field that a form most probably accepts."""
    return values_for(field, typed=typed)[0]


def blank_value(field: Field, *, checked_by_browser: bool) -> str:
    """Nothing, for a field; spaces where the browser itself would hold back a form without a text in it.

    `checked_by_browser`: the form is sent by the browser, which looks at `required` first.
    """
    spaces = checked_by_browser and field.required and field.type in _FREE
    return "   " if spaces else ""


def breaking_value(field: Field) -> str | None:
    """A value just beyond what the field says that it takes (max, min, lengths, pattern, type); None for no limit."""
    if field.type == "number":
        return _beyond(field)
    if field.type == "date":
        return _next_day(field.max, 1) or _next_day(field.min, -1)
    if field.maxlength is not None and field.maxlength > 0:
        return "x" * (field.maxlength + 1)
    if field.pattern:
        return _against(field.pattern)
    if field.minlength is not None and field.minlength > 1:
        return "x" * (field.minlength - 1)
    return {"email": "not-an-address", "url": "no url"}.get(field.type)


def _beyond(field: Field) -> str | None:
    low, high, step = _number(field.min), _number(field.max), _number(field.step) or 1.0
    if high is not None:
        return _text(high + step)
    return _text(low - step) if low is not None else None


def _next_day(day: str, days: int) -> str | None:
    try:
        return (date.fromisoformat(day) + timedelta(days=days)).isoformat()
    except (ValueError, OverflowError):
        return None


def _against(pattern: str) -> str | None:
    try:
        wanted = re.compile(pattern)
    except re.error:
        return None
    return next((text for text in ("x", "1", "?!", "x y") if not wanted.fullmatch(text)), None)


def _could_be_text(word: str) -> bool:
    return 0 < len(word) <= 60 and "\n" not in word and not word.startswith(("<", "function"))


def _by_type(field: Field) -> list[str]:
    fixed = {
        "date": ["2026-05-15", "2030-12-31", "1999-01-01", ""],
        "time": ["10:30", "23:59", ""],
        "datetime-local": ["2026-05-15T10:30", ""],
        "month": ["2026-05", ""],
        "week": ["2026-W20", ""],
        "color": ["#ff0000", "#00ff00"],
        "email": ["anna@example.com", "not-an-address", "", "a@b.co"],
        "url": ["https://example.com/page", "no url", ""],
        "tel": ["+15551234567", "12", ""],
    }
    if field.type in ("number", "range"):
        return _numbers(field)
    if field.type in ("date", "month", "week", "time", "datetime-local") and (field.min or field.max):
        return [field.min or field.max, *fixed[field.type], *filter(None, (field.min, field.max))]
    return fixed.get(field.type, [])


def _numbers(field: Field) -> list[str]:
    low, high, step = _number(field.min), _number(field.max), _number(field.step) or 1.0
    if low is None and high is None:
        return ["42", "-5", "0", "", "5000000", "2.5"]
    lowest = low if low is not None else min(0.0, high or 0.0)
    inside = lowest + step if high is None or lowest + step <= high else lowest
    ends = [_text(inside)]
    if high is not None:
        ends += [_text(high), _text(high + step)]
    if low is not None:
        ends += [_text(low), _text(low - step)]
    return [*ends, ""]


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _text(number: float) -> str:
    return str(int(number)) if number == int(number) else repr(number)


# Words of name, id, label, placeholder and autocomplete -> values, the valid one first.
_WORDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"e-?mail", ("anna@example.com", "not-an-address", "", "a@b.co")),
    (
        r"confirm.*pass|pass.*(confirm|again|repeat)|pass(word|phrase|code)?\b|passwd",
        ("Passw0rd!23", "short", "", "onlyletters"),
    ),
    (r"\b(pin|otp|code|cvv|cvc)\b", ("1234", "9999", "", "abc")),
    (r"card.?(number|no)|\bcc-?num", ("4242424242424242", "1234", "")),
    (r"expir|\bexp\b", ("12/30", "01/20", "")),
    (r"phone|mobile|\btel\b", ("+15551234567", "12", "")),
    (r"\burl\b|website|homepage|\blink\b", ("https://example.com/page", "no url", "")),
    (r"\bzip\b|postal|postcode", ("10115", "x", "")),
    (r"\bage\b", ("30", "17", "200", "abc", "")),
    (r"\byear\b", ("2026", "1899", "")),
    (
        r"amount|price|cost|total|budget|salary|quantity|\bqty\b|number|count|weight|height|rate",
        ("42", "-5", "0", "", "abc", "2.5"),
    ),
    (r"\bdate\b|birthday|\bdob\b|deadline|\bdue\b", ("2026-05-15", "31/31/2026", "")),
    (r"\btime\b|duration|minutes|hours|seconds", ("10", "0", "-1", "")),
    (r"colou?r", ("#ff0000", "red", "nocolor")),
    (r"json", ('{"a": 1, "items": [1, 2]}', "{bad", "[]")),
    (r"\bfirst.?name|given.?name", ("Anna", "", LONG)),
    (r"\blast.?name|surname|family.?name", ("Schmidt", "", LONG)),
    (r"user.?name|\blogin\b|nick", ("anna", "", "a b", LONG)),
    (r"\bcity\b|town", ("Berlin", "")),
    (r"country", ("Germany", "")),
    (r"address|street", ("12 Main Street", "")),
    (r"formula|expression|equation", ("=1+2*3", "1/0", "((", "")),
    (r"message|comment|description|notes?\b|bio|content|body", ("A longer text, with words.", "", "x" * 300)),
)


def is_search(field: Field) -> bool:
    """Whether what is typed narrows down what is shown."""
    return field.type == "search" or bool(re.search(r"search|filter|query|\bfind\b", _bag(field)))


def _bag(field: Field) -> str:
    """All words that a field says of itself, in lower case and apart."""
    bag = " ".join((field.name, field.id, field.label, field.placeholder, field.autocomplete))
    return re.sub(r"([a-z])([A-Z])", r"\1 \2", bag).replace("_", " ").lower()


def _by_words(field: Field, typed: Sequence[str]) -> list[str]:
    bag = _bag(field)
    if is_search(field):
        words = [text for text in typed if re.search(r"[^\W\d]", text)]
        return [*([words[-1][:20]] if words else ["a"]), "e", "zzqqy", ""]
    if field.type == "password":
        return list(_WORDS[1][1])
    for pattern, values in _WORDS:
        if re.search(pattern, bag):
            return list(values)
    return []


def _plain(field: Field) -> list[str]:
    values = [
        "Test item",
        "Another one 2",
        "",
        LONG,
        "   ",
        '<b>bold</b> & "quoted"',
        "100",
        "ünïcödé 漢字 🙂",
    ]
    if field.pattern:
        values = [*_from_pattern(field.pattern), *values]
    if field.maxlength is not None and field.maxlength > 0:
        values[0] = values[0][: field.maxlength]
        values.insert(2, "y" * field.maxlength)
    if field.minlength:
        values[0] = values[0].ljust(field.minlength, "x")
    if field.options:
        values = [field.options[0], *values]
    return values


def _from_pattern(pattern: str) -> Iterable[str]:
    """A few texts that a simple pattern accepts, checked by matching."""
    digits = re.search(r"\{(\d+)", pattern)
    size = min(int(digits[1]), 40) if digits else 4
    shapes = (
        "1" * size,
        "a" * size,
        "A" * size,
        "ABC-123",
        "AB12",
        "abc",
        "12-34",
        "123-456",
        "123-456-7890",
    )
    try:
        wanted = re.compile(pattern)
    except re.error:
        return []
    return [shape for shape in shapes if wanted.fullmatch(shape)][:2]
