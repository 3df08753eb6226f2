"""What the alignment judge can do with the evidence: search it, read it page by page, look at a picture, at the graph.

A document is a list of lines, each of which belongs to an exhibit: N3 (what the page of that state says), N3.dom (its
elements with all attributes, one a line), trace, graph. Patterns come from a model, so each search is bounded in time,
and what is no pattern is searched as it stands.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import regex

from graph.normalize import normalize
from instrument.wording import cut, plural
from judge.records import Evidence, Exhibit

LINES_PER_PAGE = 60
MOST_MATCHES = 30
"""Lines that a search lists; all are counted."""
SEARCH_SECONDS = 1.0
"""Wall seconds of matching in one search."""
PLAIN_SECONDS = 10.0
"""The same of a search for plain text."""
LONGEST_LINE = 300
_LONGEST_SEARCHED = 2000
_LONGEST_PATTERN = 200


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a document and the exhibit that it belongs to."""

    text: str
    exhibit: str


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool gives."""

    text: str
    shown: frozenset[str] = frozenset()
    """Ids of the exhibits that it shows something of."""
    picture: str = ""
    """Id of a picture to be shown with it."""


class Library:
    """The evidence as documents. Read-only; safe to share between criteria."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._exhibits = evidence.by_id()
        self._doms: dict[str, list[Line]] = {}

    @cached_property
    def pages(self) -> Mapping[str, list[Line]]:
        """What each state's page says, by the state's id."""
        return {
            node.id: [Line(line, node.id) for line in (node.quotable or node.text).splitlines()]
            for node in self._evidence.of("node")
        }

    @cached_property
    def trace(self) -> list[Line]:
        """All steps, each by its lines."""
        return self._lines("step")

    @cached_property
    def graph_lines(self) -> list[Line]:
        """All transitions."""
        return self._lines("edge")

    def dom(self, node: str) -> list[Line]:
        """Elements of a state's page with all attributes, one a line; [] where no page was recorded."""
        if node not in self._doms:
            html = self._evidence.pages.get(node, "")
            lines = normalize(html, abstraction="exact").splitlines() if html else []
            self._doms[node] = [Line(line, node) for line in lines]
        return self._doms[node]

    def _lines(self, kind: str) -> list[Line]:
        # The id on every line: a search that finds the third line of a step must tell which step it is.
        return [
            Line(f"{exhibit.id} {line}", exhibit.id)
            for exhibit in self._evidence.exhibits
            if exhibit.kind == kind
            for line in exhibit.text.splitlines()
        ]

    # -- tools

    def search(self, pattern: str, where: str = "all") -> Result:
        """Lines that a regular expression matches, case aside, with document and line number.

        where: "pages", "dom", "trace", "graph", "all" (pages, trace and graph), or the name of one document.
        """
        documents = self._documents(where)
        if documents is None:
            return Result(self._unknown(where))
        if not pattern.strip():
            return Result("The pattern is empty: give a word or a regular expression.")
        matched, note = _matches(pattern[:_LONGEST_PATTERN], documents)
        if not matched:
            return Result(f"{note}No line of {where} matches {pattern!r}.")
        listed = [f"{name}:{number}: {_cut(line.text)}" for name, number, line in matched[:MOST_MATCHES]]
        more = f"\n… and {len(matched) - MOST_MATCHES} more lines" if len(matched) > MOST_MATCHES else ""
        head = f"{note}{plural(len(matched), 'line')} {'matches' if len(matched) == 1 else 'match'} {pattern!r}:\n"
        shown = frozenset(line.exhibit for _, _, line in matched[:MOST_MATCHES])
        return Result(head + "\n".join(listed) + more, shown)

    def read(self, where: str, page: int = 1) -> Result:
        """A page of a document, 60 numbered lines; the first is page 1."""
        documents = self._documents(where)
        if documents is None or len(documents) != 1:
            return Result(self._unknown(where))
        ((name, lines),) = documents.items()
        pages = max(1, -(-len(lines) // LINES_PER_PAGE))
        if not 1 <= page <= pages:
            return Result(f"{name} has {plural(pages, 'page')}: there is no page {page}.")
        begin = (page - 1) * LINES_PER_PAGE
        part = lines[begin : begin + LINES_PER_PAGE]
        listed = [f"{number}: {_cut(line.text)}" for number, line in enumerate(part, begin + 1)]
        head = f"{name}, page {page} of {pages} ({plural(len(lines), 'line')}):\n"
        return Result(head + ("\n".join(listed) or "(empty)"), frozenset(line.exhibit for line in part))

    def picture(self, where: str) -> Result:
        """A picture, by its own id or by that of the state that it shows."""
        name = where.strip().upper()
        exhibit = self._exhibits.get(name)
        if exhibit is not None and exhibit.kind == "node":
            exhibit = next(
                (shot for shot in self._evidence.of("screenshot") if shot.state == exhibit.state), None
            )
        if exhibit is None or exhibit.kind != "screenshot":
            names = ", ".join(shot.id for shot in self._evidence.of("screenshot")[:40])
            return Result(f"There is no picture {where}; there are {names or 'none'}.")
        return Result(f"{exhibit.id}: {exhibit.text}", frozenset({exhibit.id}), picture=exhibit.id)

    def graph(self, where: str = "") -> Result:
        """What leads to a state and from it, by which actions."""
        name = where.strip().upper()
        if name not in self.pages:
            return Result(self.overview())
        node = self._exhibits[name]
        edges = [edge for edge in self._evidence.of("edge") if name in _ends(edge)]
        lines = [
            f"{name}: {line}" if number == 0 else line
            for number, line in enumerate(node.text.splitlines()[:3])
        ]
        lines += [f"{edge.id} {_cut(edge.text)}" for edge in edges[:MOST_MATCHES]]
        if len(edges) > MOST_MATCHES:
            lines.append(f"… and {len(edges) - MOST_MATCHES} more transitions")
        return Result("\n".join(lines), frozenset({name, *(edge.id for edge in edges[:MOST_MATCHES])}))

    def overview(self, *, most: int = 150) -> str:
        """The states, a line each: what to look at is chosen from it."""
        shots = {shot.state: shot.id for shot in self._evidence.of("screenshot")}
        nodes = self._evidence.of("node")
        lines = [
            f"{node.id}: {_cut(node.text.splitlines()[0])}; {len(self.pages[node.id])} lines"
            + (f"; picture {shots[node.state]}" if node.state in shots else "")
            for node in nodes[:most]
        ]
        if len(nodes) > most:
            lines.append(f"… and {len(nodes) - most} more states")
        return "\n".join(lines)

    def picture_bytes(self, name: str) -> bytes:
        """An encoded picture by its id."""
        return (Path(self._evidence.folder) / self._exhibits[name].file).read_bytes()

    def quotable(self, name: str) -> Exhibit:
        """An exhibit with all that may be quoted from it, a page's elements included."""
        exhibit = self._exhibits[name]
        if exhibit.kind != "node":
            return exhibit
        said = "\n".join([exhibit.quotable, *(line.text for line in self.dom(name))])
        return Exhibit(exhibit.id, exhibit.kind, exhibit.text, quotable=said)

    def _documents(self, where: str) -> Mapping[str, Sequence[Line]] | None:
        name = where.strip()
        groups: Mapping[str, Mapping[str, Sequence[Line]]] = {
            "pages": self.pages,
            "trace": {"trace": self.trace},
            "graph": {"graph": self.graph_lines},
        }
        if name.lower() in groups:
            return groups[name.lower()]
        if name.lower() in ("all", ""):
            return {**self.pages, "trace": self.trace, "graph": self.graph_lines}
        if name.lower() == "dom":
            return {f"{node}.dom": self.dom(node) for node in self.pages}
        node, dot, part = name.upper().partition(".")
        if node in self.pages and not dot:
            return {node: self.pages[node]}
        return {f"{node}.dom": self.dom(node)} if node in self.pages and part == "DOM" else None

    def _unknown(self, where: str) -> str:
        names = list(self.pages)
        listed = ", ".join(names[:3]) + (f" … {names[-1]}" if len(names) > 3 else "")
        return f"There is no document {where!r}: there are trace, graph, {listed}, and each state's elements as N1.dom."


def _matches(
    pattern: str, documents: Mapping[str, Sequence[Line]]
) -> tuple[list[tuple[str, int, Line]], str]:
    """(document, line number, line) of each line in which a match begins, and a note where not all went as asked."""
    try:
        compiled = regex.compile(pattern, regex.IGNORECASE | regex.MULTILINE)
    except (regex.error, RecursionError, OverflowError) as error:
        return _plain(pattern, documents, f"no regular expression: {error}")
    try:
        return _found(compiled, documents, seconds=SEARCH_SECONDS), ""
    except TimeoutError:
        return _plain(pattern, documents, "the pattern takes too long")


def _plain(
    words: str, documents: Mapping[str, Sequence[Line]], why: str
) -> tuple[list[tuple[str, int, Line]], str]:
    """The words as they stand. Bounded as well, generously: this takes no longer than there is text."""
    try:
        compiled = regex.compile(regex.escape(words), regex.IGNORECASE)
        return _found(compiled, documents, seconds=PLAIN_SECONDS), f"({why}; searched as plain text) "
    except TimeoutError:
        return [], f"({why}; there is too much to search through: name one document) "


def _found(
    compiled: regex.Pattern[str], documents: Mapping[str, Sequence[Line]], *, seconds: float
) -> list[tuple[str, int, Line]]:
    """Raises TimeoutError where matching takes longer than that."""
    deadline = time.monotonic() + seconds
    found = []
    for name, lines in documents.items():
        # A document at a time, for there may be half a million lines.
        text = "\n".join(line.text[:_LONGEST_SEARCHED] for line in lines)
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        begins = [match.start() for match in compiled.finditer(text, timeout=left)]
        numbers = sorted(set(_line_numbers(text, begins)))
        found += [(name, number, lines[number - 1]) for number in numbers if number <= len(lines)]
    return found


def _line_numbers(text: str, places: Sequence[int]) -> Iterable[int]:
    """Number of the line, from 1, that each place (ascending) is in."""
    number, at = 1, 0
    for place in places:
        number += text.count("\n", at, place)
        at = place
        yield number


def _ends(edge: Exhibit) -> tuple[str, str]:
    source, _, rest = edge.text.partition(" -> ")
    return source, rest.partition(" ")[0]


def _cut(text: str) -> str:
    return cut(text, LONGEST_LINE)
