"""What an element says of itself in an outline, under each abstraction: `tag.class.class[name=value]`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from lxml import etree

from graph.outline import ITEM, Described
from graph.records import ABSTRACTIONS
from graph.rules import RULES, AttributeRule, ClassRule, Rule, TextRule, TreeRule
from instrument.errors import UsageError

_WHOLE = ("exact", "text")

_KEPT = re.compile(
    r"href|role|type|hidden|disabled|readonly|open|contenteditable|data-x-hidden|dir|lang"
    r"|aria-(?:expanded|selected|current|pressed|checked|invalid|hidden|disabled|busy|haspopup|modal|sort|level)"
    r"|data-(?:bs-)?(?:state|theme|mode|view|tab|page|screen|status|active|selected|open|expanded|disabled|show)"
)
"""Attributes that `structure` and `list` look at."""
_SELECTED_CLASS = re.compile(
    r"(?:is-|router-link-|nav-|tab-|.*--)?(?:active|selected|current)(?:-tab)?", re.IGNORECASE
)
_CHOICE_TAGS = frozenset(("a", "button"))
_CHOICE_ROLES = frozenset("tab menuitem menuitemradio treeitem link button".split())
_VIEW_ROLES = frozenset("tab menuitem menuitemradio treeitem".split())
_MENU_ROLES = frozenset("navigation tablist menu menubar".split())
_MENU_WORDS = frozenset(
    "nav navbar navigation tab tabs tablist menu sidebar filter filters steps stepper breadcrumb views segmented".split()
)
_LABEL = 32
_REMEMBERED = 20_000
"""Descriptions of elements, rewritten texts and attributes that are kept for the next page."""
_ITEM_TAGS = frozenset("li tr dt dd option article".split())
_ITEM_WORDS = frozenset("item card row entry cell".split())
_ITEM_DEPTH = 5
_WORD = re.compile(r"[a-z]+")
_ITEM_ROLES = frozenset("listitem row option treeitem article".split())


@dataclass(frozen=True, slots=True)
class Plan:
    """An abstraction made ready: rules sorted by what they work on, rewriters with a cache."""

    tree: tuple[TreeRule, ...]
    describe: Callable[[etree._Element], Described]
    text: Callable[[str], str]
    fold: bool


def default_rules(abstraction: str) -> tuple[Rule, ...]:
    """`graph.rules.RULES`, none for `exact`."""
    return () if abstraction == "exact" else RULES


@lru_cache(maxsize=16)
def plan_for(abstraction: str, rules: tuple[Rule, ...]) -> Plan:
    """The plan of an abstraction with these rules. Raises UsageError for an unknown abstraction."""
    if abstraction not in ABSTRACTIONS:
        raise UsageError(f"There is no abstraction {abstraction!r}; choose one of {', '.join(ABSTRACTIONS)}.")
    whole = abstraction in _WHOLE
    rewrite = _text_rewriter(tuple(rule for rule in rules if isinstance(rule, TextRule)))
    return Plan(
        tree=tuple(rule for rule in rules if isinstance(rule, TreeRule)),
        describe=_describer(rules, rewrite, abstraction=abstraction),
        text=rewrite if whole else _presence,
        fold=abstraction == "list",
    )


def _text_rewriter(rules: tuple[TextRule, ...]) -> Callable[[str], str]:
    @lru_cache(maxsize=_REMEMBERED)
    def rewrite(text: str) -> str:
        text = " ".join(text.split())
        for rule in rules if text else ():
            text = rule.apply(text)
        return text

    return rewrite


def _presence(text: str) -> str:
    return "…" if text and not text.isspace() else ""


def _describer(
    rules: tuple[Rule, ...], rewrite: Callable[[str], str], *, abstraction: str
) -> Callable[[etree._Element], Described]:
    """The function that turns an element into its line: `tag.class.class[name=value]`."""
    exact, folds, whole = abstraction == "exact", abstraction == "list", abstraction in _WHOLE
    classes = _class_rewriter(tuple(rule for rule in rules if isinstance(rule, ClassRule)))
    attributes = tuple(rule for rule in rules if isinstance(rule, AttributeRule))

    @lru_cache(maxsize=_REMEMBERED)
    def attribute(name: str, value: str) -> str:
        kept: str | None = value
        for rule in attributes:
            if kept is not None:
                kept = rule.apply(name, kept)
        if kept is None:
            return ""
        kept = rewrite(kept)
        return f"[{name}={kept}]" if kept else f"[{name}]"

    alone: dict[tuple[object, ...], Described] = {}

    def describe(element: etree._Element) -> Described:
        said = element.items()
        key = (element.tag, *said)
        known = alone.get(key)
        if known is None:
            tag, named = element.tag, _named(said)
            known = described(element, named)
            if exact or not (_may_show_on_hover(tag, named) or (not whole and _is_chosen(tag, named))):
                # Nothing around it or in it takes part, so the same element elsewhere is described the same.
                if len(alone) >= _REMEMBERED:
                    alone.clear()
                alone[key] = known
        return known

    def described(element: etree._Element, said: Mapping[str, str]) -> Described:
        names, first = classes(said.get("class", ""))
        hidden = "data-x-hidden" in said and (exact or not _shown_on_hover(element, said))
        parts = [
            attribute(name, value)
            for name, value in said.items()
            if name != "class" and (whole or _KEPT.fullmatch(name)) and (hidden or name != "data-x-hidden")
        ]
        parts.sort()
        tag = element.tag
        line = tag + names + "".join(parts)
        if not whole and (label := _choice_label(element, said)):
            line += f"[chosen={rewrite(label)}]"
        group = ITEM if tag in _ITEM_TAGS or said.get("role") in _ITEM_ROLES else f"{tag}.{first}"
        return group, line, not (hidden and folds)

    return describe


def _may_show_on_hover(tag: object, said: Mapping[str, str]) -> bool:
    return "data-x-hidden" in said and (tag in _CHOICE_TAGS or said.get("role") == "button")


def _shown_on_hover(element: etree._Element, said: Mapping[str, str]) -> bool:
    """A hidden button inside a list item: most of those appear while the mouse is over the item, which is no state."""
    if not _may_show_on_hover(element.tag, said):
        return False
    for ancestor in islice(element.iterancestors(), _ITEM_DEPTH):
        words = _WORD.findall(ancestor.get("class") or "")
        if (
            ancestor.tag in _ITEM_TAGS
            or ancestor.get("role") in _ITEM_ROLES
            or not _ITEM_WORDS.isdisjoint(words)
        ):
            return True
    return False


def _named(pairs: Iterable[tuple[object, object]]) -> dict[str, str]:
    return dict(pairs)  # type: ignore[arg-type]  # the stubs allow for bytes, which only Python 2 gave


def _class_rewriter(rules: tuple[ClassRule, ...]) -> Callable[[str], tuple[str, str]]:
    """Class attribute -> (".a.b" sorted, the class that the author wrote first, which tells what a thing is)."""

    @lru_cache(maxsize=_REMEMBERED)
    def rewrite(value: str) -> tuple[str, str]:
        tokens: dict[str, None] = {}
        for token in value.split():
            kept: str | None = token
            for rule in rules:
                if kept is not None:
                    kept = rule.apply(kept)
            if kept:
                tokens[kept] = None
        return "".join(f".{token}" for token in sorted(tokens)), next(iter(tokens), "")

    return rewrite


def _choice_label(element: etree._Element, said: Mapping[str, str]) -> str:
    """The label of the chosen tab or menu entry: which of its like is chosen must survive folding.

    Only of what leads somewhere: the modes of a toolbar (tool, colour, width) would multiply the states.
    """
    if not _is_chosen(element.tag, said):
        return ""
    if said.get("role") not in _VIEW_ROLES and not _leads_somewhere(said) and not _in_menu(element):
        return ""
    return " ".join("".join(map(str, element.itertext())).split())[:_LABEL]


def _is_chosen(tag: object, said: Mapping[str, str]) -> bool:
    role = said.get("role")
    if role not in _CHOICE_ROLES and (role is not None or tag not in _CHOICE_TAGS):
        return False
    if said.get("aria-selected") == "true" or said.get("aria-current", "false") != "false":
        return True
    return any(_SELECTED_CLASS.fullmatch(token) for token in said.get("class", "").split())


def _leads_somewhere(said: Mapping[str, str]) -> bool:
    href = said.get("href", "").strip().lower()
    return href not in ("", "#", "#!") and not href.startswith("javascript:")


def _in_menu(element: etree._Element) -> bool:
    for at in (element, *islice(element.iterancestors(), 3)):
        words = _WORD.findall((at.get("class") or "").lower())
        if at.tag == "nav" or at.get("role") in _MENU_ROLES or not _MENU_WORDS.isdisjoint(words):
            return True
    return False
