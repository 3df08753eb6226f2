"""From html to an outline: one element a line, indented by depth, readable, searchable and comparable.

    body.dark
      ul.list
        li.todo[role=listitem] "Buy milk"
        li.todo.done "…"

`graph.normalize` decides what goes in; this module parses, walks and prints. Nothing here recurses, so that
pages of any depth survive.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from html.parser import HTMLParser
from typing import NamedTuple

from lxml import etree

Described = tuple[str, str, bool]
"""An element as the walk needs it: group (siblings of one group are alike; "item" is a list's), its line, and whether
its content counts."""

ITEM = "item"

_DEEPEST_INDENT = 40


def parse(html: str) -> etree._Element | None:
    """The page's root element; None where there is none (empty text, only comments)."""
    html = _frames_as_elements(html)
    parser = etree.HTMLParser(huge_tree=True, encoding="utf-8")
    data = html.replace("\x00", "").encode("utf-8", "replace")
    if not data.strip():
        return None
    try:
        root = etree.fromstring(data, parser=parser)
    except etree.XMLSyntaxError:
        return None
    if root is None:
        return None
    # libxml2 leaves out what lies deeper than 2,048 open elements, and says so only here.
    too_deep = any("depth" in entry.message for entry in parser.error_log)
    return _DeepParser.parse(html) if too_deep else root


_FRAME_TAG = re.compile(r"<(/?)(x-frame|html|head|body)(?=[\s>])")


def _frames_as_elements(html: str) -> str:
    """Renames html, head and body inside frames: a parser takes a second body for more of the first."""
    if "<x-frame" not in html:
        return html
    depth = 0

    def rename(match: re.Match[str]) -> str:
        nonlocal depth
        slash, name = match.groups()
        if name == "x-frame":
            depth += -1 if slash else 1
            return match[0]
        return f"<{slash}x-{name}" if depth > 0 else match[0]

    return _FRAME_TAG.sub(rename, html)


class _DeepParser(HTMLParser):
    """Builds the tree of a page that is nested too deeply for libxml2, from the browser's own serialisation."""

    _VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.builder = etree.TreeBuilder()
        self.open: list[str] = []

    @classmethod
    def parse(cls, html: str) -> etree._Element:
        parser = cls()
        parser.builder.start("x-page", {})
        parser.feed(_plain(html))
        parser.close()
        while parser.open:
            parser.builder.end(parser.open.pop())
        parser.builder.end("x-page")
        return parser.builder.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        name = _xml_name(tag)
        self.builder.start(name, {_xml_name(key): value or "" for key, value in attrs})
        if tag in self._VOID:
            self.builder.end(name)
        else:
            self.open.append(name)

    def handle_endtag(self, tag: str) -> None:
        name = _xml_name(tag)
        if name not in self.open[-200:]:
            return
        while (last := self.open.pop()) != name:
            self.builder.end(last)
        self.builder.end(name)

    def handle_data(self, data: str) -> None:
        self.builder.data(data)


def _plain(text: str) -> str:
    """Text without what lxml refuses: control characters and lone surrogates."""
    kept = text.encode("utf-8", "replace").decode()
    return "".join(c for c in kept if c in "\n\t" or (c >= " " and c not in "\x7f￾￿"))


def _xml_name(name: str) -> str:
    kept = "".join(c if c.isalnum() or c in "-_." else "_" for c in name)
    return kept if kept[:1].isalpha() or kept[:1] == "_" else f"_{kept}"


class _Node(NamedTuple):
    """An element or text with all that is in it."""

    group: str
    line: str
    content: tuple[bytes, ...]
    """Names of what is in it."""
    sketch: str
    """Beginning of its outline on one line: a sort key that changes deep inside leave alone."""


_SKETCH = 160


@lru_cache(maxsize=20_000)
def _digest(line: str, content: tuple[bytes, ...]) -> bytes:
    """Remembered from page to page, for most of a page is as it was a step ago."""
    data = line.encode("utf-8", "replace") + b"\x00" + b"".join(content)
    return hashlib.blake2b(data, digest_size=12).digest()


@dataclass(slots=True)
class _Tree:
    """All nodes under a name: when folding, a digest of their content, so that equal subtrees are one."""

    fold: bool
    nodes: dict[bytes, _Node] = field(default_factory=dict)
    known: dict[tuple[str, tuple[bytes, ...]], bytes] = field(default_factory=dict)

    def add(self, group: str, line: str, content: tuple[bytes, ...]) -> bytes:
        if not self.fold:
            name = len(self.nodes).to_bytes(8, "big")
            self.nodes[name] = _Node(group, line, content, "")
            return name
        key = (line, content)
        digest = self.known.get(key)
        if digest is None:
            digest = self.known[key] = _digest(line, content)
            sketch = line[:_SKETCH]
            for below in content:
                if len(sketch) >= _SKETCH:
                    break
                sketch += f" {self.nodes[below].sketch}"
            self.nodes[digest] = _Node(group, line, content, sketch[:_SKETCH])
        return digest


def outline(
    root: etree._Element,
    *,
    describe: Callable[[etree._Element], Described],
    text: Callable[[str], str],
    fold: bool,
    drop: Iterable[etree._Element] = (),
) -> str:
    """The outline of a tree.

    describe: group, line and "has content" of an element; text: rewrites a text node, "" leaves it out;
    fold: equal siblings count once and like siblings are put in a fixed order; drop: elements to leave out.
    """
    tree = _Tree(fold)
    content: dict[etree._Element, list[bytes]] = {}
    dropped = set(drop)
    waiting: dict[etree._Element, str] = {}
    """Text that goes on in front of an element that was left out: what stood around it is one text."""
    for element in reversed(list(root.iter())):
        # Reverse document order: an element's content is complete when the walk arrives at it.
        parent = element.getparent() if element is not root else None
        siblings = content.setdefault(parent, []) if parent is not None else []
        after = element.tail or "" if parent is not None else ""
        if parent is not None and parent in waiting:
            after += waiting.pop(parent)
        before = (element.text or "") + waiting.pop(element, "")
        below = content.pop(element, None) or []
        if element in dropped or not isinstance(element.tag, str):
            if after and parent is not None:
                waiting[parent] = after
            continue
        if after and (tail := text(after)):
            siblings.append(tree.add("", f'"{tail}"', ()))
        group, line, has_content = describe(element)
        if not has_content:
            below = []
        elif before and (head := text(before)):
            below.append(tree.add("", f'"{head}"', ()))
        if len(below) > 1:
            below.reverse()
            below = _folded(tree, below) if fold else below
        top = tree.add(group, line, tuple(below))
        siblings.append(top)
    return _print(tree, top)


def _folded(tree: _Tree, content: Sequence[bytes]) -> list[bytes]:
    """Equal siblings once; siblings of one group in a fixed order among the places that the group holds.

    Items of a list, and any siblings of which some were equal, are ordered by all that is in them; others, which may
    well be the sections of a page, by their own line only.
    """
    once = list(dict.fromkeys(content))
    if len(once) < 2:
        return once
    groups: dict[str, list[bytes]] = {}
    for digest in once:
        groups.setdefault(tree.nodes[digest].group, []).append(digest)
    if len(groups) == len(once):
        return once
    times = Counter(content) if len(once) < len(content) else {}
    repeated = {tree.nodes[digest].group for digest, number in times.items() if number > 1}
    for group, members in groups.items():
        if group == ITEM or group in repeated:
            members.sort(key=lambda digest: (tree.nodes[digest].sketch, digest))
        elif group:
            members.sort(key=lambda digest: tree.nodes[digest].line)
    places = {group: iter(members) for group, members in groups.items()}
    return [next(places[tree.nodes[digest].group]) for digest in once]


def _print(tree: _Tree, top: bytes) -> str:
    lines: list[str] = []
    stack = [(top, 0)]
    while stack:
        digest, depth = stack.pop()
        _, line, content, _ = tree.nodes[digest]
        if len(content) == 1 and (only := tree.nodes[content[0]].line)[:1] == '"':
            line, content = f"{line} {only}", ()
        indent = "  " * depth if depth <= _DEEPEST_INDENT else f"{'  ' * _DEEPEST_INDENT}{depth}> "
        lines.append(indent + line)
        stack.extend((below, depth + 1) for below in reversed(content))
    return "\n".join(lines) + "\n"
