"""Instrumented code: what it does, what it counts, what it looks like (tests/js/inject.mjs)."""

from __future__ import annotations

import pytest

from tests.node_checks import run_checks


@pytest.fixture(scope="module")
def outcome() -> dict[str, str]:
    return run_checks("inject.mjs")


@pytest.mark.parametrize(
    "name",
    [
        "a classic script behaves as before",
        "a script without the local variable behaves as before",
        "an app that patches prototypes and freezes them behaves as before",
        "modules behave as before, in a cycle too",
        "instrumented acorn parses lodash to the same tree",
        "instrumented lodash computes the same",
        "TypeScript, JSX and decorators are read by Babel and give the same counters",
        "acorn and Babel lead to the same code",
        "counts of the nbody loop are Istanbul's",
        "counts of the sieve loop are Istanbul's",
        "counts of the life loop are Istanbul's",
        "counts of the objects loop are Istanbul's",
        "counts of the strings loop are Istanbul's",
        "counts of acorn at work are Istanbul's",
        "counts of the torture script are Istanbul's",
        "a thrown exception stops counting where it was thrown",
        "counters that always agree are written once",
        "the accessor stands behind hashbang, comments and directives",
        "goals and parsers",
        "the value of a javascript: URL stays",
        "long chains are walked without a deep stack",
        "hints leave out what Istanbul leaves out",
        "text that could not be told from counters is left as it is",
        "an inline script stays inside its element",
        "names of accessors differ",
        "the text of each function of acorn: stripped it is the source's, and its first counter is its own",
        "the text of each function of lodash: stripped it is the source's, and its first counter is its own",
        "the text of each function of the torture script: stripped it is the source's, "
        "and its first counter is its own",
        "a printer in the page (Babel and the like) leaves a function its own first counter",
        "all inserted text can be taken out of three.core.js",
        "all inserted text can be taken out of react-dom",
        "__coverage__ is Istanbul's, made when read, with live counts",
        "__coverage__ can be replaced and deleted, and one of the app is left alone",
        "without maps there are plain counts",
        "the registry is hidden, shared by a script that is loaded twice, and maps names to keys",
        "a handler attribute brings the registry only",
        "a global object that cannot be written to does not stop the script",
    ],
)
def test_instrumented_code(outcome: dict[str, str], name: str) -> None:
    assert outcome[name] == ""


def test_forms_of_the_inserted_text(outcome: dict[str, str]) -> None:
    forms = {name: wrong for name, wrong in outcome.items() if name.startswith("form of ")}
    assert len(forms) == 23
    assert {name: wrong for name, wrong in forms.items() if wrong} == {}
