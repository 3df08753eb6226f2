"""The report's html: what it says, and that no text of an app becomes markup."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup

from explorer.agreement import NOT_SEEN, Agreement, Disagreement, FileAgreement
from explorer.exploration import Exploration
from explorer.report import content, render_report
from explorer.report.content import Content
from explorer.report.faults import LONGEST_PATH
from explorer.report.markup import Html, tag, visible
from explorer.report.states import graph_data
from graph.collapse import collapse
from graph.records import Action, Request, Step, Trace
from instrument.classify import BUILT, NO_SIGN
from judge.evidence import gather
from tests.explorations import ATTACK, attacked, exploration, probe_map, write_screenshots

FORBIDDEN = ("iframe", "object", "embed", "base", "link", "form", "img", "frame", "applet")


def page(run: Exploration) -> Any:
    return BeautifulSoup(render_report(run), "lxml")


@cache
def calm_page() -> Any:
    return page(exploration())


def texts(root: Any, selector: str) -> list[str]:
    return [" ".join(item.get_text().split()) for item in root.select(selector)]


def data(root: Any) -> Any:
    return json.loads(root.find(id="data").string)


# --- markup ----------------------------------------------------------------------------------------------------


def test_text_and_attributes_are_escaped_and_markup_is_not() -> None:
    made = tag("a", "<b>", tag("i", "&"), None, ["x", 3], href='"><script>', hidden=True, id=None)
    assert made == '<a href="&quot;&gt;&lt;script&gt;" hidden>&lt;b&gt;<i>&amp;</i>x3</a>'
    assert isinstance(made, Html)


def test_what_does_not_show_is_named() -> None:
    assert visible("a\u202eb\0\ud800\tc\n") == "a⟨U+202E⟩b⟨U+0000⟩⟨U+D800⟩\tc\n"


# --- what it says ------------------------------------------------------------------------------------------------


def test_the_verdict_stands_at_the_top() -> None:
    root = calm_page()
    (sentence,) = texts(root, ".verdict")
    assert sentence == (
        "68.8 % of the app’s own statements ran in 58 actions, which led to 12 states and showed 4 faults. "
        "The run ended because all 60 actions were spent."
    )
    tiles = dict(zip(texts(root, ".tile .label"), texts(root, ".tile .value"), strict=True))
    assert tiles == {
        "Statements": "68.8 %",
        "Functions": "61.3 %",
        "Branches": "68.8 %",
        "States": "12",
        "Actions": "58 / 60",
        "Findings": "4",
        "Duration": "11.4 s",
        "Measured by": "counters",
    }


def test_the_curve_has_a_column_for_each_step_and_marks_findings_hints_and_plateaus() -> None:
    run = exploration()
    root = page(run)
    columns = root.select("#plot .column")
    assert [column.get("data-step") for column in columns] == [str(step.index) for step in run.trace.steps]
    assert columns[3].get_text().startswith('Step 3: click button "Add" +17 statements'.replace(" +", "\n+"))
    assert len(root.select("#plot .fault")) == 4
    assert len(root.select("#plot .hint")) == 1, "a hint that was given and not followed is not marked"
    assert len(root.select("#plot .plateau")) == 1


def test_every_state_tells_its_ways_out_and_in_and_what_is_untried() -> None:
    root = calm_page()
    cards = root.select(".state-card")
    assert [card.get("id") for card in cards] == [f"state-{number}" for number in range(12)]
    first = " ".join(cards[0].get_text().split())
    assert "first seen at step 0" in first
    assert "console error" in first
    assert 'button "Open"' in first
    assert re.search(r"\d+ actions? from here", first)


def test_the_graph_s_data_joins_parallel_transitions_and_leaves_loops_out() -> None:
    run = exploration()
    graph = data(page(run))["graph"]
    pairs = {(a, b) for a, b in run.graph.edges() if a != b}
    assert len(graph["edges"]) == len(pairs)
    assert sum(len(edge["actions"]) for edge in graph["edges"]) == sum(
        1 for a, b in run.graph.edges() if a != b
    )
    assert sum(edge["discovers"] for edge in graph["edges"]) == 11


def test_each_finding_tells_its_path_and_leads_to_its_source() -> None:
    root = calm_page()
    (crash,) = [item for item in root.select(".finding") if "TypeError" in item.get_text()]
    assert texts(crash, ".path li")[-1] == 'step 10 click button "Export"'
    assert [link.get("href") for link in crash.select(".source")] == ["#source-0:69:83"]
    assert texts(root, "#findings h3")[0] == "exception 1"


def test_files_are_own_first_and_vendor_apart_with_the_reason() -> None:
    root = calm_page()
    own, vendor = root.select("table.files")
    assert texts(own, "tbody .source") == ["app.js", "store.js"]
    assert texts(vendor, "tbody th .note") == ["a licence banner names a published library"]


def test_unreached_functions_are_listed_by_file_with_their_verdict() -> None:
    root = calm_page()
    rows = {texts(row, ".gap-head .source")[0]: row for row in root.select(".gaps > li")}
    assert "openEditor" in rows
    assert texts(rows["openEditor"], ".gap-head .verdict-name") == ["appeared, not tried"]
    (told,) = texts(rows["openEditor"], ".gap-head + .words")
    assert told.endswith('Double-click button "Buy milk" in N1 N2 N3 N4 N5')
    assert texts(rows["migrate"], "summary") == ["1 more inside"]


def test_what_was_left_out_is_said() -> None:
    root = calm_page()
    told = root.find(id="run").get_text()
    for words in (
        "JSX is not JavaScript",
        "a worker that was made from text",
        "fonts.example.com",
        "--seed 7",
    ):
        assert words in told


def test_how_it_was_measured_is_told_in_words() -> None:
    assert "in the code of 3 scripts (Istanbul)" in texts(calm_page(), ".tile .note")
    assert "counters in the code (Istanbul): every script was parsed" in calm_page().find(id="run").get_text()


def test_the_comparison_with_v8_is_told_with_the_statements() -> None:
    row = Disagreement("app.js", 4, 3, "counters", NOT_SEEN, "save(<b>);")
    file = FileAgreement("app.js", "own", 40, 20, 1, 0, {NOT_SEEN: 1}, (row,))
    root = page(replace(exploration(), agreement=Agreement((file,), steps=7, elsewhere=0)))
    told = " ".join(root.find(id="run").get_text().split())
    assert "agree on 97.50 % of 40 statements (counters only 1, V8 only 0); 7 steps done again" in told
    assert "Statements on which counters and V8 disagree (1)" in told
    assert "app.js:4:3 – ran by the counters, not by V8 (not seen by V8): save(<b>);" in told
    assert "V8 disagree" not in calm_page().find(id="run").get_text()


def test_what_misleads_stands_at_the_top() -> None:
    run = exploration()
    (told,) = texts(calm_page(), "#overview .notice")
    assert told.startswith(
        "1 request to another host was kept in (fonts.example.com): add --allow-host fonts"
    )
    first, *rest = run.probes.files
    files = (replace(first, class_reason=BUILT), *rest)
    built = page(replace(run, probes=replace(run.probes, files=files), blocked=()))
    (told,) = texts(built, "#overview .notice")
    assert told.startswith("app.js was built without a source map")
    assert not texts(page(replace(run, blocked=())), ".notice")


def test_every_request_that_was_kept_in_is_listed() -> None:
    many = tuple(Request("GET", f"https://cdn.example/{n}.js", None, "kept in", True) for n in range(1100))
    told = texts(page(replace(exploration(), blocked=many)), "#run li")
    assert "GET https://cdn.example/999.js – kept in" in told
    assert "and 100 more, which run.json lists" in told


def test_an_own_file_gives_no_reason_where_it_would_say_nothing() -> None:
    run = exploration()
    first, second, *rest = run.probes.files
    files = (
        replace(first, class_reason=NO_SIGN),
        replace(second, class_reason=NO_SIGN, mapped_from=("out.js",)),
        *rest,
    )
    own = page(replace(run, probes=replace(run.probes, files=files))).select("table.files")[0]
    assert texts(own, "tbody th .note") == ["in out.js"]


def test_the_source_data_holds_text_and_what_ran() -> None:
    run = exploration()
    files = data(page(run))["files"]
    assert [file["path"] for file in files] == [file.path for file in run.probes.files]
    source = run.probes.files[0]
    assert files[0]["text"] == source.text
    flat = files[0]["statements"]
    ran = [flat[place + 4] for place in range(0, len(flat), 5)]
    assert ran == [int(item in run.hits) for item in source.statements]
    assert tuple(flat[:4]) == run.probes.probes[source.statements[0]].position


# --- runs that are not as they should be -----------------------------------------------------------------------------


def test_a_run_without_coverage_says_so() -> None:
    run = exploration()
    head = replace(run.trace.head, own_statements=0)
    bare = replace(run, probes=probe_map({}), hits=frozenset(), trace=replace(run.trace, head=head))
    root = page(bare)
    assert texts(root, ".verdict")[0].startswith("No coverage was measured in 58 actions")
    assert "there is no curve" in root.find(id="coverage").get_text()
    assert "Nothing was measured." in root.find(id="unreached").get_text()


def test_a_run_that_was_cut_off_says_so() -> None:
    run = exploration()
    trace = Trace(run.trace.head, run.trace.steps[:5])
    root = page(replace(run, trace=trace, graph=collapse(trace)))
    assert "cut off before its end" in texts(root, ".verdict")[0]


def test_a_path_says_whether_it_was_walked_again() -> None:
    run = exploration()
    told = {
        verified: texts(
            page(replace(run, findings=(replace(run.findings[0], verified=verified),))), "#findings .label"
        )[0]
        for verified in (None, True, False)
    }
    assert "the way that was walked, without actions that changed nothing" in told[None]
    assert "came again" in told[True] and "did not show it" in told[False] and "again" not in told[None]


def test_a_run_without_steps_still_gives_a_page() -> None:
    run = exploration()
    trace = Trace(run.trace.head)
    root = page(replace(run, trace=trace, graph=collapse(trace), findings=(), hits=frozenset()))
    assert texts(root, ".verdict")[0].startswith("0 % of the app’s own statements ran in 0 actions")


def test_one_of_a_thing_is_told_as_one() -> None:
    run = exploration()
    first, second = run.trace.steps[0], replace(run.trace.steps[1], gain=1)
    trace = Trace(run.trace.head, (first, second))
    finding = replace(run.findings[0], path=tuple(range(LONGEST_PATH + 1)))
    graph = collapse(trace)
    for state in list(graph)[:1]:
        graph.nodes[state]["basis"] = "canvas"
    told = page(replace(run, trace=trace, graph=graph, findings=(finding,))).get_text()
    two = replace(run, findings=(run.findings[0], replace(run.findings[0], identity="other")))
    assert texts(page(two), ".tile .chip") == [f"2 {run.findings[0].kind.replace('-', ' ')}s"]
    for words in ("+1 statement,", "after 1 step", "after 1 step not listed here", "1 state told apart by"):
        assert words in told
    assert not re.search(
        r"\b1 (actions|states|steps|statements|functions|findings|faults|files|transitions)\b", told
    )


# --- pictures ----------------------------------------------------------------------------------------------------


def test_each_screenshot_is_held_once(tmp_path: Path) -> None:
    text = render_report(write_screenshots(exploration(), tmp_path))
    assert len(re.findall(r"data:image/png;base64,", text)) == 12


def test_screenshots_that_do_not_fit_are_left_out_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = write_screenshots(exploration(), tmp_path)
    one = len(base64.b64encode((tmp_path / "screenshots" / "s0.png").read_bytes()))
    monkeypatch.setattr(content, "PICTURE_BYTES", one + 100)
    text = render_report(run)
    held = len(re.findall(r"data:image/png;base64,", text))
    assert 0 < held < 12
    assert f"{12 - held} screenshots left out" in text


def test_a_picture_outside_the_run_folder_or_of_another_kind_is_not_read(tmp_path: Path) -> None:
    run = write_screenshots(exploration(), tmp_path / "run")
    (tmp_path / "secret.png").write_bytes(b"\x89PNG secret")
    (tmp_path / "run" / "screenshots" / "s1.png").write_text("no picture")
    run.graph.nodes["s0"]["screenshot"] = "../secret.png"
    made = content.Content(run)
    assert 0 not in made.pictures
    assert made.pictures_left_out == 2


# --- an app that attacks ---------------------------------------------------------------------------------------------


def test_no_text_of_an_app_becomes_markup() -> None:
    calm, hostile = calm_page(), page(attacked())

    watched = ("script", "style", *FORBIDDEN)
    shape = [[item.name for item in root.find_all(watched)] for root in (calm, hostile)]
    assert shape[0] == shape[1] == ["style", "style", "style", "script", "script"]
    for item in hostile.find_all(True):
        assert not [name for name in item.attrs if name.startswith("on") or name == "style"]
        assert item.get("href", "#").startswith("#")


def test_an_attacked_page_is_utf8_and_its_data_comes_back_whole() -> None:
    text = render_report(attacked())
    text.encode()
    found = data(BeautifulSoup(text, "lxml"))
    assert found["files"][0]["path"] == "0" + ATTACK
    assert found["files"][0]["text"].endswith(ATTACK)
    block = text[text.index('id="data"') :]
    assert "</script><img" not in block.split("</script>")[0]


def test_the_policy_lets_only_this_page_s_own_style_and_script_run() -> None:
    text = render_report(attacked())
    root = BeautifulSoup(text, "lxml")
    policy = str(root.select("meta[http-equiv]")[0]["content"])
    assert policy.startswith("default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; ")
    assert "unsafe" not in policy
    inline = re.findall(r"<(?:style[^>]*|script)>(.*?)</(?:style|script)>", text, re.DOTALL)
    for item in inline:
        digest = base64.b64encode(hashlib.sha256(item.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert len(inline) == 4


def test_the_page_names_no_other_address() -> None:
    for item in calm_page().find_all(True):
        assert "src" not in item.attrs
        assert item.get("href", "#").startswith("#")


def test_states_are_called_as_judges_cite_them() -> None:
    run = exploration()
    content = Content(run)
    cited = {each.state: each.id for each in gather(run.trace, run.graph).exhibits if each.kind == "node"}
    assert content.name == cited
    assert {node["name"]: content.states[node["id"]] for node in graph_data(content)["nodes"]} == {
        name: state for state, name in cited.items()
    }


def test_states_of_one_title_are_told_apart_by_address_or_by_the_way_there() -> None:
    visits = (
        (None, "a", "/", "Tasks"),
        ("Add", "b", "/", "Tasks"),
        ("Done", "c", "/#done", "Tasks"),
        ("Help", "d", "/help", "Help"),
    )
    steps = tuple(
        Step(
            at,
            Action("click", "", role="button", name=name) if name else None,
            "",
            state,
            url,
            title,
            0,
            (),
            True,
        )
        for at, (name, state, url, title) in enumerate(visits)
    )
    trace = replace(exploration().trace, steps=steps)
    content = Content(replace(exploration(), trace=trace, graph=collapse(trace)))
    assert [node["label"] for node in graph_data(content)["nodes"]] == [
        "open the app",
        'click button "Add"',
        "/#done",
        "Help",
    ]
