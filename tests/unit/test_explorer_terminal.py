"""What the terminal says of a run, and the gates on it."""

from dataclasses import replace

from explorer.terminal import gate_failures, lines
from graph.records import Finding, Request
from instrument.probes import FailedScript
from tests.explorations import exploration


def test_lines_say_coverage_states_faults_and_where_the_report_is() -> None:
    run = replace(exploration(), folder="/runs/one")
    text = "\n".join(lines(run))
    statements = [
        probe.id for probe in run.probes.probes if probe.kind == "statement" and probe.id in run.probes.own
    ]
    got, total = len(run.hits.intersection(statements)), len(statements)
    assert 0 < got < total and f"{100 * got / total:.1f} % of statements ({got}/{total})" in text
    assert f"States    {run.graph.number_of_nodes()}" in text
    assert run.findings[0].title in text
    assert "Report    /runs/one/report.html" in text
    assert "with 58 actions in 11.4 s; it ended because all 60 actions were spent." in text


def test_no_faults_and_no_code_are_said_plainly() -> None:
    run = exploration()
    files = tuple(replace(file, file_class="vendor") for file in run.probes.files)
    bare = replace(run, findings=(), probes=replace(run.probes, files=files, own=frozenset()))
    text = "\n".join(lines(bare))
    assert "none seen" in text and "no statements" in text


def test_one_is_singular() -> None:
    run = exploration()
    one = (Finding("dead-control", "x", 'button "Open" does nothing'),)
    few = replace(run, findings=one, trace=replace(run.trace, steps=run.trace.steps[:2]))
    text = "\n".join(lines(few))
    assert "with 1 action in" in text and "Faults    1 dead control\n" in text
    assert gate_failures(few, fail_on=["any"]) == ['1 finding: button "Open" does nothing']
    assert gate_failures(few, fail_on=["dead-control"])[0].startswith("1 finding of kind dead-control: ")
    two = replace(run, findings=(Finding("crash", "a", "A"), Finding("crash", "b", "B")))
    assert "2 crashes" in "\n".join(lines(two))


def test_run_that_was_cut_off_says_so() -> None:
    run = exploration()
    assert "it was cut off" in lines(replace(run, trace=replace(run.trace, stop="", stop_reason="")))[0]


def test_many_findings_are_counted_not_listed() -> None:
    many = tuple(Finding("exception", str(i), f"fault {i}") for i in range(9))
    text = "\n".join(lines(replace(exploration(), findings=many)))
    assert (
        "9 exceptions" in text
        and "fault 4" in text
        and "fault 5" not in text
        and "4 more in the report" in text
    )


def test_what_is_not_measured_is_named() -> None:
    run = exploration()
    left = replace(
        run.instrumentation, failed=(FailedScript("a.jsx", "Unexpected token (1:4)"),), unmeasured=()
    )
    assert "Unmeasured a.jsx: Unexpected token (1:4)" in lines(replace(run, instrumentation=left))


def test_scripts_of_hosts_that_were_kept_out_are_told_once() -> None:
    run = exploration()
    url = "https://other.example/react.js"
    made = replace(
        run.instrumentation, failed=(), unmeasured=(FailedScript(url, "loaded from another host"),)
    )
    outside = replace(run, instrumentation=made, blocked=())
    kept = (Request("GET", url, None, "kept in", blocked=True, resource="script"),)
    assert f"Unmeasured {url}: loaded from another host" in lines(outside)
    text = "\n".join(lines(replace(outside, blocked=kept)))
    assert (
        "Note      1 request to another host was kept in (other.example): add --allow-host other.example"
        in text
    )
    assert "Unmeasured" not in text


def test_libraries_are_named() -> None:
    assert "Libraries 1 file is counted apart: vendor/emitter.js" in lines(exploration())


def test_gates() -> None:
    run = exploration()
    statements = [
        probe.id for probe in run.probes.probes if probe.kind == "statement" and probe.id in run.probes.own
    ]
    got, total = len(run.hits.intersection(statements)), len(statements)
    percent = 100 * got / total
    assert gate_failures(run) == []
    assert gate_failures(run, fail_under=percent - 1) == []
    assert len(gate_failures(run, fail_under=percent + 1)) == 1
    kind = run.findings[0].kind
    assert len(gate_failures(run, fail_on=[kind])) == 1
    assert gate_failures(run, fail_on=["hang"]) == [] or any(f.kind == "hang" for f in run.findings)
    assert len(gate_failures(run, fail_on=["any"])) == 1
    assert gate_failures(replace(run, findings=()), fail_on=["any"]) == []
