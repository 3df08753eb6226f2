"""What the browser reports becomes records: faults, and safe names for downloads."""

from __future__ import annotations

from typing import Any

import pytest

from explorer.browser_ear import Ear, fault_of, safe_name
from explorer.browser_gestures import key_chord, pair
from explorer.browser_network import Wall
from graph.records import Fault

WALL = Wall("http://127.0.0.1:8123")


def test_an_error_is_told_apart_from_its_stack() -> None:
    description = "Error: two\nlines\n    at f (http://127.0.0.1:8123/app.js:1:2)"
    details: dict[str, Any] = {
        "text": "Uncaught",
        "exception": {"type": "object", "description": description},
    }
    assert fault_of(details, wall=WALL) == Fault(
        "Error: two\nlines", "Error: two\nlines\n    at f (/app.js:1:2)"
    )


def test_what_is_no_error_gets_a_stack_from_where_it_was_thrown() -> None:
    details: dict[str, Any] = {
        "text": "Uncaught (in promise)",
        "exception": {"type": "string", "value": "oops"},
        "url": "http://127.0.0.1:8123/app.js",
        "lineNumber": 4,
        "columnNumber": 6,
    }
    assert fault_of(details, wall=WALL) == Fault("oops", "oops\n    at <anonymous> (/app.js:5:7)", True)


def test_a_place_in_a_text_that_was_parsed_as_json_is_none_in_the_page() -> None:
    text = "Uncaught (in promise) SyntaxError: Unexpected token 'a', \"abc\" is not valid JSON"
    details = {"text": text, "url": "http://127.0.0.1:8123/", "lineNumber": 0, "columnNumber": 4}
    assert fault_of(details, wall=WALL) == Fault(text, text, True)

    broken = {**details, "text": "Uncaught SyntaxError: Unexpected identifier 'q'"}
    assert fault_of(broken, wall=WALL).stack.endswith("at <anonymous> (/:1:5)")


@pytest.mark.parametrize(
    ("suggested", "name"),
    [
        ("report.csv", "report.csv"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Windows\\evil.dll", "evil.dll"),
        ("a:b?c*.txt", "a_b_c_.txt"),
        ("", "download"),
        ("...", "download"),
        (".env", "env"),
        ("nul.txt", "_nul.txt"),
        ("x" * 300 + ".txt", "x" * 96 + ".txt"),
    ],
)
def test_names_of_downloads_stay_in_their_folder(suggested: str, name: str) -> None:
    assert safe_name(suggested, set()) == name


def test_names_of_downloads_are_unique_whatever_the_case() -> None:
    taken: set[str] = set()
    assert [safe_name(name, taken) for name in ("a.txt", "A.txt", "a.txt")] == ["a.txt", "A-2.txt", "a-3.txt"]


def test_requests_come_once_and_sorted() -> None:
    ear = Ear(WALL)
    for url in ("http://b.test/", "http://a.test/", "http://b.test/"):
        ear.blocked("GET", url, "fetch")
    assert [item.url for item in ear.drain().requests] == ["http://a.test/", "http://b.test/"]
    assert ear.drain().requests == []


def test_a_chatty_app_is_cut_short() -> None:
    ear = Ear(WALL)
    for number in range(500):
        ear.message("log", f"{number} at http://127.0.0.1:8123/x")
    messages = ear.drain().messages
    assert len(messages) == 200
    assert messages[0].text == "0 at /x"


@pytest.mark.parametrize(
    ("value", "chord"),
    [
        ("a", "a"),
        (" ", "Space"),
        ("Ctrl+a", "Control+a"),
        ("+", "+"),
        ("Control++", "Control++"),
        ("Esc", "Escape"),
    ],
)
def test_names_of_keys(value: str, chord: str) -> None:
    assert key_chord(value) == chord


def test_pairs() -> None:
    assert pair("3,-4.5", default=(0, 0)) == (3, -4.5)
    assert pair("", default=(1, 2)) == (1, 2)
    assert pair("x,y", default=(1, 2)) == (1, 2)
