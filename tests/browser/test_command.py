"""The command as a user runs it: what it prints, what it leaves behind, how it exits."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from explorer.provision import Browser

pytestmark = pytest.mark.browser
COMMAND = [sys.executable, "-c", "from explorer.cli import main; main()"]


def _run(*arguments: str | Path, cwd: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_the_demo_shows_progress_and_results_and_fails_only_where_asked(
    apps: Path, tmp_path: Path, found_browser: Browser
) -> None:
    gates = ("--fail-on", "broken-image", "--fail-under", "100")
    done = _run(apps / "demo", "--budget", "12", "--out", "run", *gates, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "12/12 actions" in done.stderr
    assert done.stderr.count("failed: ") == 2
    for expected in ("% of statements", "States", "1 broken image", "report.html"):
        assert expected in done.stdout
    summary = json.loads((tmp_path / "run" / "run.json").read_text())
    assert summary["instrumentation"]["mode"] == "istanbul"
    assert summary["coverage"]["statements"]["covered"] > 100
    assert (tmp_path / "run" / "report.html").stat().st_size > 100_000


def test_interrupted_it_writes_what_it_has(apps: Path, tmp_path: Path, found_browser: Browser) -> None:
    running = subprocess.Popen(
        [*COMMAND, str(apps / "demo"), "--budget", "5000", "--out", "run"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    trace = tmp_path / "run" / "trace.jsonl"
    until = time.monotonic() + 120
    while time.monotonic() < until and not (trace.exists() and trace.read_text().count("\n") > 4):
        time.sleep(0.2)
    running.send_signal(signal.SIGINT)
    said, _ = running.communicate(timeout=120)
    assert running.returncode == 130, said
    assert json.loads((tmp_path / "run" / "run.json").read_text())["stop"]["kind"] == "interrupt"
    assert (tmp_path / "run" / "report.html").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["missing"], 2, "missing does not exist"),
        (["empty"], 3, "is empty"),
        (["app", "--budget", "0"], 2, "--budget"),
        (["app", "--no-such-option"], 2, "No such option"),
        (["app", "--port", "{taken}"], 2, "Port {taken} is in use"),
        (["app", "--browser", "nowhere"], 3, "--browser names nowhere"),
        (["app", "--out", "app"], 2, "app"),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_that_looks_whole(
    tmp_path: Path, arguments: list[str], code: int, sentence: str
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "index.html").write_text("<p>app")
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        taken = str(listener.getsockname()[1])
        done = _run(*(argument.replace("{taken}", taken) for argument in arguments), cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    errors = [line for line in done.stderr.splitlines() if line.startswith("explore-app: ")]
    assert len(errors) == 1
    assert sentence.replace("{taken}", taken) in errors[0]
    assert not list(tmp_path.rglob("run.json"))


def test_the_doctor_tells_what_is_there_and_never_a_key(tmp_path: Path, found_browser: Browser) -> None:
    done = _run("doctor", cwd=tmp_path, ANTHROPIC_API_KEY="sk-very-secret")
    assert done.returncode == 0, done.stdout
    assert found_browser.version in done.stdout
    assert "very-secret" not in done.stdout + done.stderr


def test_the_doctor_fails_where_something_needed_is_missing(tmp_path: Path) -> None:
    done = _run("doctor", cwd=tmp_path, EXPLORER_BROWSER="/nowhere")
    assert done.returncode != 0
    assert "EXPLORER_BROWSER names /nowhere" in done.stdout
