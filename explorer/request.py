"""What a run was asked for, kept in its folder so that it can be resumed."""

from __future__ import annotations

import json
import shlex
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from explorer.options import Options
from explorer.rundir import REQUEST, write_text
from instrument.detect import is_url
from instrument.errors import UsageError


@dataclass(frozen=True, slots=True)
class Request:
    """Target, budget, seed and options of a run, as they were given."""

    target: str
    budget: int
    seed: int
    options: Options


def save_request(request: Request, folder: Path) -> None:
    """Writes request.json, with the folder that relative paths in it start from."""
    row = {**asdict(request), "cwd": str(Path.cwd())}
    write_text(folder / REQUEST, json.dumps(row, indent=2) + "\n")


def load_request(folder: Path, *, budget: int | None = None) -> Request:
    """Reads request.json back, with another budget where one is given; UsageError where there is none."""
    path = folder / REQUEST
    if not path.is_file():
        raise UsageError(f"{folder} is no run folder (no {REQUEST}): name one that explore-app wrote.")
    try:
        request = _request(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise UsageError(
            f"{path} cannot be read as the request of a run: name a folder that this release wrote, or explore anew."
        ) from error
    return replace(request, budget=budget) if budget is not None else request


def _request(row: dict[str, Any]) -> Request:
    known: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in row.pop("options").items()
    }
    cwd = Path(row.pop("cwd"))
    if not is_url(row["target"]):
        row["target"] = str(cwd / Path(row["target"]).expanduser())
    return Request(**row, options=Options(**known))


def command_of(request: Request) -> str:
    """The command line that does this run again."""
    options = request.options
    words = ["explore-app", request.target, "--budget", str(request.budget), "--seed", str(request.seed)]
    plain = Options()
    for field in fields(Options):
        value = getattr(options, field.name)
        if value == getattr(plain, field.name):
            continue
        name = f"--{field.name.replace('_', '-')}"
        values = value if isinstance(value, tuple) else (value,)
        for each in values:
            words += [name] if each is True else [name, str(each)]
    return shlex.join(words)
