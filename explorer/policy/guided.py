"""The built-in tester: the best action here, on a plateau the hint's, or the best one in any state that is known."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace

from explorer.actions import CLICK_EVENTS, Candidate, Key
from explorer.hints import Suggestion
from explorer.memory import Path
from explorer.policy.boundaries import Boundaries
from explorer.policy.forms import fields_of, filters, suggests, value_of
from explorer.policy.seam import Choice, Done, View
from explorer.policy.texts import more_time, offered, spot_on, valid_text, values_of, was_chosen
from explorer.policy.worth import worth
from explorer.wording import plural
from graph.records import StateId

PLATEAU = 3
"""Actions without gain before other states are looked at."""
LONGEST_WAY = 7
"""Actions that a walk to another state may take."""
WAY_COSTS = 0.85
"""What an action is worth for each one that must be done to get to it."""
NOISE = 0.3
"""Random part of a score: ties are broken differently by each seed."""
STUCK_RELOAD = 12
"""Actions without gain after which starting anew is worth one."""
QUIET_END = 40
"""Actions without gain before an exhausted frontier means that the run is complete."""
QUIET_COVERED = 12
"""The same where every probe of the app has run."""
RELOADS = 6
"""Reloads for the sake of a plateau in a run."""
REPEATS = 3
"""Tries of one key, anywhere, after which another state alone makes it no news."""
SUSPECT_TRIES = 2
"""More clicks that a control which did nothing is worth."""
INSISTENCES = 3
"""Controls in a run that are clicked over and over because their code may be counting."""
MOST_COUNTED = 8
"""The greatest number in such code that is counted up to."""
SUGGESTIONS = 2
"""Suggestions of one field that are taken at once; later ones compete with all other actions."""
LETTERS = "astome"
"""Common first letters, tried in a field that suggests nothing for what was typed."""
FORM_TURNS = 4
"""How often a form's fields are filled for it: valid and one field off in turn."""


@dataclass(frozen=True, slots=True)
class Planned:
    """One action of a plan; it is left out where its candidate is gone, and the plan ends in an unexpected state."""

    key: Key
    reason: str
    value: str | None = None
    state: StateId | None = None
    """The state that it is meant for; None for any."""
    fill_first: bool = False
    """Fields that belong to it are filled validly before."""
    insisting: bool = False
    """Left out as soon as something came of it."""


@dataclass(slots=True)
class Tally:
    """What the tester has done with one action so far, besides trying it."""

    fills: int = 0
    """Values that a field was given, and those of them that are not the plain valid one."""
    others: int = 0
    forms: int = 0
    """How often the fields of its form were filled for it."""
    hinted: int = 0
    """How often it was done because of a hint, and because it did nothing before."""
    suspected: int = 0
    insisted: bool = False
    """Whether it was done over and over at once."""
    letters: int = 0
    """Letters that were tried for the sake of suggestions, and suggestions that were taken."""
    chosen: int = 0
    cleared: set[str] = field(default_factory=set)
    """Texts that were taken out of a field because they may hide what is left."""


class GuidedTester:
    """Novelty times unexecuted code, with the frontier and the hint as ways out of a plateau."""

    name = "guided"

    def __init__(self) -> None:
        self._plan: list[Planned] = []
        self._tallies: defaultdict[Key, Tally] = defaultdict(Tally)
        self._boundaries = Boundaries()
        self._restart_at = 0
        """Length of the plateau when it was last reloaded."""
        self._goals: Counter[tuple[StateId, Key]] = Counter()
        """How often a plan was made for an action in a state: one that cannot be got to is given up."""

    def choose(self, view: View) -> Choice | Done:
        """Follows the plan, else the hint, else the best action here or, on a plateau, elsewhere."""
        self._restart_at = min(self._restart_at, view.stuck)
        planned = self._use_suggestions(view) or self._planned(view) or self._send_off(view)
        planned = planned or self._clear_filter(view)
        if planned is None and view.hint and (self._use_values(view) or self._follow(view)):
            planned = self._planned(view)
        return planned or self._best(view)

    def _best(self, view: View) -> Choice | Done:
        """Without a plan: an end, a fresh start, something in another state, or the best action here."""
        scored = _scored(view)
        fresh = any(not view.memory.tries[candidate.key] for _, candidate in scored)
        if not fresh and self._finished(view):
            return Done("everything that was found has been tried, and the last actions brought nothing")
        planned = self._restart(view)
        best = scored[0][0] if scored else 0.0
        if planned is None and (not fresh or view.stuck >= PLATEAU) and self._walk(view, better_than=best):
            planned = self._planned(view)
        planned = planned or self._suspect(view)
        if planned is None and not scored:
            return Done("nothing on the page can be acted on")
        return planned or self._begin(view, scored[0][1])

    # -- plans: a way through known states, or a form to fill before it is sent

    def _planned(self, view: View) -> Choice | None:
        while self._plan:
            step = self._plan.pop(0)
            if step.state is not None and step.state != view.state:
                self._plan.clear()
                return None
            candidate = next((c for c in view.candidates if c.key == step.key), None)
            if candidate is None or (step.insisting and not view.stuck):
                continue
            first = self._valid_fields(view, candidate) if step.fill_first else []
            if first:
                self._plan = [*first, replace(step, fill_first=False, state=None), *self._plan]
                continue
            return self._choice(view, candidate, step.reason, value=step.value)
        return None

    def _send_off(self, view: View) -> Choice | None:
        """A form that was sent before: empty, partly filled or beyond its limits, while that may reach new code."""
        sending = self._boundaries.next(view)
        if sending is None:
            return None
        self._plan = [
            Planned(
                key, f"{'emptied' if not value.strip() else 'filled'} before it {sending.reason}", value=value
            )
            for key, value in sending.fills
        ]
        self._plan.append(Planned(sending.send.key, sending.reason))
        return self._planned(view)

    def _use_values(self, view: View) -> bool:
        """Plans to fill the fields that the hint has texts for, and to send them."""
        values = dict(view.hint.values) if view.hint else {}
        fields = [c for c in view.candidates if c.kind == "fill" and c.key in values]
        if not fields:
            return False
        self._plan = [
            Planned(c.key, "hint: a text that fits the page", value=values[c.key][0]) for c in fields
        ]
        keys = {c.key for c in fields}
        sends = [c for c in view.candidates if keys & {f.key for f in fields_of(c, view.candidates)}]
        sends.sort(key=lambda c: c.kind != "click")
        if sends:
            self._plan.append(Planned(sends[0].key, "hint: sends the texts that fit the page"))
        return True

    def _follow(self, view: View) -> bool:
        """Plans the hint's best suggestion that can be got to."""
        ways = dict(view.memory.ways(view.state))
        for suggestion in view.hint.suggestions if view.hint else ():
            key = suggestion.candidate.key
            if self._given_up(view, suggestion.state, key) or self._tallies[key].hinted >= REPEATS:
                continue
            goal = Planned(key, f"hint: {suggestion.text}", fill_first=True)
            here = any(c.key == key and suggestion.function in c.functions for c in view.candidates)
            way = () if here else ways.get(suggestion.state)
            if way is not None and len(way) < min(LONGEST_WAY, view.remaining):
                self._plan = [*_through(way, f"on the way to: {suggestion.text}"), goal]
                fields = fields_of(suggestion.candidate, view.candidates) if here else []
                if fields and self._tallies[key].hinted:  # what was sent valid brought nothing more
                    self._plan = [self._one_off(view, fields), replace(goal, fill_first=False)]
                if here and (times := self._insistence(view, suggestion)):
                    self._tallies[key].insisted = True
                    again = f"again at once, its code may be counting: {suggestion.text}"
                    self._plan += [replace(goal, reason=again, insisting=True)] * times
                self._goals[suggestion.state, key] += 1
                self._tallies[key].hinted += 1
                return True
        return False

    def _insistence(self, view: View, suggestion: Suggestion) -> int:
        """How often a click is to be done again at once: its code compares with a number, and may be counting.

        Once for each control, and not for many in a run.
        """
        candidate, guide = suggestion.candidate, view.guide
        if candidate.kind != "click" or self._tallies[candidate.key].insisted:
            return 0
        if sum(tally.insisted for tally in self._tallies.values()) >= INSISTENCES:
            return 0
        functions = (suggestion.function, *guide.callees.get(suggestion.function, ()))
        counts = [
            int(text)
            for function in functions
            if guide.unexecuted(function) and function in guide.covered
            for text in (guide.probes.mined[function].literals if function in guide.probes.mined else ())
            if text.isdecimal() and 2 <= int(text) <= MOST_COUNTED
        ]
        # “n > 2” before n is counted up is true at the fourth click: with the hint's own, three more.
        return min(max((*counts, 3)), view.remaining // 2) if counts else 0

    def _walk(self, view: View, *, better_than: float) -> bool:
        """Plans the way to the known state whose best untried action is worth more than the best one here."""
        best, goal = better_than, None
        for state, way, untried in view.memory.frontier(view.state):
            if len(way) > min(LONGEST_WAY, view.remaining - 1):
                break
            for candidate in untried:
                if self._given_up(view, state, candidate.key):
                    continue
                value = (worth(view, state, candidate) + NOISE / 2) * WAY_COSTS ** len(way)
                if value > best:
                    best, goal = value, (state, way, candidate)
        if goal is None:
            return False
        state, way, candidate = goal
        self._goals[state, candidate.key] += 1
        reason = f"left untried in another state: {_why(view, candidate)}"
        self._plan = [
            *_through(way, f"on the way to what was {reason}"),
            Planned(candidate.key, reason, fill_first=True),
        ]
        return True

    def _given_up(self, view: View, state: StateId, key: Key) -> bool:
        return self._goals[state, key] + view.memory.tries_in[state, key] >= REPEATS

    def _suspect(self, view: View) -> Choice | None:
        """A control that did nothing when it was clicked: once more, so that it is known for dead or cleared."""
        for candidate in view.candidates:
            target = candidate.target
            if candidate.kind != "click" or target is None or not _would_tell(view, candidate):
                continue
            if self._tallies[candidate.key].suspected < SUSPECT_TRIES:
                self._tallies[candidate.key].suspected += 1
                return Choice(candidate, candidate.action("it did nothing before: once more, to be sure"))
        return None

    def _use_suggestions(self, view: View) -> Choice | None:
        """After a field that suggests was filled: one of what it offers, or a letter that it may know names with."""
        last = view.memory.last
        if last is None or not suggests(last):
            return None
        tally, choices = self._tallies[last.key], offered(view)
        if choices:
            if tally.chosen >= SUGGESTIONS:
                return None
            tally.chosen += 1
            return Choice(choices[0], choices[0].action("it was suggested for what was typed"))
        field = next((c for c in view.candidates if c.key == last.key), None)
        if field is None or tally.chosen or tally.letters >= len(LETTERS):
            return None
        tally.letters += 1
        reason = "nothing was suggested for the last text: a letter that names may begin with"
        return Choice(field, field.action(reason, value=LETTERS[tally.letters - 1]))

    def _clear_filter(self, view: View) -> Choice | None:
        """On a plateau a search that may hide what is left is emptied, once for each text in it."""
        for candidate in view.candidates if view.stuck >= PLATEAU else ():
            text = value_of(candidate)
            if candidate.kind != "fill" or not text or not filters(candidate):
                continue
            cleared = self._tallies[candidate.key].cleared
            if text not in cleared:
                cleared.add(text)
                return Choice(candidate, candidate.action(f"“{text}” in it may hide what is left", value=""))
        return None

    def _restart(self, view: View) -> Choice | None:
        """A reload now and then on a long plateau, as long as reloads have brought anything lately."""
        patience = STUCK_RELOAD * (3 if view.snapshot.canvas else 1)
        if view.stuck < self._restart_at + patience:
            return None
        again = next((c for c in view.candidates if c.kind == "reload"), None)
        if again is None or view.memory.tries[again.key] >= RELOADS:
            return None
        self._restart_at = view.stuck
        return Choice(again, again.action(f"{view.stuck} actions without gain: starting from the load again"))

    def _finished(self, view: View) -> bool:
        """Whether nothing is left: sooner where all code has run, late where some never did."""
        patience = QUIET_COVERED if view.guide.fully_covered() else QUIET_END
        return view.stuck >= patience and not self._left(view)

    def _left(self, view: View) -> bool:
        """Whether anything is left that was not done often enough to be no news."""
        memory = view.memory
        if view.snapshot.canvas:
            # What a canvas offers is anywhere on it and at any time: never used up.
            return True
        if any(memory.tries[c.key] < REPEATS for state in memory.states for c in memory.untried(state)):
            return True
        fields = [c for c in view.candidates if c.kind == "fill"]
        return any(self._tallies[c.key].fills < min(4, len(values_of(view, c))) for c in fields)

    # -- carrying out

    def _begin(self, view: View, candidate: Candidate) -> Choice:
        """The chosen candidate; a form's fields are filled before it is sent."""
        self._plan = self._form_plan(view, candidate)
        return self._planned(view) or self._choice(view, candidate, _why(view, candidate))

    def _form_plan(self, view: View, candidate: Candidate) -> list[Planned]:
        """Valid values first, then, every other time, one field that is off."""
        fields, turn = fields_of(candidate, view.candidates), self._tallies[candidate.key].forms
        if not fields or turn >= FORM_TURNS:
            return []
        self._tallies[candidate.key].forms += 1
        steps = [self._one_off(view, fields)] if turn % 2 else self._valid_fields(view, candidate)
        return [*steps, Planned(candidate.key, "sends the form")] if steps else []

    def _valid_fields(self, view: View, candidate: Candidate) -> list[Planned]:
        name = candidate.target.name if candidate.target else ""
        return [
            Planned(item.key, f"a valid value before “{name}”", value=valid_text(view, item))
            for item in fields_of(candidate, view.candidates)
            if value_of(item) != valid_text(view, item) and not was_chosen(view, item)
        ]

    def _one_off(self, view: View, fields: list[Candidate]) -> Planned:
        bad = fields[view.random.randrange(len(fields))]
        others = values_of(view, bad)[1:] or ("",)
        value = others[self._tallies[bad.key].others % len(others)]
        self._tallies[bad.key].others += 1
        return Planned(bad.key, "one field off before the form is sent", value=value)

    def _choice(self, view: View, candidate: Candidate, reason: str, *, value: str | None = None) -> Choice:
        if candidate.kind in ("fill", "type"):
            value = self._next_value(view, candidate) if value is None else value
            self._tallies[candidate.key].fills += 1
        elif value is None:
            value = more_time(view, candidate) or spot_on(view, candidate)
        return Choice(candidate, candidate.action(reason, value=value))

    def _next_value(self, view: View, candidate: Candidate) -> str:
        """Valid and other values in turn: gates need the valid one again after an invalid one was refused."""
        texts, turn = values_of(view, candidate), self._tallies[candidate.key].fills
        if turn % 2 == 0 or len(texts) == 1:
            return texts[0]
        self._tallies[candidate.key].others += 1
        return texts[1 + (self._tallies[candidate.key].others - 1) % (len(texts) - 1)]


def _would_tell(view: View, candidate: Candidate) -> bool:
    """Whether one more click here says more about a control that did nothing: without a handler it does anywhere; one
    that has a handler may have had nothing to do in the states in which it was clicked, so it takes another.
    """
    target = candidate.target
    if target is None:
        return False
    if any(handler.event in (*CLICK_EVENTS, "submit") for handler in target.handlers):
        known = any(locator == target.locator for _, locator in view.suspects)
        return known and not view.memory.tries_in[view.state, candidate.key]
    return (view.state, target.locator) in view.suspects


def _scored(view: View) -> list[tuple[float, Candidate]]:
    """Everything that may be done here, best first."""
    scored = [
        (worth(view, view.state, candidate) + NOISE * view.random.random(), candidate)
        for candidate in view.candidates
        if view.memory.allowed(candidate.key)
    ]
    return sorted(scored, key=lambda item: -item[0])


def _through(way: Path, reason: str) -> list[Planned]:
    return [Planned(key, reason, state=state, fill_first=True) for state, key in way]


def _why(view: View, candidate: Candidate) -> str:
    left = sum(view.guide.unexecuted(f) for f in candidate.functions if f in view.guide.probes.own)
    tries = view.memory.tries[candidate.key]
    news = f"tried {plural(tries, 'time')}" if tries else "never tried"
    if left:
        return f"{news}; its handler has {plural(left, 'unexecuted statement')}"
    if candidate.functions:
        return f"{news}; its handler ran before, what it leads to may differ here"
    return f"{news}; its handler is not known"
