"""Which of the app's scripts one is that V8 tells of: by its text's checksum, then by where it stands."""

from __future__ import annotations

from collections.abc import Mapping

from instrument.places import Places


class KnownScripts:
    """The scripts that are measured by V8's ranges, by script key; more may be added while the app runs."""

    def __init__(self, places: Mapping[str, Places]) -> None:
        self.places: dict[str, Places] = {}
        self.seen: set[str] = set()
        """Keys of those that V8 has told of so far."""
        self._by_digest: dict[str, list[str]] = {}
        for key, one in places.items():
            self.add(key, one)

    def add(self, key: str, places: Places) -> None:
        """Takes in one more script."""
        self.places[key] = places
        self._by_digest.setdefault(places.digest, []).append(key)

    def find(self, digest: str, *, path: str, at: tuple[int, int]) -> str | None:
        """Key of the script with this checksum; None where it is no script of the app.

        `path` is that of its URL below the app's root, `at` its line and column there, from 0: they tell apart scripts
        of equal text. A handler attribute is said to stand at the end of its tag.
        """
        key = self._find(digest, path, at)
        if key is not None:
            self.seen.add(key)
        return key

    def _find(self, digest: str, path: str, at: tuple[int, int]) -> str | None:
        keys = self._by_digest.get(digest, [])
        if len(keys) < 2:
            return keys[0] if keys else None
        there = [key for key in keys if key.partition("#")[0] == path] or keys
        before = [key for key in there if self.places[key].at <= at]
        return max(before, key=lambda key: self.places[key].at, default=there[0])
