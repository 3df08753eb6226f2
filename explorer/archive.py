"""probes.json.gz: what was instrumented, kept in the run folder so that a run can be reported or resumed.

Columns instead of objects, for an app may have a hundred thousand probes; plain JSON, for a run folder may come
from anywhere and reading one must run nothing.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from explorer.exploration import Instrumentation
from explorer.rundir import PROBES, write_bytes
from instrument.collector import collector_paused
from instrument.errors import UsageError
from instrument.probes import FailedScript, Mined, Position, ProbeMap, SourceFile
from instrument.probetable import Columns, ProbeTable, columns_of, table_of

VERSION = 1


@dataclass(frozen=True)
class Archive:
    """What is known before the first step: everything of an Exploration that its trace does not tell."""

    target: str
    build_kind: str
    build_reason: str
    instrumentation: Instrumentation
    probes: ProbeMap
    root: str = ""
    """Absolute path of the app's folder; "" for a URL."""
    command: str = ""
    started: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def save_archive(archive: Archive, folder: Path) -> Path:
    """Writes probes.json.gz into the run folder and returns its path."""
    probes = archive.probes
    record = {
        "version": VERSION,
        **{key: value for key, value in vars(archive).items() if key not in ("probes", "instrumentation")},
        "instrumentation": asdict(archive.instrumentation),
        "files": [_fields(source) for source in probes.files],
        "probes": _columns(probes),
        "counters": dict(probes.counters),
        "own": sorted(probes.own),
        "body": [[function, sorted(statements)] for function, statements in probes.body.items()],
        "mined": [[function, _fields(mined)] for function, mined in probes.mined.items()],
    }
    text = json.dumps(record, separators=(",", ":"))
    return write_bytes(folder / PROBES, gzip.compress(text.encode("ascii"), compresslevel=3, mtime=0))


def _fields(record: SourceFile | Mined) -> dict[str, Any]:
    """As asdict() has it, without its deep copies: a file may list a hundred thousand probes."""
    return {field.name: getattr(record, field.name) for field in fields(record)}


def load_archive(folder: Path) -> Archive:
    """Reads probes.json.gz back; raises UsageError when the folder has none or it cannot be read."""
    path = folder / PROBES
    try:
        with collector_paused():
            record = json.loads(gzip.decompress(path.read_bytes()))
            if record["version"] != VERSION:
                raise UsageError(
                    f"{path} has version {record['version']}, this is version {VERSION}: "
                    "use the release that wrote it, or run again."
                )
            return _archive(record)
    except FileNotFoundError as error:
        raise UsageError(
            f"{folder} is no run folder (no {PROBES}): name one that explore-app wrote."
        ) from error
    except (OSError, EOFError, ValueError, KeyError, TypeError, IndexError) as error:
        raise UsageError(f"{path} cannot be read ({error}): run the exploration again.") from error


def _archive(record: dict[str, Any]) -> Archive:
    measured = record["instrumentation"]
    listed = {key: _scripts(measured[key]) for key in ("failed", "unmeasured")}
    return Archive(
        target=record["target"],
        build_kind=record["build_kind"],
        build_reason=record["build_reason"],
        instrumentation=Instrumentation(
            **{
                **measured,
                **listed,
                "notes": tuple(measured["notes"]),
                "ways": _ways(measured.get("ways", ())),
            }
        ),
        probes=_probe_map(record),
        root=record.get("root", ""),
        command=record["command"],
        started=record["started"],
        versions=dict(record["versions"]),
        notes=tuple(record["notes"]),
    )


def _ways(rows: Iterable[tuple[str, Iterable[str]]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((way, tuple(files)) for way, files in rows)


def _scripts(rows: Iterable[dict[str, str]]) -> tuple[FailedScript, ...]:
    return tuple(FailedScript(**row) for row in rows)


def _columns(probes: ProbeMap) -> dict[str, Any]:
    columns = columns_of(probes.probes, [source.path for source in probes.files])
    return {
        "kind": "".join(map(str, columns.kinds)),
        "file": columns.files,
        "position": columns.positions,
        "function": columns.functions,
        "names": columns.names,
    }


def _probe_map(record: dict[str, Any]) -> ProbeMap:
    files = tuple(_source_file(row) for row in record["files"])
    return ProbeMap(
        files=files,
        probes=_probes(record["probes"], [source.path for source in files]),
        counters={key: tuple(tuple(slot) for slot in table) for key, table in record["counters"].items()},
        own=frozenset(record["own"]),
        body={function: frozenset(statements) for function, statements in record["body"]},
        mined={
            function: Mined(**{key: tuple(values) for key, values in mined.items()})
            for function, mined in record["mined"]
        },
    )


def _probes(columns: dict[str, Any], paths: Sequence[str]) -> ProbeTable:
    kinds = [int(kind) for kind in columns["kind"]]
    rows = Columns(kinds, columns["file"], columns["position"], columns["function"], columns["names"])
    return table_of(rows, paths)


def _source_file(row: dict[str, Any]) -> SourceFile:
    groups = tuple((kind, Position(*place), tuple(arms)) for kind, place, arms in row["branch_groups"])
    bodies = tuple(Position(*place) for place in row["bodies"])
    listed = {key: tuple(row[key]) for key in ("statements", "functions", "branches", "mapped_from")}
    return SourceFile(**{**row, **listed, "branch_groups": groups, "bodies": bodies})
