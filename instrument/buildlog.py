"""What a failed build's log says: the few lines that matter, and what to do about the known causes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

_SHOWN = 6
"""Lines of a log that a message holds."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is known of a failed build."""

    cause: str
    """Short name of a known cause, "" for another."""
    hint: str
    """What to do, a sentence; "" where nothing is known."""
    lines: tuple[str, ...]
    """The lines of the log that tell it."""


_MODULE = (
    r"(?:Cannot find (?:module|package) |Module not found: .*Can't resolve |Could not resolve |failed to resolve import )"
    r"['\"](?P<module>[^.'\"/][^'\"]*)['\"]"
)
"""How tools say that an import by a package's name leads nowhere."""
_PROGRAM = (
    r"(?:sh: |: )(?:\d+: )?(?P<program>[\w@./-]+): (?:command )?not found"
    r"|['\"]?(?P<word>[\w@./-]+)['\"]? is not recognized as an internal or external command"
)
_CAUSES: tuple[tuple[str, str, str], ...] = (
    (
        "node version",
        r"(?:requires|required|needs).{0,40}node(?:\.js)?.{0,30}\d+|node(?:\.js)? .{0,30}is not supported|Unsupported engine"
        r"|You are using Node\.js \S+ .*(?:requires|required)|The engine \"node\" is incompatible|EBADENGINE"
        r"|digital envelope routines::unsupported|styleText|File is not defined|crypto\.hash is not a function",
        "The build needs another version of Node: put the one that its package.json asks for first on PATH.",
    ),
    (
        "fonts",
        r"Failed to fetch [`'\"]?.{1,60}[`'\"]? from Google Fonts|fonts\.g(?:oogleapis|static)\.com|next/font.*(?:error|fail)"
        r"|getaddrinfo \S+ fonts\.",
        "The build fetches fonts from the net: build where the net can be reached, or name answers for it in"
        " NEXT_FONT_GOOGLE_MOCKED_RESPONSES.",
    ),
    (
        "missing script",
        r"Missing script: |ERR_PNPM_NO_SCRIPT|error Command \"\S+\" not found"
        r"|Couldn't find a script named|error: Script not found",
        "package.json has no such script: name the app to build with --app, or add the script.",
    ),
    (
        "memory",
        r"JavaScript heap out of memory|Reached heap limit|ENOMEM|Killed$|exit code 137|signal SIGKILL",
        "The build ran out of memory: allow more with NODE_OPTIONS=--max-old-space-size=8192.",
    ),
    (
        "disk",
        r"ENOSPC|No space left on device",
        "The disk is full: make room in the cache folder.",
    ),
    (
        "network",
        r"\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET|ENETUNREACH)\b"
        r"|network (?:timeout|request failed)|fetch failed",
        "The build or the installation needs the net: check the connection and the registry's settings.",
    ),
    (
        "missing install",
        rf"{_MODULE}|{_PROGRAM}|ERR_MODULE_NOT_FOUND",
        "Something that the build needs is not installed: run the package manager's install in the project, then again.",
    ),
    (
        "missing file",
        r"Can't resolve ['\"]\.{1,2}/|Could not resolve ['\"]\.{1,2}/|Cannot find module ['\"]\.{1,2}/|UNRESOLVED_IMPORT",
        "A source imports a file that is not there: correct the import (upper and lower case count here).",
    ),
    (
        "types",
        r"error TS\d+:|Type error:|TS\d+ \[ERROR\]|astro check|Found \d+ errors?\b|vue-tsc",
        "The types are wrong: the project's own build fails for it too; correct them, or name a script that does not"
        " check types.",
    ),
    (
        "environment variable",
        r"(?:Missing|Invalid|required).{0,40}environment variable"
        r"|environment variables?.{0,60}(?:missing|required|not set|undefined)"
        r"|\bprocess\.env\.\w+ is (?:not|un)|Invalid environment",
        "The build needs an environment variable: write it into an .env file of the project"
        " (variables of the shell reach the build only where they are meant for the browser).",
    ),
    (
        "lint",
        r"\[eslint\]|Treating warnings as errors|^\s*\d+:\d+\s+error\s|eslint.*error",
        "The linter stops the build: correct what it names.",
    ),
)  # fmt: skip

_PACKAGE = re.compile(r"(?:@[a-z0-9~][\w.~-]*/)?[a-z0-9~][\w.~-]*$", re.IGNORECASE)
_TELLING = re.compile(
    r"error|fail|cannot|can't|could not|couldn't|not found|unexpected|invalid|missing|unsupported|denied|refused|✘|✗|×|⨯",
    re.IGNORECASE,
)
_STRONG = re.compile(
    r"\b\w*(?:Error|Exception)\b|\berror\b|\bE(?:ADDRINUSE|ACCES|NOENT|PERM|CONNREFUSED)\b|\block(?:ed)?\b|\bpanic"
    r"|already (?:running|in use|started)|\bfatal\b",
    re.IGNORECASE,
)
_OF_OBJECT = re.compile(r"^(?!\w*(?:[Ee]rror|[Ee]xception):)(?:[\w$'\"-]+:\s.*[,'\"\d\]}]|[{}\[\]()]+,?)$")
"""A property of an object that is printed after an error: `code: 'EADDRINUSE',`."""
_NOISE = re.compile(
    r"^\s*(?:at |npm (?:error|ERR!|warn|notice)\s*$|npm (?:warn|notice) "
    r"|npm (?:error|ERR!) (?:code|errno|syscall|path|command|A complete log|Lifecycle script|workspace|location)"
    r"|ELIFECYCLE|info |\[?webpackbar|node:internal|Node\.js v[\d.]+$|error Command failed|\$ |> )"
    r"|/npm/_logs/|0 errors|errors?: 0\b|no errors",
    re.IGNORECASE,
)


def diagnose(lines: Sequence[str], *, needs: Collection[str] | None = None) -> Diagnosis:
    """The cause that most of the log speaks for, and at most six of its lines.

    `needs`: the packages that package.json names; None where that is not known.
    """
    text = "\n".join(lines)
    for cause, pattern, hint in _CAUSES:
        found = re.search(pattern, text, re.IGNORECASE | re.MULTILINE)
        if found:
            if cause == "missing install" and needs is not None:
                hint = _what_is_missing(found, needs) or hint
            return Diagnosis(cause, hint, _around(lines, text.count("\n", 0, found.start())))
    return Diagnosis("", "", _telling(lines))


def _what_is_missing(found: re.Match[str], needs: Collection[str]) -> str:
    """What to do about a package or a program that is not there, "" where the log does not name it."""
    if program := found["program"] or found["word"]:
        if program in needs:
            return (
                f"`{program}` is named in package.json, but not installed: run the package manager's install."
            )
        return (
            f"`{program}` is no program of the project's dependencies: add the package that brings it to package.json, "
            "or correct the script that calls it."
        )
    if not found["module"]:
        return ""
    parts = found["module"].split("/")
    name = "/".join(parts[: 2 if parts[0].startswith("@") else 1])
    if name in needs:
        return f"{name} is named in package.json, but not found: run the package manager's install."
    if not _PACKAGE.match(name):
        return f"`{found['module']}` is neither a file nor a package: correct the import, or the alias that it goes by."
    return f"{name} is not in package.json: add it there, or correct the import."


def _around(lines: Sequence[str], at: int) -> tuple[str, ...]:
    """The line of a cause with what stands right before and behind it."""
    window = [line.strip() for line in lines[max(0, at - 2) : at + 4]]
    return tuple(line[:300] for line in window if line and not _NOISE.search(line))[:_SHOWN] or (
        lines[at].strip()[:300],
    )


def reasons(lines: Sequence[str], *, most: int = 3) -> tuple[str, ...]:
    """The last lines that say why a program ended, else its last lines: not the tail of an object or of a stack."""
    plain = [line.strip()[:300] for line in lines if line.strip() and not _NOISE.search(line)]
    for pattern in (_STRONG, _TELLING):
        telling = [line for line in plain if pattern.search(line) and not _OF_OBJECT.search(line)]
        if telling:
            return tuple(dict.fromkeys(telling))[-most:]
    return tuple(plain[-most:])


def _telling(lines: Sequence[str]) -> tuple[str, ...]:
    """The first lines that speak of an error, else the last lines of all."""
    plain = [line.strip()[:300] for line in lines if line.strip() and not _NOISE.search(line)]
    first = next((at for at, line in enumerate(plain) if _TELLING.search(line)), None)
    return tuple(plain[first : first + _SHOWN] if first is not None else plain[-_SHOWN:])


def culprits(lines: Iterable[str], sources: Iterable[str]) -> frozenset[str]:
    """Sources, by path with `/`, that lines about an error name: those that counters may have broken."""
    text = "\n".join(lines).replace("\\", "/")
    return frozenset(path for path in sources if _names(text, path))


def _names(text: str, path: str) -> bool:
    tail = "/".join(PurePosixPath(path).parts[-3:])
    return (
        re.search(rf"(?:^|[\s(\"'`:/\[]|\./){re.escape(tail)}(?=$|[\s:(),\"'`\]])", text, re.MULTILINE)
        is not None
    )
