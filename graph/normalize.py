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
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from lxml import etree

from graph.describe import default_rules, plan_for
from graph.outline import outline, parse
from graph.records import ABSTRACTIONS, DEFAULT_ABSTRACTION, Snapshot, StateId
from graph.routes import route
from graph.rules import Rule

__all__ = ["ABSTRACTIONS", "DEFAULT", "Normalizer", "State", "basis_of", "normalize", "state_id", "visible"]

DEFAULT = DEFAULT_ABSTRACTION

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
    return _digest(abstraction, _where(snapshot, abstraction), text, canvas)


def normalize(html: str, *, abstraction: str = DEFAULT, rules: Sequence[Rule] | None = None) -> str:
    """The canonical outline: one element a line, as `graph.outline` shows it; "" for an empty page.

    `text` is the one to search and to compare by line; `list` tells most about why two pages are one state.
    rules: `graph.rules.RULES` by default, none for `exact`.
    """
    return _outline_of(parse(html), abstraction, rules)


def _outline_of(root: etree._Element | None, abstraction: str, rules: Sequence[Rule] | None) -> str:
    plan = plan_for(abstraction, default_rules(abstraction) if rules is None else tuple(rules))
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
        plan_for(abstraction, ())
        self.abstraction = abstraction
        self._rules = rules
        self._size = size
        self._cap = canvas_cap
        self._outlines: OrderedDict[tuple[str, bool], tuple[str, Basis]] = OrderedDict()
        self._canvases: dict[tuple[str, str], list[str]] = {}

    def state(self, snapshot: Snapshot) -> State:
        """The snapshot's state, what it rests on, and its outline."""
        text, basis = self.outline(snapshot)
        where = _where(snapshot, self.abstraction)
        canvas = self._canvas(snapshot.canvas, (where, text)) if basis == "canvas" else ""
        return State(_digest(self.abstraction, where, text, canvas), basis, text)

    def state_id(self, snapshot: Snapshot) -> StateId:
        """The snapshot's state alone."""
        return self.state(snapshot).id

    def outline(self, snapshot: Snapshot) -> tuple[str, Basis]:
        """The snapshot's normal form (see `normalize`) and what its state rests on (see `basis_of`)."""
        key = (snapshot.digest or snapshot.html, bool(snapshot.canvas))
        known = self._outlines.get(key)
        if known is None:
            root = parse(snapshot.html)
            text = _outline_of(root, self.abstraction, self._rules)
            known = self._outlines[key] = (text, _basis(root) if snapshot.canvas else "outline")
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
    """`canvas` where the page shows a canvas and next to nothing in its DOM could tell states apart.

    Next to nothing: at most four controls besides the canvas (a restart button; links out of the app do not count)
    and a few lines of text (title, score, how to play).
    """
    return _basis(parse(snapshot.html)) if snapshot.canvas else "outline"


def _basis(root: etree._Element | None) -> Basis:
    controls = texts = 0
    for element in () if root is None else _visible(root):
        controls += element.tag in _CONTROLS and not (element.get("href") or "").startswith(
            ("http:", "https:", "//")
        )
        texts += bool(element.text and not element.text.isspace())
        if controls > _MOST_CONTROLS or texts > _MOST_TEXTS:
            return "outline"
    return "canvas"


_CONTROLS = frozenset("a button input select textarea".split())
_MOST_CONTROLS, _MOST_TEXTS = 4, 20
_NO_PICTURE = frozenset("script style noscript template title head x-head link meta base option".split())


def visible(root: etree._Element) -> list[etree._Element]:
    """The elements of a snapshot that its marks call shown, in document order; never recursive."""
    return list(_visible(root))


def _visible(root: etree._Element) -> Iterator[etree._Element]:
    hidden: set[etree._Element] = set()
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
            yield element


def _where(snapshot: Snapshot, abstraction: str) -> str:
    return snapshot.url if abstraction == "exact" else route(snapshot.url)


def _digest(*parts: str) -> StateId:
    data = "\x00".join(parts).encode("utf-8", "replace")
    return StateId(hashlib.blake2b(data, digest_size=8).hexdigest())
