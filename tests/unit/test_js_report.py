"""The report's script without a browser: tokens, rows of the source view, places of states (tests/js/report.mjs)."""

from __future__ import annotations

import pytest

from tests.node_checks import run_checks


@pytest.fixture(scope="module")
def outcome() -> dict[str, str]:
    return run_checks("report.mjs")


@pytest.mark.parametrize(
    "name",
    [
        "comments, strings, keywords, numbers and calls",
        "a slash divides or begins a regular expression",
        "templates nest",
        "properties that are called like keywords stay plain",
        "what is not closed ends with its line or the file",
        "html colours its scripts as scripts",
        "any text is read to its end",
        "short lines are rows, whatever ends them",
        "a long line is broken where statements begin, and nothing is lost",
        "text without statements is cut hard",
        "rows know what ran",
        "a file without text or with places beyond it has one empty row",
        "search among rows",
        "states never lie on each other",
        "a long chain is broken into bands that fill the canvas",
        "a layer of many states is folded into columns",
        "a short chain goes on in one line, along the longer side",
    ],
)
def test_report_script(outcome: dict[str, str], name: str) -> None:
    assert outcome[name] == ""
