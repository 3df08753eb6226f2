"""Fixtures that all tests share: the browser to drive and the folder of miniature apps."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from explorer.provision import Browser, find_browser
from instrument.node import find_node

MODEL_KEYS = (
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_PROFILE",
    "ANTHROPIC_BASE_URL",
    "EXPLORER_BASE_URL",
)


def pytest_configure() -> None:
    """Tests that run Node by its name get Playwright's on a machine that has none; none finds a key of the user's, which
    would have it ask a real model.
    """
    for name in MODEL_KEYS:
        os.environ.pop(name, None)
    os.environ["ANTHROPIC_CONFIG_DIR"] = os.devnull
    if not shutil.which("node"):
        os.environ["PATH"] = f"{os.environ.get('PATH', '')}{os.pathsep}{find_node().parent}"


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
