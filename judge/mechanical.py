"""Criteria that need no judgement: "shows the text “Total”", "has a button “Add”"; all others are undetermined.

Only a criterion that is nothing but such a sentence is checked. Quotes may be straight or curly, single or double.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from graph.pagetext import page_lines
from graph.records import Snapshot
from instrument.wording import plural
from judge.material import Material
from judge.records import BUILT_IN, Criterion, Verdict

_QUOTED = r"[\"“„'‘«](?P<text>[^\"”“'’»]+)[\"”“'’»]"
_SUBJECT = r"(?:the |a )?(?:app|page|site|website|screen|start page|home ?page|document|it|there)"
_TEXT = re.compile(
    rf"{_SUBJECT} (?:shows?|displays?|contains?|includes?|has|reads?|says?)"
    rf"(?: (?:the|a|an))?(?: (?:text|words?|heading|headline|label|message|phrase))? {_QUOTED}",
    re.IGNORECASE,
)
_TITLE = re.compile(rf"{_SUBJECT} (?:is titled|has the title|title is) {_QUOTED}", re.IGNORECASE)
_CONTROL = re.compile(
    rf"{_SUBJECT} (?:has|shows?|offers?|contains?|is) an? (?P<role>button|link|checkbox|(?:text |input |search )?field|"
    rf"input|tab|menu item|drop-?down|slider)(?: (?:labell?ed|named|called|with the (?:label|text|name)))? {_QUOTED}",
    re.IGNORECASE,
)
_ROLES: Mapping[str, tuple[str, ...]] = {
    "button": ("button",),
    "link": ("link",),
    "checkbox": ("checkbox", "switch"),
    "field": ("textbox", "searchbox", "spinbutton", "combobox", "date", "time"),
    "input": ("textbox", "searchbox", "spinbutton", "combobox", "date", "time", "checkbox", "file", "color"),
    "tab": ("tab", "link", "button"),
    "menu item": ("menuitem", "menuitemcheckbox", "menuitemradio"),
    "dropdown": ("combobox", "listbox", "button"),
    "slider": ("slider",),
}


def check(criterion: Criterion, run: Material) -> Verdict:
    """The verdict of a criterion that can be checked mechanically; for any other `met` is None and `reason` says so."""
    sentence = " ".join(criterion.text.split()).rstrip(".!")
    for pattern, look in _CHECKS:
        if found := pattern.fullmatch(sentence):
            return _verdict(criterion, run, look, found)
    return Verdict(
        criterion=criterion,
        met=None,
        reason="it takes judgement, and no model was asked",
        judge=BUILT_IN,
    )


_Look = Callable[[Snapshot, re.Match[str]], bool]


def _verdict(criterion: Criterion, run: Material, look: _Look, found: re.Match[str]) -> Verdict:
    pages = {step.after: step.snapshot for step in run.trace.steps if step.snapshot is not None}
    states = [state for state, page in pages.items() if look(page, found)]
    seen = plural(len(pages), "recorded state")
    return Verdict(
        criterion=criterion,
        met=bool(states),
        citations=run.known_as(states),
        analysis=f"found in {len(states)} of {seen}" if states else f"found in none of {seen}",
        confidence=1.0 if states else 0.5,
        judge=BUILT_IN,
    )


def _has_text(page: Snapshot, found: re.Match[str]) -> bool:
    return _folded(found["text"]) in _folded("\n".join(page_lines(page.html)))


def _has_title(page: Snapshot, found: re.Match[str]) -> bool:
    return _folded(page.title) == _folded(found["text"])


def _has_control(page: Snapshot, found: re.Match[str]) -> bool:
    name = found["role"].lower().replace("-", "")
    roles = _ROLES["field" if name.endswith("field") else name]
    wanted = _folded(found["text"])
    return any(target.role in roles and wanted in _folded(target.name) for target in page.targets)


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


_CHECKS: tuple[tuple[re.Pattern[str], _Look], ...] = (
    (_TITLE, _has_title),
    (_CONTROL, _has_control),
    (_TEXT, _has_text),
)
