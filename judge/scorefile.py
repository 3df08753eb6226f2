"""scores.json in a run folder: what judging the run gave, for `rank`, the report and other tools."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from instrument.errors import UsageError
from judge.records import Scores

SCORES = "scores.json"
VERSION = 1


def save_scores(scores: Scores, folder: Path) -> Path:
    """Writes scores.json whole or not at all; UsageError where the disk refuses."""
    path, draft = folder / SCORES, folder / f".{SCORES}.new"
    try:
        draft.write_text(scores.model_dump_json(indent=2) + "\n", encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise UsageError(
            f"{path} cannot be written ({error.strerror}): free space or choose another folder."
        ) from error
    return path


def load_scores(folder: Path) -> Scores | None:
    """The scores of a run folder; None where it was not judged. UsageError where the file cannot be read."""
    path = folder / SCORES
    try:
        scores = Scores.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        first = str(error).splitlines()[0]
        raise UsageError(f"{path} cannot be read ({first}): judge the run again.") from error
    if scores.version != VERSION:
        raise UsageError(
            f"{path} has version {scores.version}, this is version {VERSION}: judge the run again."
        )
    return scores
