"""scores.json in a run folder: what judging the run gave, for `rank`, the report and other tools."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from instrument.errors import UsageError
from judge.records import Scores

SCORES = "scores.json"
SWAPPED = "swapped-scores.json"
"""What a second judge said of a run that has scores, for comparison."""
VERSION = 1


def save_scores(scores: Scores, folder: Path, *, swapped: bool = False) -> Path:
    """Writes scores.json (a second judge's beside it) whole or not at all; UsageError where the disk refuses."""
    path = folder / (SWAPPED if swapped else SCORES)
    draft = folder / f".{path.name}.new"
    try:
        draft.write_text(scores.model_dump_json(indent=2) + "\n", encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise UsageError(
            f"{path} cannot be written ({error.strerror}): free space or choose another folder."
        ) from error
    return path


def load_scores(folder: Path, *, swapped: bool = False) -> Scores | None:
    """The scores of a run folder, or a second judge's; None where it was not judged.

    Raises UsageError where the file cannot be read.
    """
    path = folder / (SWAPPED if swapped else SCORES)
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
