"""Finds the browser that a run drives, and installs one where none is; opens no page.

The order: a path that was named, Playwright's own Chromium, one of the system's, a download by Playwright, the
distribution's package. Headless runs take a headless shell where there is one. It starts and opens a page in a
third of a whole Chromium's time (0.11 s and 0.34 s, medians, two cores) and offers what exploring needs:
downloads, file choosers, dialogs, popups, service workers, WebGL, clipboard, fullscreen, pointer lock. It lacks
the PDF viewer and denies notifications.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from explorer.browser_places import SHELL_NAMES, candidates
from instrument.errors import BrowserError

_SAID = re.compile(
    r"((?:HeadlessChrome|Google Chrome|Microsoft Edge|Chromium|Brave)(?: [A-Za-z]+)*)[ /]+(\d[\d.]*)"
)
_VERSION_TIMEOUT = 30.0
_INSTALL_TIMEOUT = 1200.0
_NEW_USER_AND_PID_NAMESPACE = (
    "import ctypes, sys; libc = ctypes.CDLL(None); "
    "sys.exit(libc.unshare(0x10000000) != 0 or libc.unshare(0x20000000) != 0)"
)

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Browser:
    """A browser of the Chromium family that answered when it was asked for its version."""

    executable: Path
    name: str
    """"Chromium", "Google Chrome", "Microsoft Edge" and so on, as it calls itself."""
    version: str
    """Four numbers with dots; "" on Windows where a browser does not say it."""
    source: str
    """Where it was found, in words for the report."""
    headless_shell: bool
    """It can run without a window only."""
    sandbox: bool
    """False where Chromium's sandbox cannot work; the launcher then switches it off."""
    sandbox_reason: str = ""
    """Why the sandbox is off; "" where it is on."""


def find_browser(
    path: str | None = None,
    *,
    headless: bool = True,
    environ: Mapping[str, str] | None = None,
    install: bool = True,
    say: Say | None = None,
) -> Browser:
    """The browser to drive; BrowserError with the command to run where there is none.

    `path` (else EXPLORER_BROWSER) is an executable, the name of one on PATH, or a macOS .app folder, and is
    taken or refused, never replaced by another. `install=False` only looks. `say` is told what takes long.
    """
    env = os.environ if environ is None else environ
    named = path or env.get("EXPLORER_BROWSER", "")
    if named:
        return _named(named, "--browser" if path else "EXPLORER_BROWSER", env, headless=headless)
    found = _first(candidates(env, headless=headless), env, headless=headless)
    if found is None and install:
        found = _installed(env, say or _silent, headless=headless)
    if found is None:
        raise BrowserError(
            "No Chromium, Chrome or Edge was found: run "
            f"`{sys.executable} -m playwright install --with-deps chromium`, "
            "or name one with --browser PATH."
        )
    return found


def _silent(_: str) -> None:
    """For callers that want to hear nothing."""


def _named(named: str, option: str, env: Mapping[str, str], *, headless: bool) -> Browser:
    place = Path(named).expanduser()
    if place.suffix == ".app" and place.is_dir():
        place = next(iter(sorted((place / "Contents" / "MacOS").glob("*"))), place)
    on_path = None if place.is_file() else shutil.which(named, path=env.get("PATH"))
    executable = Path(on_path) if on_path else place
    if not executable.is_file():
        raise BrowserError(
            f"{option} names {named}, but there is no such program: give the path of a Chromium."
        )
    browser = _identified(executable.absolute(), option, env)
    if browser is None:
        raise BrowserError(
            f"{option} names {named}, which does not answer as a Chromium, Chrome or Edge: give another path."
        )
    if browser.headless_shell and not headless:
        raise BrowserError(f"{option} names {named}, which has no window to show: name a whole Chromium.")
    return browser


def _first(places: Iterator[tuple[Path, str]], env: Mapping[str, str], *, headless: bool) -> Browser | None:
    for executable, source in places:
        browser = _identified(executable, source, env)
        if browser is not None and (headless or not browser.headless_shell):
            return browser
    return None


def _identified(executable: Path, source: str, env: Mapping[str, str]) -> Browser | None:
    """What the program says it is; None where it is no Chromium or does not run (a library is missing)."""
    said = _self_description(executable, env)
    if said is None:
        return None
    name, version = said
    reason = _sandbox_obstacle(executable, env)
    shell = any(name in executable.name.replace(".exe", "") for name in SHELL_NAMES)
    return Browser(
        executable=executable,
        name=name + (" headless shell" if shell else ""),
        version=version,
        source=source,
        headless_shell=shell,
        sandbox=not reason,
        sandbox_reason=reason,
    )


def _self_description(executable: Path, env: Mapping[str, str]) -> tuple[str, str] | None:
    """Name and version as the program tells them."""
    if sys.platform == "win32":
        name = _windows_name(executable)
        return (name, _windows_version(executable)) if name else None
    said = _output([str(executable), "--version"], env, timeout=_VERSION_TIMEOUT) or ""
    match = _SAID.search(said)
    return (match[1], match[2]) if match else None


def _windows_name(executable: Path) -> str:
    names = {"chrome": "Google Chrome", "msedge": "Microsoft Edge", "chromium": "Chromium"}
    return names.get(executable.stem.lower(), "Chromium" if "shell" in executable.stem else "")


def _windows_version(executable: Path) -> str:
    """chrome.exe opens a window when asked; its folder holds one that is named after the version."""
    names = [place.name for place in executable.parent.glob("*.*.*.*") if place.is_dir()]
    return max(names, default="")


def _output(command: Sequence[str], env: Mapping[str, str], *, timeout: float) -> str | None:
    """Standard output of a command; None where it does not run, fails or takes too long."""
    try:
        done = subprocess.run(
            command,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=timeout,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def _sandbox_obstacle(executable: Path, env: Mapping[str, str]) -> str:
    """Why Chromium's sandbox cannot work here, "" where it can.

    Chromium refuses to start sandboxed as root. Else it needs a new user namespace, which container runtimes
    and some distributions deny, or the setuid helper chrome-sandbox.
    """
    if not sys.platform.startswith("linux"):
        return ""
    if os.geteuid() == 0:
        return "Chromium's sandbox does not work for root"
    if _setuid_helper(executable, env) or _apparmor_allows(executable):
        return ""
    if (
        _output([sys.executable, "-c", _NEW_USER_AND_PID_NAMESPACE], env, timeout=_VERSION_TIMEOUT)
        is not None
    ):
        return ""
    return "this system lets no ordinary user open the namespaces that Chromium's sandbox needs"


def _setuid_helper(executable: Path, env: Mapping[str, str]) -> bool:
    folder = executable.resolve().parent
    helpers = [folder / "chrome-sandbox", Path("/usr/lib/chromium/chrome-sandbox")]
    if env.get("CHROME_DEVEL_SANDBOX"):
        helpers.append(Path(env["CHROME_DEVEL_SANDBOX"]))
    return any(helper.is_file() and helper.stat().st_mode & 0o4000 for helper in helpers)


def _apparmor_allows(executable: Path) -> bool:
    """Ubuntu from 23.10 gives namespaces only to programs whose AppArmor profile asks for them."""
    target = str(executable.resolve()).encode()
    profiles = (
        file for file in Path("/etc/apparmor.d").glob("*") if file.is_file() and os.access(file, os.R_OK)
    )
    return any(target in text and b"userns" in text for text in (file.read_bytes() for file in profiles))


def _installed(env: Mapping[str, str], say: Say, *, headless: bool) -> Browser | None:
    """Playwright's download with the libraries it needs; where that fails and we may, the package."""
    return _download(env, say, headless=headless) or _package(env, say, headless=headless)


def _download(env: Mapping[str, str], say: Say, *, headless: bool) -> Browser | None:
    say("No browser was found; downloading Playwright's Chromium (once).")
    # A network that swallows packets would hold the download for 30 s at each of several mirrors and tries.
    hurried = {"PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT": "10000", **env}
    playwright = [sys.executable, "-m", "playwright"]
    if _output([*playwright, "install", "chromium"], hurried, timeout=_INSTALL_TIMEOUT) is None:
        return None
    found = _first(candidates(env, headless=headless), env, headless=headless)
    if found is None and _may_install(env):
        say("It does not run yet; installing the libraries that it needs (once).")
        _output([*playwright, "install-deps", "chromium"], env, timeout=_INSTALL_TIMEOUT)
        found = _first(candidates(env, headless=headless), env, headless=headless)
    return found


def _package(env: Mapping[str, str], say: Say, *, headless: bool) -> Browser | None:
    packages = _packages(env) if _may_install(env) else []
    if not packages:
        return None
    say(f"The download failed; installing {', '.join(packages)} with apt-get (once).")
    quiet = {"DEBIAN_FRONTEND": "noninteractive", **env}
    fetch = ["apt-get", "install", "--yes", "--no-install-recommends", *packages]
    _output(fetch, quiet, timeout=_INSTALL_TIMEOUT)
    return _first(candidates(env, headless=headless), env, headless=headless)


def _may_install(env: Mapping[str, str]) -> bool:
    """Whether we are root where there is apt."""
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    return root and shutil.which("apt-get", path=env.get("PATH", "")) is not None


def _packages(env: Mapping[str, str]) -> list[str]:
    """The packages that apt offers here.

    Ubuntu's chromium-browser only points at a snap, which does not work in containers: not taken.
    """
    _output(["apt-get", "update"], env, timeout=_INSTALL_TIMEOUT)
    names = ["chromium", "chromium-headless-shell", "fonts-liberation"]
    shown = {name: _output(["apt-cache", "policy", name], env, timeout=60.0) or "" for name in names}
    offered = [name for name in names if re.search(r"Candidate: (?!\(none\))\S", shown[name])]
    return offered if "chromium" in offered else []


def main() -> int:
    """`python -m explorer.provision`: has a browser ready, for the set-up; prints where it is."""
    try:
        print("Browser:", find_browser(say=lambda text: print(text, flush=True)).executable)
    except BrowserError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
