"""Sources that get their counters before they are built (tests/js/source.mjs)."""

from __future__ import annotations

import pytest

from tests.node_checks import run_checks


@pytest.fixture(scope="module")
def outcome() -> dict[str, str]:
    return run_checks("source.mjs")


@pytest.mark.parametrize(
    "name",
    [
        "JSX stays JSX and TypeScript stays TypeScript",
        "checkers pass over it, directives and imports stay first",
        "what stands behind the = at top level stays a literal",
        "declarations without code stay as they are",
        "decorators and class fields keep their place",
        "a minifier may rename the accessor: a function still names its source and slot",
        "bundlers that keep the text, print it anew or minify it: stripped, a function means the same",
        "a hoisted function can be called before the module ran",
        "scripts of an Astro page that the build takes in are counted in the page's own positions",
        "what counters would break is left as it is",
        "a slim source keeps its counts where the rest is set up by another",
    ],
)
def test_sources(outcome: dict[str, str], name: str) -> None:
    assert outcome[name] == ""
