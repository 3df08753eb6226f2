"""Oracles that need no model: all faults of a run, each once, with how often it was seen and the steps to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from explorer.deadcontrols import DeadControls
from explorer.faults import Context, SourceOf, findings_of, host_of
from graph.records import Action, Finding, Observation, Request, Snapshot, StateId, Step, Verdict


class Oracles:
    """Looks at every step in order; the `explorer.loop.Oracle` of a run."""

    def __init__(self, source_of: SourceOf | None = None) -> None:
        self.controls = DeadControls()
        self._source_of = source_of
        self._known: dict[str, Finding] = {}
        self._kept_out: frozenset[str] = frozenset()
        self._path: tuple[int, ...] = ()
        self._broken: frozenset[str] = frozenset()

    def look(
        self, before: Snapshot, action: Action | None, observation: Observation, *, step: int, state: StateId
    ) -> Verdict:
        """What this step shows; dead controls only come with `all`."""
        self._path = (step,) if action is None else (*self._path, step)
        broken: frozenset[str] = frozenset() if action is None else self._broken
        self._broken = frozenset(observation.broken_images)
        self._kept_out |= _hosts_kept_out(observation.requests)
        context = Context(step, state, self._source_of, self._kept_out, broken)
        seen = findings_of(None if action is None else before, action, observation, context=context)
        kept = [(finding, self._keep(finding)) for finding in seen]
        click = None
        if action is not None:
            click = self.controls.look(before, action, observation, step=step, state=state, path=self._path)
        return Verdict(
            findings=tuple(first for _, first in kept if first is not None),
            again=tuple((finding.identity, finding.count) for finding, first in kept if first is None),
            click=click,
        )

    def all(self) -> tuple[Finding, ...]:
        """Every finding so far, in the order of their first step; dead controls as they stand now.

        A control that did something after all is no longer among them, so ask when the run is over.
        """
        found = (*self._known.values(), *self.controls.findings())
        return tuple(sorted(found, key=lambda finding: (finding.step, finding.kind, finding.identity)))

    def suspects(self) -> tuple[tuple[StateId, str], ...]:
        """(state, locator) of controls that one more click would accuse or clear."""
        return self.controls.suspects()

    def resume(self, steps: Iterable[Step]) -> None:
        """Takes in what the steps of a trace had shown: all that `all` and `suspects` tell comes back."""
        for step in steps:
            self._path = (step.index,) if step.action is None else (*self._path, step.index)
            self._kept_out |= _hosts_kept_out(step.requests)
            for finding in step.findings:
                self._keep(finding)
            for identity, count in step.again:
                if known := self._known.get(identity):
                    self._known[identity] = replace(known, count=known.count + count)
            if step.click is not None:
                self.controls.take(step.click, step=step.index, state=StateId(step.after), path=self._path)

    def _keep(self, finding: Finding) -> Finding | None:
        known = self._known.get(finding.identity)
        if known is not None:
            self._known[finding.identity] = replace(known, count=known.count + finding.count)
            return None
        kept = self._known[finding.identity] = replace(finding, path=finding.path or self._path)
        return kept


def _hosts_kept_out(requests: Iterable[Request]) -> set[str]:
    return {host_of(request.url) for request in requests if request.blocked} - {""}
