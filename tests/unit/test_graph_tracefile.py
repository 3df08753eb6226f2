"""The trace on disk: reads back equal, survives a kill, refuses what it does not know."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import pytest

from graph.records import (
    Action,
    Dialog,
    Effects,
    Fault,
    Field,
    Finding,
    Handler,
    Message,
    PageHandler,
    Request,
    Snapshot,
    Step,
    Target,
    Timer,
    Trace,
    TraceHead,
)
from graph.tracefile import VERSION, TraceWriter, read_trace
from instrument.errors import UsageError

HEAD = TraceHead(VERSION, "./dist", 7, 100, "guided", "built-in", "list", 1234)
HOSTILE = "\x00\x1f\udfff\ud800 \U0001f642\u2028]]>&<>\"'\\\n"
TARGET = Target(
    ref="e1",
    tag="input",
    role="textbox",
    name=HOSTILE,
    family="form>input|Name",
    ordinal=2,
    locator="#a >>> b",
    box=(1, -2, 3, 4),
    handlers=(Handler("click", 3), Handler("input", own=False)),
    field=Field(type="text", maxlength=5, options=("a", "b")),
    expanded=False,
)
SNAPSHOT = Snapshot(
    url="/#/a",
    title=HOSTILE,
    html=f"<p>{HOSTILE}</p>",
    digest="d",
    targets=(TARGET,),
    page_handlers=(PageHandler("keydown", 4),),
    timers=(Timer(200, None, True),),
)
STEPS = (
    Step(
        0, None, "", "s0", "/", "t", 12, (1, 2, 3), new_state=True, snapshot=SNAPSHOT, screenshot="0000.jpg"
    ),
    Step(
        index=1,
        action=Action("fill-form", HOSTILE, fields=(("#a", HOSTILE), ("#b", ""))),
        before="s0",
        after="s1",
        url="/",
        title="",
        gain=0,
        hits=(),
        findings=(Finding("exception", "x|1", HOSTILE, path=(0, 1)),),
        liveness="hung",
        performed=False,
        failure="gone",
        messages=(Message("error", HOSTILE),),
        faults=(Fault("boom", "at x", True),),
        requests=(Request("GET", "/a", None, "net::ERR", True, "image"), Request("GET", "/b", 404)),
        dialogs=(Dialog("prompt", "name?", True, "Ada"),),
        effects=Effects(requests=2),
        ms=(("act", 1.5), ("settle", 30.0)),
    ),
)


def write(path: Path, *, end: bool = True) -> Path:
    with TraceWriter(path) as writer:
        writer.head(HEAD)
        for step in STEPS:
            writer.step(step)
        if end:
            writer.end(stop="budget", reason="all spent")
    return path


def test_reads_back_equal(tmp_path: Path) -> None:
    trace = read_trace(write(tmp_path / "trace.jsonl"))

    assert trace == Trace(HEAD, STEPS, "budget", "all spent")


def test_every_line_is_plain_json_in_utf8(tmp_path: Path) -> None:
    lines = write(tmp_path / "trace.jsonl").read_text(encoding="utf-8").splitlines()

    entries = [json.loads(line) for line in lines if line]
    assert [next(key for key in entry if key != "trace") for entry in entries] == [
        "head",
        "step",
        "step",
        "end",
    ]
    assert entries[0]["trace"] == VERSION


def test_defaults_are_left_out(tmp_path: Path) -> None:
    entry = json.loads(write(tmp_path / "trace.jsonl").read_bytes().splitlines()[1])["step"]

    assert "popups" not in entry and "liveness" not in entry
    assert len(entry) < len(fields(Step))


def test_each_step_is_on_disk_when_the_call_returns(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path / "trace.jsonl")
    writer.head(HEAD)
    assert read_trace(writer.path).steps == ()
    writer.step(STEPS[0])
    assert read_trace(writer.path).steps == STEPS[:1]
    writer.close()


@pytest.mark.parametrize("cut", [1, 2, 40])
def test_a_torn_last_line_is_left_out(tmp_path: Path, cut: int) -> None:
    path = write(tmp_path / "trace.jsonl", end=False)
    path.write_bytes(path.read_bytes()[:-cut])

    trace = read_trace(path)

    assert trace.steps == (STEPS if cut == 1 else STEPS[:1])
    assert trace.stop == ""


def test_resuming_cuts_the_torn_line_and_the_end_off(tmp_path: Path) -> None:
    path = write(tmp_path / "trace.jsonl")
    path.write_bytes(path.read_bytes() + b'{"step": {"ind')

    with TraceWriter(path, resume=True) as writer:
        writer.step(STEPS[1])
        writer.end(stop="time", reason="limit")

    assert read_trace(path) == Trace(HEAD, (*STEPS, STEPS[1]), "time", "limit")


def test_a_damaged_line_in_the_middle_is_told(tmp_path: Path) -> None:
    path = write(tmp_path / "trace.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b"{broken\n" + b"".join(lines[1:]))

    with pytest.raises(UsageError, match=r"Line 2 of .* is damaged"):
        read_trace(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not a trace"),
        (b"\n", "is not a trace"),
        (b"\x89PNG\r\n", "is not a trace"),
        (b'{"a": 1}\n', "is not a trace"),
        (b"[1]\n", "is not a trace"),
        (b'{"trace": 99, "head": {}}\n', "trace format 99"),
        (b'{"trace": 1, "head": {"version": 1}}\n', "first line of .* is damaged"),
    ],
)
def test_foreign_files_are_refused_in_one_sentence(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_bytes(content)

    with pytest.raises(UsageError, match=message):
        read_trace(path)


@pytest.mark.parametrize("resume", [False, True])
def test_a_missing_trace_is_told(tmp_path: Path, resume: bool) -> None:
    with pytest.raises(UsageError, match="Cannot read the trace"):
        if resume:
            TraceWriter(tmp_path / "none.jsonl", resume=True)
        else:
            read_trace(tmp_path / "none.jsonl")
