"""instrument.node: the worker's processes are bounded, restarted and ended."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from instrument.errors import AppError, UsageError
from instrument.node import ScriptError, WorkerPool, answer_of, find_node
from tests.bundling import bundle_of, write_app

PROGRAM = """
process.stdin.on('data', (chunk) => {
  for (const line of chunk.toString().split('\\n').filter(Boolean)) {
    const { id, op } = JSON.parse(line);
    if (op === 'hang') for (;;);
    if (op === 'die') process.exit(3);
    process.stdout.write(JSON.stringify({ id, ok: { pid: process.pid } }) + '\\n');
  }
});
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "worker.mjs"
    path.write_text(PROGRAM)
    return path


def test_the_workers_node_is_found() -> None:
    assert find_node().is_file()


def test_a_ping_is_answered() -> None:
    async def run() -> dict[str, str]:
        async with WorkerPool(size=1) as pool:
            return answer_of(await pool.call("ping"))

    assert asyncio.run(run())["node"].startswith("v")


@pytest.mark.parametrize(("op", "words"), [("hang", "did not end within"), ("die", "instrumenter stopped")])
def test_a_process_that_hangs_or_dies_is_replaced(program: Path, op: str, words: str) -> None:
    async def run() -> tuple[int, str, int]:
        async with WorkerPool(size=1, program=program) as pool:
            before = answer_of(await pool.call("x"))["pid"]
            with pytest.raises(ScriptError) as caught:
                await pool.call(op, timeout_s=0.5)
            return before, str(caught.value), answer_of(await pool.call("x"))["pid"]

    before, message, after = asyncio.run(run())
    assert words in message
    assert before != after


def test_no_process_is_left_behind(program: Path) -> None:
    async def run() -> list[int]:
        async with WorkerPool(size=2, program=program) as pool:
            answers = await asyncio.gather(*(pool.call("x") for _ in range(4)))
            with pytest.raises(ScriptError):
                await pool.call("hang", timeout_s=0.2)
            return [answer_of(answer)["pid"] for answer in answers]

    for pid in asyncio.run(run()):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_an_interrupted_call_ends_its_process(program: Path) -> None:
    async def run() -> int:
        async with WorkerPool(size=1, program=program) as pool:
            pid: int = answer_of(await pool.call("x"))["pid"]
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(pool.call("hang"), 0.3)
            assert answer_of(await pool.call("x"))["pid"] != pid
            return pid

    with pytest.raises(ProcessLookupError):
        os.kill(asyncio.run(run()), 0)


def test_what_is_missing_is_said(tmp_path: Path, program: Path) -> None:
    with pytest.raises(UsageError, match="is missing"):
        WorkerPool(program=tmp_path / "gone.mjs")

    async def run() -> None:
        async with WorkerPool(node=tmp_path / "gone", program=program) as pool:
            await pool.call("x")

    with pytest.raises(AppError, match="could not be started"):
        asyncio.run(run())


def test_odd_characters_survive_the_way_to_the_worker_and_back(tmp_path: Path) -> None:
    text = "a = '\u2028 \u2029 😀 \x00 \\ud800';\r\nb();"
    bundle = bundle_of(write_app(tmp_path, {"index.html": "<p>", "a.js": text}))
    assert bundle.probes.files[0].text == text
    assert "\u2028 \u2029 😀 \x00" in bundle.overlay["a.js"].decode()
