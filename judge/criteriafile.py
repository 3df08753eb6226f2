"""The file of criteria: TOML that a person can read and edit, written by hand here and read by tomllib.

requirement = "a list of expenses …"

[[criterion]]
type = "functional"
text = "Adding an expense puts it on the list"
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from instrument.errors import UsageError
from judge.criteria import Checklist
from judge.records import CRITERION_KINDS, Criterion

_HEAD = """\
# What the app is checked against. Edit it as you like: take out, add, reword; then
#     explore-app judge RUN --requirements THIS_FILE
# type: functional (what it does), content (what is there), visual (how it looks).
# text: one thing that can be seen from outside, and is so or not.
"""
_KEYS = {"id", "type", "text", "votes"}


def to_toml(checklist: Checklist) -> str:
    """The file's text; what did not become a criterion stands below in comments."""
    parts = [_HEAD, f"requirement = {_string(checklist.requirement)}\n"]
    for criterion in checklist.criteria:
        votes = f"votes = {criterion.votes}\n" if criterion.votes else ""
        parts.append(
            f"[[criterion]]\nid = {_string(criterion.id)}\ntype = {_string(criterion.kind)}\n"
            f"text = {_string(criterion.text)}\n{votes}"
        )
    notes = [*checklist.notes, *(f"left out, {why}: {text}" for text, why in checklist.dropped)]
    if notes:
        parts.append("".join(f"# {_comment(note)}\n" for note in notes))
    return "\n".join(parts)


def read_criteria(path: Path) -> Checklist:
    """Reads a file of criteria. Raises UsageError that names the line."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read ({getattr(error, 'strerror', None) or error}).") from error
    return parse_criteria(text, name=str(path))


def parse_criteria(text: str, *, name: str = "the criteria") -> Checklist:
    """The criteria in a file's text; `name` is what errors call it. Raises UsageError that names the line."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{name} is no TOML: {error}.") from error
    lines = _table_lines(text)
    rows = table.get("criterion", [])
    if unknown := sorted(table.keys() - {"criterion", "requirement", "version"}):
        raise UsageError(f"{name}: there is no setting {unknown[0]}; criteria are [[criterion]] tables.")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise UsageError(f"{name}: write [[criterion]] with two brackets, one table for each criterion.")
    if not rows:
        raise UsageError(f"{name} has no criterion: add a [[criterion]] with type and text.")
    criteria: list[Criterion] = []
    taken: dict[str, int] = {}
    for number, row in enumerate(rows, 1):
        line = lines[number - 1] if number <= len(lines) else 0
        criterion = _criterion(row, number, f"{name}, line {line}" if line else name)
        if criterion.id in taken:
            raise UsageError(
                f"{name}, line {line}: the id {criterion.id} is taken by the criterion at line {taken[criterion.id]}."
            )
        taken[criterion.id] = line
        criteria.append(criterion)
    return Checklist(str(table.get("requirement", "")), tuple(criteria))


def _criterion(row: Mapping[str, Any], number: int, place: str) -> Criterion:
    if unknown := sorted(row.keys() - _KEYS):
        raise UsageError(f"{place}: a criterion has type, text, id and votes, not {unknown[0]}.")
    kind, text = row.get("type"), row.get("text")
    if kind not in CRITERION_KINDS:
        said = f"not {kind!r}" if kind is not None else "and it is missing"
        raise UsageError(f"{place}: type is one of {', '.join(CRITERION_KINDS)}, {said}.")
    if not isinstance(text, str) or not text.strip():
        raise UsageError(f"{place}: text says what is to be seen, and it is missing.")
    votes = row.get("votes", 0)
    if not isinstance(votes, int) or isinstance(votes, bool):
        raise UsageError(f"{place}: votes is a whole number, not {votes!r}.")
    return Criterion(id=str(row.get("id", f"C{number}")), kind=kind, text=" ".join(text.split()), votes=votes)


def _table_lines(text: str) -> list[int]:
    """Line of each [[criterion]], from 1; those inside of multi-line strings are not counted."""
    # Strings become blanks of the same number of lines, so that nothing in them looks like a table.
    bare = re.sub(
        r'"""(?:\\.|[^\\])*?"""|\'\'\'.*?\'\'\'',
        lambda found: "\n" * found.group().count("\n"),
        text,
        flags=re.DOTALL,
    )
    return [
        number
        for number, line in enumerate(bare.split("\n"), 1)
        if re.match(r"\s*\[\[\s*[\"']?criterion[\"']?\s*\]\]", line)
    ]


def _string(text: str) -> str:
    """A TOML basic string: JSON's escapes are TOML's, but for DEL and lone surrogates."""
    plain = text.encode("utf-8", "replace").decode()
    return json.dumps(plain, ensure_ascii=False).replace("\x7f", "\\u007F")


def _comment(text: str) -> str:
    return " ".join(re.sub(r"[\x00-\x1f\x7f\ud800-\udfff]", " ", text).split())
