"""Links: what the source alone says of how functions lead to each other. Pure, worked out once per app."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from instrument.probes import Probe, ProbeMap, SourceFile

AMBIGUOUS = 3
"""A name that more functions share says nothing about which of them is called."""

EVENTS = frozenset(
    "click dblclick contextmenu auxclick mousedown mouseup mousemove mouseover mouseenter mouseout mouseleave"
    " pointerdown pointerup pointermove pointerover pointerenter pointerout pointerleave pointercancel"
    " touchstart touchmove touchend touchcancel wheel mousewheel scroll keydown keypress keyup"
    " beforeinput input change submit reset invalid search focus focusin blur focusout select selectionchange"
    " dragstart drag dragend dragenter dragover dragleave drop copy cut paste toggle play pause ended"
    " resize hashchange popstate beforeunload unload pagehide pageshow online offline storage visibilitychange"
    " message fullscreenchange transitionend animationend load error".split()
)
"""DOM events that an app binds functions to."""

_WORD = r"[A-Za-z]+"
_REGISTERS = r"(?:addEventListener|\.on|\.once|\.one|\.bind)\(\s*['\"`]([A-Za-z:]+)[\w.-]*['\"`]\s*,\s*"
_SHORTHAND = (
    r"\.(click|dblclick|change|submit|keyup|keydown|keypress|focus|blur|hover|input|resize|scroll)\(\s*"
)
_ATTRIBUTE = rf"(?:\bon:?|@|v-on:|\(|['\"]on)({_WORD})(?:[.|][\w.]+)?['\")]?\s*[=:]\s*[\"'{{]*\s*"
_SELECTOR = r"(?:['\"`][^'\"`\n]*['\"`]\s*,\s*)?"
_FUNCTION_HEAD = r"(?:async\s*)?(?:function\s*\*?\s*)?"

_BEFORE_FUNCTION = re.compile(rf"(?:{_REGISTERS}{_SELECTOR}|{_SHORTHAND}|{_ATTRIBUTE}){_FUNCTION_HEAD}$")
"""Ends where a function expression begins that is bound on the spot: `onClick={() => ...}`."""

_BOUND_NAME = re.compile(rf"(?:{_REGISTERS}{_SELECTOR}|{_SHORTHAND}|{_ATTRIBUTE})(?:[\w$]+\.)*([\w$]+)")
"""Binds a function by its name: `addEventListener('click', this.save)`, `onclick="save()"`."""

_LINE_END = re.compile("\r\n|[\n\r\u2028\u2029]")
"""JavaScript's own line ends; str.splitlines knows more."""

_LOOK_BACK = 160
"""Characters before a function in which its binding would stand."""


@dataclass(frozen=True, slots=True)
class Links:
    """How the app's own functions lead to each other, as far as names and nesting tell."""

    own: tuple[Probe, ...]
    """The app's own function probes, in source order."""
    callees: Mapping[int, tuple[int, ...]]
    """Function probe (or -1 - file index for a top level) -> functions that it calls by name."""
    parent: Mapping[int, int]
    """Function probe -> innermost function around it; those at top level are absent."""
    children: Mapping[int, tuple[int, ...]]
    """The same the other way round."""
    binding: Mapping[int, str]
    """Function probe -> event that the source binds it to: "click" for `button.onclick = save`."""


def link(probes: ProbeMap) -> Links:
    """Reads calls, nesting and event bindings out of the probe map and its sources."""
    own = [file for file in probes.files if file.file_class == "own"]
    by_name = _Names(probes, own)
    parent = {inner: outer for file in own for outer, inner in _nesting(file, probes)}
    children: defaultdict[int, list[int]] = defaultdict(list)
    for inner, outer in parent.items():
        children[outer].append(inner)
    return Links(
        own=tuple(probes.probes[item] for file in own for item in file.functions),
        callees=_callees(probes, by_name),
        parent=parent,
        children={outer: tuple(inner) for outer, inner in children.items()},
        binding={function: event for file in own for function, event in _bindings(file, probes, by_name)},
    )


class _Names:
    """The app's own functions by name, those of the same file first."""

    def __init__(self, probes: ProbeMap, files: Iterable[SourceFile]) -> None:
        self._anywhere: defaultdict[str, list[int]] = defaultdict(list)
        self._in_file: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        for file in files:
            for item in file.functions:
                name = probes.probes[item].function
                if name:
                    self._anywhere[name].append(item)
                    self._in_file[file.path, name].append(item)

    def find(self, name: str, *, near: str) -> tuple[int, ...]:
        """Functions of this name in file `near`, else anywhere; none when too many share it."""
        found = self._in_file.get((near, name)) or self._anywhere.get(name) or ()
        return tuple(found) if len(found) <= AMBIGUOUS else ()


def _callees(probes: ProbeMap, names: _Names) -> dict[int, tuple[int, ...]]:
    found: dict[int, tuple[int, ...]] = {}
    for caller, mined in probes.mined.items():
        file = probes.probes[caller].file if caller >= 0 else probes.files[-1 - caller].path
        called = (item for name in mined.calls for item in names.find(name, near=file))
        found[caller] = tuple(item for item in dict.fromkeys(called) if item != caller)
    return found


def _nesting(file: SourceFile, probes: ProbeMap) -> Iterable[tuple[int, int]]:
    """(outer, inner) for each function that stands directly inside another."""
    functions = [probes.probes[item] for item in file.functions]
    functions.sort(key=lambda probe: (probe.position[:2], [-end for end in probe.position[2:]]))
    around: list[Probe] = []
    for function in functions:
        while around and around[-1].position[2:] <= function.position[:2]:
            around.pop()
        if around:
            yield around[-1].id, function.id
        around.append(function)


def _bindings(file: SourceFile, probes: ProbeMap, names: _Names) -> Iterable[tuple[int, str]]:
    starts = [0, *(match.end() for match in _LINE_END.finditer(file.text))]
    for item in file.functions:
        position = probes.probes[item].position
        if position.line <= len(starts):
            offset = starts[position.line - 1] + position.column
            event = _event(_BEFORE_FUNCTION.search(file.text[max(0, offset - _LOOK_BACK) : offset]))
            if event:
                yield item, event
    for match in _BOUND_NAME.finditer(file.text):
        event = _event(match)
        if event:
            for item in names.find(match[4], near=file.path):
                yield item, event


def _event(match: re.Match[str] | None) -> str:
    if match is None:
        return ""
    event = (match[1] or match[2] or match[3]).lower()
    event = {"doubleclick": "dblclick", "hover": "mouseenter"}.get(event, event)
    return event if event in EVENTS else ""
