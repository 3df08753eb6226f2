"""The fake page that unit tests use does what every Page must do."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.conformance import REQUIREMENTS, Requirement, two_screens
from tests.fakepage import FakePage


def _probe(slot: int) -> int:
    return 100 + slot


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=lambda item: item.__name__)
def test_the_fake_page_conforms(requirement: Requirement, tmp_path: Path) -> None:
    page = FakePage(two_screens(_probe), run_dir=tmp_path)
    asyncio.run(_run(requirement, page, tmp_path))


async def _run(requirement: Requirement, page: FakePage, tmp_path: Path) -> None:
    await requirement(page, _probe, tmp_path)
