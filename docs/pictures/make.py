"""Makes the pictures of the README: explores and judges the bundled demo, and takes parts of its report.

    python docs/pictures/make.py

Everything is by the built-in roles, so that anybody gets the same pictures without a key.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from playwright.async_api import async_playwright

from explorer import explore
from explorer.judged import Judging
from explorer.provision import find_browser

HERE = Path(__file__).parent
DEMO = HERE.parents[1] / "tests" / "apps" / "demo"
CRITERIA = """\
[[criterion]]
type = "content"
text = 'The page shows the text "Left of budget"'

[[criterion]]
type = "functional"
text = 'There is a button "Chart"'

[[criterion]]
type = "content"
text = 'The page is titled "Household"'

[[criterion]]
type = "functional"
text = "Deleting an entry lowers the sum"
"""
PARTS = {
    "tester.png": ("#steps", 320),
    "hint.png": ("#coverage", 430),
    "judge.png": ("#scores", 620),
    "criteria.png": ("#scores h3 + .scroll", 420),
}
"""File -> part of the report, and how much of its height is shown at most, in CSS pixels."""


async def take(report: Path) -> None:
    """Writes each picture."""
    program = find_browser()
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(
            executable_path=str(program.executable), chromium_sandbox=program.sandbox
        )
        page = await browser.new_page(viewport={"width": 1000, "height": 900})
        await page.goto(report.as_uri())
        await page.evaluate("document.querySelector('nav').remove()")
        for name, (part, most) in PARTS.items():
            box = await page.locator(part).first.bounding_box()
            assert box is not None, part
            clip = {"x": box["x"], "y": box["y"], "width": box["width"], "height": min(box["height"], most)}
            await page.screenshot(path=HERE / name, clip=clip, full_page=True)  # type: ignore[arg-type]
        await browser.close()


def main() -> None:
    """Explores, judges, takes the pictures."""
    with tempfile.TemporaryDirectory() as place:
        criteria = Path(place) / "criteria.toml"
        criteria.write_text(CRITERIA)
        explore(DEMO, budget=60, out=Path(place) / "run", judge=Judging(criteria))
        asyncio.run(take(Path(place) / "run" / "report.html"))


if __name__ == "__main__":
    main()
