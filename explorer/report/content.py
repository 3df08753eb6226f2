"""What the sections of the report share: names of states, counts, verdicts and pictures, worked out once."""

from __future__ import annotations

import base64
from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Literal

from explorer.exploration import Exploration
from explorer.links import Links, link
from explorer.report.markup import Html, tag
from explorer.sightings import sightings
from explorer.unreached import Unreached, unreached
from graph.collapse import names_of
from graph.records import Finding, Step
from graph.wording import describe
from instrument.coverage import Summary, summary
from instrument.probes import SourceFile

PICTURE_BYTES = 15_000_000
"""Base64 bytes of screenshots that one report holds; later states go without."""

_TYPES: Mapping[bytes, str] = {b"\xff\xd8\xff": "image/jpeg", b"\x89PNG": "image/png", b"RIFF": "image/webp"}


Part = Literal["statements", "functions", "branches"]
PARTS: tuple[Part, ...] = ("statements", "functions", "branches")


class Content:
    """One exploration as the report tells it. Reads screenshots from the run folder, writes nothing."""

    def __init__(self, exploration: Exploration) -> None:
        self.run = exploration
        self.states: tuple[str, ...] = tuple(exploration.graph)
        """All states, first seen first; a state's number is its place here, from 0, and part of its address."""
        self.name: Mapping[str, str] = names_of(exploration.graph)
        """What states are called, N1 for the first: as judges cite them."""
        self.number: Mapping[str, int] = {state: number for number, state in enumerate(self.states)}
        self.files: Mapping[str, int] = {
            file.path: number for number, file in enumerate(exploration.probes.files)
        }

    # --- coverage

    @cached_property
    def numbers(self) -> Summary:
        """Coverage of own code, vendor code and each file."""
        return summary(self.run.probes, self.run.hits)

    def files_of(self, file_class: str) -> tuple[SourceFile, ...]:
        """Own or vendor files, those with most left to run first."""
        chosen = [file for file in self.run.probes.files if file.file_class == file_class]
        return tuple(sorted(chosen, key=lambda file: (-self._left(file), file.path)))

    def _left(self, file: SourceFile) -> int:
        count = self.numbers.files[file.path].statements
        return count.total - count.covered

    @cached_property
    def links(self) -> Links:
        """How functions lead to each other."""
        return link(self.run.probes)

    @cached_property
    def unreached(self) -> tuple[Unreached, ...]:
        """A verdict for each own function that never ran."""
        seen = sightings(self.run.trace)
        return unreached(self.run.probes, hits=self.run.hits, seen=seen, links=self.links)

    # --- steps and states

    @cached_property
    def findings_at(self) -> Mapping[int, tuple[Finding, ...]]:
        """Step -> findings first seen there."""
        found: defaultdict[int, list[Finding]] = defaultdict(list)
        for finding in self.run.findings:
            found[finding.step].append(finding)
        return {step: tuple(items) for step, items in found.items()}

    @cached_property
    def step_by_index(self) -> Mapping[int, Step]:
        """Steps by their index."""
        return {step.index: step for step in self.run.trace.steps}

    def state_link(self, state: str) -> Html | None:
        """A chip that leads to a state; None for one that is not in the graph."""
        number = self.number.get(state)
        if number is None:
            return None
        title = self.run.graph.nodes[state]["title"]
        return tag("a", self.name[state], href=f"#state-{number}", class_="chip state", title=title or None)

    def step_link(self, index: int) -> Html:
        """A chip that leads to a step."""
        return tag("a", f"step {index}", href=f"#step-{index}", class_="chip")

    def source_link(self, file: str, *place: int, label: str) -> Html:
        """A link into the file view, at a line and column if given; plain text for a file that is not there."""
        number = self.files.get(file)
        if number is None:
            return tag("code", label)
        return tag("a", label, href=":".join(map(str, (f"#source-{number}", *place))), class_="source")

    # --- pictures

    @cached_property
    def pictures(self) -> Mapping[int, str]:
        """State number -> data URI of its screenshot, as many as fit."""
        left, found = PICTURE_BYTES, {}
        for number, state in enumerate(self.states):
            uri = _data_uri(self.run.folder, self.run.graph.nodes[state]["screenshot"])
            if uri and len(uri) <= left:
                left -= len(uri)
                found[number] = uri
        return found

    @cached_property
    def pictures_left_out(self) -> int:
        """Screenshots that were taken but are not in the report."""
        taken = sum(1 for state in self.states if self.run.graph.nodes[state]["screenshot"])
        return taken - len(self.pictures)


def action_words(step: Step) -> str:
    """What a step did, in words."""
    return "open the app" if step.action is None else describe(step.action)


def _data_uri(folder: str, name: str) -> str:
    """A picture of the run folder as a data URI; "" where it is missing, outside, or no picture."""
    root = Path(folder).resolve()
    path = (root / name).resolve()
    if not (folder and name and path.is_relative_to(root) and path.is_file()):
        return ""
    content = path.read_bytes()
    kind = next((mime for magic, mime in _TYPES.items() if content.startswith(magic)), "")
    return f"data:{kind};base64,{base64.b64encode(content).decode('ascii')}" if kind else ""
