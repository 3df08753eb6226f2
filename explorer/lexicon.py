"""A dictionary for fuzzing, mined from the app's own code: the words and keys that unexecuted code waits for."""

from __future__ import annotations

from collections.abc import Iterable

from explorer.actions import Keyboard
from explorer.guide import Guide
from instrument.probes import ProbeMap

MAX_WORDS = 40


def keyboard(probes: ProbeMap) -> Keyboard:
    """Keys that the app's code names, per function and altogether."""
    by_function = {
        function: tuple(dict.fromkeys(mined.keys))
        for function, mined in probes.mined.items()
        if function >= 0 and mined.keys
    }
    own = (keys for function, keys in by_function.items() if function in probes.own)
    return Keyboard(
        by_function=by_function, everywhere=tuple(dict.fromkeys(key for keys in own for key in keys))
    )


class Lexicon:
    """Literals of functions that still have unexecuted statements, nearest to a handler first."""

    def __init__(self, guide: Guide) -> None:
        self._guide = guide
        self._known = -1, -1
        self._rest: list[str] = []

    def words(self, functions: Iterable[int]) -> tuple[str, ...]:
        """Words for a field with these handlers: from the handlers, from what they call, from all the rest."""
        near = [word for function in sorted(functions) for word in self._near(function)]
        return tuple(dict.fromkeys([*near, *self._everywhere()]))[:MAX_WORDS]

    def _near(self, function: int) -> Iterable[str]:
        mined = self._guide.probes.mined
        for item in (function, *self._guide.callees.get(function, ())):
            if item in mined and self._guide.unexecuted(item):
                yield from mined[item].literals

    def _everywhere(self) -> list[str]:
        standing = len(self._guide.covered), len(self._guide.probes.probes)
        if self._known != standing:
            self._known = standing
            own = self._guide.probes.own
            self._rest = [
                literal
                for function, mined in self._guide.probes.mined.items()
                if function in own and self._guide.unexecuted(function)
                for literal in mined.literals
            ]
        return self._rest
