"""The real page does what every Page must do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.conftest import Browse, Visitor, probe
from tests.conformance import REQUIREMENTS, Requirement

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("v8", [False, True], ids=["counters", "v8"])
@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=lambda item: item.__name__)
def test_the_real_page_conforms(browse: Browse, requirement: Requirement, v8: bool, tmp_path: Path) -> None:
    async def work(visitor: Visitor) -> None:
        await requirement(visitor.page, lambda slot: probe("one", slot), tmp_path)

    browse("two-screens/", work, opened=False, v8=v8, gesture_s=1.5)
