"""A snapshot as a reader would tell it: what is shown, one thing a line, for judges and for telling two pages apart.

    nav "Views"
      button "Entries" (current)
      button "Chart"
    searchbox "Search" = "milk"

Unlike `graph.normalize`, which makes pages comparable, this keeps every text as it is and leaves out what no user sees:
hidden parts, classes, ids and scripts. Nothing here recurses, so that pages of any depth survive.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from lxml import etree

from graph.outline import parse

LONGEST_LINE = 240
"""Characters of a line; a longer text is cut and ends in an ellipsis."""
DEEPEST = 12
"""Levels of indentation; what lies deeper is printed at this one."""
MOST_CHANGES = 12
"""Lines of a difference that are listed; the rest is counted."""

_UNSEEN = frozenset("script style noscript template title link meta base source track param".split())
_INLINE = frozenset(
    "a abbr b bdi bdo big br cite code data del dfn em font i ins kbd label mark q s samp small span strong sub sup "
    "time tt u var wbr".split()
)
"""Tags whose text belongs to the line they stand in, unless they are controls."""
_CONTROLS = frozenset("a button input select textarea summary".split())
_SHOWN = _CONTROLS | frozenset("img canvas video audio iframe svg progress meter dialog object embed".split())
_WHOLE = frozenset("svg select textarea".split())
"""What is inside these is told by their own line, or not at all."""
_LANDMARKS = frozenset("nav main header footer aside section form dialog ul ol table fieldset".split())
_INPUT_ROLES = {
    "checkbox": "checkbox",
    "radio": "radio button",
    "range": "slider",
    "search": "search field",
    "submit": "button",
    "button": "button",
    "reset": "button",
    "image": "button",
}
_FLAGS = (
    ("disabled", None, "disabled"),
    ("readonly", None, "read-only"),
    ("required", None, "required"),
    ("aria-disabled", "true", "disabled"),
    ("aria-selected", "true", "selected"),
    ("aria-pressed", "true", "pressed"),
    ("aria-checked", "true", "checked"),
    ("aria-expanded", "true", "expanded"),
    ("aria-expanded", "false", "collapsed"),
    ("aria-invalid", "true", "invalid"),
    ("aria-busy", "true", "busy"),
    ("open", None, "open"),
)


_Elements = dict[etree._Element, None]


def page_lines(html: str) -> tuple[str, ...]:
    """The lines of a snapshot's html, in document order; () for an empty page."""
    root = parse(html)
    if root is None:
        return ()
    shown = _visible(root)
    simple = _simple(shown)
    lines: list[str] = []
    # (element or text, level); an explicit stack, since pages nest deeper than Python does.
    stack: list[tuple[etree._Element | str, int]] = [(root, 0)]
    while stack:
        item, level = stack.pop()
        if isinstance(item, str):
            lines.append(_line(f'"{item}"', level))
            continue
        told, below = _told(item, shown, simple)
        if told:
            lines.append(_line(told, level))
        stack.extend((each, level + bool(told)) for each in reversed(below))
    return tuple(lines)


def difference(before: Sequence[str], after: Sequence[str], *, most: int = MOST_CHANGES) -> tuple[str, ...]:
    """What came ("+ ...") and what went ("- ...") from one page's lines to another's, in document order, indentation cut.

    Equal lines are counted, so a second equal entry is a change. A page that only changed its order says so in one line
    ("~ ..."). At most `most` lines; a last one counts those left out. () for equal pages.
    """
    old, new = [line.strip() for line in before], [line.strip() for line in after]
    if old == new:
        return ()
    gone, come = Counter(old), Counter(new)
    changes = [f"- {line}" for line in _only(old, gone - come)] + [
        f"+ {line}" for line in _only(new, come - gone)
    ]
    if not changes:
        first = next((line for line, other in zip(new, old, strict=False) if line != other), "")
        return (f"~ the same things in another order, from {first}",)
    if len(changes) <= most:
        return tuple(changes)
    # Half for what went and half for what came, so that neither hides the other.
    gone_lines, come_lines = [c for c in changes if c[0] == "-"], [c for c in changes if c[0] == "+"]
    share = max(most // 2, most - len(come_lines))
    kept = [*gone_lines[:share], *come_lines[: most - min(share, len(gone_lines))]]
    return (*kept, f"… and {len(changes) - len(kept)} more changes")


def _only(lines: Sequence[str], wanted: Counter[str]) -> list[str]:
    left = Counter(wanted)
    kept = []
    for line in lines:
        if left[line] > 0:
            left[line] -= 1
            kept.append(line)
    return kept


def _visible(root: etree._Element) -> dict[etree._Element, None]:
    """What is shown, in document order."""
    shown: dict[etree._Element, None] = {}
    for element in root.iter():
        if not isinstance(element.tag, str) or element.tag in _UNSEEN:
            continue
        parent = element.getparent()
        if element is not root and parent not in shown:
            continue
        # The options of a closed list are marked as hidden, yet its line tells them.
        if element.get("data-x-hidden") is not None or (parent is not None and parent.tag in _WHOLE):
            continue
        shown[element] = None
    return shown


def _simple(shown: _Elements) -> set[etree._Element]:
    """Elements that hold nothing but text and inline tags: each is one line."""
    simple = set(shown)
    for element in reversed(shown):
        parent = element.getparent()
        if parent is None:
            continue
        if (
            element.tag not in _INLINE
            or element.tag in _SHOWN
            or element.get("role")
            or element not in simple
        ):
            simple.discard(parent)
    return simple


def _told(
    element: etree._Element, shown: _Elements, simple: set[etree._Element]
) -> tuple[str, list[etree._Element | str]]:
    """The element's own line, "" for none, and what is to be printed below it."""
    tag = str(element.tag)
    if tag in _WHOLE or tag in ("input", "img", "canvas"):
        return _thing(element), []
    if element in simple:
        text = _text(element, shown)
        if not text and tag not in _SHOWN and not element.get("aria-label"):
            return "", []
        return _thing(element, text), []
    below: list[etree._Element | str] = []
    if head := _flat(element.text):
        below.append(head)
    for child in element:
        if child in shown:
            below.append(child)
        if tail := _flat(child.tail):
            below.append(tail)
    worth = tag in _SHOWN or tag in _LANDMARKS or element.get("aria-label") or element.get("role")
    return (_thing(element) if worth and below else ""), below


def _thing(element: etree._Element, text: str = "") -> str:
    """Role, name, value and state of an element: `checkbox "Done" (checked)`."""
    tag = str(element.tag)
    role = element.get("role") or (
        _INPUT_ROLES.get(element.get("type", "").lower(), "field") if tag == "input" else ""
    )
    label = _flat(element.get("aria-label"))
    parts = [role or _NAMES.get(tag, tag)]
    name = text or label or _name(element)
    if name:
        parts.append(f'"{name}"')
    if text and label and label != text:
        parts.append(f'[labelled "{label}"]')
    parts += [*_value(element, tag), *_address(element, tag), *_state(element, tag)]
    return " ".join(parts)


_NAMES = {
    "a": "link",
    "img": "image",
    "select": "list",
    "textarea": "field",
    "p": "text",
    "div": "text",
    "span": "text",
}


def _name(element: etree._Element) -> str:
    for attribute in ("alt", "placeholder", "title", "name"):
        if said := _flat(element.get(attribute)):
            return said
    if element.tag == "input" and element.get("type", "").lower() in ("submit", "button", "reset"):
        return _flat(element.get("value"))
    return ""


def _value(element: etree._Element, tag: str) -> list[str]:
    if tag == "select":
        options = [_flat("".join(map(str, option.itertext()))) for option in element.iter("option")]
        chosen = _flat(element.get("data-x-value"))
        listed = ", ".join(options[:12]) + (f" and {len(options) - 12} more" if len(options) > 12 else "")
        return [*([f'= "{chosen}"'] if chosen else []), f"of {{{listed}}}"]
    kind = element.get("type", "").lower()
    if tag not in ("input", "textarea") or kind in ("submit", "button", "reset", "checkbox", "radio"):
        return []
    if kind == "password":
        return []
    value = element.get("data-x-value")
    if value is None:
        value = element.get("value") if tag == "input" else element.text
    return [f'= "{_flat(value)}"'] if _flat(value) else []


def _address(element: etree._Element, tag: str) -> list[str]:
    href = element.get("href", "")
    if tag != "a" or not href or href.startswith(("javascript:", "data:")):
        return []
    return [f"to {href[:80]}"]


def _state(element: etree._Element, tag: str) -> list[str]:
    if not element.keys():
        return []
    said = [
        word
        for attribute, wanted, word in _FLAGS
        if (value := element.get(attribute)) is not None and (wanted is None or value == wanted)
    ]
    if element.get("aria-current", "false") != "false":
        said.append("current")
    if tag == "input" and element.get("type", "").lower() in ("checkbox", "radio"):
        live = element.get("data-x-checked")
        if live == "true" or (live is None and element.get("checked") is not None):
            said.append("checked")
    return [f"({', '.join(dict.fromkeys(said))})"] if said else []


def _text(element: etree._Element, shown: _Elements) -> str:
    pieces = [element.text or ""]
    for inner in element.iterdescendants():
        if inner in shown:
            pieces.append(inner.text or "")
        if inner.getparent() in shown:
            pieces.append(inner.tail or "")
    # Whether two inline elements touch is the stylesheet's to say: a space between them is easier to read.
    return _flat(" ".join(pieces))


def _flat(text: object) -> str:
    return " ".join(text.split()) if isinstance(text, str) else ""


def _line(text: str, level: int) -> str:
    if len(text) > LONGEST_LINE:
        text = text[: LONGEST_LINE - 1] + "…"
    return "  " * min(level, DEEPEST) + text
