"""Which paths name a file of the app: many made-up ones, and those that Windows would read as something else."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from explorer.answers import Ask, Slice
from explorer.site import Site, windows_hazard

TOKENS = (
    *("/", "//", "\\", "%2f", "%2F", "%5c", "%5C", "%00", "%0a", "%20", "?", "#", ";", ":", "%", "%%", "%zz"),
    *(".", "..", "...", "%2e", "%2E%2e", "%252e", "%c0%ae", "%e0%80%ae", "．．", "~", "..;", "..%00"),
    *(
        "app",
        "link",
        "docs",
        "index.html",
        "secret.txt",
        "tmp",
        "etc",
        "passwd",
        "http://127.0.0.1",
        "C:",
        "file:",
    ),
)


@dataclass
class Folder:
    root: Path
    entry: str = "index.html"
    overlay: dict[str, bytes] = field(default_factory=dict)
    coverage_maps: bytes = b"{}"


@pytest.mark.parametrize("mounted", [False, True])
def test_no_made_up_path_leads_out_of_the_folder(tmp_path: Path, mounted: bool) -> None:
    root = tmp_path / "app"
    (root / "docs").mkdir(parents=True)
    (root / "index.html").write_text("<script src=/docs/docs/a.js></script>" if mounted else "page")
    (root / "docs" / "a.js").write_text("code")
    (tmp_path / "secret.txt").write_text("secret")
    (root / "link").symlink_to(tmp_path)
    site = Site(Folder(root))
    assert site.mount == ("/docs/" if mounted else "/")
    chance = random.Random(7)
    for _ in range(4000):
        target = "/" + "".join(chance.choices(TOKENS, k=chance.randint(1, 9)))
        answer = site.answer(Ask("GET", target.encode().decode("latin-1"), {"accept": "text/html"}))
        assert answer.status in (200, 302, 404), target
        if isinstance(answer.body, Slice):
            assert answer.body.path.is_relative_to(root), target
        if answer.status == 302:
            assert not answer.headers["Location"].startswith(("//", "/\\")), target


@pytest.mark.parametrize(
    "place",
    ["con", "NUL.txt", "a/COM1", "aux.js", "C:/x", "app.js::$DATA", "app.js.", "app.js ", "lpt¹", "a\\prn"],
)
def test_device_names_streams_and_trimmed_names_are_hazards(place: str) -> None:
    assert windows_hazard(place)


@pytest.mark.parametrize("place", ["console.js", "a/icon.png", "com10.js", "nullable.html", ".well-known/x"])
def test_ordinary_names_are_none(place: str) -> None:
    assert not windows_hazard(place)
