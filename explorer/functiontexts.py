"""From a function's text to its place, for scripts that carry no counters which would tell it."""

from __future__ import annotations

from collections.abc import Iterator

from instrument.places import FUNCTION
from instrument.v8scripts import KnownScripts

_ENDS = 48
"""UTF-16 units at either end of a text that its fingerprint is made of; js/src/agent/fingerprint.js has the same."""


def fingerprint(text: bytes) -> str:
    """What stands for a function's text: its length in UTF-16 units and a hash of both its ends.

    `text` is little-endian UTF-16. The hash is FNV-1a over units, 32 bits.
    """
    units = memoryview(text).cast("H")
    value = 0x811C9DC5
    for unit in (*units[:_ENDS], *units[-_ENDS:]):
        value = ((value ^ (unit & 0xFF)) * 0x01000193) & 0xFFFFFFFF
        value = ((value ^ (unit >> 8)) * 0x01000193) & 0xFFFFFFFF
    return f"{len(units)}.{value:x}"


class FunctionTexts:
    """All functions of the scripts that V8 measures, by fingerprint; made when it is first asked for one of a length."""

    def __init__(self, known: KnownScripts) -> None:
        self._known = known
        self._read: set[str] = set()
        self._texts: dict[str, bytes] = {}
        self._by_length: dict[int, list[tuple[str, int, int]]] = {}
        self._found: dict[int, dict[str, list[tuple[str, int]]]] = {}

    def find(self, wanted: str) -> tuple[str, int] | None:
        """Script key and counter slot of a function with this fingerprint; None where there is none.

        Of functions of one text the first is taken whose script runs: they do the same.
        """
        for key in list(self._known.places):  # more may come from another thread
            if key not in self._read:
                self._take_in(key)
        length = int(wanted.partition(".")[0])
        if length not in self._found:
            found = self._found[length] = {}
            for one, place in self._of_length(length):
                found.setdefault(one, []).append(place)
        equal = self._found[length].get(wanted, ())
        return next((place for place in equal if place[0] in self._known.seen), next(iter(equal), None))

    def attribute(self, text: str) -> tuple[str, int] | None:
        """Script key and counter slot of a handler attribute that a page was written with."""
        equal = [
            key
            for key, places in list(self._known.places.items())
            if "#" in key and places.text == text and len(places.slots)
        ]
        chosen = next((key for key in equal if key in self._known.seen), next(iter(equal), None))
        return None if chosen is None else (chosen, 0)

    def _take_in(self, key: str) -> None:
        places = self._known.places[key]
        self._read.add(key)
        self._texts[key] = places.text.encode("utf-16-le", "surrogatepass")
        for home, (start, end, kind) in enumerate(places.homes.tolist()):
            if kind == FUNCTION:
                self._by_length.setdefault(end - start, []).append((key, home, start))
                self._found.pop(end - start, None)

    def _of_length(self, length: int) -> Iterator[tuple[str, tuple[str, int]]]:
        for key, home, start in self._by_length.get(length, ()):
            text = self._texts[key][2 * start : 2 * (start + length)]
            yield fingerprint(text), (key, self._known.places[key].first_function + home)
