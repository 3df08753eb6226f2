"""All files of a run folder that are made from a finished Exploration, and the way back from the folder."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from explorer.agreement import AGREEMENT, agreement_json, load_agreement
from explorer.archive import load_archive
from explorer.assemble import assemble
from explorer.exploration import Exploration
from explorer.libraries import LIBRARIES, libraries_json, load_libraries
from explorer.modelsaid import closing_of
from explorer.report import render_report
from explorer.report.content import Content
from explorer.rundir import (
    COVERAGE,
    FINDINGS,
    GRAPH,
    GRAPHML,
    LCOV,
    REPORT,
    RUN,
    TRACE,
    UNREACHED,
    write_bytes,
    write_text,
)
from explorer.sightings import Sighting
from explorer.sourcefiles import locate_sources
from explorer.summary import run_json
from explorer.unreached import Unreached
from graph.export import graph_json, graphml
from graph.records import Finding
from graph.tracefile import read_trace
from instrument.collector import collector_paused
from instrument.coverage import coverage_final, lcov
from instrument.errors import UsageError
from judge.scorefile import load_scores


def write_outputs(exploration: Exploration, folder: Path) -> Path:
    """Writes everything but trace and screenshots, which the run wrote as it went; returns the path of report.html.

    run.json comes last: a folder that has one is complete. Raises UsageError where the disk refuses.
    """
    content = Content(exploration)
    with collector_paused():
        _write_json(folder / FINDINGS, [asdict(finding) for finding in exploration.findings])
        _write_json(folder / UNREACHED, [_row(row) for row in content.unreached])
        _write_json(folder / GRAPH, graph_json(exploration.graph))
        write_bytes(folder / GRAPHML, graphml(exploration.graph))
        _write_coverage(exploration, folder)
        if exploration.agreement is not None:
            _write_json(folder / AGREEMENT, agreement_json(exploration.agreement))
        if exploration.libraries:
            _write_json(folder / LIBRARIES, libraries_json(exploration.libraries))
        report = write_text(folder / REPORT, render_report(content))
        _write_json(folder / RUN, run_json(exploration))
    return report


def _row(row: Unreached) -> dict[str, Any]:
    """As asdict() has it, without its deep copies: an app may have ten thousand."""
    return {**_values(row), "sighting": _values(row.sighting) if row.sighting else None}


def _values(record: Unreached | Sighting) -> dict[str, Any]:
    return {name: getattr(record, name) for name in type(record).__slots__}


def _write_coverage(exploration: Exploration, folder: Path) -> None:
    """Both formats with the sources' paths on disk, where `nyc report` and genhtml read them."""
    places = locate_sources(exploration, folder)
    run = exploration
    _write_json(folder / COVERAGE, coverage_final(run.probes, run.hits, places=places), compact=True)
    write_text(folder / LCOV, lcov(run.probes, run.hits, places=places))


def load_exploration(folder: str | Path) -> Exploration:
    """Reads a run back from its folder, whether it came to its end or was cut off.

    Raises UsageError where the folder is no run folder or its files cannot be read.
    """
    folder = Path(folder).expanduser().absolute()
    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder}: name one that explore-app wrote.")
    archive, trace, summary = load_archive(folder), read_trace(folder / TRACE), _summary(folder)
    run = assemble(
        archive,
        trace,
        findings=_findings(folder),
        folder=str(folder),
        seconds=float(summary.get("seconds") or sum(ms for step in trace.steps for _, ms in step.ms) / 1000),
        timings_ms=summary.get("timings_ms"),
    )
    return replace(
        run,
        libraries=load_libraries(folder),
        agreement=load_agreement(folder),
        scores=load_scores(folder),
        models=summary.get("models") or {},
        closing=closing_of(summary.get("summary")),
    )


def _summary(folder: Path) -> dict[str, Any]:
    """run.json, or nothing for a run that was cut off before it was written."""
    path = folder / RUN
    if not path.exists():
        return {}
    summary = _read_json(path)
    if not isinstance(summary, dict):
        raise UsageError(f"{path} is no summary of a run: run the exploration again.")
    return summary


def _findings(folder: Path) -> tuple[Finding, ...] | None:
    """findings.json, or None where it was never written: then the steps tell."""
    path = folder / FINDINGS
    if not path.exists():
        return None
    try:
        return tuple(Finding(**{**row, "path": tuple(row["path"])}) for row in _read_json(path))
    except (TypeError, KeyError) as error:
        raise UsageError(
            f"{path} holds no findings ({error}): delete it, and the trace is read instead."
        ) from error


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read ({error}): run the exploration again.") from error


def _write_json(path: Path, value: object, *, compact: bool = False) -> None:
    indent, separators = (None, (",", ":")) if compact else (2, (",", ": "))
    write_text(path, json.dumps(value, indent=indent, separators=separators, ensure_ascii=False) + "\n")
