"""Settings of config files, read as text by careful patterns: a project's config is code and is never run here."""

from __future__ import annotations

import json
import re
from typing import Any

_TOKEN = re.compile(
    r"""(?P<kept>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|(?P<comment>//[^\n]*|/\*.*?\*/)""",
    re.DOTALL,
)
_TRAILING_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')
_LITERAL = re.compile(r"""(["'`])((?:\\.|(?!\1)[^\\$])*)\1""")
_JOINED = re.compile(r"\b(?:resolve|join|fileURLToPath|URL)\s*\(")
_OPEN, _CLOSE = "([{", ")]}"


def without_comments(text: str) -> str:
    """The text without `//` and `/* */` comments; strings, which may hold both, are left alone."""
    return _TOKEN.sub(lambda match: match["kept"] or " ", text)


def loose_json(text: str) -> Any:
    """Value of a JSON text that may have a byte order mark, comments and trailing commas.

    Raises ValueError (json.JSONDecodeError, with line and column) for what is no JSON even so.
    """
    text = text.lstrip("\ufeff")
    try:
        return json.loads(text)
    except ValueError:
        plain = _TRAILING_COMMA.sub(lambda match: match[1] or "", without_comments(text))
        try:
            return json.loads(plain)
        except ValueError:
            pass
        raise


def expression(code: str, name: str) -> str:
    """The expression that a key `name:` is given in code without comments, "" without the key.

    The first occurrence counts; the expression ends at the comma, brace or line that ends the property.
    """
    key = re.search(rf"""(?<![\w.$])["']?{re.escape(name)}["']?\s*:\s*""", code)
    if key is None:
        return ""
    return code[key.end() : _end(code, key.end())].strip()


def _end(code: str, start: int) -> int:
    depth, at = 0, start
    while at < len(code):
        literal = _LITERAL.match(code, at)
        if literal:
            at = literal.end()
            continue
        depth += (code[at] in _OPEN) - (code[at] in _CLOSE)
        if depth < 0 or (depth == 0 and code[at] in ",;"):
            return at
        at += 1
    return at


def block(code: str, name: str) -> str:
    """What the braces of `name: { ... }` hold, "" where it is no object literal."""
    found = expression(code, name)
    return found[1:-1] if found.startswith("{") and found.endswith("}") else ""


def outside(code: str, *names: str) -> str:
    """The code with the object literals of some keys blanked: `base` of a plugin is not the config's own."""
    for name in names:
        inner = block(code, name)
        code = code.replace(inner, " ") if inner else code
    return code


def string(code: str, name: str) -> str:
    """The string that a key is given: a literal, or the literal parts of a resolve(), join() or new URL().

    "" where it is computed, because then only running the config would tell.
    """
    value = expression(code, name)
    literal = _LITERAL.fullmatch(value)
    if literal:
        return literal[2]
    if _JOINED.search(value):
        parts = [part for _, part in _LITERAL.findall(value)]
        return "/".join(part.strip("/") if at else part for at, part in enumerate(parts))
    return ""


def flag(command: str, *names: str) -> str:
    """Value of an option in a command line: `--outDir out`, `--outDir=out`; "" without it."""
    for name in names:
        found = re.search(rf"""(?<!\S){re.escape(name)}(?:=|\s+)["']?([^\s"'&|;]+)""", command)
        if found:
            return found[1]
    return ""
