"""Scripts that the app runs and that its files did not tell of: parsed after all, or outlined by V8 itself.

Such are code that the app makes while it runs (what Babel makes of JSX in the page, eval, script elements), and scripts
that no parser of ours can read but the browser can. What V8 says of where it could stop in them are then their statements.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any
from urllib.parse import unquote_to_bytes

import numpy as np

from instrument.asking import Asking
from instrument.classify import SOURCE_RULES
from instrument.node import ScriptError
from instrument.places import TOP, Places, utf16
from instrument.shapes import Ints, Shape, Unit, read_unit

_COUNTED = re.compile(r"\b__cv[0-9a-f]{10}\(\)")
_LINE_END = re.compile(r"\r\n|[\n\r\u2028\u2029]")
_MADE = "(made at run time)"


@dataclass(frozen=True, slots=True)
class Stranger:
    """A script that V8 told of and that nothing measures."""

    script: str
    """V8's number of it."""
    text: str
    path: str
    """Below the app's root; "" for code that was made."""
    at: tuple[int, int] = (0, 0)
    """Line and column in its file, from 0."""
    name: str = ""
    """What a comment in it (sourceURL) calls it."""
    module: bool = False
    map_url: str = ""
    maker: str = ""
    """Path of the script that made it; a whole URL where that is none of the app's."""
    functions: tuple[tuple[int, int], ...] = ()
    """Start and end of its functions, as far as V8 has told."""


Outline = Sequence[Sequence[tuple[int, bool]]]
"""For the script itself, then for each function, the offsets where V8 could stop, and whether it returns there."""


def digest_of(text: str) -> str:
    """SHA-256 of a script's text, as V8 tells it: in UTF-8, lone surrogates replaced."""
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return hashlib.sha256(whole.encode()).hexdigest()


def is_counted(text: str) -> bool:
    """Whether a text has counters in it already."""
    return bool(_COUNTED.search(text))


async def parsed_unit(
    stranger: Stranger, key: str, asking: Asking, sources: Sequence[tuple[str, str]] = ()
) -> Unit | None:
    """The unit of a stranger that can be parsed, by its own source map where it brings one; else None.

    `sources`: (path, text) of what a transpiler in the page reads. Where no map tells, a made script is compared with
    those word by word.
    """
    message: dict[str, Any] = {
        "code": stranger.text,
        "goal": "module" if stranger.module else "auto",
        "mine": True,
        "places": True,
    }
    if found := _embedded(stranger.map_url):
        message |= {"map": found, "mapUrl": "", "rules": SOURCE_RULES, "made": True}
    elif sources and not stranger.path:
        given = [{"name": path, "text": text} for path, text in sources]
        message |= {"sources": given, "rules": SOURCE_RULES, "made": True}
    try:
        answer = await asking.ask(key, "script", stranger.text, **message)
    except ScriptError:
        return None
    return read_unit(answer["unit"], path=key, text=stranger.text) if "unit" in answer else None


def _embedded(url: str) -> str:
    """A source map within its URL, "" where it is elsewhere."""
    match = re.match(r"data:[^,]*?(;base64)?,(.*)$", url, re.DOTALL)
    if match is None:
        return ""
    body = unquote_to_bytes(match[2])
    return (base64.b64decode(body) if match[1] else body).decode("utf-8", "replace")


def outlined_unit(stranger: Stranger, key: str, outline: Outline) -> Unit:
    """A unit whose statements are the places where V8 could stop, for a script that no parser reads."""
    text = utf16(stranger.text)
    homes = [_range(function, text, stranger.functions) for function in outline[1:]]
    rows = sorted(
        (offset, home)
        for home, function in enumerate(outline, start=TOP)
        for offset, returns in function
        if not returns
    )
    lines = _Lines(text)
    ends = [
        min(lines.end_of(start), following) for (start, _), (following, _) in pairwise([*rows, (1 << 30, 0)])
    ]
    statements = [lines.row(start, end) for (start, _), end in zip(rows, ends, strict=True)]
    bodies = _array([lines.row(*home) for home in homes], 4)
    served = Shape(
        path=key,
        text=stranger.text,
        vendor="",
        parsed="v8",
        problem="",
        statements=_array(statements, 4),
        owner=np.array([home for _, home in rows], np.int32),
        names=tuple(f"(anonymous_{at})" for at in range(len(homes))),
        decl=bodies,
        loc=bodies,
        branch_types=(),
        branch_loc=_array([], 4),
        branch_sizes=np.empty(0, np.int32),
        branch_owner=np.empty(0, np.int32),
        arms=_array([], 4),
    )
    slots = [(start, -1, home, end) for (start, home), end in zip(rows, ends, strict=True)]
    slots += [(start, -1, at, end) for at, (start, end) in enumerate(homes)]
    return Unit(
        key=key,
        line=1,
        sizes=(len(rows), len(homes), 0, 0),
        served=served,
        places=Places(
            digest=digest_of(stranger.text),
            length=len(text),
            text=stranger.text,
            at=stranger.at,
            slots=_array(slots, 4),
            homes=_array([(*home, 0) for home in homes], 3),
            functions=len(homes),
            first_function=len(rows),
            first_arm=len(rows) + len(homes),
            first_extra=len(rows) + len(homes),
        ),
    )


def _range(
    function: Sequence[tuple[int, bool]], text: str, known: Sequence[tuple[int, int]]
) -> tuple[int, int]:
    """From the first place to the last, the closing bracket or the end of an arrow's expression; better where V8 told."""
    first, last = min(offset for offset, _ in function), max(offset for offset, _ in function)
    end = last + 1 if text[last : last + 1] == "}" else last
    starts = [start for start, known_end in known if known_end == end and start <= first]
    return max(starts, default=first), end


def relocated(
    unit: Unit, files: Mapping[str, str], taken: Container[tuple[str, int]] = ()
) -> tuple[Unit, list[tuple[str, int]]]:
    """The unit with its sources in the files that hold them, and where: (path, offset of the source's text).

    `files`: texts by path. What Babel calls "Inline Babel script" is a part of a page, whose line ends the browser has made
    one character each: offsets count them so. `taken`: places that belong to scripts of the same text.
    """
    found: list[tuple[str, int]] = []

    def settled(shape: Shape) -> Shape:
        for path, text in files.items():
            at = _place_of(normalised(shape.text), path, normalised(text), taken)
            if at >= 0:
                found.append((path, at))
                return moved(shape, path, text, at)
        return shape

    if unit.files:
        return replace(unit, files=tuple(settled(shape) for shape in unit.files)), found
    return replace(unit, served=settled(unit.served)), found


def normalised(text: str) -> str:
    """The text with line ends of one character, as html parsers make them: lines and columns stay as they are."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _place_of(part: str, path: str, text: str, taken: Container[tuple[str, int]]) -> int:
    """Where a part stands in a file, -1 for nowhere: of several places the first that is free, else the first."""
    first = at = text.find(part) if part.strip() else -1
    while at >= 0 and (path, at) in taken:
        at = text.find(part, at + 1)
    return at if at >= 0 else first


def moved(shape: Shape, path: str, text: str, offset: int) -> Shape:
    """The shape of a part of a file in the positions of the file; `offset`: where it begins in the normalised text."""
    plain = normalised(text)
    line, column = _Lines(plain).position(offset)
    column = len(utf16(plain[offset - column : offset]))

    def there(rows: Ints) -> Ints:
        new = rows.copy()
        real = rows[:, 0] > 0
        for at in (0, 2):
            new[:, at + 1] += np.where(real & (rows[:, at] == 1), column, 0)
            new[:, at] += np.where(real, line - 1, 0)
        return new

    return replace(
        shape,
        path=path,
        text=text,
        statements=there(shape.statements),
        decl=there(shape.decl),
        loc=there(shape.loc),
        branch_loc=there(shape.branch_loc),
        arms=there(shape.arms),
    )


class _Lines:
    """Offsets of a text as positions: lines from 1, columns from 0."""

    def __init__(self, text: str) -> None:
        self._ends = [match.start() for match in _LINE_END.finditer(text)] + [len(text)]
        starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
        self._starts = np.array(starts)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset."""
        at = int(np.searchsorted(self._starts, offset, "right")) - 1
        return at + 1, offset - int(self._starts[at])

    def end_of(self, offset: int) -> int:
        """Where the offset's line ends."""
        return self._ends[self.position(offset)[0] - 1]

    def row(self, start: int, end: int) -> tuple[int, int, int, int]:
        """Line, column, end line, end column."""
        return (*self.position(start), *self.position(end))


def _array(rows: Sequence[Sequence[int]], width: int) -> Ints:
    return np.array(rows, np.int32).reshape(-1, width)


def key_of(stranger: Stranger, taken: Callable[[str], bool]) -> str:
    """A script key that is not taken: the file's path, numbered within html; what was made is named as such."""
    if stranger.path and stranger.at == (0, 0) and not taken(stranger.path):
        return stranger.path
    base = f"{stranger.path}#v8-" if stranger.path else f"{_MADE}/{stranger.name or ''}"
    if not stranger.path and stranger.name and not taken(base):
        return base
    return next(key for number in range(1, 1 << 20) if not taken(key := f"{base}{number}"))
