"""js/src/mine.mjs: what a function's syntax tree offers to a tester."""

from __future__ import annotations

from pathlib import Path

import pytest

from instrument.probes import Mined
from tests.bundling import bundle_of, write_app


def mine(tmp_path: Path, code: str) -> dict[str, Mined]:
    """What was mined by function name, "" for the top level."""
    bundle = bundle_of(write_app(tmp_path, {"index.html": "<p>", "a.js": code}))
    probes = bundle.probes
    return {probes.probes[key].function if key >= 0 else "": mined for key, mined in probes.mined.items()}


@pytest.mark.parametrize(
    ("body", "keys"),
    [
        ("if (e.key === 'Enter') a();", ("Enter",)),
        ("if (13 == e.keyCode || e.which === 27) a();", ("Enter", "Escape")),
        ("switch (e.code) { case 'KeyW': case 'ArrowUp': case 'Space': a(); }", ("w", "ArrowUp", " ")),
        ("switch (e.keyCode) { case 65: case 38: case 112: a(); }", ("a", "ArrowUp", "F1")),
        ("const map = { 38: 0, 39: 1, 40: 2 }; return map[e.which];", ("ArrowUp", "ArrowRight", "ArrowDown")),
        ("const keys = { ArrowLeft: f, KeyD: g, Esc: h };", ("ArrowLeft", "d", "Escape")),
        ("if (['Delete', 'Backspace'].includes(e.key)) a();", ("Delete", "Backspace")),
        (
            "Mousetrap.bind('ctrl+s', save); hotkeys('shift+alt+up, f5', f);",
            ("Control+s", "Shift+Alt+ArrowUp"),
        ),
        ("return [{ key: 'ctrl+z', run }, { keyCode: 46 }];", ("Control+z", "Delete")),
        ("if (e.key.toLowerCase() === 'q' || e.key.toUpperCase() == 'X') a();", ("q", "x")),
    ],
)
def test_keys(tmp_path: Path, body: str, keys: tuple[str, ...]) -> None:
    assert mine(tmp_path, f"function f(e) {{ {body} }}").get("f", Mined()).keys == keys


def test_words_patterns_and_stores(tmp_path: Path) -> None:
    code = """
    if (location.hash === '#/admin') open();
    function login(form) {
      if (form.user.value == 'root' && form.pin.value === `4711`) enter();
      if (answer.startsWith('please') || ['red', 'blue'].includes(colour)) paint();
      if (/^\\d{3}-\\d{4}$/i.test(form.phone.value)) call();
      if (count > 41 || n < -5) stop();
      const saved = localStorage.getItem('todos');
      sessionStorage.draft = prompt('Name?');
      if (typeof x === 'string') never();
      const inner = () => { switch (mode) { case 'expert': go(); } };
    }
    """
    found = mine(tmp_path, code)
    assert found[""].literals == ("#/admin",)
    assert found[""].calls == ("open",)
    login = found["login"]
    assert login.literals == ("root", "4711", "please", "red", "blue", "41", "-5")
    assert login.patterns == ("/^\\d{3}-\\d{4}$/i",)
    assert login.storage == ("todos", "draft")
    assert {"enter", "paint", "call", "stop", "prompt"} <= set(login.calls)
    assert found["(anonymous_1)"].literals == ("expert",)


def test_library_code_is_not_mined(tmp_path: Path) -> None:
    files = {
        "index.html": "<script>a()</script>",
        "vendor/v.js": "function f(e) { if (e.key === 'Enter') a(); }",
    }
    bundle = bundle_of(write_app(tmp_path, files))
    assert [mined.keys for mined in bundle.probes.mined.values()] == [()]
