"""Positions of statements, functions and branches are istanbul-lib-instrument's.

Intended deviations, all of them:

- Private methods (`#m() {}`) are functions here; Istanbul does not count them. Numbers of the others are not shifted.
- A U+2028 or U+2029 inside a string ends a line here, as ECMAScript says, for Babel it does not.
- The arm of an `else` that is not written has no place in Istanbul, here the empty range at its `if`.
- Default values, fields and loop heads keep the names of anonymous functions, which Istanbul's counters take away.
- Hints are Istanbul's (`istanbul ignore next | if | else | file`); `v8 ignore` and `c8 ignore` mean nothing to
  istanbul-lib-instrument 6 and mean nothing here.
"""

from __future__ import annotations

import pytest

from tests.node_checks import run_checks

pytestmark = pytest.mark.slow


def test_positions_on_large_bundles() -> None:
    outcome = run_checks("bundles.mjs")
    assert len(outcome) == 6
    assert {name: wrong for name, wrong in outcome.items() if wrong} == {}


def test_positions_and_valid_output_on_the_parsers_test_suite() -> None:
    outcome = run_checks("parsers.mjs")
    assert len(outcome) == 2
    assert {name: wrong for name, wrong in outcome.items() if wrong} == {}
