"""The command with models, against a Messages API server on this machine: roles, limits, failures, record and replay."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from explorer.provision import Browser
from tests.brains import by_schema, explorer_brain, plain_tester
from tests.modelserver import ModelServer, Prompt, Refuse, Slow, Trouble

pytestmark = pytest.mark.browser
COMMAND = [sys.executable, "-c", "from explorer.cli import main; main()"]
KEY = "k-very-private-0123456789"


@dataclass(frozen=True)
class Ended:
    """A run of the command that has ended."""

    code: int
    out: str
    err: str
    folder: Path

    @property
    def run(self) -> dict[str, Any]:
        return dict(json.loads((self.folder / "run.json").read_text()))

    @property
    def steps(self) -> list[dict[str, Any]]:
        rows = map(json.loads, (self.folder / "trace.jsonl").read_text().splitlines())
        return [row["step"] for row in rows if "step" in row]


def command(
    app: Path,
    *arguments: str | Path,
    at: Path,
    server: ModelServer | None = None,
    key: str = "",
    name: str = "run",
) -> Ended:
    """Runs the command in a folder of its own."""
    at.mkdir(parents=True, exist_ok=True)
    place = ["--base-url", server.url] if server else []
    done = subprocess.run(
        [*COMMAND, str(app), "--out", name, *map(str, arguments), *place],
        cwd=at,
        env={**os.environ, **({"ANTHROPIC_API_KEY": key} if key else {})},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr, at / name)


def covered(ended: Ended) -> int:
    return int(ended.run["coverage"]["statements"]["covered"])


def test_mixed_mode_reads_what_the_built_in_cannot(
    apps: Path, tmp_path: Path, found_browser: Browser
) -> None:
    with ModelServer(explorer_brain, key=KEY) as server:
        mixed = command(apps / "gate", "--budget", "18", at=tmp_path / "a", server=server, key=KEY)
        plain = command(
            apps / "gate", "--budget", "18", "--model", "none", at=tmp_path / "b", server=server, key=KEY
        )
    assert mixed.code == plain.code == 0, mixed.err
    assert covered(mixed) > covered(plain)
    assert "hint model claude-sonnet-5-5 (a key was found (ANTHROPIC_API_KEY))" in mixed.err
    assert "hint built-in (--model none)" in plain.err
    assert mixed.run["hint"] == "model claude-sonnet-5-5"
    assert plain.run["hint"] == "built-in"
    assert plain.run["models"] == {}
    models = mixed.run["models"]
    assert models["values"]["calls"] >= 1
    assert models["values"]["tokens"]["input"] > 0
    assert "Model     hint claude-sonnet-5-5: " in mixed.out
    typed = [
        step for step in mixed.steps if (step["action"] or {}).get("reason", "").startswith("hint: a text")
    ]
    assert re.fullmatch(r"\d{4}", typed[0]["action"]["value"])
    assert "model claude-sonnet-5-5: " in next(step["hint"] for step in mixed.steps if step.get("hint"))


def test_only_few_actions_of_the_mixed_mode_wait_for_the_model(
    apps: Path, tmp_path: Path, found_browser: Browser
) -> None:
    with ModelServer(explorer_brain) as server:
        ended = command(apps / "gate", "--budget", "15", at=tmp_path, server=server)
    waited = [step for step in ended.steps if "model" in dict(step["ms"])]
    assert 0 < len(waited) < 8
    assert not server.asked("Move")


def test_the_model_tester_explores_and_tells_at_the_end(
    apps: Path, tmp_path: Path, found_browser: Browser
) -> None:
    with ModelServer(explorer_brain) as server:
        ended = command(apps / "demo", "--tester", "model", "--budget", "9", at=tmp_path, server=server)
    assert ended.code == 0, ended.err
    assert ended.run["tester"] == "model"
    assert ended.run["summary"]["functionality"] == ["an app"]
    assert ended.run["summary"]["interactions"] == ["9 steps"]
    assert ended.run["fallbacks"] == []
    assert all("was never tried" in step["action"]["reason"] for step in ended.steps if step["action"])
    assert ended.run["models"]["tester"]["tokens"]["cache_read"] > 0
    shown = [*server.asked("Move"), *server.asked("ClosingSummary")]
    everything = "".join(prompt.system + prompt.evidence + prompt.question for prompt in shown)
    for secret in ("app.js", "function ", "statements", "127.0.0.1", str(tmp_path)):
        assert secret not in everything
    assert "an app" in (ended.folder / "report.html").read_text()
    before = ended.run
    again = subprocess.run(
        [*COMMAND, "report", str(ended.folder)], capture_output=True, check=False, timeout=120
    )
    assert again.returncode == 0
    assert {key: ended.run[key] for key in ("models", "summary")} == {
        key: before[key] for key in ("models", "summary")
    }


def test_a_resumed_run_keeps_its_accounts_and_limits(
    apps: Path, tmp_path: Path, found_browser: Browser
) -> None:
    with ModelServer(explorer_brain) as server:
        arguments = ("--tester", "model", "--hint-model", "none", "--max-calls", "4")
        first = command(apps / "gate", *arguments, "--budget", "2", at=tmp_path, server=server)
        calls = first.run["models"]["tester"]["calls"]
        again = subprocess.run(
            [*COMMAND, "resume", str(first.folder), "--budget", "5"],
            capture_output=True,
            check=False,
            timeout=120,
        )
    assert again.returncode == 0, again.stderr
    assert calls == 3
    assert first.run["models"]["tester"]["calls"] == 4
    assert first.run["models"]["tester"]["statuses"]["over-limit"] >= 1


def test_screenshots_are_shown_to_the_tester(apps: Path, tmp_path: Path, found_browser: Browser) -> None:
    with ModelServer(explorer_brain) as server:
        command(
            apps / "gate",
            "--tester",
            "model",
            "--tester-screenshots",
            "--budget",
            "2",
            at=tmp_path,
            server=server,
        )
    moves = server.asked("Move")
    assert all(len(prompt.images) == 1 for prompt in moves)
    assert moves[0].images[0][:3] == b"\xff\xd8\xff"


def test_a_recorded_run_is_repeated_without_a_server_in_another_place(
    apps: Path, tmp_path: Path, found_browser: Browser
) -> None:
    tape = tmp_path / "tape"
    asked = ("--tester", "model", "--budget", "8")
    with ModelServer(explorer_brain, key=KEY) as server:
        first = command(apps / "demo", *asked, "--record", tape, at=tmp_path / "a", server=server, key=KEY)
    again = command(apps / "demo", *asked, "--replay", tape, at=tmp_path / "else" / "where")
    assert first.code == again.code == 0, again.err
    assert [step["action"] for step in first.steps] == [step["action"] for step in again.steps]
    assert [step["after"] for step in first.steps] == [step["after"] for step in again.steps]
    assert first.run["summary"] == again.run["summary"]
    assert again.run["models"]["tester"]["tokens"] == first.run["models"]["tester"]["tokens"]
    assert again.run["models"]["tester"]["replayed"] == again.run["models"]["tester"]["calls"]
    names = {path.name for path in tape.iterdir()}
    with ModelServer(explorer_brain) as server:
        command(apps / "demo", *asked, "--record", tmp_path / "tape2", at=tmp_path / "b", server=server)
    assert {path.name for path in (tmp_path / "tape2").iterdir()} == names
    kept = [
        *tape.iterdir(),
        *(path for path in first.folder.rglob("*") if path.suffix in (".json", ".jsonl", ".html")),
    ]
    assert len(kept) > 10
    assert all(KEY not in path.read_text() for path in kept)


def test_another_run_than_the_recorded_one_is_a_sentence(
    apps: Path, tmp_path: Path, found_browser: Browser
) -> None:
    (tmp_path / "tape").mkdir()
    ended = command(
        apps / "demo", "--tester", "model", "--budget", "3", "--replay", tmp_path / "tape", at=tmp_path
    )
    assert ended.code == 2
    assert "has no reply to this request of the tester" in ended.err
    assert "Traceback" not in ended.err


def revoking(server: ModelServer, after: int) -> Callable[[Prompt], object]:
    """The explorer's brain; after so many answers the key is no longer good."""

    def brain(prompt: Prompt) -> object:
        if prompt.number >= after:
            server.key = "another"
        return explorer_brain(prompt)

    return brain


def test_a_key_that_is_revoked_in_the_middle_falls_back_and_says_so(
    apps: Path, tmp_path: Path, found_browser: Browser
) -> None:
    arguments = ("--tester", "model", "--budget", "9")
    with ModelServer(explorer_brain, key=KEY) as server:
        server.brain = revoking(server, 4)
        tape = tmp_path / "tape"
        ended = command(
            apps / "demo", *arguments, "--record", tape, at=tmp_path / "a", server=server, key=KEY
        )
    assert ended.code == 0, ended.err
    acted = [step for step in ended.steps if step["action"]]
    assert len(acted) == 9
    notes = [step.get("notes", []) for step in acted]
    assert notes[:4] == [[]] * 4
    assert all(
        "tester: built-in (guided) instead of model" in note[-1] and "401" in note[-1] for note in notes[4:]
    )
    assert "401" in ended.run["summary"]["reason"]
    assert ended.run["models"]["tester"]["statuses"] == {"ok": 4, "unavailable": 1}
    assert "fell back: tester: built-in" in ended.out
    again = command(apps / "demo", *arguments, "--replay", tape, at=tmp_path / "b")
    assert again.code == 0, again.err
    assert [(step["action"], step.get("notes")) for step in again.steps] == [
        (step["action"], step.get("notes")) for step in ended.steps
    ]


def test_a_limit_on_calls_ends_the_asking_politely(
    apps: Path, tmp_path: Path, found_browser: Browser
) -> None:
    with ModelServer(explorer_brain) as server:
        ended = command(
            apps / "demo",
            "--tester",
            "model",
            "--budget",
            "6",
            "--max-calls",
            "2",
            at=tmp_path,
            server=server,
        )
    assert ended.code == 0, ended.err
    assert len(server.prompts) == 2
    assert len([step for step in ended.steps if step["action"]]) == 6
    assert any("--max-calls" in note for step in ended.steps for note in step.get("notes", []))
    assert ended.run["models"]["tester"]["statuses"]["over-limit"] == 1


def test_a_limit_on_cost_wants_a_price_and_keeps_to_it(
    apps: Path, tmp_path: Path, found_browser: Browser
) -> None:
    with ModelServer(explorer_brain) as server:
        unknown = command(
            apps / "demo", "--model", "mine", "--max-cost", "1", at=tmp_path / "a", server=server
        )
        table = tmp_path / "prices.toml"
        keys = ("input", "output", "cache_read", "cache_write_5m", "cache_write_1h")
        table.write_text("[mine]\n" + "\n".join(f"{key} = 1000.0" for key in keys))
        arguments = (
            "--tester",
            "model",
            "--model",
            "mine",
            "--max-cost",
            "0.5",
            "--prices",
            table,
            "--budget",
            "4",
        )
        known = command(apps / "demo", *arguments, at=tmp_path / "b", server=server)
    assert unknown.code == 2
    assert "--prices FILE" in unknown.err
    assert known.code == 0, known.err
    assert known.run["models"]["tester"]["calls"] == 1
    assert known.run["models"]["tester"]["cost"] > 0.5


@pytest.mark.parametrize(
    ("trouble", "word"),
    [
        (Refuse("I will not."), "declined"),
        ("no JSON", "not JSON"),
        (Trouble(400, "invalid_request_error", "odd request"), "odd request"),
    ],
)
def test_whatever_the_model_does_the_run_finishes(
    apps: Path, tmp_path: Path, found_browser: Browser, trouble: object, word: str
) -> None:
    with ModelServer(by_schema({}, otherwise=lambda _: trouble)) as server:
        ended = command(apps / "gate", "--tester", "model", "--budget", "3", at=tmp_path, server=server)
    assert ended.code == 0, ended.err
    assert all(word in step["notes"][-1] for step in ended.steps if step["action"])


def test_an_interrupt_does_not_wait_for_a_slow_model(
    apps: Path, tmp_path: Path, found_browser: Browser
) -> None:
    def slow(prompt: Prompt) -> object:
        return Slow(120 if prompt.number > 2 else 0, plain_tester(prompt))

    with ModelServer(slow) as server:
        running = subprocess.Popen(
            [*COMMAND, str(apps / "demo"), "--tester", "model", "--out", "run", "--base-url", server.url],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        until = time.monotonic() + 120
        while time.monotonic() < until and len(server.prompts) < 3:
            time.sleep(0.1)
        running.send_signal(signal.SIGINT)
        # The model would answer after 120 seconds; the command has ended long before.
        said, _ = running.communicate(timeout=60)
    assert running.returncode == 130, said
    assert json.loads((tmp_path / "run" / "run.json").read_text())["stop"]["kind"] == "interrupt"


def test_no_key_and_a_model_that_is_wanted_is_a_sentence(
    apps: Path, tmp_path: Path, found_browser: Browser
) -> None:
    ended = command(apps / "demo", "--tester", "model", at=tmp_path)
    assert ended.code == 2
    assert "--tester model wants a model" in ended.err
    named = command(apps / "demo", "--model", "claude-opus-5-5", at=tmp_path, name="b")
    assert named.code == 2
    assert "set ANTHROPIC_API_KEY" in named.err
