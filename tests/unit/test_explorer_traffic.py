"""explorer.traffic: when scripts are on their way, and when none is expected to follow."""

from __future__ import annotations

import asyncio

import pytest

from explorer.traffic import CALM_S, Traffic


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_it_is_calm_a_moment_after_the_last_script() -> None:
    clock = Clock()
    traffic = Traffic(clock)
    assert traffic.calm
    with traffic.flight("/a.js", "script"):
        assert not traffic.calm
    assert not traffic.calm, "it may ask for another"
    clock.now += CALM_S
    assert traffic.calm


@pytest.mark.parametrize("destination", ["empty", "image", "video", ""])
def test_what_the_page_sees_itself_does_not_count(destination: str) -> None:
    traffic = Traffic()
    with traffic.flight("/x", destination):
        assert traffic.calm


def test_waiting_ends_with_the_last_script_and_says_that_there_was_one() -> None:
    async def work() -> None:
        traffic = Traffic()
        assert not await traffic.settled(5)
        with traffic.flight("/a.js", "script"):
            waiting = asyncio.ensure_future(traffic.settled(5))
            await asyncio.sleep(0.05)
            assert not waiting.done()
        assert await waiting
        assert traffic.calm

    asyncio.run(work())


def test_a_script_that_never_comes_is_waited_for_once() -> None:
    async def work() -> None:
        traffic = Traffic()
        with traffic.flight("/never.js", "script"):
            assert await traffic.settled(0.05)
            assert not await traffic.settled(5)
            with traffic.flight("/a.js", "script"):
                assert not traffic.calm

    asyncio.run(work())
