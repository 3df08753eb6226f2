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
_VARIABLE = r"process\.env(?:\.(?!CI\b|NODE_ENV\b)\w+|\[[\"'](?!CI\b|NODE_ENV\b)\w+[\"']\])"
_FALLBACK = re.compile(rf"{_VARIABLE}\s*(?:\|\||\?\?|\?(?!\?)[^?:]*:)\s*(?P<unset>[^?]+)", re.DOTALL)
_CHOICE = re.compile(
    r"(?:(?:process\.env\.NODE_ENV|mode)\s*===?\s*[\"']production[\"']|command\s*===?\s*[\"']build[\"'])"
    r"\s*\?(?P<production>[^?:]+):[^?]+",
    re.DOTALL,
)
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
    start, end = _span(code, name)
    return code[start:end].strip()


def _span(code: str, name: str) -> tuple[int, int]:
    key = re.search(rf"""(?<![\w.$])["']?{re.escape(name)}["']?\s*:\s*""", code)
    return (key.end(), _end(code, key.end())) if key else (0, 0)


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
    """The code without the objects and lists of some keys: `base` of a plugin is not the config's own."""
    for name in names:
        start, end = _span(code, name)
        if start and code[start : start + 1] in ("{", "["):
            code = code[:start] + "0" + code[end:]
    return code


def string(code: str, name: str) -> str:
    """The string that a key is given: a literal, or the literal parts of a resolve(), join() or new URL().

    Of a choice it is what a production build without variables of its own takes. "" where it is computed, because then
    only running the config would tell.
    """
    value = _settled(expression(code, name))
    literal = _LITERAL.fullmatch(value)
    if literal:
        return literal[2]
    if _JOINED.search(value):
        parts = [part for _, part in _LITERAL.findall(value)]
        return "/".join(part.strip("/") if at else part for at, part in enumerate(parts))
    return ""


def anchored(code: str, name: str) -> bool:
    """Whether a key is given a path from the config's own folder, by resolve() and the like, and no relative one."""
    value = _settled(expression(code, name))
    return not _LITERAL.fullmatch(value) and _JOINED.search(value) is not None


def _settled(value: str) -> str:
    """What is left of `process.env.X || 'dist'` and `mode === 'production' ? '/a/' : '/'` in a production build."""
    if unset := _FALLBACK.fullmatch(value):
        return unset["unset"].strip()
    if choice := _CHOICE.fullmatch(value):
        return choice["production"].strip()
    return value


def flag(command: str, *names: str) -> str:
    """Value of an option in a command line: `--outDir out`, `--outDir=out`; "" without it."""
    for name in names:
        found = re.search(rf"""(?<!\S){re.escape(name)}(?:=|\s+)["']?([^\s"'&|;]+)""", command)
        if found:
            return found[1]
    return ""
