"""Judged run folders as entries that can be ranked, and score tables that other tools wrote."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from instrument.errors import UsageError
from judge.agreement import Vote
from judge.rank import WEIGHTS, Entry
from judge.records import Scores
from judge.scorefile import SCORES, load_scores

OVERALL = "overall"
_TIES = frozenset(("", "tie", "draw", "equal", "none", "both"))


def run_folders(places: Iterable[str | Path]) -> tuple[Path, ...]:
    """The judged run folders among these folders and their direct children, each once, in order.

    Raises UsageError for a folder that is not there, or that neither is nor holds a judged run.
    """
    found: dict[Path, None] = {}
    for given in places:
        place = Path(given).expanduser().absolute()
        if not place.is_dir():
            raise UsageError(f"There is no folder {given}: name run folders, or a folder of them.")
        below = sorted(path.parent for path in place.glob(f"*/{SCORES}"))
        inside = [place] if (place / SCORES).is_file() else below
        if not inside:
            raise UsageError(f"{given} was not judged yet: run `explore-app judge {given}` first.")
        found.update(dict.fromkeys(inside))
    return tuple(found)


def entry_of(folder: Path, *, swapped: bool = False) -> Entry:
    """The scores of one run, or a second judge's of it.

    A dimension that another judge had to score has none here: the two share no scale.
    """
    scores = load_scores(folder, swapped=swapped)
    if scores is None:
        raise UsageError(f"{folder} was not judged yet: run `explore-app judge {folder}` first.")
    return Entry(folder.name, {name: _raw(scores, name) for name in WEIGHTS}, scores.judge)


def _raw(scores: Scores, dimension: str) -> float | None:
    found = next((score for score in scores.scores if score.dimension == dimension), None)
    if found is None or found.status != "scored" or found.judge not in ("", scores.judge):
        return None
    return found.value


def read_scores(path: Path, *, dimension: str = OVERALL) -> dict[str, float]:
    """name -> score: of a CSV (columns name and the dimension, or name and score), of what `rank --json` printed, or of a
    folder of judged runs (there the overall score needs ranking first, so name a dimension).

    Raises UsageError where the file cannot be read or has no such column.
    """
    if path.is_dir():
        if dimension == OVERALL:
            raise UsageError(
                f"{path} holds single runs: rank them first, or choose one of {', '.join(WEIGHTS)}."
            )
        entries = [entry_of(folder) for folder in run_folders([path])]
        return {e.name: value for e in entries if (value := e.raw.get(dimension)) is not None}
    try:
        text = path.read_text(encoding="utf-8-sig")
        rows = _ranked(json.loads(text)) if text.lstrip().startswith(("{", "[")) else _table(text)
        return dict(_values(rows, dimension))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{path} holds no scores of {dimension} ({error}): give a CSV with the columns name and score (or {dimension}), "
            "or what `explore-app rank --json` printed."
        ) from error


def is_ranking(path: Path) -> bool:
    """Whether a file is what `rank --json` printed: its overall scores are z-scores."""
    return path.is_file() and path.read_bytes().lstrip().startswith((b"{", b"["))


def _ranked(tables: Any) -> list[Mapping[str, Any]]:
    """Rows of what `rank --json` printed. Two judges' rows share no scale."""
    if len(tables["tables"]) != 1:
        raise ValueError("it holds tables of several judges")
    return [
        {"name": row["name"], OVERALL: row["overall"], **row["raw"]} for row in tables["tables"][0]["rows"]
    ]


def _table(text: str) -> list[Mapping[str, Any]]:
    return list(csv.DictReader(text.splitlines()))


def _values(rows: Sequence[Mapping[str, Any]], dimension: str) -> Iterable[tuple[str, float]]:
    for row in rows:
        value = row[dimension] if dimension in row else row["score"]
        if value not in (None, ""):
            yield str(row["name"]), float(value)


def read_votes(path: Path) -> tuple[Vote, ...]:
    """Votes of a CSV with the columns left, right, winner and, if there are several people, voter.

    winner is one of the two names, "left", "right", or tie. Raises UsageError with the line that cannot be read.
    """
    try:
        rows = list(csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines()))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UsageError(
            f"{path} cannot be read ({error}): give a CSV with the columns left, right, winner."
        ) from error
    if not rows or not {"left", "right", "winner"} <= set(rows[0]):
        raise UsageError(
            f"{path} holds no votes: give a CSV with the columns left, right, winner (and voter)."
        )
    return tuple(_vote(row, f"line {line} of {path}") for line, row in enumerate(rows, start=2))


def _vote(row: Mapping[str, str | None], place: str) -> Vote:
    left, right, winner = ((row[name] or "").strip() for name in ("left", "right", "winner"))
    known = {"left": left, "right": right, left: left, right: right, **dict.fromkeys(_TIES, "")}
    wanted = winner if winner in known else winner.lower()
    if not left or not right or left == right or wanted not in known:
        raise UsageError(
            f"In {place} the winner must be {left!r}, {right!r}, left, right or tie; it is {winner!r}."
        )
    return Vote(left, right, known[wanted], (row.get("voter") or "").strip())
