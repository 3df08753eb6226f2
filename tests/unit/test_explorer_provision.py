"""Which browser is taken, with programs that only pretend to be browsers and package managers."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from explorer import browser_places, provision
from explorer.provision import find_browser
from instrument.errors import BrowserError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the pretended programs are shell scripts")

Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Writes a program that says `says` and does `does`."""

    def write(name: str, says: str = "Chromium 1.2.3.4", does: str = "", folder: str = "bin") -> Path:
        file = tmp_path / folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/bin/sh\n{does}\necho '{says}'\n")
        file.chmod(0o755)
        return file

    return write


@pytest.fixture
def env(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A machine with nothing on it."""
    monkeypatch.setattr(browser_places, "fixed_places", lambda env, platform: iter(()))
    (tmp_path / "bin").mkdir()
    return {
        "HOME": str(tmp_path),
        "PATH": str(tmp_path / "bin"),
        "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path / "pw"),
    }


@pytest.fixture
def downloaded(tmp_path: Path, make: Make) -> Callable[[str, int], Path]:
    """Lays a browser into Playwright's folder as its installer does."""

    def lay(kind: str, revision: int) -> Path:
        shell = kind == "chromium_headless_shell"
        inner = "chrome-headless-shell-linux64/chrome-headless-shell" if shell else "chrome-linux64/chrome"
        says = "Google Chrome for Testing 9.8.7.6"
        file = make(Path(inner).name, says, folder=f"pw/{kind}-{revision}/{Path(inner).parent}")
        (tmp_path / "pw" / f"{kind}-{revision}" / "INSTALLATION_COMPLETE").touch()
        return file

    return lay


def _revision(kind: str = "chromium") -> int:
    return browser_places.wanted_revision(kind)


def test_a_named_browser_is_taken(make: Make, env: dict[str, str]) -> None:
    own = make("my-browser", "Microsoft Edge 5.6.7.8 ", folder="elsewhere")
    make("chromium")
    browser = find_browser(str(own), environ=env)
    assert (browser.executable, browser.name, browser.version) == (own, "Microsoft Edge", "5.6.7.8")
    assert browser.source == "--browser"
    assert find_browser(environ={**env, "EXPLORER_BROWSER": str(own)}).source == "EXPLORER_BROWSER"


def test_a_named_browser_may_be_a_name_on_the_path_or_an_app_folder(make: Make, env: dict[str, str]) -> None:
    on_path = make("special-chrome", "Google Chrome 5.6")
    assert find_browser("special-chrome", environ=env).executable == on_path
    inner = make("Chromium", folder="Chromium.app/Contents/MacOS")
    assert find_browser(str(inner.parents[2]), environ=env).executable == inner


@pytest.mark.parametrize(
    ("says", "does"),
    [("Mozilla Firefox 130.0", ""), ("", ""), ("Chromium 1.2.3.4", "exit 7"), ("Chromium 1", "kill -9 $$")],
)
def test_a_named_program_that_is_no_chromium_is_refused(
    make: Make, env: dict[str, str], says: str, does: str
) -> None:
    make("chromium")
    wrong = make("wrong", says, does, folder="elsewhere")
    with pytest.raises(
        BrowserError, match=r"does not answer as a Chromium, Chrome or Edge: give another path\.$"
    ):
        find_browser(str(wrong), environ=env)


def test_a_named_browser_that_is_missing_is_never_replaced(
    make: Make, env: dict[str, str], tmp_path: Path
) -> None:
    make("chromium")
    for missing in (str(tmp_path / "nothing"), str(tmp_path), "not-on-path"):
        with pytest.raises(BrowserError, match="there is no such program: give the path"):
            find_browser(missing, environ=env)


def test_a_named_shell_is_refused_for_headed_runs(make: Make, env: dict[str, str]) -> None:
    shell = str(make("chromium-headless-shell", folder="elsewhere"))
    assert find_browser(shell, environ=env).headless_shell
    with pytest.raises(BrowserError, match="has no window to show: name a whole Chromium"):
        find_browser(shell, environ=env, headless=False)


def test_a_file_that_may_not_be_executed_is_refused(make: Make, env: dict[str, str]) -> None:
    file = make("chromium", folder="elsewhere")
    file.chmod(stat.S_IRUSR)
    with pytest.raises(BrowserError, match="does not answer"):
        find_browser(str(file), environ=env)


def test_playwrights_browser_comes_before_the_systems(
    make: Make, env: dict[str, str], downloaded: Callable[[str, int], Path]
) -> None:
    system = make("chromium")
    assert find_browser(environ=env, install=False).executable == system
    full = downloaded("chromium", _revision())
    browser = find_browser(environ=env, install=False)
    assert (browser.executable, browser.source) == (full, "Playwright")
    assert (browser.version, browser.headless_shell) == ("9.8.7.6", False)


def test_headless_runs_prefer_the_headless_shell_and_headed_ones_never_take_it(
    env: dict[str, str], downloaded: Callable[[str, int], Path]
) -> None:
    full = downloaded("chromium", _revision())
    shell = downloaded("chromium_headless_shell", _revision("chromium_headless_shell"))
    browser = find_browser(environ=env, install=False)
    assert (browser.executable, browser.headless_shell) == (shell, True)
    assert browser.name == "Google Chrome for Testing headless shell"
    assert find_browser(environ=env, headless=False, install=False).executable == full


def test_this_playwrights_revision_comes_first_then_the_newest(
    env: dict[str, str], downloaded: Callable[[str, int], Path]
) -> None:
    downloaded("chromium", 7)
    newest = downloaded("chromium", _revision() + 50)
    assert find_browser(environ=env, install=False).executable == newest
    own = downloaded("chromium", _revision())
    assert find_browser(environ=env, install=False).executable == own


def test_a_download_that_was_cut_off_is_not_taken(
    env: dict[str, str], downloaded: Callable[[str, int], Path], tmp_path: Path
) -> None:
    downloaded("chromium", _revision())
    (tmp_path / "pw" / f"chromium-{_revision()}" / "INSTALLATION_COMPLETE").unlink()
    with pytest.raises(BrowserError):
        find_browser(environ=env, install=False)


def test_a_browser_that_lacks_a_library_is_passed_over(
    make: Make, env: dict[str, str], downloaded: Callable[[str, int], Path]
) -> None:
    broken = downloaded("chromium", _revision())
    broken.write_text("#!/bin/sh\necho 'libnss3.so: cannot open shared object file' >&2\nexit 127\n")
    edge = make("microsoft-edge", "Microsoft Edge 5.6.7.8")
    assert find_browser(environ=env, install=False).executable == edge


def test_system_shells_serve_headless_runs_only(make: Make, env: dict[str, str]) -> None:
    shell, chrome = make("chromium-headless-shell"), make("google-chrome", "Google Chrome 4.3.2.1")
    assert find_browser(environ=env, install=False).executable == shell
    assert find_browser(environ=env, headless=False, install=False).executable == chrome


@pytest.mark.parametrize(
    ("named", "platform", "ends"),
    [
        ("", "linux", ".cache/ms-playwright"),
        ("", "darwin", "Library/Caches/ms-playwright"),
        ("", "win32", "AppData/Local/ms-playwright"),
        ("0", "linux", "playwright/driver/package/.local-browsers"),
        ("/shared/browsers", "linux", "/shared/browsers"),
    ],
)
def test_playwrights_folder_by_platform(tmp_path: Path, named: str, platform: str, ends: str) -> None:
    place = browser_places.registry({"HOME": str(tmp_path), "PLAYWRIGHT_BROWSERS_PATH": named}, platform)
    assert place.as_posix().endswith(ends)


def test_fixed_places_by_platform() -> None:
    mac = [place.as_posix() for place in browser_places.fixed_places({"HOME": "/Users/me"}, "darwin")]
    assert "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" in mac
    assert "/Users/me/Applications/Chromium.app/Contents/MacOS/Chromium" in mac
    windows = [
        place.as_posix() for place in browser_places.fixed_places({"PROGRAMFILES": "C:/Programs"}, "win32")
    ]
    assert "C:/Programs/Microsoft/Edge/Application/msedge.exe" in windows
    assert Path("/opt/google/chrome/chrome") in list(browser_places.fixed_places({}, "linux"))


def test_without_a_browser_the_error_says_the_command(env: dict[str, str]) -> None:
    with pytest.raises(
        BrowserError, match=r"run `\S+ -m playwright install --with-deps chromium`.*--browser PATH"
    ) as caught:
        find_browser(environ=env, install=False)
    assert caught.value.exit_code == 3


def test_playwrights_download_is_tried_when_nothing_is_there(
    env: dict[str, str], downloaded: Callable[[str, int], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    ran: list[list[str]] = []
    really = provision._output

    def pretend(command: list[str], env: dict[str, str], *, timeout: float) -> str | None:
        ran.append(list(command))
        if command[1:] == ["-m", "playwright", "install", "chromium"]:
            downloaded("chromium", _revision())
            return ""
        return really(command, env, timeout=timeout)

    monkeypatch.setattr(provision, "_output", pretend)
    assert find_browser(environ=env, say=said.append).source == "Playwright"
    assert ran[0] == [sys.executable, "-m", "playwright", "install", "chromium"]
    assert len(said) == 1
    assert "Playwright's Chromium" in said[0]


def test_as_root_a_download_that_lacks_libraries_gets_them(
    make: Make,
    env: dict[str, str],
    downloaded: Callable[[str, int], Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ran: list[str] = []
    really = provision._output

    def pretend(command: list[str], env: dict[str, str], *, timeout: float) -> str | None:
        if "playwright" not in command:
            return really(command, env, timeout=timeout)
        ran.append(command[-2])
        file = downloaded("chromium", _revision())
        if command[-2] == "install":
            file.write_text("#!/bin/sh\nexit 127\n")
        return ""

    make("apt-get", "")
    monkeypatch.setattr(provision, "_output", pretend)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert find_browser(environ=env).source == "Playwright"
    assert ran == ["install", "install-deps"]


def _pretend_offline(monkeypatch: pytest.MonkeyPatch, *, root: bool) -> None:
    """Playwright's download fails at once; we are root or not."""
    really = provision._output

    def pretend(command: list[str], env: dict[str, str], *, timeout: float) -> str | None:
        return None if "playwright" in command else really(command, env, timeout=timeout)

    monkeypatch.setattr(provision, "_output", pretend)
    monkeypatch.setattr(os, "geteuid", lambda: 0 if root else 1000)


def _pretend_apt(make: Make, tmp_path: Path, *, offered: str) -> None:
    """An apt that offers the packages named and installs a chromium."""
    log, browser = tmp_path / "apt.log", tmp_path / "bin" / "chromium"
    install = f'echo "$@" >> {log}; if [ "$1" = install ]; then printf "#!/bin/sh\\necho Chromium 3.3.3.3" > {browser}; '
    make("apt-get", "", f"PATH=/usr/bin:/bin\n{install}chmod +x {browser}; fi")
    make(
        "apt-cache",
        "",
        f'case " {offered} " in *" $2 "*) echo "  Candidate: 3.3";; *) echo "  Candidate: (none)";; esac',
    )


def test_as_root_the_distributions_package_is_installed(
    make: Make, env: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _pretend_offline(monkeypatch, root=True)
    _pretend_apt(make, tmp_path, offered="chromium chromium-headless-shell")
    said: list[str] = []
    assert find_browser(environ=env, say=said.append).version == "3.3.3.3"
    asked = (tmp_path / "apt.log").read_text().splitlines()
    assert asked == ["update", "install --yes --no-install-recommends chromium chromium-headless-shell"]
    assert (
        said[-1] == "The download failed; installing chromium, chromium-headless-shell with apt-get (once)."
    )


@pytest.mark.parametrize(("root", "offered"), [(False, "chromium"), (True, "chromium-browser")])
def test_no_package_is_installed_for_ordinary_users_or_where_none_is_offered(
    make: Make, env: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: bool, offered: str
) -> None:
    _pretend_offline(monkeypatch, root=root)
    _pretend_apt(make, tmp_path, offered=offered)
    with pytest.raises(BrowserError):
        find_browser(environ=env)
    log = tmp_path / "apt.log"
    assert "install" not in (log.read_text() if log.exists() else "")


def test_the_sandbox_is_off_for_root_only_or_where_the_system_forbids_it(
    make: Make, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    program = make("chromium")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(provision, "_apparmor_allows", lambda executable: False)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert find_browser(environ=env).sandbox is False
    assert "root" in find_browser(environ=env).sandbox_reason
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    for allowed, expected in (("raise SystemExit(0)", True), ("raise SystemExit(1)", False)):
        monkeypatch.setattr(provision, "_NEW_USER_AND_PID_NAMESPACE", allowed)
        browser = find_browser(environ=env)
        assert (browser.sandbox, browser.sandbox_reason == "") == (expected, expected)
    helper = program.with_name("chrome-sandbox")
    helper.touch()
    helper.chmod(0o4755)
    assert find_browser(environ=env).sandbox is True


def test_it_finds_playwright_without_importing_it() -> None:
    listed = json.loads((browser_places.driver() / "package" / "browsers.json").read_text())
    assert _revision() == int(listed["browsers"][0]["revision"])
    source = Path(provision.__file__).read_text()
    assert not re.search(r"^\s*(from|import) playwright", source, re.MULTILINE)


def test_the_set_up_prints_the_browser_or_the_sentence(
    make: Make, env: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "environ", env)
    _pretend_offline(monkeypatch, root=False)
    assert provision.main() == 3
    assert "was found: run" in capsys.readouterr().err
    program = make("chromium")
    assert provision.main() == 0
    assert capsys.readouterr().out == f"Browser: {program}\n"
