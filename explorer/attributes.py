"""Handler attributes that scripts write at run time: which functions of the app they call.

`list.innerHTML = '<button onclick="remove(3)">'` makes a handler that no one could put a counter into. Its text names the
functions that it calls, and those have counters.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import esprima

from instrument.probes import ProbeMap


class NotParsed(Exception):
    """A text that esprima cannot read (it knows JavaScript up to about 2017); `str()` says why."""


@lru_cache(maxsize=4096)
def called(text: str) -> tuple[str, ...]:
    """Names of the functions that a handler's text calls, in order: `add(1); list.save()` gives add, save.

    Raises NotParsed.
    """
    try:
        # As the browser does: a handler attribute is the body of a function.
        tree = esprima.parseScript(f"(function (event) {{\n{text}\n}})")
    except esprima.Error as error:
        raise NotParsed(str(error)) from error
    names = (_name(node.callee) for node in _nodes(tree) if node.type in ("CallExpression", "NewExpression"))
    return tuple(dict.fromkeys(name for name in names if name))


def _name(callee: Any) -> str:
    if callee.type == "Identifier":
        return str(callee.name)
    if callee.type == "MemberExpression" and not callee.computed:
        return str(callee.property.name)
    return ""


def _nodes(tree: Any) -> Iterator[Any]:
    """Every node, outer ones first."""
    waiting = [tree]
    while waiting:
        node = waiting.pop(0)
        yield node
        parts = (
            item for value in vars(node).values() for item in (value if isinstance(value, list) else [value])
        )
        waiting.extend(item for item in parts if isinstance(item, esprima.nodes.Node))


class Attributes:
    """Leads from a handler attribute's text to a function of the app."""

    def __init__(self, probes: ProbeMap) -> None:
        self._by_name: defaultdict[str, list[int]] = defaultdict(list)
        for file in probes.files:
            if file.file_class == "own":
                for function in file.functions:
                    self._by_name[probes.probes[function].function].append(function)
        self.not_parsed: dict[str, str] = {}
        """Texts that could not be read, with the reason."""

    def function(self, text: str) -> int | None:
        """The function probe that the text calls first; None where no own function, or more than one, has a name it
        calls, and where it could not be read.
        """
        try:
            names = called(text)
        except NotParsed as reason:
            self.not_parsed[text] = f"not parsed: {reason}"
            return None
        return next((self._by_name[name][0] for name in names if len(self._by_name.get(name, ())) == 1), None)
