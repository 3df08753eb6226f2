"""What the built-in judge measures by: a run's trace, looks, faults and texts, under the ids that may be cited."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from graph.pagetext import page_lines
from graph.records import Finding, FindingKind, Flaw, Looks, Request, Step, Trace
from judge.records import Evidence

if TYPE_CHECKING:
    import networkx

    Graph = networkx.MultiDiGraph[str]

_MOST_CITED = 5


@dataclass(frozen=True)
class Material:
    """One run, ready to be measured."""

    trace: Trace
    graph: Graph
    findings: Sequence[Finding]
    evidence: Evidence

    @cached_property
    def nodes(self) -> Mapping[str, str]:
        """StateId -> id of its exhibit."""
        return {exhibit.state: exhibit.id for exhibit in self.evidence.of("node")}

    @cached_property
    def pictures(self) -> Mapping[str, str]:
        """StateId -> id of its picture, for states that have one."""
        return {exhibit.state: exhibit.id for exhibit in self.evidence.of("screenshot")}

    @cached_property
    def looks(self) -> Mapping[str, Looks]:
        """StateId -> how it looks, for the states that were measured."""
        return {step.after: step.looks for step in self.trace.steps if step.looks is not None}

    @cached_property
    def actions(self) -> tuple[Step, ...]:
        """Steps that the tester chose and could make."""
        return tuple(
            step
            for step in self.trace.steps
            if step.action is not None and step.performed and not step.replayed
        )

    def of_kind(self, *kinds: FindingKind) -> tuple[Finding, ...]:
        """Faults of these kinds."""
        return tuple(finding for finding in self.findings if finding.kind in kinds)

    def flaws(self, *rules: str) -> Iterator[tuple[str, Flaw]]:
        """(StateId, flaw) of these rules, in the order in which states were seen."""
        for state, looks in self.looks.items():
            for flaw in looks.flaws:
                if flaw.rule in rules:
                    yield state, flaw

    def broken(self, *rules: str) -> int:
        """How often these rules are broken, over all measured states."""
        return sum(number for looks in self.looks.values() for rule, number in looks.counts if rule in rules)

    def worst(self, *rules: str) -> int:
        """How often these rules are broken in the state that breaks them most."""
        return max(
            (sum(n for rule, n in looks.counts if rule in rules) for looks in self.looks.values()), default=0
        )

    def texts(self) -> Iterator[tuple[str, str]]:
        """(StateId, line of text) of all recorded pages."""
        for step in self.trace.steps:
            if step.snapshot is not None:
                for line in page_lines(step.snapshot.html):
                    yield step.after, line

    def refused(self, *, documents: bool) -> tuple[tuple[Step, Request], ...]:
        """Requests of the app's own that failed after a gesture, each address once: for documents, or for all else."""
        found = {
            (request.method, request.url): (step, request)
            for step in reversed(self.actions)
            for request in step.requests
            if not request.blocked and (request.resource == "document") == documents
        }
        return tuple(reversed(found.values()))

    def typed(self) -> frozenset[str]:
        """All that the tester put into the app itself, in lower case."""
        given = [step.action.value for step in self.trace.steps if step.action is not None]
        fields = [text for step in self.trace.steps if step.action for _, text in step.action.fields]
        return frozenset(text.lower() for text in (*given, *fields) if text)

    def shown_at(self, states: Iterator[str] | Sequence[str]) -> tuple[str, ...]:
        """Pictures of these states, each once; a few."""
        return tuple(dict.fromkeys(self.pictures[s] for s in states if s in self.pictures))[:_MOST_CITED]

    def known_as(self, states: Iterator[str] | Sequence[str]) -> tuple[str, ...]:
        """Nodes of these states, each once; a few."""
        return tuple(dict.fromkeys(self.nodes[s] for s in states if s in self.nodes))[:_MOST_CITED]

    def states_of(self, findings: Sequence[Finding]) -> tuple[str, ...]:
        """States that the app was in when these faults were first seen."""
        return tuple(self.trace.steps[f.step].after for f in findings if f.step < len(self.trace.steps))

    def steps_of(self, findings: Sequence[Finding]) -> tuple[str, ...]:
        """Steps at which these faults were first seen; a few."""
        return tuple(dict.fromkeys(f"S{finding.step}" for finding in findings))[:_MOST_CITED]
