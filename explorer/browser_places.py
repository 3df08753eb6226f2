"""Where browsers of the Chromium family lie on a machine, best first; looks at files and starts nothing."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from instrument.errors import BrowserError

SHELL_NAMES = ("chromium-headless-shell", "chrome-headless-shell", "headless_shell")
_FULL_NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "microsoft-edge-stable",
    "msedge",
)
_LINUX_PLACES = ("/opt/google/chrome/chrome", "/opt/microsoft/msedge/msedge", "/snap/bin/chromium")
_MAC_PLACES = (
    "Google Chrome.app/Contents/MacOS/Google Chrome",
    "Chromium.app/Contents/MacOS/Chromium",
    "Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
    "Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)
_WINDOWS_PLACES = (
    "Google/Chrome/Application/chrome.exe",
    "Chromium/Application/chrome.exe",
    "Microsoft/Edge/Application/msedge.exe",
)
_DOWNLOADED = {
    "chromium_headless_shell": ("*/chrome-headless-shell", "*/headless_shell", "*/*shell.exe"),
    "chromium": ("*/chrome", "*/chrome.exe", "*/*.app/Contents/MacOS/*"),
}


def candidates(env: Mapping[str, str], *, headless: bool) -> Iterator[tuple[Path, str]]:
    """Executables that exist, best first: Playwright's before the system's."""
    kinds = ("chromium_headless_shell", "chromium") if headless else ("chromium",)
    for kind in kinds:
        for executable in _downloaded(kind, env):
            yield executable, "Playwright"
    for executable in _on_system(env, sys.platform, headless=headless):
        yield executable, "system"


def _downloaded(kind: str, env: Mapping[str, str]) -> Iterator[Path]:
    """Browsers in Playwright's registry folder: the revision of this Playwright first, then the newest."""
    folder = registry(env, sys.platform)
    wanted = wanted_revision(kind)
    places = [place for place in folder.glob(f"{kind}-*") if (place / "INSTALLATION_COMPLETE").is_file()]
    places.sort(key=lambda place: (_revision(place) == wanted, _revision(place)), reverse=True)
    for place in places:
        for pattern in _DOWNLOADED[kind]:
            yield from (file for file in sorted(place.glob(pattern)) if _runnable(file))


def registry(env: Mapping[str, str], platform: str) -> Path:
    """Playwright's folder of downloaded browsers; its own rules (registry/index.ts)."""
    named = env.get("PLAYWRIGHT_BROWSERS_PATH", "")
    home = Path(env.get("HOME") or env.get("USERPROFILE") or Path.home())
    if named == "0":
        return driver() / "package" / ".local-browsers"
    if named:
        return Path(named).absolute()
    if platform == "darwin":
        return home / "Library" / "Caches" / "ms-playwright"
    if platform == "win32":
        return Path(env.get("LOCALAPPDATA") or home / "AppData" / "Local") / "ms-playwright"
    return Path(env.get("XDG_CACHE_HOME") or home / ".cache") / "ms-playwright"


def driver() -> Path:
    """Folder of the driver in Playwright's wheel, found without importing Playwright."""
    spec = importlib.util.find_spec("playwright")
    if spec is None or spec.origin is None:
        raise BrowserError("Playwright is not installed: run `pip install playwright`.")
    return Path(spec.origin).parent / "driver"


def wanted_revision(kind: str) -> int:
    listed = json.loads((driver() / "package" / "browsers.json").read_text(encoding="utf-8"))["browsers"]
    name = kind.replace("_", "-")
    return next((int(browser["revision"]) for browser in listed if browser["name"] == name), -1)


def _revision(place: Path) -> int:
    digits = place.name.rpartition("-")[2]
    return int(digits) if digits.isdigit() else -1


def _on_system(env: Mapping[str, str], platform: str, *, headless: bool) -> Iterator[Path]:
    names = (*SHELL_NAMES, *_FULL_NAMES) if headless else _FULL_NAMES
    for name in names:
        found = shutil.which(name, path=env.get("PATH", ""))
        if found:
            yield Path(found)
    yield from (place for place in fixed_places(env, platform) if _runnable(place))


def fixed_places(env: Mapping[str, str], platform: str) -> Iterator[Path]:
    """Where installers put browsers that are not on PATH."""
    if platform == "darwin":
        for applications in ("/Applications", f"{env.get('HOME', '')}/Applications"):
            yield from (Path(applications, place) for place in _MAC_PLACES)
    elif platform == "win32":
        for variable in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"):
            if env.get(variable):
                yield from (Path(env[variable], place) for place in _WINDOWS_PLACES)
    else:
        yield from map(Path, _LINUX_PLACES)


def _runnable(file: Path) -> bool:
    return file.is_file() and os.access(file, os.X_OK)
