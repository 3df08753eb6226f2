"""What the doctor says of machines that lack something."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from explorer import doctor
from explorer.doctor import Check, examine, healthy
from explorer.provision import Browser
from instrument.errors import BrowserError, UsageError
from instrument.node import WorkerPool


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No browser is started and nothing outside tmp_path is written."""

    def none(path: str | None, **_: object) -> Browser:
        raise BrowserError("No Chromium was found: run this.")

    monkeypatch.setattr(doctor, "find_browser", none)
    monkeypatch.setattr(doctor, "default_cache_dir", lambda: tmp_path / "cache")


def _by_name(**environ: str) -> dict[str, Check]:
    return {check.name: check for check in examine(environ=environ)}


@pytest.mark.usefixtures("machine")
def test_a_missing_browser_fails_with_the_command_to_run() -> None:
    check = _by_name()["Browser"]
    assert (check.ok, check.needed, check.fix) == (False, True, "No Chromium was found: run this.")


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize("name", ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"])
def test_a_model_key_is_named_but_never_shown(name: str) -> None:
    checks = _by_name(**{name: "sk-very-secret"})
    assert checks["Model key"].ok
    assert checks["Model key"].found.startswith(f"present ({name}): ")
    assert "very-secret" not in str(checks)


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize("environ", [{}, {"ANTHROPIC_API_KEY": ""}])
def test_no_model_key_is_no_fault(environ: dict[str, str]) -> None:
    check = _by_name(**environ)["Model key"]
    assert (check.ok, check.needed, check.fix) == (False, False, "")
    assert check.found == "none: all roles are played by the built-ins"


@pytest.mark.usefixtures("machine")
def test_a_missing_instrumenter_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object, **__: object) -> object:
        raise UsageError("worker.mjs is missing")

    monkeypatch.setattr(doctor, "WorkerPool", missing)
    check = _by_name()["Instrumenter"]
    assert not check.ok
    assert check.found == "worker.mjs is missing"
    assert "pip install" in check.fix


@pytest.mark.usefixtures("machine")
def test_an_instrumenter_that_does_not_answer_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "worker.mjs"
    broken.write_text("process.exit(1)")
    pool = WorkerPool
    monkeypatch.setattr(doctor, "WorkerPool", lambda size: pool(size=size, program=broken))
    assert "stopped" in _by_name()["Instrumenter"].found


@pytest.mark.usefixtures("machine")
def test_a_cache_that_cannot_be_written_is_told_but_needless(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(doctor, "default_cache_dir", lambda: tmp_path / "file" / "cache")
    check = _by_name()["Cache"]
    assert (check.ok, check.needed) == (False, False)
    assert str(tmp_path) in check.found


@pytest.mark.usefixtures("machine")
def test_a_full_disk_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class Usage(NamedTuple):
        total: int = 10**9
        used: int = 10**9
        free: int = 1000

    monkeypatch.setattr(shutil, "disk_usage", lambda folder: Usage())
    check = _by_name()["Disk"]
    assert not check.ok
    assert "500 MB" in check.fix


@pytest.mark.usefixtures("machine")
def test_python_and_node_are_told() -> None:
    checks = _by_name()
    assert sys.executable in checks["Python"].found
    assert Path(checks["Node"].found.split(" (")[0]).is_file()


def test_health_is_what_is_needed() -> None:
    good, bad = Check("a", True, ""), Check("b", False, "", "fix")
    assert healthy((good, Check("c", False, "", "fix", needed=False)))
    assert not healthy((good, bad))


@pytest.mark.browser
def test_on_this_machine_all_is_well() -> None:
    checks = examine()
    assert healthy(checks), checks
    assert "started in" in next(check for check in checks if check.name == "Browser").found


@pytest.mark.browser
def test_a_program_that_dies_at_once_is_told(tmp_path: Path) -> None:
    program = tmp_path / "chromium"
    program.write_text('#!/bin/sh\n[ "$1" = --version ] && echo Chromium 1.2.3.4 || exit 1\n')
    program.chmod(0o755)
    browser = next(check for check in examine(browser=str(program)) if check.name == "Browser")
    assert not browser.ok
    assert "did not start" in browser.fix


@pytest.mark.usefixtures("machine")
def test_a_missing_sandbox_is_no_fault_and_says_what_it_is_for(monkeypatch: pytest.MonkeyPatch) -> None:
    async def missing() -> object:
        raise UsageError("--sandbox cannot be had here (no namespaces): install bubblewrap.")

    monkeypatch.setattr(doctor, "find_sandbox", missing)
    check = _by_name()["Sandbox"]
    assert (check.ok, check.needed, check.found) == (
        False,
        False,
        "--sandbox cannot be had here (no namespaces)",
    )
    assert "--sandbox" in check.fix
