"""From a place in served code to the user's sources, by the counters that stand there."""

from __future__ import annotations

import pytest

from explorer.sourcepos import SourcePositions
from instrument.probes import Position, Probe, ProbeMap, SourceFile

A, B = "__cv0123456789", "__cvabcdef0123"
CODE = (
    f'function {A}(){{g.__cvKeys$["{A}"]="a.js";return a}}function fail(){{var _cv={A}();_cv[3]++;\n'
    f"  _cv[1]++;if (x) {{ \v_cv[2]++;throw new Error('b'); }}\n"
    f"  after();\n"
    f"}}\n"
)
PAGE = (
    f'<!doctype html>\n<button onclick="function {B}(){{a[&quot;{B}&quot;]=&quot;p.html#0&quot;}}'
    f'{B}()[0]++;go()">x</button>\n'
)


def probe(id: int, kind: str, file: str, line: int, column: int) -> Probe:
    return Probe(id, kind, file, Position(line, column, line, column + 1), "")  # type: ignore[arg-type]


def positions(*, mapped: bool = False, own: bool = True) -> SourcePositions:
    file = "src/App.tsx" if mapped else "a.js"
    probes = (
        probe(0, "statement", "p.html", 2, 17),
        probe(1, "statement", file, 40 if mapped else 2, 2),
        probe(2, "statement", file, 41 if mapped else 2, 11),
        probe(3, "function", file, 39 if mapped else 1, 0),
        probe(4, "statement", file, 3, 2),
    )
    files = (
        SourceFile(file, "own", "", "", statements=(1, 2, 4), functions=(3,)),
        SourceFile("p.html", "own", "", "", statements=(0,)),
    )
    counters = {"a.js": ((), (1,), (2,), (3,)), "p.html#0": ((0,),)}
    overlay = {"a.js": CODE.encode(), "p.html": PAGE.encode(), "index.html": PAGE.encode()}
    return SourcePositions(
        overlay, ProbeMap(files, probes, counters, own=frozenset(range(5)) if own else frozenset())
    )


def column(line: int, text: str, *, code: str = CODE) -> int:
    return code.split("\n")[line - 1].index(text) + 1


def test_the_counter_before_a_place_says_which_statement_runs_there() -> None:
    assert positions()("a.js", 2, column(2, "throw")) == "a.js:2:12"
    assert positions()("a.js", 2, column(2, "if (x)")) == "a.js:2:3"


def test_an_app_below_a_base_path_is_known_by_the_rest() -> None:
    at = (2, column(2, "throw"))
    assert positions()("repo/a.js", *at) == "a.js:2:12"
    assert positions()("/deep/repo/a.js", *at) == "a.js:2:12"
    found = positions()
    found._overlay = {**found._overlay, "lib/b.js": b""}
    assert found("lib/a.js", *at) == ""


def test_counters_of_a_source_that_was_built_are_known_by_their_property() -> None:
    code = (
        f"function e(){{var t=globalThis;t.__cvKeys$.{A}=`a.js`;return a}}"
        f"const x=()=>{{e().{A}[3]++,\n  e().{A}[2]++;throw Error(`b`)}};"
    )
    found = positions(mapped=True)
    found._overlay = {"assets/index.js": code.encode()}
    assert found("assets/index.js", 2, column(2, "throw", code=code)) == "src/App.tsx:41:12"


def test_what_only_looks_like_a_counter_of_ours_is_passed_over() -> None:
    other = "__cvffffffffff"
    code = CODE.replace("  after();", f"  var i=[0];i[0]++;x_cv[3]++;{other}()[3]++;{A}.name;after();")
    found = positions()
    found._overlay = {"a.js": code.encode()}
    assert found("a.js", 3, column(3, "after", code=code)) == "a.js:3:3"
    assert found._texts(code.encode()).counter_before(code.index("after")) == ("a.js", 2)
    assert found._texts(code.encode()).counter_before(code.index("_cv[1]")) == ("a.js", 3)
    assert found._texts(code.encode()).counter_before(code.index("_cv[3]++;\n") + len("_cv[3]+")) is None


def test_a_source_map_leads_to_the_users_file() -> None:
    assert positions(mapped=True)("a.js", 2, column(2, "throw")) == "src/App.tsx:41:12"


def test_a_statement_without_its_own_counter_is_found_by_its_line() -> None:
    assert positions()("a.js", 3, column(3, "after")) == "a.js:3:3"
    assert positions()("a.js", 4, 1) == "a.js:4:1"


def test_handler_attributes_have_their_key_escaped() -> None:
    assert positions()("p.html", 2, column(2, "go()", code=PAGE)) == "p.html:2:18"


@pytest.mark.parametrize("path", ["", "/", "deep/route"])
def test_a_route_is_the_page_that_answers_it(path: str) -> None:
    assert positions()(path, 2, column(2, "go()", code=PAGE)) == "p.html:2:18"


@pytest.mark.parametrize(
    ("path", "line", "at"), [("other.js", 1, 1), ("a.js", 99, 1), ("a.js", 0, 1), ("a.js", 1, 1)]
)
def test_what_has_no_counter_has_no_source(path: str, line: int, at: int) -> None:
    assert positions()(path, line, at) == ""


def test_vendor_code_has_no_source() -> None:
    assert positions(own=False)("a.js", 2, column(2, "throw")) == ""


SOURCE = "let a = 1;\nif (a)\n  throw 2;"


def compiled(code: str, *, line: int = 3, column: int = 2, text: str = SOURCE) -> SourcePositions:
    """A component that is served, compiled, at its source's own address."""
    name, table = "src/App.svelte", ((0,), ())
    probes = (probe(0, "statement", name, line, column),)
    source = SourceFile(name, "own", "", text, statements=(0,), mapped_from=(name,))
    return SourcePositions(
        {name: code.encode()}, ProbeMap((source,), probes, {name: table}, own=frozenset({0}))
    )


COMPILED = (
    f'import "x";\nfunction {A}(){{g.__cvKeys$["{A}"]="src/App.svelte"}}\n\n\n\n  {A}()[0]++;throw 2;\n'
)


def test_a_module_that_is_compiled_at_its_sources_address_leads_to_the_source() -> None:
    found = compiled(COMPILED)
    assert found("src/App.svelte", 6, column(6, "throw", code=COMPILED)) == "src/App.svelte:3:3"


def test_a_place_before_any_counter_of_it_is_told_by_the_file_alone() -> None:
    assert compiled(COMPILED)("src/App.svelte", 1, 1) == "src/App.svelte"


@pytest.mark.parametrize(
    ("line", "at", "told"),
    [
        (9, 0, "src/App.svelte"),
        (0, 0, "src/App.svelte"),
        (1, 80, "src/App.svelte:1"),
        (3, 10, "src/App.svelte:3:11"),
    ],
)
def test_no_place_is_told_that_the_file_does_not_have(line: int, at: int, told: str) -> None:
    found = compiled(COMPILED, line=line, column=at)
    assert found("src/App.svelte", 6, column(6, "throw", code=COMPILED)) == told


def test_a_source_whose_text_is_not_known_is_believed() -> None:
    found = compiled(COMPILED, line=9, text="")
    assert found("src/App.svelte", 6, column(6, "throw", code=COMPILED)) == "src/App.svelte:9:3"
