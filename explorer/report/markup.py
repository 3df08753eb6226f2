"""HTML as values: everything that is not Html is text and is escaped, so no text of an app can become markup."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from typing import Union

Child = Union["Html", str, int, None, Iterable["Child"]]

_VOID = frozenset({"br", "hr", "img", "input", "meta", "link"})

_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
"""Characters that do not show, or that change how others show: controls, bidi marks, lone surrogates."""


class Html(str):
    """Markup that is safe to put into a page as it is."""

    __slots__ = ()


def tag(element: str, /, *children: Child, **attributes: str | int | bool | None) -> Html:
    """`tag("a", "x", href="#y", class_="z")`; None and False leave an attribute out, `_` in names stands for `-`."""
    pairs = "".join(_attribute(name, value) for name, value in attributes.items())
    if element in _VOID:
        return Html(f"<{element}{pairs}>")
    return Html(f"<{element}{pairs}>{join(children)}</{element}>")


def join(children: Child, *, between: str = "") -> Html:
    """Children as one piece of markup."""
    return Html(between.join(_flat(children)))


def visible(text: str) -> str:
    """Text in which what would not show is named: U+202E becomes ⟨U+202E⟩."""
    return _HIDDEN.sub(lambda match: f"⟨U+{ord(match[0]):04X}⟩", text)


def _flat(child: Child) -> Iterable[str]:
    if child is None:
        return
    if isinstance(child, Html):
        yield child
    elif isinstance(child, str | int):
        yield html.escape(visible(str(child)))
    else:
        for item in child:
            yield from _flat(item)


def _attribute(name: str, value: str | int | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = name.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{html.escape(visible(str(value)))}"'
