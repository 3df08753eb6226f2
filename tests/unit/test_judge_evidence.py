"""A run folder becomes exhibits: stable ids, what a user could have seen, nothing of the source, the machine or the time."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from graph.collapse import collapse
from graph.records import Message
from instrument.errors import UsageError
from judge.evidence import gather, read_case
from judge.scrub import TIMESTAMP, scrubber
from tests.cases import case, notebook, snapshot, write_run


def test_every_step_state_transition_and_picture_is_an_exhibit(tmp_path: Path) -> None:
    evidence = case(tmp_path).evidence
    ids = [exhibit.id for exhibit in evidence.exhibits]
    assert [each for each in ids if each[0] == "S"] == [f"S{number}" for number in range(7)]
    assert [each for each in ids if each[0] == "N"] == ["N1", "N2", "N3"]
    assert [each for each in ids if each[0] == "P"] == ["P1", "P2", "P3"]
    assert len([each for each in ids if each[0] == "E"]) == 6
    assert len(set(ids)) == len(ids)


def test_ids_are_the_same_for_a_run_that_went_on(tmp_path: Path) -> None:
    whole = notebook()
    short = replace(whole, steps=whole.steps[:4])
    long = {each.id: each for each in gather(whole, collapse(whole)).exhibits}
    for exhibit in gather(short, collapse(short)).exhibits:
        assert long[exhibit.id].state == exhibit.state and long[exhibit.id].kind == exhibit.kind
        if exhibit.kind == "edge":
            assert long[exhibit.id].text.split(" (at ")[0] == exhibit.text.split(" (at ")[0]


def test_a_step_tells_what_was_done_and_what_came_of_it(tmp_path: Path) -> None:
    steps = {each.id: each.text for each in case(tmp_path).evidence.of("step")}
    assert steps["S0"].startswith("loaded: N1 (new state, picture P1)")
    assert 'fill "Milk" into button "What" in N1, stayed there' in steps["S1"]
    assert '+ text "Milk"' in steps["S2"] and "to N2 (new state, picture P2)" in steps["S2"]
    assert 'confirm dialog "Leave?", accepted' in steps["S4"]
    assert "exception: TypeError: rows is undefined" in steps["S5"]
    assert "request failed: GET /api/notes (500 Oops)" in steps["S6"]


def test_states_are_told_in_full_or_by_their_difference(tmp_path: Path) -> None:
    trace = notebook()
    many = "".join(f"<p>Paragraph {number}</p>" for number in range(20))
    grown = replace(trace.steps[2], snapshot=snapshot(many + "<p>Milk</p>"))
    trace = replace(
        trace,
        steps=(replace(trace.steps[0], snapshot=snapshot(many)), trace.steps[1], grown, *trace.steps[3:]),
    )
    nodes = gather(trace, collapse(trace)).of("node")
    assert 'text "Paragraph 7"' in nodes[0].text
    assert (
        'shows what N1 shows, but:\n  + text "Milk"' in nodes[1].text and "Paragraph 7" not in nodes[1].text
    )
    assert 'text "Paragraph 7"' in nodes[1].quotable


def test_nothing_of_source_machine_or_time_is_in_it(tmp_path: Path) -> None:
    evidence = case(tmp_path).evidence
    told = evidence.head + "".join(f"{each.text}\n{each.quotable}\n" for each in evidence.exhibits)
    for secret in ("exportRows", "app.js:7", "unexecuted", "43210", "127.0.0.1", str(tmp_path), "statements"):
        assert secret not in told, secret
    assert "never tried" not in told


def test_two_folders_of_one_run_give_the_same_evidence(tmp_path: Path) -> None:
    one, other = case(tmp_path / "one").evidence, case(tmp_path / "other").evidence
    assert (one.exhibits, one.head, one.pages) == (other.exhibits, other.head, other.pages)


def test_scrubbing_leaves_what_the_app_says_of_days_and_clocks() -> None:
    scrub = scrubber(["/home/me/runs/one", "/home/me"])
    assert scrub("at http://127.0.0.1:8080/a?b and ws://localhost:9/x") == "at /a?b and /x"
    assert scrub("open /home/me/runs/one/trace.jsonl and /home/me/x") == "open …/trace.jsonl and …/x"
    assert scrub("file:///home/me/app/index.html") == "…/index.html"
    assert scrub("saved 2026-03-14T10:20:30.123Z at 1773484830123") == f"saved {TIMESTAMP} at {TIMESTAMP}"
    assert scrub("due 2026-03-14 at 10:20, 1234567890") == "due 2026-03-14 at 10:20, 1234567890"
    assert scrub("https://example.com:8443/x") == "https://example.com:8443/x"


def test_many_messages_of_a_step_are_bounded_and_counted(tmp_path: Path) -> None:
    trace = notebook()
    noisy = replace(trace.steps[1], messages=tuple(Message("error", f"no {number}") for number in range(30)))
    trace = replace(trace, steps=(trace.steps[0], noisy, *trace.steps[2:]))
    text = gather(trace, collapse(trace)).by_id()["S1"].text
    assert text.count("console error") == 4 and "… and 26 more of the kind" in text


def test_models_that_explored_are_named(tmp_path: Path) -> None:
    folder = write_run(tmp_path, replace(notebook(), head=replace(notebook().head, tester="model claude-a")))
    (folder / "run.json").write_text(json.dumps({"models": {"hint": {"models": ["claude-b"], "calls": 2}}}))
    assert read_case(folder).evidence.families == ("model claude-a", "built-in", "claude-b")
    (folder / "run.json").write_text("{")
    with pytest.raises(UsageError, match="cannot be read"):
        read_case(folder)


def test_missing_picture_is_no_exhibit(tmp_path: Path) -> None:
    folder = write_run(tmp_path)
    (folder / "screenshots/0002.jpg").unlink()
    assert [each.id for each in read_case(folder).evidence.of("screenshot")] == ["P1", "P3"]


def test_what_is_no_run_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no folder"):
        read_case(tmp_path / "none")
    with pytest.raises(UsageError, match=re.escape("trace.jsonl")):
        read_case(tmp_path)
    folder = write_run(tmp_path / "run")
    (folder / "findings.json").write_text("[1]")
    with pytest.raises(UsageError, match="holds no findings"):
        read_case(folder)
