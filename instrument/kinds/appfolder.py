"""A folder that may hold an app, as the kinds look at it: its manifest, configs and pages, each read once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from instrument.configtext import without_comments
from instrument.encoding import decode
from instrument.manifest import Manifest, Need

ENDINGS = (".ts", ".js", ".mjs", ".mts", ".cjs", ".cts")
"""Of config files."""
_LARGEST = 1_000_000
"""Bytes of a config or page that are read; what is larger is generated."""


@dataclass(frozen=True)
class AppFolder:
    """A folder with a package.json, and the workspace that it is a member of."""

    root: Path
    manifest: Manifest
    workspace: Path
    above: Manifest | None = None
    """The workspace's package.json where that is another folder: its dependencies are hoisted."""
    declared_in: str = ""
    """File that makes it a member of the workspace."""
    _texts: dict[str, str] = field(default_factory=dict)

    def has(self, *names: str) -> str:
        """The first of some files or folders below root that is there, "" for none."""
        return next((name for name in names if (self.root / name).exists()), "")

    def config(self, *stems: str) -> str:
        """The config file of a name without ending, "" for none."""
        return self.has(*(stem + ending for stem in stems for ending in ENDINGS))

    def text(self, name: str) -> str:
        """A file's text, "" where it is not there, not readable or too large to be written by hand."""
        if name not in self._texts:
            self._texts[name] = _text(self.root / name) if name else ""
        return self._texts[name]

    def code(self, name: str) -> str:
        """A script's text without its comments."""
        return without_comments(self.text(name))

    def need(self, *names: str) -> Need | None:
        """The first of some packages that the app itself depends on, whatever the field."""
        return next((self.manifest.needs[name] for name in names if name in self.manifest.needs), None)

    def hoisted(self, *names: str) -> Need | None:
        """The first of some packages that only the workspace's package.json names."""
        needs = self.above.needs if self.above else {}
        return next((needs[name] for name in names if name in needs and not self.need(name)), None)

    def any_need(self, *names: str) -> Need | None:
        """A package of the app, else of its workspace."""
        return self.need(*names) or self.hoisted(*names)

    def shown(self, name: str) -> str:
        """A file below root as evidence names it: below the workspace."""
        place = self.root / name
        return place.relative_to(self.workspace).as_posix() if self.root != self.workspace else name

    def find(self, folder: str, pattern: str, *, limit: int = 400) -> Iterator[str]:
        """Files below a folder that match a glob, at most so many; node_modules left out."""
        count = 0
        for place in sorted((self.root / folder).glob(pattern)) if (self.root / folder).is_dir() else ():
            if "node_modules" not in place.parts and place.is_file():
                yield place.relative_to(self.root).as_posix()
                count += 1
            if count >= limit:
                return


def _text(place: Path) -> str:
    try:
        if not place.is_file() or place.stat().st_size > _LARGEST:
            return ""
        return decode(place.read_bytes()).text
    except OSError:
        return ""  # a config that cannot be read leaves the tool's defaults
