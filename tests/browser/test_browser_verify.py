"""An app that notices that it was changed is told apart; one that does not is not accused."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from explorer.provision import Browser
from explorer.verify import compare
from tests.browser.conftest import AppsServer

pytestmark = pytest.mark.browser


def test_differences(apps_server: AppsServer, program: Browser, tmp_path: Path) -> None:
    url = f"{apps_server.origin}/notices/"

    async def work() -> None:
        assert await compare(url, url, program=program, run_dir=tmp_path) == ()
        found = await compare(url, f"{url}?changed", program=program, run_dir=tmp_path)
        assert {item.aspect for item in found} == {"outline", "faults", "picture"}
        assert [item.instrumented for item in found if item.aspect == "faults"] == ["Error: noticed"]
        assert len(list((tmp_path / "screenshots").glob("verify-*.jpg"))) == 3

    asyncio.run(work())
