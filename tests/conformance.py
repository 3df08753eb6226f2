"""What every Page must do, whatever drives it; tests/apps/two-screens is the app, TWO_SCREENS its fake."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from explorer.page import Page
from graph.records import Action, Observation
from tests.fakepage import Effect, Screen


def two_screens(probe: Callable[[int], int]) -> dict[str, Screen]:
    """The app without a browser; `probe` gives the id of its nth counter."""
    buttons = {
        "Forward": Effect(to="Second", hits=frozenset({probe(1)})),
        "Nothing": Effect(),
        "Hang": Effect(hits=frozenset({probe(2)}), liveness="hung"),
    }
    return {"First": Screen(buttons, frozenset({probe(0)})), "Second": Screen({"Last": Effect()})}


def click(seen: Observation, name: str) -> Action:
    """A click on the button of that name."""
    target = next(item for item in seen.snapshot.targets if item.name == name)
    return Action(
        "click",
        "test",
        ref=target.ref,
        locator=target.locator,
        role=target.role,
        name=name,
        family=target.family,
        ordinal=target.ordinal,
    )


async def opens_and_reports_first_hits_once(page: Page, probe: Callable[[int], int], _: Path) -> None:
    seen = await page.open()
    assert (seen.liveness, seen.performed, seen.snapshot.title) == ("alive", True, "First")
    assert [item.name for item in seen.snapshot.targets] == ["Forward", "Nothing", "Hang"]
    assert seen.hits == {probe(0)}
    assert (await page.open()).hits == frozenset()


async def performs_and_observes(page: Page, probe: Callable[[int], int], _: Path) -> None:
    first = await page.open()
    same = await page.perform(click(first, "Nothing"))
    assert (same.performed, same.hits, same.snapshot.digest) == (True, frozenset(), first.snapshot.digest)
    moved = await page.perform(click(first, "Forward"))
    assert (moved.snapshot.title, moved.hits) == ("Second", frozenset({probe(1)}))
    again = await page.observe()
    assert (again.snapshot, again.hits) == (moved.snapshot, frozenset())
    assert (await page.open()).snapshot.title == "First"


async def says_what_it_could_not_do(page: Page, _: Callable[[int], int], __: Path) -> None:
    first = await page.open()
    await page.perform(click(first, "Forward"))
    gone = await page.perform(click(first, "Hang"))
    assert (gone.performed, gone.liveness, gone.snapshot.title) == (False, "alive", "Second")
    assert "gone" in gone.failure


async def survives_a_hang(page: Page, probe: Callable[[int], int], _: Path) -> None:
    first = await page.open()
    hung = await page.perform(click(first, "Hang"))
    assert (hung.liveness, hung.hits) == ("hung", frozenset({probe(2)}))
    assert await page.screenshot("dead") == ""
    dead = await page.perform(click(first, "Nothing"))
    assert (dead.performed, dead.liveness) == (False, "hung")
    back = await page.restart()
    assert (back.liveness, back.snapshot.title, back.hits) == ("alive", "First", frozenset())


async def takes_pictures(page: Page, _: Callable[[int], int], run_dir: Path) -> None:
    assert await page.screenshot("early") == ""
    await page.open()
    name = await page.screenshot("0000")
    assert name == "screenshots/0000.jpg"
    assert (run_dir / name).read_bytes().startswith(b"\xff\xd8\xff")


async def measures_looks(page: Page, _: Callable[[int], int], __: Path) -> None:
    assert await page.looks() is None
    await page.open()
    looks = await page.looks()
    assert looks is not None
    assert looks.texts == 3


async def closes_for_good(page: Page, _: Callable[[int], int], __: Path) -> None:
    first = await page.open()
    await page.close()
    await page.close()
    late = await page.perform(click(first, "Nothing"))
    assert (late.performed, late.liveness) == (False, "closed")
    assert await page.screenshot("late") == ""
    assert await page.looks() is None


Requirement = Callable[[Page, Callable[[int], int], Path], Awaitable[None]]
REQUIREMENTS: tuple[Requirement, ...] = (
    opens_and_reports_first_hits_once,
    performs_and_observes,
    says_what_it_could_not_do,
    survives_a_hang,
    takes_pictures,
    measures_looks,
    closes_for_good,
)
