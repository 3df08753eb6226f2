"""The run folder's files: what tools read, and the way back from the folder."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import networkx
import pytest

from explorer.archive import Archive, save_archive
from explorer.exploration import Exploration
from explorer.outputs import load_exploration, write_outputs
from explorer.report.content import Content
from explorer.rundir import TRACE
from explorer.sourcefiles import locate_sources
from explorer.summary import run_json
from graph.tracefile import TraceWriter
from instrument.errors import UsageError
from instrument.probetable import ProbeTable, columns_of, table_of
from tests.explorations import NOTEBOOK, attacked, exploration, write_screenshots


def archive_of(run: Exploration) -> Archive:
    return Archive(
        target=run.target,
        build_kind=run.build_kind,
        build_reason=run.build_reason,
        instrumentation=run.instrumentation,
        probes=run.probes,
        root=run.root,
        command=run.command,
        started=run.started,
        versions=dict(run.versions),
        notes=run.notes,
    )


def recorded(run: Exploration, folder: Path, *, steps: int | None = None) -> Exploration:
    """Writes what a run has written by its end, or by the time it was killed after `steps` steps."""
    run = write_screenshots(run, folder)
    save_archive(archive_of(run), folder)
    with TraceWriter(folder / TRACE) as writer:
        writer.head(run.trace.head)
        for step in run.trace.steps[:steps]:
            writer.step(step)
        if steps is None:
            writer.end(stop=run.trace.stop, reason=run.trace.stop_reason)
    return run


def files_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_probes_in_columns_and_as_objects_give_the_same_files(tmp_path: Path) -> None:
    run = exploration()
    paths = [file.path for file in run.probes.files]
    table = table_of(columns_of(run.probes.probes, paths), paths)
    assert not isinstance(run.probes.probes, ProbeTable)
    runs = {"objects": run, "columns": replace(run, probes=replace(run.probes, probes=table))}
    for name, each in runs.items():
        write_outputs(each, tmp_path / name)
        save_archive(archive_of(each), tmp_path / name)
    objects, columns = (
        {str(path.relative_to(tmp_path / name)): path.read_bytes() for path in files_in(tmp_path / name)}
        for name in runs
    )
    named = str(tmp_path / "columns").encode(), str(tmp_path / "objects").encode()
    assert objects == {name: content.replace(*named) for name, content in columns.items()}
    assert len(objects) > 6


def test_rows_of_unreached_code_are_whole_records(tmp_path: Path) -> None:
    run = exploration()
    write_outputs(run, tmp_path)
    assert read(tmp_path / "unreached.json") == json.loads(
        json.dumps([asdict(row) for row in Content(run).unreached])
    )
    assert any(row["sighting"] for row in read(tmp_path / "unreached.json"))


def test_every_file_of_the_contract_is_written(tmp_path: Path) -> None:
    report = write_outputs(recorded(exploration(), tmp_path), tmp_path)
    found = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert {name for name in found if not name.startswith("screenshots/")} == {
        "run.json",
        "trace.jsonl",
        "probes.json.gz",
        "findings.json",
        "unreached.json",
        "graph.graphml",
        "graph.json",
        "coverage/coverage-final.json",
        "coverage/lcov.info",
        "report.html",
    }
    assert report == tmp_path / "report.html"


def test_run_json_says_what_tools_ask_for() -> None:
    summary = run_json(exploration())
    assert summary["build"] == {"kind": "static", "reason": exploration().build_reason}
    assert summary["instrumentation"]["mode"] == "istanbul"
    assert summary["instrumentation"]["failed"][0]["path"] == "legacy/widget.jsx"
    assert summary["coverage"]["statements"] == {"covered": 77, "total": 112, "pct": 68.75}
    assert set(summary["coverage"]) >= {"statements", "functions", "branches", "vendor"}
    assert summary["coverage"]["vendor"]["statements"]["total"] == 9
    assert (summary["steps"], summary["replayed"], summary["states"]) == (58, 2, 12)
    assert summary["stop"] == {"kind": "budget", "reason": "all 60 actions were spent"}
    assert summary["findings"] == {"console-error": 1, "dead-control": 1, "exception": 1, "http-error": 1}
    assert summary["timings_ms"]["median_step"] == 118.0
    for key in ("target", "transitions", "seed", "budget", "tester", "hint", "versions", "command"):
        assert key in summary


def test_files_agree_with_each_other(tmp_path: Path) -> None:
    run = recorded(exploration(), tmp_path)
    write_outputs(run, tmp_path)
    graph = networkx.read_graphml(tmp_path / "graph.graphml")
    summary = read(tmp_path / "run.json")
    assert graph.number_of_nodes() == len(read(tmp_path / "graph.json")["nodes"]) == summary["states"]
    assert graph.number_of_edges() == summary["transitions"]
    covered = [sum(file["s"].values()) for file in read(tmp_path / "coverage/coverage-final.json").values()]
    assert sum(covered) == summary["coverage"]["statements"]["covered"]
    assert [row["kind"] for row in read(tmp_path / "findings.json")] == [item.kind for item in run.findings]
    rows = read(tmp_path / "unreached.json")
    functions = summary["coverage"]["functions"]
    assert len(rows) == functions["total"] - functions["covered"]
    assert set(rows[0]) >= {"name", "file", "line", "verdict", "reason", "states"}


def test_coverage_names_sources_where_they_are_on_disk(tmp_path: Path) -> None:
    run = exploration()
    app, store, vendor = run.probes.files
    mapped = replace(store, mapped_from=("bundle.js",), path="webpack:///../../st\0re.js")
    probes = replace(
        run.probes,
        files=(app, mapped, vendor),
        probes=tuple(
            replace(probe, file=mapped.path) if probe.file == store.path else probe
            for probe in run.probes.probes
        ),
    )
    write_outputs(write_screenshots(replace(run, probes=probes), tmp_path), tmp_path)

    found = read(tmp_path / "coverage/coverage-final.json")
    written = tmp_path / "coverage/sources/webpack_/st_re.js"
    assert (
        set(found) == {entry["path"] for entry in found.values()} == {str(NOTEBOOK / "app.js"), str(written)}
    )
    assert written.read_text() == store.text
    lines = (tmp_path / "coverage/lcov.info").read_text().splitlines()
    assert [line[3:] for line in lines if line.startswith("SF:")] == [str(NOTEBOOK / "app.js"), str(written)]


def test_every_source_that_coverage_names_is_on_disk_and_long_enough(tmp_path: Path) -> None:
    """genhtml ends with an error where a file or a line is missing."""
    run = exploration()
    silent = replace(run.probes.files[1], mapped_from=("bundle.js",), text="")
    probes = replace(run.probes, files=(run.probes.files[0], silent))
    write_outputs(write_screenshots(replace(run, probes=probes), tmp_path), tmp_path)

    records = (tmp_path / "coverage/lcov.info").read_text().split("end_of_record\n")[:-1]
    assert len(records) == 2
    for record in records:
        file = Path(next(line[3:] for line in record.splitlines() if line.startswith("SF:")))
        last = max(int(number) for number in re.findall(r"^(?:DA|FN|BRDA):(\d+)", record, re.MULTILINE))
        assert len(file.read_text().splitlines()) >= last
    assert "holds no text" in file.read_text()


@pytest.mark.parametrize(
    "path", ["../secret.js", "/etc/hosts", "x" * 400 + ".js", "..", "a/../../b.js", "nul\0.js"]
)
def test_a_source_s_path_never_leads_out_of_the_run_folder(path: str, tmp_path: Path) -> None:
    (tmp_path / "secret.js").write_text("mine")
    run = exploration()
    file = replace(run.probes.files[0], path=path)
    hostile = replace(run, root=str(tmp_path / "app"), probes=replace(run.probes, files=(file,)))
    (place,) = locate_sources(hostile, tmp_path / "run").values()
    assert Path(place).is_relative_to(tmp_path / "run" / "coverage" / "sources")
    assert Path(place).read_text() == file.text


def test_two_sources_that_would_share_a_name_get_their_own(tmp_path: Path) -> None:
    run = exploration()
    files = tuple(replace(run.probes.files[0], path=path, text=path) for path in ("a?.js", "a!.js"))
    places = locate_sources(replace(run, probes=replace(run.probes, files=files)), tmp_path)
    assert [Path(place).read_text() for place in places.values()] == ["a?.js", "a!.js"]


def test_a_finished_run_reads_back_equal(tmp_path: Path) -> None:
    run = recorded(exploration(), tmp_path)
    write_outputs(run, tmp_path)
    again = load_exploration(tmp_path)
    for name in (
        "target",
        "probes",
        "hits",
        "trace",
        "findings",
        "instrumentation",
        "command",
        "seconds",
        "versions",
    ):
        assert getattr(again, name) == getattr(run, name), name
    assert networkx.utils.graphs_equal(again.graph, run.graph)
    assert again.folder == str(tmp_path)


def test_a_run_that_was_killed_can_be_reported(tmp_path: Path) -> None:
    run = recorded(exploration(), tmp_path, steps=12)
    with (tmp_path / TRACE).open("ab") as file:
        file.write(b'{"step": {"index": 12, "act')

    half = load_exploration(tmp_path)
    report = write_outputs(half, tmp_path)

    assert len(half.trace.steps) == 12
    assert half.trace.stop == ""
    assert half.hits == {item for step in run.trace.steps[:12] for item in step.hits}
    assert [item.kind for item in half.findings] == ["console-error", "exception"]
    assert "cut off before its end" in report.read_text(encoding="utf-8")
    assert read(tmp_path / "run.json")["stop"]["kind"] == "cut-off"


def test_a_path_that_was_walked_again_is_read_back(tmp_path: Path) -> None:
    run = recorded(exploration(), tmp_path)
    first, second, *others = run.findings
    proved = (replace(first, path=(0, 1), verified=True), replace(second, verified=False), *others)
    write_outputs(replace(run, findings=proved), tmp_path)
    assert load_exploration(tmp_path).findings == proved


def test_reporting_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    write_outputs(recorded(exploration(), tmp_path), tmp_path)
    names = [path for path in tmp_path.rglob("*") if path.is_file()]
    before = {path: path.read_bytes() for path in names}
    write_outputs(load_exploration(tmp_path), tmp_path)
    changed = {path.name for path in names if path.read_bytes() != before[path]}
    # Medians are taken from the trace when a run is read back; the invented run's are not in its trace.
    assert changed <= {"run.json", "report.html"}
    assert read(tmp_path / "run.json")["coverage"] == json.loads(before[tmp_path / "run.json"])["coverage"]


def test_an_app_that_attacks_breaks_no_file(tmp_path: Path) -> None:
    hostile = write_screenshots(attacked(), tmp_path)
    write_outputs(hostile, tmp_path)
    for name in ("run.json", "findings.json", "unreached.json", "graph.json", "coverage/coverage-final.json"):
        read(tmp_path / name)
    assert networkx.read_graphml(tmp_path / "graph.graphml").number_of_nodes() == 12


def test_a_broken_or_missing_part_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no folder"):
        load_exploration(tmp_path / "none")
    with pytest.raises(UsageError, match="is no run folder"):
        load_exploration(tmp_path)
    write_outputs(recorded(exploration(), tmp_path), tmp_path)
    for name, content in (("findings.json", '[{"x": 1}]'), ("run.json", "[1]"), ("run.json", "{")):
        kept = (tmp_path / name).read_bytes()
        (tmp_path / name).write_text(content)
        with pytest.raises(UsageError, match=name.replace(".", r"\.")):
            load_exploration(tmp_path)
        (tmp_path / name).write_bytes(kept)


def test_run_json_is_written_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = recorded(exploration(), tmp_path)

    def broken(*_: object) -> str:
        raise UsageError("The report's script is not built.")

    monkeypatch.setattr("explorer.outputs.render_report", broken)
    with pytest.raises(UsageError):
        write_outputs(run, tmp_path)
    assert not (tmp_path / "run.json").exists()
    assert not list(tmp_path.rglob("*.partial"))


def test_a_run_of_another_s_findings_prefers_the_file(tmp_path: Path) -> None:
    run = recorded(exploration(), tmp_path)
    write_outputs(replace(run, findings=run.findings[:1]), tmp_path)
    assert load_exploration(tmp_path).findings == run.findings[:1]
