"""Modules that a bundler keeps as texts for eval (webpack's development mode): found in a script, and put back changed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from instrument.classify import SOURCE_RULES
from instrument.exchange import TOOLING_RULES

_EVAL = re.compile(r"\beval\((?P<types>__webpack_require__\.ts\()?(?P<text>\"(?:[^\"\\\n]|\\.)*\")\)")
_SOURCE_URL = re.compile(r"//# sourceURL=webpack(?:-internal)?://[^/]*/(?P<name>[^\n]+?)\s*$")
_LAYER = re.compile(r"^\([\w-]+\)/")
_QUERY = re.compile(r"\?.*$")
_RULES = tuple(re.compile(pattern, re.IGNORECASE) for pattern, _ in (*SOURCE_RULES, *TOOLING_RULES))


@dataclass(frozen=True, slots=True)
class EvalModule:
    """One module: where its text's literal is in the script, the text, and its path in the project."""

    start: int
    end: int
    code: str
    path: str


def keeps_modules(script: str) -> bool:
    """Whether a script keeps its modules as texts for eval."""
    if "sourceURL=webpack" not in script:
        return False
    return any("//# sourceURL=webpack" in match["text"] for match in _EVAL.finditer(script))


def eval_modules(script: str) -> Iterator[EvalModule]:
    """The user's own modules that a script keeps as texts, in order; packages and the bundler's own are left out."""
    for match in _EVAL.finditer(script):
        try:
            code = json.loads(match["text"])
        except ValueError:
            continue  # no text that webpack wrote
        named = _SOURCE_URL.search(code)
        if named is None or any(rule.search(named["name"]) for rule in _RULES):
            continue
        path = _QUERY.sub("", _LAYER.sub("", named["name"])).removeprefix("./")
        yield EvalModule(match.start("text"), match.end("text"), code, path)


def with_modules(script: str, codes: Mapping[int, str]) -> str:
    """The script with other texts for the modules that begin at these places."""
    parts, last = [], 0
    for module in eval_modules(script):
        if module.start in codes:
            parts += [script[last : module.start], json.dumps(codes[module.start])]
            last = module.end
    return "".join((*parts, script[last:]))
