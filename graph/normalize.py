"""Fourth stage: a snapshot becomes a state. Equal normal forms are one state, exactly and online.

Four abstractions, from fine to coarse:

- `exact`      every attribute, every text, live values and hidden parts; only white space is collapsed.
- `text`       WebCraftBench's (section 4.3): scripts, styles and mutable attributes dropped, generated ids and
               hashed classes cut, timestamps, clocks, counters and random ids replaced by placeholders.
- `structure`  tags, classes, links, ARIA and control states; of a text only that there is one.
- `list`       the same, hidden parts by their first line only, and equal siblings folded into one: a todo list
               of 3 and of 5 entries is one state.

`list` is the default. On 660 hand-labelled snapshots of three apps, structure with folded siblings gave the best
pairwise F1 (0.84, against 0.78 without folding, 0.61 with masked text and 0.44 for raw html): what splits states
that a person calls one is mostly the user's own text and the length of lists.

The path of the address takes part with its ids masked, a route in the fragment ("#/active") too, and of the query
the names, with the values of those that name a view.
"""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Literal, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from lxml import etree

from graph.outline import ITEM, Described, outline, parse
from graph.records import Snapshot, StateId
from graph.rules import RULES, AttributeRule, ClassRule, Rule, TextRule, TreeRule, mask_ids
from instrument.errors import UsageError

ABSTRACTIONS = ("exact", "text", "structure", "list")
DEFAULT = "list"
_WHOLE = ("exact", "text")

Basis = Literal["outline", "canvas"]
"""What tells a state from others: the DOM's outline, or the canvas where the DOM says nothing."""

CANVAS_CAP = 12
"""Canvas states told apart for one outline by a `Normalizer`; an endless animation stays bounded."""


class State(NamedTuple):
    """A state and the evidence for it."""

    id: StateId
    basis: Basis
    outline: str


def state_id(
    snapshot: Snapshot, *, abstraction: str = DEFAULT, rules: Sequence[Rule] | None = None
) -> StateId:
    """Digest (16 hex digits) of the normalised snapshot: route, outline and, in canvas apps, the canvas.

    Pure; a `Normalizer` gives the same ids, cached, and bounds the number of canvas states.
    """
    text = normalize(snapshot.html, abstraction=abstraction, rules=rules)
    canvas = snapshot.canvas if basis_of(snapshot) == "canvas" else ""
    return _digest(abstraction, route(snapshot.url, abstraction=abstraction), text, canvas)


def normalize(html: str, *, abstraction: str = DEFAULT, rules: Sequence[Rule] | None = None) -> str:
    """The canonical outline: one element a line, as `graph.outline` shows it; "" for an empty page.

    `text` is the one to search and to compare by line; `list` tells most about why two pages are one state.
    rules: `graph.rules.RULES` by default, none for `exact`.
    """
    plan = _plan(abstraction, _default_rules(abstraction) if rules is None else tuple(rules))
    root = parse(html)
    if root is None:
        return ""
    drop = [element for rule in plan.tree for element in rule.apply(root)]
    return outline(root, describe=plan.describe, text=plan.text, fold=plan.fold, drop=drop)


class Normalizer:
    """`state_id` with a memory: equal snapshots are parsed once, and canvas states are bounded.

    Not thread-safe; one per run. Fed with the same snapshots in the same order it gives the same states.
    """

    def __init__(
        self,
        *,
        abstraction: str = DEFAULT,
        rules: Sequence[Rule] | None = None,
        size: int = 512,
        canvas_cap: int = CANVAS_CAP,
    ) -> None:
        _plan(abstraction, ())
        self.abstraction = abstraction
        self._rules = rules
        self._size = size
        self._cap = canvas_cap
        self._outlines: OrderedDict[str, tuple[str, Basis]] = OrderedDict()
        self._canvases: dict[tuple[str, str], list[str]] = {}

    def state(self, snapshot: Snapshot) -> State:
        """The snapshot's state, what it rests on, and its outline."""
        text, basis = self._outline(snapshot)
        where = route(snapshot.url, abstraction=self.abstraction)
        canvas = self._canvas(snapshot.canvas, (where, text)) if basis == "canvas" else ""
        return State(_digest(self.abstraction, where, text, canvas), basis, text)

    def state_id(self, snapshot: Snapshot) -> StateId:
        """The snapshot's state alone."""
        return self.state(snapshot).id

    def _outline(self, snapshot: Snapshot) -> tuple[str, Basis]:
        key = snapshot.digest or snapshot.html
        known = self._outlines.get(key)
        if known is None:
            text = normalize(snapshot.html, abstraction=self.abstraction, rules=self._rules)
            known = self._outlines[key] = (text, basis_of(snapshot))
            if len(self._outlines) > self._size:
                self._outlines.popitem(last=False)
        self._outlines.move_to_end(key)
        return known

    def _canvas(self, digest: str, page: tuple[str, str]) -> str:
        seen = self._canvases.setdefault(page, [])
        if digest in seen:
            return digest
        if len(seen) >= self._cap:
            return "more"
        seen.append(digest)
        return digest


def basis_of(snapshot: Snapshot) -> Basis:
    """`canvas` where the page shows a canvas and its DOM holds next to nothing that could change.

    Next to nothing: at most four visible elements besides the canvas that have a text of their own or can be
    acted on (a score, a title, a restart button).
    """
    if not snapshot.canvas:
        return "outline"
    others = 0
    root = parse(snapshot.html)
    for element in () if root is None else visible(root):
        others += element.tag in _CONTROLS or bool(element.text and element.text.strip())
    return "canvas" if others <= _CANVAS_COMPANY else "outline"


_CONTROLS = frozenset("a button input select textarea".split())
_CANVAS_COMPANY = 4
_NO_PICTURE = frozenset("script style noscript template title head link meta base option".split())


def visible(root: etree._Element) -> list[etree._Element]:
    """The elements of a snapshot that its marks call shown, in document order; never recursive."""
    hidden: set[etree._Element] = set()
    shown = []
    for element in root.iter():
        if not isinstance(element.tag, str):
            continue
        if (
            element.getparent() in hidden
            or element.tag in _NO_PICTURE
            or element.get("data-x-hidden") is not None
        ):
            hidden.add(element)
        else:
            shown.append(element)
    return shown


# --- the address --------------------------------------------------------------------------------------------

_VIEW_KEYS = frozenset(
    "tab view mode section screen step panel route sort order filter theme dialog modal".split()
)


def route(url: str, *, abstraction: str = DEFAULT) -> str:
    """The part of an address that takes part in a state: "/items/42?tab=log&q=x" -> "/items/#?q&tab=log"."""
    if abstraction == "exact":
        return url
    parts = urlsplit(url)
    path = mask_ids(parts.path) or "/"
    if path.endswith("/index.html"):
        path = path.removesuffix("index.html")
    query = sorted(
        {_parameter(name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True)}
    )
    fragment = parts.fragment if parts.fragment.startswith(("/", "!")) else ""
    if fragment:
        head, _, _ = fragment.partition("?")
        fragment = f"#{mask_ids(head)}" if head.strip("/!") else ""
    return path + ("?" + "&".join(query) if query else "") + fragment


def _parameter(name: str, value: str) -> str:
    name = mask_ids(name)
    return f"{name}={mask_ids(value)}" if name.lower() in _VIEW_KEYS else name


def _digest(*parts: str) -> StateId:
    data = "\x00".join(parts).encode("utf-8", "replace")
    return StateId(hashlib.blake2b(data, digest_size=8).hexdigest())


# --- plans --------------------------------------------------------------------------------------------------

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
_LABEL = 32
_ITEM_TAGS = frozenset("li tr dt dd option article".split())
_ITEM_WORDS = frozenset("item card row entry cell".split())
_ITEM_DEPTH = 5
_WORD = re.compile(r"[a-z]+")
_ITEM_ROLES = frozenset("listitem row option treeitem article".split())


@dataclass(frozen=True, slots=True)
class _Plan:
    """An abstraction made ready: rules sorted by what they work on, rewriters with a cache."""

    tree: tuple[TreeRule, ...]
    describe: Callable[[etree._Element], Described]
    text: Callable[[str], str]
    fold: bool


def _default_rules(abstraction: str) -> tuple[Rule, ...]:
    return () if abstraction == "exact" else RULES


@lru_cache(maxsize=16)
def _plan(abstraction: str, rules: tuple[Rule, ...]) -> _Plan:
    if abstraction not in ABSTRACTIONS:
        raise UsageError(f"There is no abstraction {abstraction!r}; choose one of {', '.join(ABSTRACTIONS)}.")
    whole = abstraction in _WHOLE
    rewrite = _text_rewriter(tuple(rule for rule in rules if isinstance(rule, TextRule)))
    return _Plan(
        tree=tuple(rule for rule in rules if isinstance(rule, TreeRule)),
        describe=_describer(rules, rewrite, abstraction=abstraction),
        text=rewrite if whole else _presence,
        fold=abstraction == "list",
    )


def _text_rewriter(rules: tuple[TextRule, ...]) -> Callable[[str], str]:
    @lru_cache(maxsize=20_000)
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

    @lru_cache(maxsize=20_000)
    def attribute(name: str, value: str) -> str:
        kept: str | None = value
        for rule in attributes:
            if kept is not None:
                kept = rule.apply(name, kept)
        if kept is None:
            return ""
        kept = rewrite(kept)
        return f"[{name}={kept}]" if kept else f"[{name}]"

    def describe(element: etree._Element) -> Described:
        names, first = "", ""
        parts = []
        hidden = element.get("data-x-hidden") is not None and (exact or not _shown_on_hover(element))
        for name, value in _attributes(element):
            if name == "class":
                names, first = classes(value)
            elif name == "data-x-hidden" and not hidden:
                continue
            elif whole or _KEPT.fullmatch(name):
                parts.append(attribute(name, value))
        parts.sort()
        tag = element.tag
        line = tag + names + "".join(parts)
        if not whole and (label := _choice_label(element)):
            line += f"[chosen={rewrite(label)}]"
        group = ITEM if tag in _ITEM_TAGS or element.get("role") in _ITEM_ROLES else f"{tag}.{first}"
        return group, line, not (hidden and folds)

    return describe


def _shown_on_hover(element: etree._Element) -> bool:
    """A hidden button inside a list item: most of those appear while the mouse is over the item, which is no state."""
    if element.tag not in _CHOICE_TAGS and element.get("role") != "button":
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


def _attributes(element: etree._Element) -> list[tuple[str, str]]:
    return element.items()  # type: ignore[return-value]  # the stubs allow for bytes, which only Python 2 gave


def _class_rewriter(rules: tuple[ClassRule, ...]) -> Callable[[str], tuple[str, str]]:
    """Class attribute -> (".a.b" sorted, the class that the author wrote first, which tells what a thing is)."""

    @lru_cache(maxsize=20_000)
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


def _choice_label(element: etree._Element) -> str:
    """The label of a chosen tab, menu entry or link: which of its like is chosen must survive folding."""
    role = element.get("role")
    if role not in _CHOICE_ROLES and (role is not None or element.tag not in _CHOICE_TAGS):
        return ""
    chosen = element.get("aria-selected") == "true" or element.get("aria-current") not in (None, "false")
    if not chosen and not any(
        _SELECTED_CLASS.fullmatch(token) for token in (element.get("class") or "").split()
    ):
        return ""
    return " ".join("".join(map(str, element.itertext())).split())[:_LABEL]
