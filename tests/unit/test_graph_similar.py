"""Near duplicates: which states belong together, and that the work is bounded."""

from __future__ import annotations

import pytest

from graph.records import StateId
from graph.similar import near_duplicates


def outlines(**texts: str) -> dict[StateId, str]:
    return {StateId(name): text for name, text in texts.items()}


def page(*extra: str, lines: int = 40) -> str:
    return "\n".join([*(f"  div.row{number}" for number in range(lines)), *extra])


def test_one_more_line_is_a_near_duplicate() -> None:
    found = near_duplicates(outlines(a=page(), b=page("p.error"), c=page(lines=5)))

    assert found == (("a", "b"),)


def test_same_length_is_not_enough() -> None:
    other = page().replace("div", "span")

    assert near_duplicates(outlines(a=page(), b=other)) == ()


def test_indentation_does_not_matter() -> None:
    deeper = "main\n" + "\n".join("  " + line for line in page().splitlines())

    assert near_duplicates(outlines(a=page(), b=deeper)) == (("a", "b"),)


@pytest.mark.parametrize(("threshold", "clusters"), [(0.5, 1), (0.99, 0)])
def test_threshold_decides(threshold: float, clusters: int) -> None:
    found = near_duplicates(outlines(a=page(), b=page("x", "y", "z")), threshold=threshold)

    assert len(found) == clusters


def test_states_cluster_around_the_first_of_their_kind() -> None:
    second = page(lines=40).replace("div", "td")
    found = near_duplicates(outlines(a=page(), x=second, b=page("p"), y=second + "\np", c=page("i")))

    assert found == (("a", "b", "c"), ("x", "y"))


def test_empty_outlines_are_no_duplicates_and_nothing_is_divided_by_zero() -> None:
    assert near_duplicates(outlines(a="", b="")) == ()
    assert near_duplicates({}) == ()


def test_the_number_of_comparisons_is_bounded() -> None:
    different = {StateId(str(number)): page().replace("div", f"x{number}x") for number in range(50)}

    assert near_duplicates(different, most=10) == ()
    assert near_duplicates(outlines(a=page(), b=page("p")), most=0) == ()
