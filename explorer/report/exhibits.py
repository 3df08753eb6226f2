"""Citations of the judges as links: S12 leads to the step, N3 to the state, E7 to its transition, P2 to its picture."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property

from explorer.report.content import Content, action_words
from explorer.report.markup import Html, tag
from judge.evidence import gather, transitions

_ID = re.compile(r"([SNEP])(\d+)")


class Exhibits:
    """The ids that judging used for this run, and where each is to be seen in the report."""

    def __init__(self, content: Content) -> None:
        self._content = content

    def chips(self, ids: Iterable[str]) -> Html:
        """A chip for each id; one that leads nowhere stays text."""
        return tag("span", [self._chip(each) for each in ids], class_="chips")

    def _chip(self, cited: str) -> Html:
        place, words = self._place(cited)
        if not place:
            return tag("span", cited, class_="chip")
        return tag("a", cited, href=place, class_="chip state" if cited[0] in "NP" else "chip", title=words)

    def _place(self, cited: str) -> tuple[str, str]:
        """Where an exhibit is to be seen, and what it is in words; ("", "") for an id that is not known."""
        found = _ID.fullmatch(cited)
        if found is None:
            return "", ""
        letter, number = found[1], int(found[2])
        if letter == "S":
            step = self._content.step_by_index.get(number)
            return (f"#step-{number}", action_words(step)) if step else ("", "")
        if letter == "E":
            edges = self._edges
            state, words = edges[number - 1] if 1 <= number <= len(edges) else ("", "")
        else:
            state, words = self._states.get(cited, ("", ""))
        shown = self._content.number.get(state)
        return (f"#state-{shown}", words) if shown is not None else ("", "")

    @cached_property
    def _states(self) -> Mapping[str, tuple[str, str]]:
        evidence = gather(self._content.run.trace, self._content.run.graph)
        return {
            each.id: (each.state, each.text.splitlines()[0])
            for each in evidence.exhibits
            if each.kind in ("node", "screenshot")
        }

    @cached_property
    def _edges(self) -> list[tuple[str, str]]:
        return [(source, data["action"]) for source, _, data in transitions(self._content.run.graph)]
