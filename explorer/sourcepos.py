"""From a place in the code that was served to the place in the user's sources, by the counters that stand there.

A stack names lines and columns of the instrumented text. The counter before such a place says which statement runs
there, and the probe map says where that statement is in the sources, through a source map where there is one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from urllib.parse import unquote

from instrument.probes import Probe, ProbeMap, SourceFile

_COUNTER = re.compile(r"(?:(__cv[0-9a-f]{10})(?:\(\)(?:;_cv)?)?|(?<![\w$])_cv)\[(\d+)\]\+\+\Z")
"""Of a script as it is served, or of a source that was built: then the accessor's name is that of a property."""
_COUNTER_ENDS, _LONGEST_COUNTER = "]++", 60
_ACCESSOR = re.compile(r"(__cv[0-9a-f]{10})\(\)")
_LINE_END = re.compile("\r\n|[\n\r\u2028\u2029]")
"""JavaScript's own line ends; str.splitlines knows more, the mark that counters carry among them."""
_KEY = re.compile(
    r"""(?:\[(?P<q>"|&quot;|&\#34;)|\.__cvKeys\$\.|\.__cvKeys\$\[[`'])(?P<name>__cv[0-9a-f]{10})"""
    r"""(?:(?P=q)|[`'])?\]?\s*=\s*(?P<k>"|&quot;|&\#34;|'|`)(?P<key>.*?)(?P=k)"""
)
"""What an accessor says of itself: its name and the script's key; within an attribute quotes are escaped, and bundlers
choose quotes and brackets of their own."""


@dataclass(frozen=True, slots=True)
class _Served:
    """A served text, where its lines begin, and the script key that each accessor in it stands for."""

    text: str
    lines: tuple[int, ...]
    keys: Mapping[str, str]

    def counter_before(self, offset: int) -> tuple[str, int] | None:
        """Script key and slot of the last counter that ends at or before an offset.

        Looked for backwards: to read all counters of a bundle takes a hundred times as long.
        """
        end = self.text.rfind(_COUNTER_ENDS, 0, offset)
        while end >= 0:
            start = max(0, end - _LONGEST_COUNTER)
            counter = _COUNTER.search(self.text[start : end + len(_COUNTER_ENDS)])
            if counter is not None:
                key = self.keys.get(counter[1] or self._accessor_before(start + counter.start()))
                if key is not None:
                    return key, int(counter[2])
            end = self.text.rfind(_COUNTER_ENDS, 0, end)
        return None

    def _accessor_before(self, offset: int) -> str:
        """The accessor that was called last: where a function begins, it is kept for the counters in it."""
        at = self.text.rfind("__cv", 0, offset)
        while at >= 0:
            if found := _ACCESSOR.match(self.text, at):
                return found[1]
            at = self.text.rfind("__cv", 0, at)
        return ""


class SourcePositions:
    """A `explorer.faults.SourceOf`: call it with a served path, a line and a column, both from 1.

    overlay: instrumented bodies by path below the app's root (Bundle.overlay); probes: the map, or what gives it as
    it stands now; entry: the page served at "/".
    Gives "file:line:column" (from 1) of the statement, and "" for vendor code and for what has no counters. Never a
    place that the file does not have: what was made of a source of the same name (a dev server's `App.svelte`) has more
    lines than it, and where no counter leads from there to the source, the file's name is all that is told.
    """

    def __init__(
        self,
        overlay: Mapping[str, bytes],
        probes: ProbeMap | Callable[[], ProbeMap],
        *,
        entry: str = "index.html",
    ) -> None:
        self._overlay = overlay
        self._probes_now = probes if callable(probes) else lambda: probes
        self._entry = entry
        # By what they depend on, for bodies and map of a running server change.
        self._first_columns = lru_cache(maxsize=32)(self._columns)
        self._files: tuple[SourceFile, ...] = ()
        self._sources: Mapping[str, SourceFile] = {}
        self._widths: dict[str, list[int]] = {}
        """Lengths of the lines of each source that was asked for, worked out once."""
        self._texts = lru_cache(maxsize=32)(_read)

    @property
    def _probes(self) -> ProbeMap:
        return self._probes_now()

    def __call__(self, path: str, line: int, column: int) -> str:
        name = self._served(path)
        if name is None:
            return ""
        served = self._texts(self._overlay[name])
        if not 1 <= line <= len(served.lines):
            return ""
        counter = served.counter_before(served.lines[line - 1] + max(0, column - 1))
        probe = self._probe(*counter) if counter is not None else None
        if probe is None or probe.id not in self._probes.own:
            # Not to be taken for a place in the source, whose lines are others.
            return name if self._is_mapped(name) else ""
        # Instrumenting moves columns, never lines: without a source map the line is the stack's own.
        if probe.file == name and probe.position.line != line and not self._is_mapped(name):
            column = self._first_columns(name, len(self._probes.probes)).get(line, 0)
            return self._within(name, line, column)
        return self._within(probe.file, probe.position.line, probe.position.column)

    def _is_mapped(self, name: str) -> bool:
        """Whether what is served by this name was made of a source of the same name, as its source map says."""
        source = self._source(name)
        return source is not None and name in source.mapped_from

    def _source(self, name: str) -> SourceFile | None:
        files = self._probes.files
        if files is not self._files:  # a map that grew has other files
            self._files, self._sources, self._widths = files, _by_path(files), {}
        return self._sources.get(name)

    def _lines(self, file: str) -> list[int] | None:
        """Lengths of a source's lines; None where its text is not known."""
        source = self._source(file)
        if source is None or not source.text:
            return None
        if file not in self._widths:
            self._widths[file] = [len(line) for line in _LINE_END.split(source.text)]
        return self._widths[file]

    def _within(self, file: str, line: int, column: int) -> str:
        """`file:line:column` as far as the file has them; `column` counts from 0."""
        lines = self._lines(file)
        if lines is not None and not 1 <= line <= len(lines):
            return file
        if lines is not None and column > lines[line - 1]:
            return f"{file}:{line}"
        return f"{file}:{line}:{column + 1}"

    def _served(self, path: str) -> str | None:
        path = unquote(path).removeprefix("/")
        if path in self._overlay:
            return path
        if below := self._below_base(path):
            return below
        for page in (f"{path.removesuffix('/')}/index.html".removeprefix("/"), self._entry):
            # An address without a file's ending is answered with a page.
            if page in self._overlay and "." not in path.rsplit("/", 1)[-1]:
                return page
        return None

    def _below_base(self, path: str) -> str:
        """The script that a path names where the app is served below a base path (`/repo/`), "" for none."""
        folder, rest = "", path
        while path.endswith((".js", ".mjs")) and "/" in rest:
            first, _, rest = rest.partition("/")
            folder += f"{first}/"
            if any(name.startswith(folder) for name in self._overlay):
                return ""  # a folder of the app itself
            if rest in self._overlay:
                return rest
        return ""

    def _columns(self, name: str, _: int) -> dict[int, int]:
        """Line -> column of the first statement that begins on it, in a map of so many probes."""
        columns: dict[int, int] = {}
        for source in self._probes.files:
            for statement in source.statements if source.path == name else ():
                place = self._probes.probes[statement].position
                columns[place.line] = min(place.column, columns.get(place.line, place.column))
        return columns

    def _probe(self, key: str, slot: int) -> Probe | None:
        table = self._probes.counters.get(key, ())
        found = [self._probes.probes[probe] for probe in table[slot]] if slot < len(table) else []
        # One counter may stand for a function and for the statement that it begins with: that is what runs there.
        return min(found, key=lambda probe: probe.kind != "statement", default=None)


def _by_path(files: tuple[SourceFile, ...]) -> dict[str, SourceFile]:
    return {source.path: source for source in files}


def _read(body: bytes) -> _Served:
    text = body.decode("utf-8", "replace")
    keys = {match["name"]: unescape(match["key"]) for match in _KEY.finditer(text)}
    lines = (0, *(match.end() for match in _LINE_END.finditer(text)))
    return _Served(text, lines, keys)
