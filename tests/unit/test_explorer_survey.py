"""What a first load shows: scripts that nothing measures get their places; the rest stays as it was."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest

from explorer.survey import needs_survey, surveyed
from graph.records import Observation, Snapshot
from instrument.bundle import Bundle
from instrument.classify import Verdict
from instrument.probes import FailedScript
from instrument.strangers import Outline, Stranger
from tests.bundling import bundle_of, texts_of, write_app

PAGE = "<title>App</title>\n<script type='text/babel'>\nlet a = <p class=b>;\n</script><script src=maker.js></script>"


_VENDOR = Verdict("vendor", "a library")


class _Page:
    """A page that ran these scripts; V8 says of each that it could stop at its beginning."""

    def __init__(self, *strangers: Stranger) -> None:
        self._strangers = strangers

    async def open(self) -> Observation:
        return Observation(snapshot=Snapshot(url="/", title="", html="", digest=""), hits=frozenset())

    async def strangers(self) -> list[Stranger]:
        return list(self._strangers)

    async def outline(self, stranger: Stranger) -> Outline:
        return [[(0, False), (len(stranger.text), True)]]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    folder = tmp_path_factory.mktemp("app")
    return bundle_of(write_app(folder, {"index.html": PAGE, "maker.js": "eval(document.title);\n"}))


def _surveyed(bundle: Bundle, *strangers: Stranger) -> tuple[Bundle, list[str]]:
    said: list[str] = []
    return asyncio.run(surveyed(bundle, _Page(*strangers), say=said.append)), said


def test_who_needs_a_survey(bundle: Bundle) -> None:
    assert [row.path for row in bundle.failed] == ["index.html:2"]
    assert needs_survey(bundle)
    assert needs_survey(replace(bundle, failed=(), mode="v8"))
    assert not needs_survey(replace(bundle, failed=()))
    assert not needs_survey(replace(bundle, failed=(FailedScript("a.js", "cannot be read: gone"),)))
    assert not needs_survey(replace(bundle, istanbul_globals=True))
    tabs = FailedScript("a.js", "it has vertical tabs where counters could not be told from its own text")
    assert needs_survey(replace(bundle, failed=(), unmeasured=(tabs,)))
    assert needs_survey(replace(bundle, failed=(), mode="none", unmeasured=(FailedScript("a.js", "odd"),)))


def test_nothing_strange_changes_nothing(bundle: Bundle) -> None:
    counted = Stranger("1", "__cv0123456789()[0]++;", "maker.js")
    assert _surveyed(bundle, counted) == (bundle, [])


def test_made_code_is_measured_and_named(bundle: Bundle) -> None:
    made = Stranger("5", "let made = 1; use(made);", "", maker="maker.js")
    found, said = _surveyed(bundle, made)
    assert found.mode == "istanbul"
    assert texts_of(found, "(made at run time)/1") == ["1", "use(made);"]
    assert list(found.places) == ["(made at run time)/1"]
    assert len(found.probes.probes) == len(bundle.probes.probes) + 2
    assert found.probes.probes[0] == bundle.probes.probes[0], "what has a number keeps it"
    assert "(made at run time)/1" in said[0]
    reasons = [row.reason for row in found.unmeasured if row.path == "maker.js"]
    assert reasons
    assert all(reason.endswith("what comes later is not") for reason in reasons)


def test_the_source_of_made_code_is_found_in_its_page(bundle: Bundle, tmp_path: Path) -> None:
    source = "\nlet a = <p class=b>;\n"
    mapped = (
        '{"version":3,"sources":["Inline Babel script"],"sourcesContent":["\\nlet a = <p class=b>;\\n"],'
        '"names":[],"mappings":"AAAA;AACA"}'
    )
    url = f"data:application/json,{mapped}".replace(" ", "%20")
    assert source in PAGE
    found, _ = _surveyed(bundle, Stranger("5", "\nlet a = 1;", "", map_url=url, maker="babel.js"))
    page = next(one for one in found.probes.files if one.path == "index.html")
    assert [found.probes.probes[one].position.line for one in page.statements] == [3]
    assert page.mapped_from == ()
    assert found.failed == ()


def test_jsx_that_a_parser_reads_keeps_its_statements_and_gets_what_the_page_made_of_it(
    tmp_path: Path,
) -> None:
    page = "<title>App</title>\n<script type='text/babel'>\nlet a = <p/>;\n</script>"
    found = bundle_of(write_app(tmp_path, {"index.html": page}), v8=True)
    mapped = {
        "version": 3,
        "sources": ["Inline Babel script"],
        "sourcesContent": ["\nlet a = <p/>;\n"],
        "names": [],
        "mappings": ";AACA,QAAQ",
    }
    url = f"data:application/json,{quote(json.dumps(mapped))}"
    grown, _ = _surveyed(found, Stranger("5", "\nlet a = h('p');", "", map_url=url, maker="babel.js"))
    assert texts_of(grown, "index.html") == ["<p/>"]
    assert len(grown.probes.probes) == len(found.probes.probes) == 1
    assert grown.probes.counters["(made at run time)/1"][0] == (0,)


def _jsx(tmp_path: Path, *sources: str, end: str = "\n") -> Bundle:
    scripts = "".join(f"<script type='text/babel'>{end}{source}{end}</script>{end}" for source in sources)
    return bundle_of(write_app(tmp_path, {"index.html": f"<title>App</title>{end}{scripts}"}), v8=True)


def _mapped(source: str, mappings: str, name: str = "Inline Babel script") -> str:
    row = {"version": 3, "sources": [name], "sourcesContent": [source], "names": [], "mappings": mappings}
    return f"data:application/json,{quote(json.dumps(row))}"


def _led(bundle: Bundle, key: str = "(made at run time)/1") -> set[int]:
    return {probe for found in bundle.probes.counters[key] for probe in found}


def test_line_ends_of_two_characters_hide_no_source(tmp_path: Path) -> None:
    known = _jsx(tmp_path, "let a = <p/>;", end="\r\n")
    url = _mapped("\nlet a = <p/>;\n", ";AACA,QAAQ")
    grown, _ = _surveyed(known, Stranger("5", "\nlet a = h('p');", "", map_url=url, maker="babel.js"))
    assert [one.path for one in grown.probes.files] == ["index.html"]
    assert _led(grown) == {0}


def test_scripts_of_the_same_text_are_told_apart(tmp_path: Path) -> None:
    known = _jsx(tmp_path, "one(<p/>);", "one(<p/>);")
    names = ("Inline Babel script", "Inline Babel script (2)")
    made = [
        Stranger(
            str(at), f"\none(h('p')); // {at}", "", map_url=_mapped("\none(<p/>);\n", ";AACA,KAAK", name)
        )
        for at, name in enumerate(names)
    ]
    grown, _ = _surveyed(known, *made)
    assert len(known.probes.probes) == len(grown.probes.probes) == 2
    assert _led(grown, "(made at run time)/1") == {0}
    assert _led(grown, "(made at run time)/2") == {1}


def test_a_field_that_became_an_argument_is_found_there(tmp_path: Path) -> None:
    known = _jsx(tmp_path, "class A { b = 5 }")
    made = "class A { constructor() { put(this, 'b', 5); } }"
    five = made.index("5")
    assert five == 41
    url = _mapped("\nclass A { b = 5 }\n", "AACA,yCAAc")  # 41 -> line 2, column 14
    grown, _ = _surveyed(known, Stranger("5", made, "", map_url=url))
    assert texts_of(grown, "index.html") == ["5"]
    places = grown.places["(made at run time)/1"]
    table = grown.probes.counters["(made at run time)/1"]
    (slot,) = [slot for slot, found in enumerate(table) if 0 in found and slot >= places.first_extra]
    offset, _, home, _ = places.slots[slot].tolist()
    assert (offset, home) == (five, 0), "it runs with the constructor"


def test_made_code_without_a_map_is_laid_beside_its_source(tmp_path: Path) -> None:
    source = "function App() { const a = 1; return <p id='x'>{a}</p>; }\nrender(<App/>);"
    known = _jsx(tmp_path, source)
    made = "function App() {\n  var a = 1;\n  return h('p', { id: 'x' }, a);\n}\nrender(h(App, null));"
    grown, _ = _surveyed(known, Stranger("5", made, "", maker="babel.js"))
    assert [one.path for one in grown.probes.files] == ["index.html"]
    assert texts_of(grown, "index.html") == texts_of(known, "index.html")
    assert _led(grown) == set(range(len(known.probes.probes)))
    assert grown.unmeasured == known.unmeasured


def test_what_was_made_of_something_else_is_not_taken_for_it(tmp_path: Path) -> None:
    known = _jsx(tmp_path, "function App() { return <p/>; }\nrender(<App/>);")
    other = "function zip(list) { for (const one of list) { send(one.name); } }\nzip([]);"
    grown, _ = _surveyed(known, Stranger("5", other, "", maker="babel.js"))
    assert texts_of(grown, "(made at run time)/1", "function") == [
        "zip(list) { for (const one of list) { send(one.name); } }"
    ]
    page = next(one for one in grown.probes.files if one.path == "index.html")
    assert (page.statements, page.functions) == ((), ()), "nobody can say whether they ran"
    (row,) = [row for row in grown.unmeasured if row.path == "index.html"]
    assert "does not lead back to it" in row.reason


def test_typescript_needs_no_word_in_the_tag(tmp_path: Path) -> None:
    known = _jsx(tmp_path, "enum Colour { Red }\nlet a: Array<number> = f<number>(<p/>);")
    assert known.failed == ()
    assert texts_of(known, "index.html")[-1] == "f<number>(<p/>)"


def test_what_no_parser_reads_is_outlined(bundle: Bundle) -> None:
    found, _ = _surveyed(bundle, Stranger("5", "one two three", "", maker="maker.js"))
    assert texts_of(found, "(made at run time)/1") == ["one two three"]


def test_what_asks_to_be_left_out_is_left_out(bundle: Bundle) -> None:
    asks = FailedScript("quiet.js", 'its comment "istanbul ignore file" asks for it')
    quiet = replace(bundle, unmeasured=(asks,))
    assert _surveyed(quiet, Stranger("5", "one();", "quiet.js")) == (quiet, [])


def test_code_of_another_hosts_making_is_a_librarys(bundle: Bundle) -> None:
    made, _ = _surveyed(bundle, Stranger("5", "let a = 1;", "", maker="https://cdn.example/vue.js"))
    assert made.probes.files[-1].file_class == "vendor"
    mine, _ = _surveyed(bundle, Stranger("5", "let a = 1;", "", maker="https://cdn.example/babel.min.js"))
    assert mine.probes.files[-1].file_class == "own"


def test_code_of_a_librarys_making_is_a_librarys(bundle: Bundle) -> None:
    vendor = replace(bundle, verdicts={**bundle.verdicts, "lib.js": _VENDOR})
    made, _ = _surveyed(vendor, Stranger("5", "let a = 1;", "", maker="lib.js"))
    assert made.probes.files[-1].file_class == "vendor"
    by_babel = replace(bundle, verdicts={**bundle.verdicts, "babel.js": _VENDOR})
    transpiled, _ = _surveyed(by_babel, Stranger("5", "let a = 1;", "", maker="babel.js"))
    assert transpiled.probes.files[-1].file_class == "own"
