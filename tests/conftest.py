"""Fixtures that all tests share: the browser to drive and the folder of miniature apps."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.provision import Browser, find_browser


@pytest.fixture(scope="session")
def found_browser() -> Browser:
    """The browser that headless runs take on this machine; a test that needs one fails where there is none."""
    return find_browser()


@pytest.fixture(scope="session")
def browser_executable(found_browser: Browser) -> Path:
    return found_browser.executable


@pytest.fixture(scope="session")
def apps() -> Path:
    """tests/apps: miniature apps that each show one behaviour."""
    return Path(__file__).parent / "apps"
