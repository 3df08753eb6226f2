"""Build processes: what they see, where their output goes, and that nothing of them stays."""

from __future__ import annotations

import asyncio
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from instrument.environment import build_environment, registry_settings
from instrument.errors import AppError
from instrument.processgroup import members
from instrument.runner import Finished, Limits, answers, free_port, run_command, start_server

STUBBORN = (
    "import os, signal, sys, time\n"
    "if os.fork() == 0:\n"
    "    os.setsid()\n"
    "    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    "    open(sys.argv[1], 'w').write(str(os.getpid()))\n"
    "    time.sleep(600)\n"
)
"""Starts a grandchild in a session of its own that ignores SIGTERM; then waits or ends."""


def environment(home: Path) -> dict[str, str]:
    return build_environment(home=home, environ={"PATH": os.environ["PATH"]})


async def run(command: str | list[str], folder: Path, limits: Limits | None = None) -> Finished:
    return await run_command(
        command, cwd=folder, env=environment(folder), log=folder / "build.log", limits=limits
    )


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def test_the_output_goes_to_the_log_and_the_listener_without_colours(tmp_path: Path) -> None:
    said: list[str] = []
    code = "print('\\x1b[32mone\\x1b[0m'); print('half\\rtwo'); import sys; print('three', file=sys.stderr)"
    finished = asyncio.run(
        run_command(
            [sys.executable, "-u", "-c", code],
            cwd=tmp_path,
            env=environment(tmp_path),
            log=tmp_path / "logs" / "build.log",
            say=said.append,
        )
    )
    assert finished.ok
    assert finished.code == 0
    assert finished.lines == ("one", "two", "three")
    assert said == ["one", "two", "three"]
    assert (tmp_path / "logs" / "build.log").read_text().splitlines()[1:] == ["one", "two", "three"]


def test_a_failure_has_its_code_and_last_lines(tmp_path: Path) -> None:
    finished = asyncio.run(run("echo before; exit 7", tmp_path))
    assert (finished.code, finished.lines, finished.ok) == (7, ("before",), False)


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(AppError, match="no-such-tool could not be started"):
        asyncio.run(run(["no-such-tool"], tmp_path))


def test_a_build_sees_no_secret_and_a_home_of_its_own(tmp_path: Path) -> None:
    given = {
        "PATH": "/bin",
        "LANG": "C.UTF-8",
        "HOME": "/home/someone",
        "AWS_SECRET_ACCESS_KEY": "x",
        "GITHUB_TOKEN": "x",
        "NPM_TOKEN": "x",
        "npm_config_//registry/:_authToken": "x",
        "VITE_API_KEY": "x",
        "VITE_TITLE": "Shop",
        "npm_config_registry": "http://registry.invalid",
        "NODE_EXTRA_CA_CERTS": "/ca.pem",
        "https_proxy": "http://proxy.invalid",
        "NODE_OPTIONS": "--require /evil.js --max-old-space-size=4096",
        "DATABASE_URL": "x",
    }
    env = build_environment(home=tmp_path, environ=given)
    assert "x" not in env.values()
    assert env["HOME"] == str(tmp_path)
    assert env["VITE_TITLE"] == "Shop"
    assert env["NODE_OPTIONS"] == "--max-old-space-size=4096"
    for name in ("PATH", "LANG", "npm_config_registry", "NODE_EXTRA_CA_CERTS", "https_proxy"):
        assert env[name] == given[name]
    assert env["CI"] == "true"
    assert env["NEXT_TELEMETRY_DISABLED"] == "1"


def test_the_tools_folder_is_first_on_the_path(tmp_path: Path) -> None:
    env = build_environment(home=tmp_path, tools=tmp_path / "bin", environ={"PATH": "/bin"})
    assert env["PATH"].split(os.pathsep) == [str(tmp_path / "bin"), "/bin"]


def test_registry_settings_are_found_where_the_user_keeps_them(tmp_path: Path) -> None:
    assert registry_settings({"HOME": str(tmp_path)}) == {}
    (tmp_path / ".npmrc").write_text("registry=http://registry.invalid\n")
    assert registry_settings({"HOME": str(tmp_path)}) == {"npm_config_userconfig": str(tmp_path / ".npmrc")}


def test_a_time_limit_leaves_nothing_of_the_build(tmp_path: Path) -> None:
    command = [sys.executable, "-c", STUBBORN + "time.sleep(600)", str(tmp_path / "pid")]
    finished = asyncio.run(run(command, tmp_path, Limits(seconds=1.5)))
    assert finished.stopped == "it did not end within 1.5 seconds"
    assert not finished.ok
    assert not is_running(int((tmp_path / "pid").read_text()))


def test_what_a_build_leaves_running_is_ended(tmp_path: Path) -> None:
    script = STUBBORN + "while not os.path.exists(sys.argv[1]): time.sleep(0.01)"
    finished = asyncio.run(run([sys.executable, "-c", script, str(tmp_path / "pid")], tmp_path))
    assert finished.ok
    assert not is_running(int((tmp_path / "pid").read_text()))


def test_cancelling_leaves_nothing_of_the_build(tmp_path: Path) -> None:
    command = [sys.executable, "-c", STUBBORN + "time.sleep(600)", str(tmp_path / "pid")]

    async def cancelled() -> None:
        running = asyncio.create_task(run(command, tmp_path))
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
            await asyncio.sleep(0.02)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(cancelled())
    assert not is_running(int((tmp_path / "pid").read_text()))


def test_sigterm_leaves_nothing_of_the_build(tmp_path: Path) -> None:
    script = (
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from instrument.runner import run_command\n"
        "place = Path(sys.argv[1])\n"
        "asyncio.run(run_command([sys.executable, '-c', sys.argv[2], str(place / 'pid')],"
        " cwd=place, env={'PATH': '/usr/bin:/bin'}, log=place / 'log'))\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path), STUBBORN + "time.sleep(600)"]
    with subprocess.Popen(command, cwd=Path(__file__).parents[2], stderr=subprocess.PIPE) as running:
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
            assert running.poll() is None
            time.sleep(0.02)
        running.terminate()
        _, said = running.communicate()
    assert b"KeyboardInterrupt" in said
    assert not is_running(int((tmp_path / "pid").read_text()))


def test_a_disk_limit_ends_a_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free = iter([100 << 30, *[90 << 30] * 50])
    monkeypatch.setattr("instrument.runner._free", lambda place: next(free))
    finished = asyncio.run(run("sleep 600", tmp_path, Limits(disk=8 << 30)))
    assert finished.stopped == "it filled more than 8.0 GB of the disk"


def server(port: int) -> str:
    return f"{shlex.quote(sys.executable)} -u -m http.server {port} --bind 127.0.0.1"


async def serve(
    command: str, url: str, folder: Path, env: Mapping[str, str] | None = None
) -> tuple[bool, int]:
    async with start_server(
        command, cwd=folder, env=env or environment(folder), url=url, timeout_s=20, log=folder / "server.log"
    ) as started:
        assert started.alive
        group = started.process.pid
        return await answers(url), group


def test_a_server_answers_and_is_gone_afterwards(tmp_path: Path) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}/"
    answered, group = asyncio.run(serve(server(port), url, tmp_path))
    assert answered
    assert not asyncio.run(answers(url))
    assert not members(group, "no mark")
    assert "Serving HTTP" in (tmp_path / "server.log").read_text()


def test_a_server_that_dies_tells_its_last_lines(tmp_path: Path) -> None:
    with pytest.raises(AppError, match=r"ended with code 3 before .* \(no database\)"):
        asyncio.run(serve("echo no database; exit 3", f"http://127.0.0.1:{free_port()}/", tmp_path))


def test_a_server_at_another_address_is_told(tmp_path: Path) -> None:
    async def waits() -> None:
        async with start_server(
            "sleep 600",
            cwd=tmp_path,
            env=environment(tmp_path),
            url=f"http://127.0.0.1:{free_port()}/",
            timeout_s=0.3,
            log=tmp_path / "server.log",
        ):
            raise AssertionError("it never answers")

    with pytest.raises(AppError, match="did not answer within"):
        asyncio.run(waits())


def test_a_url_that_answers_already_is_refused(tmp_path: Path) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}/"

    async def twice() -> None:
        env = environment(tmp_path)
        async with start_server(server(port), cwd=tmp_path, env=env, url=url, log=tmp_path / "one.log"):
            with pytest.raises(AppError, match=r"answers at .* already"):
                await serve("true", url, tmp_path)

    asyncio.run(twice())
