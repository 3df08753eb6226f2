"""Verdicts on functions that never ran, on sources of a few lines."""

from __future__ import annotations

from dataclasses import replace

import pytest

from explorer.links import link
from explorer.sightings import Sighting, sightings
from explorer.unreached import Unreached, unreached
from instrument.probes import ProbeMap
from tests.explorations import exploration, probe_map

SAVE = Sighting(state="s1", brief='button "Save"', event="click", family="button#save")


def function(probes: ProbeMap, name: str, *, line: int = 0) -> int:
    return next(
        probe.id
        for probe in probes.probes
        if probe.kind == "function" and probe.function == name and line in (0, probe.position.line)
    )


def ran(probes: ProbeMap, *names: str) -> frozenset[int]:
    """The top level and the named functions, with their statements."""
    functions = {function(probes, name) for name in names}
    inside = frozenset().union(*(probes.body.get(item, frozenset()) for item in functions))
    nested = frozenset().union(*probes.body.values()) if probes.body else frozenset()
    top = {probe.id for probe in probes.probes if probe.kind == "statement" and probe.id not in nested}
    return frozenset(functions | inside | top)


def verdict(rows: tuple[Unreached, ...], name: str) -> Unreached:
    return next(row for row in rows if row.name == name)


def test_an_element_that_was_seen_but_not_tried_names_itself_and_its_states() -> None:
    probes = probe_map({"a.js": "function save() { store(); }\nbutton.onclick = save;"})
    seen = {function(probes, "save"): [SAVE, replace(SAVE, state="s2"), replace(SAVE, state="s1")]}

    row = verdict(unreached(probes, hits=ran(probes), seen=seen), "save")

    assert row.verdict == "appeared, not tried"
    assert row.reason == 'bound to click on button "Save", seen in 2 states; no action has raised it there'
    assert row.states == ("s1", "s2")
    assert row.sighting == SAVE
    assert (row.file, row.line, row.statements) == ("a.js", 1, 1)


def test_an_element_that_was_tried_in_vain_is_guarded() -> None:
    probes = probe_map({"a.js": "function save() {}"})
    seen = {function(probes, "save"): [replace(SAVE, tried=2)]}

    row = verdict(unreached(probes, hits=ran(probes), seen=seen), "save")

    assert row.verdict == "tried but guarded"
    assert "2 actions raised it there" in row.reason


def test_a_disabled_element_is_said_to_be_disabled_and_an_enabled_one_goes_first() -> None:
    probes = probe_map({"a.js": "function save() {}"})
    save = function(probes, "save")
    off = replace(SAVE, disabled=True)

    always = verdict(unreached(probes, hits=ran(probes), seen={save: [off]}), "save")
    once = verdict(unreached(probes, hits=ran(probes), seen={save: [off, replace(SAVE, state="s9")]}), "save")

    assert "always disabled" in always.reason
    assert once.sighting is not None
    assert once.sighting.state == "s9"


def test_a_callee_gets_the_verdict_of_the_handler_that_calls_it() -> None:
    text = "function save() { check(); }\nfunction check() { report(); }\nfunction report() { log(1); }"
    probes = probe_map({"a.js": text})
    seen = {function(probes, "save"): [SAVE]}

    rows = unreached(probes, hits=ran(probes), seen=seen)

    check, report = verdict(rows, "check"), verdict(rows, "report")
    assert check.verdict == report.verdict == "appeared, not tried"
    assert check.reason.startswith("called by save (a.js:1), which is bound to click")
    assert "called by check (a.js:2), which is reached only through save (a.js:1)" in report.reason
    assert report.via == (function(probes, "save"), function(probes, "check"))
    assert report.sighting == SAVE


def test_a_callee_of_a_function_that_ran_is_guarded_by_it() -> None:
    probes = probe_map({"a.js": "function save() { if (bad) fail(); }\nfunction fail() {}\nsave();"})

    row = verdict(unreached(probes, hits=ran(probes, "save"), seen={}), "fail")

    assert row.verdict == "tried but guarded"
    assert row.reason == "called by save (a.js:1), which ran but not as far as the call"


def test_a_call_at_top_level_counts_as_a_caller_only_where_the_file_ran() -> None:
    probes = probe_map({"a.js": "if (debug) trace();\nfunction trace() {}"})

    after = verdict(unreached(probes, hits=ran(probes), seen={}), "trace")
    before = verdict(unreached(probes, hits=frozenset(), seen={}), "trace")

    assert after.reason == "called by the top level of a.js, which ran but not as far as the call"
    assert (before.verdict, before.reason) == ("no handler bound", "in a file that never ran")


@pytest.mark.parametrize(
    "binding",
    [
        "button.addEventListener('click', save);",
        "button.addEventListener('click', this.save);",
        "button.onclick = save;",
        "$(list).on('click', '.row', save);",
        "$('#b').click(save);",
        "h('button', { onClick: save });",
        "html = '<button onclick=\"save()\">';",
        "template = '<button @click=\"save\">';",
    ],
)
def test_a_binding_in_the_source_without_an_element_means_that_none_appeared(binding: str) -> None:
    probes = probe_map({"a.js": f"function save() {{}}\n{binding}"})

    row = verdict(unreached(probes, hits=ran(probes), seen={}), "save")

    assert row.verdict == "element never appeared"
    assert "bound to click in the source" in row.reason


@pytest.mark.parametrize(
    ("binding", "event"),
    [
        ("box.addEventListener('keydown', function () { go(); });", "keydown"),
        ("box.addEventListener('keydown', () => go());", "keydown"),
        ("box.ondblclick = async () => { go(); };", "dblclick"),
        ("h('p', { onMouseEnter: () => go() });", "mouseenter"),
        ("$(box).on('change.mine', function () { go(); });", "change"),
    ],
)
def test_a_function_without_a_name_is_known_by_the_event_that_it_is_written_for(
    binding: str, event: str
) -> None:
    probes = probe_map({"a.js": binding})
    assert list(link(probes).binding.values()) == [event]


@pytest.mark.parametrize(
    "text", ["const only = function () {};", "x.on('ready', function () {});", "f(() => 1);"]
)
def test_what_only_looks_like_a_binding_is_none(text: str) -> None:
    assert link(probe_map({"a.js": text})).binding == {}


def test_a_callback_of_a_function_that_ran_was_never_called() -> None:
    probes = probe_map({"a.js": "function load() { fetch('/x').then((reply) => { show(reply); }); }"})

    (row,) = unreached(probes, hits=ran(probes, "load"), seen={})

    assert row.verdict == "tried but guarded"
    assert row.reason == "a callback in load (a.js:1), which ran, but nothing has called it"


def test_a_function_inside_one_that_never_ran_shares_its_verdict_and_names_its_parent() -> None:
    probes = probe_map({"a.js": "function save() { later(() => { store(); }); }"})
    save = function(probes, "save")

    inner = verdict(unreached(probes, hits=ran(probes), seen={save: [SAVE]}), "")

    assert inner.parent == save
    assert inner.reason.startswith("defined inside save (a.js:1), which is bound to click")


def test_dead_code_has_no_handler() -> None:
    probes = probe_map({"a.js": "function used() {}\nfunction unused() {}\nused();"})

    row = verdict(unreached(probes, hits=ran(probes, "used"), seen={}), "unused")

    assert row.verdict == "no handler bound"
    assert row.reason == "no element, key, timer or caller that was seen leads to it"


def test_a_function_in_a_module_s_wrapper_that_nothing_calls_is_dead_code() -> None:
    probes = probe_map(
        {"a.js": "function wrap() { Store.prototype.drop = function () { clear(); }; }\nwrap();"}
    )

    (row,) = unreached(probes, hits=ran(probes, "wrap"), seen={})

    assert (row.name, row.verdict) == ("drop", "no handler bound")
    assert row.reason.startswith("defined in wrap (a.js:1), which ran, but no element")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("const save = () => 1;", "save"),
        ("const save = async (x) => x;", "save"),
        ("this.save = function () {};", "save"),
        ("x = { save: function () {} };", "save"),
        ("const save = useCallback(() => 1);", "save"),
        ("class A { save() {} }", "save"),
        ("list.map((x) => x);", ""),
        ("(function () {})();", ""),
    ],
)
def test_a_function_without_a_name_is_known_by_what_it_is_assigned_to(text: str, name: str) -> None:
    assert list(link(probe_map({"a.js": text})).name.values()) == [name]


def test_a_method_is_known_by_its_text_where_only_a_number_names_it() -> None:
    probes = probe_map({"a.js": "class A { static async load(x) {} }"})
    (method,) = (probe for probe in probes.probes if probe.kind == "function")
    named = replace(method, function="(anonymous_0)", position=method.position._replace(column=10))
    probes = replace(probes, probes=tuple(named if item is method else item for item in probes.probes))
    assert link(probes).name == {method.id: "load"}


def test_a_name_that_many_functions_share_links_none_of_them() -> None:
    files = {f"{number}.js": "function get() {}" for number in range(5)}
    probes = probe_map({"a.js": "function start() { get(); }", **files})

    rows = unreached(probes, hits=ran(probes, "start"), seen={})

    assert {row.verdict for row in rows} == {"no handler bound"}


def test_a_function_of_the_same_file_is_called_before_one_of_another() -> None:
    probes = probe_map(
        {"a.js": "function start() { get(); }\nfunction get() {}", "b.js": "function get() {}"}
    )

    rows = unreached(probes, hits=ran(probes, "start"), seen={})

    assert [(row.file, row.verdict) for row in rows] == [
        ("a.js", "tried but guarded"),
        ("b.js", "no handler bound"),
    ]


def test_functions_that_call_each_other_end_the_walk() -> None:
    probes = probe_map({"a.js": "function ping() { pong(); }\nfunction pong() { ping(); }"})
    seen = {function(probes, "ping"): [SAVE]}

    rows = unreached(probes, hits=ran(probes), seen=seen)

    assert [row.name for row in rows if row.verdict == "appeared, not tried"] == ["ping", "pong"]


def test_vendor_functions_get_no_verdict_and_everything_run_leaves_none() -> None:
    probes = probe_map({"vendor/x.js": "function hidden() {}", "a.js": "function used() {}"})

    assert [row.name for row in unreached(probes, hits=ran(probes), seen={})] == ["used"]
    assert unreached(probes, hits=ran(probes, "used"), seen={}) == ()


def test_files_and_functions_with_most_statements_come_first() -> None:
    big = "function small() { a(); }\nfunction large() { a(); b(); c(); }"
    probes = probe_map({"a.js": "function one() { a(); }", "b.js": big})

    rows = unreached(probes, hits=frozenset(), seen={})

    assert [row.name for row in rows] == ["large", "small", "one"]


def test_a_trace_tells_what_was_seen_and_how_often_it_was_tried() -> None:
    run = exploration()
    seen = sightings(run.trace)
    export = function(run.probes, "exportNotes")
    edit = function(run.probes, "", line=22)

    tried = {item.tried for item in seen[export]}
    assert tried == {sum(1 for step in run.trace.steps if step.action and step.action.name == "Export")}
    assert {(item.brief, item.event, item.tried) for item in seen[edit]} == {
        ('button "Buy milk"', "dblclick", 0)
    }
    assert len({item.state for item in seen[edit]}) == run.graph.number_of_nodes()


@pytest.mark.parametrize(
    ("event", "gesture"),
    [
        ("dblclick", 'double-click button "Save"'),
        ("keydown", 'press a key on button "Save"'),
        ("drop", 'drag something onto button "Save"'),
        ("my-event", 'raise my-event on button "Save"'),
    ],
)
def test_a_sighting_says_what_a_user_would_do(event: str, gesture: str) -> None:
    assert replace(SAVE, event=event).gesture == gesture
    assert Sighting("s", "a timer due after 2 s", "timer").gesture == "wait for a timer due after 2 s"


def test_a_gesture_that_could_not_be_made_does_not_count_as_tried() -> None:
    run = exploration()
    failed = replace(run.trace, steps=tuple(replace(step, performed=False) for step in run.trace.steps))
    assert {item.tried for where in sightings(failed).values() for item in where} == {0}


def test_the_page_s_own_listeners_and_timers_are_sightings_too() -> None:
    run = exploration()
    key = sightings(run.trace)[function(run.probes, "onKey")]
    assert {(item.brief, item.event, item.family) for item in key} == {("the page", "keydown", "")}
    assert key[0].tried == sum(
        1 for step in run.trace.steps if step.action and step.action.kind in ("press", "fill")
    )
