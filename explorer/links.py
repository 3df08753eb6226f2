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

_METHOD = re.compile(r"(?:(?:static|async|get|set)\s+|\*\s*)*#?([A-Za-z_$][\w$]*)\s*\(")
"""Begins a method where it stands: `load() {`, `static async #load(`."""

_ASSIGNED = re.compile(r"([A-Za-z_$][\w$]*)\s*[=:]\s*(?:[\w$.]+\(\s*)?$")
"""Ends where a function begins that gets its name from what it is assigned to: `const save = useCallback(`."""

_NO_NAMES = frozenset({"function", "async", "get", "set", "static", "default", "return", "case"})

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
    name: Mapping[int, str]
    """Function probe -> its own name, or that of the variable, property or method it is; "" for none."""
    binding: Mapping[int, str]
    """Function probe -> event that the source binds it to: "click" for `button.onclick = save`."""


def link(probes: ProbeMap) -> Links:
    """Reads calls, nesting, names and event bindings out of the probe map and its sources."""
    own = [_Source(file, probes) for file in probes.files if file.file_class == "own"]
    names = _Names(own)
    parent = {inner: outer for source in own for outer, inner in _nesting(source)}
    children: defaultdict[int, list[int]] = defaultdict(list)
    for inner, outer in parent.items():
        children[outer].append(inner)
    return Links(
        own=tuple(function for source in own for function in source.functions),
        callees=_callees(probes, names),
        parent=parent,
        children={outer: tuple(inner) for outer, inner in children.items()},
        name=names.of,
        binding={function: event for source in own for function, event in _bindings(source, names)},
    )


class _Source:
    """One own file: its functions, and the text before each of them."""

    def __init__(self, file: SourceFile, probes: ProbeMap) -> None:
        self.path, self.text = file.path, file.text
        self.functions = [probes.probes[item] for item in file.functions]
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(file.text))]

    def offset(self, function: Probe) -> int | None:
        """Where a function begins in the text; None where the text is not known."""
        line = function.position.line
        if not self.text or not 0 < line <= len(self._starts):
            return None
        return self._starts[line - 1] + function.position.column

    def before(self, function: Probe) -> str:
        """A piece of the text that ends where a function begins."""
        offset = self.offset(function)
        return "" if offset is None else self.text[max(0, offset - _LOOK_BACK) : offset]

    def name(self, function: Probe) -> str:
        """The function's name, or the one that it is known by."""
        if function.function and not function.function.startswith("(anonymous"):
            return function.function
        offset = self.offset(function)
        method = None if offset is None else _METHOD.match(self.text, offset)
        found = method if method and method[1] not in _NO_NAMES else _ASSIGNED.search(self.before(function))
        return found[1] if found and found[1] not in _NO_NAMES else ""


class _Names:
    """The app's own functions by name, those of the same file first."""

    def __init__(self, sources: Iterable[_Source]) -> None:
        self.of: dict[int, str] = {}
        self._anywhere: defaultdict[str, list[int]] = defaultdict(list)
        self._in_file: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        for source in sources:
            for function in source.functions:
                name = self.of[function.id] = source.name(function)
                if name:
                    self._anywhere[name].append(function.id)
                    self._in_file[source.path, name].append(function.id)

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


def _nesting(source: _Source) -> Iterable[tuple[int, int]]:
    """(outer, inner) for each function that stands directly inside another."""
    around: list[Probe] = []
    for function in sorted(source.functions, key=_outer_first):
        while around and around[-1].position[2:] <= function.position[:2]:
            around.pop()
        if around:
            yield around[-1].id, function.id
        around.append(function)


def _outer_first(function: Probe) -> tuple[int, int, int, int]:
    line, column, end_line, end_column = function.position
    return line, column, -end_line, -end_column


def _bindings(source: _Source, names: _Names) -> Iterable[tuple[int, str]]:
    for function in source.functions:
        event = _event(_BEFORE_FUNCTION.search(source.before(function)))
        if event:
            yield function.id, event
    for match in _BOUND_NAME.finditer(source.text):
        event = _event(match)
        if event:
            for function_id in names.find(match[4], near=source.path):
                yield function_id, event


def _event(match: re.Match[str] | None) -> str:
    if match is None:
        return ""
    event = (match[1] or match[2] or match[3]).lower()
    event = {"doubleclick": "dblclick", "hover": "mouseenter"}.get(event, event)
    return event if event in EVENTS else ""
