"""The alignment judge's tools: bounded searches with line numbers, paging, pictures, the graph."""

from __future__ import annotations

import time

import pytest

from judge.records import Evidence, Exhibit
from judge.tools import LINES_PER_PAGE, MOST_MATCHES, SEARCH_SECONDS, Library
from tests.cases import case


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(case(tmp_path_factory.mktemp("run")).evidence)


def long_library(lines: int, text: str = "row") -> Library:
    said = "\n".join(f"{text} {number}" for number in range(lines))
    return Library(Evidence((Exhibit("N1", "node", "page", quotable=said),)))


def test_search_gives_document_line_number_and_text(library: Library) -> None:
    found = library.search(r"^\s*button \"A.d\"", "pages")
    assert found.text.splitlines()[0].startswith("2 lines match")
    assert 'N1:4:   button "Add"' in found.text or 'N1:4: button "Add"' in found.text
    assert found.shown == {"N1", "N2"}


def test_case_does_not_matter_and_trace_lines_belong_to_their_step(library: Library) -> None:
    found = library.search("typeerror", "trace")
    assert found.shown == {"S5"} and "trace:" in found.text


def test_search_looks_through_texts_trace_and_graph_or_one_document(library: Library) -> None:
    assert {"N3", "S3", "E3"} <= library.search("about").shown
    assert library.search("about", "N3").shown == {"N3"}
    assert library.search("about", "N1").shown == frozenset()
    assert library.search("placeholder", "dom").shown == {"N1", "N2"}
    assert library.search("placeholder", "n1.dom").shown == {"N1"}
    assert "There is no document 'N9'" in library.search("x", "N9").text


def test_many_matches_are_listed_in_part_and_counted() -> None:
    found = long_library(100).search("row", "N1")
    assert found.text.startswith("100 lines match") and f"and {100 - MOST_MATCHES} more lines" in found.text
    assert len(found.text.splitlines()) == MOST_MATCHES + 2


@pytest.mark.parametrize("pattern", [r"(a+)+$", r"(a|aa)+$", r"(.*a){25}b"])
def test_patterns_that_would_never_end_are_searched_as_text(pattern: str) -> None:
    library = Library(Evidence((Exhibit("N1", "node", "", quotable="a" * 1900 + "!\n" + pattern),)))
    begun = time.monotonic()
    found = library.search(pattern, "N1")
    # Generous: the machine may be busy. Without a bound this takes longer than the universe has.
    assert time.monotonic() - begun < 30 * SEARCH_SECONDS
    assert "searched as plain text" in found.text and "N1:2:" in found.text


def test_what_is_no_pattern_is_searched_as_text(library: Library) -> None:
    found = library.search('Leave?"(', "trace")
    assert "no regular expression" in found.text
    assert library.search('"Leave?", accepted', "trace").text
    assert "The pattern is empty" in library.search("  ").text


def test_reading_is_paged_and_numbered() -> None:
    library = long_library(150)
    first, last = library.read("N1"), library.read("N1", 3)
    assert first.text.splitlines()[0] == "N1, page 1 of 3 (150 lines):"
    assert first.text.splitlines()[1] == "1: row 0" and len(first.text.splitlines()) == LINES_PER_PAGE + 1
    assert last.text.splitlines()[-1] == "150: row 149"
    assert "there is no page 4" in library.read("N1", 4).text


def test_reading_several_documents_at_once_is_refused(library: Library) -> None:
    assert "There is no document 'pages'" in library.read("pages").text
    assert library.read("trace").shown == {f"S{number}" for number in range(7)}


def test_picture_by_its_own_id_or_its_states(library: Library) -> None:
    assert library.picture("p2").picture == library.picture("N2").picture == "P2"
    assert library.picture_bytes("P2")[:2] == b"\xff\xd8"
    missing = library.picture("P9")
    assert missing.picture == "" and "there are P1, P2, P3" in missing.text


def test_graph_around_a_state_and_as_a_whole(library: Library) -> None:
    around = library.graph("N3")
    assert "N2 -> N3" in around.text and "N3 -> N2" in around.text and "N1 -> N2" not in around.text
    assert around.shown == {"N3", "E3", "E4"}
    # A list of states is no look at any of them.
    assert library.graph("").shown == frozenset() and "N3: page" in library.graph("").text
    assert "picture P1" in library.overview()
