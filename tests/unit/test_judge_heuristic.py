"""The built-in judge: each measure costs what it should, never more than its cap, and cites what it saw."""

import asyncio
import random
from dataclasses import replace
from pathlib import Path

import pytest

from graph.records import Action, Finding, FindingKind, Flaw, Looks
from judge.aspects import RUBRICS
from judge.evidence import Case
from judge.heuristic import BASE, measured
from judge.material import Material
from judge.measures import MEASURES
from judge.records import BUILT_IN, Adjustment, Criterion, Deliberated
from judge.seam import built_in
from tests.judged import busy, finding, flawed, looking, refused, run, step

PERFECT = 20 * BASE


def adjustment(material: Material, dimension: Deliberated, aspect: str) -> Adjustment:
    (sample,) = measured(material, dimension).samples
    return next(each for each in sample.adjustments if each.aspect == aspect)


def test_an_app_that_nothing_speaks_against_gets_the_base_and_no_more() -> None:
    for dimension in RUBRICS:
        score = measured(run(busy()), dimension)
        assert (score.value, score.status, score.judge) == (PERFECT, "scored", BUILT_IN)
        assert score.protocol == "heuristic"
        assert "without a model" in score.notes[0]
        assert [aspect.aspect for aspect in score.aspects] == list(RUBRICS[dimension].names)


def test_every_measure_belongs_to_an_aspect_that_exists() -> None:
    for measure in MEASURES:
        assert measure.aspect in RUBRICS[measure.dimension].names
        assert 0 < measure.cap <= 1


@pytest.mark.parametrize(
    ("rule", "aspect", "one", "most"),
    [
        ("overlapping-text", "layout-structure", 0.2, 0.75),
        ("clipped-text", "layout-structure", 0.1, 0.5),
        ("page-too-wide", "layout-structure", 0.5, 0.5),
        ("distorted-image", "visual-detail", 0.25, 0.5),
        ("low-contrast", "hierarchy-and-typography", 0.15, 0.75),
        ("tiny-text", "hierarchy-and-typography", 0.15, 0.5),
    ],
)
def test_what_looks_wrong_costs_beauty_up_to_a_cap(rule: str, aspect: str, one: float, most: float) -> None:
    found = adjustment(looking(run(), flawed(rule)), "aesthetics", aspect)
    assert found.amount == pytest.approx(-one)
    assert found.citations == ("P1",)
    assert adjustment(looking(run(), flawed(rule, 10)), "aesthetics", aspect).amount == pytest.approx(-most)


@pytest.mark.parametrize(
    ("looks", "aspect", "cost"),
    [
        (Looks(texts=9, sizes=9), "hierarchy-and-typography", 0.25),
        (Looks(texts=9, fonts=4), "stylistic-consistency", 0.5),
        (Looks(texts=9, fonts=4, colours=13), "stylistic-consistency", 0.5),
        (Looks(texts=9, colours=13), "stylistic-consistency", 0.25),
        (Looks(texts=1, shift=0.2), "first-impression", 0.25),
        (Looks(texts=1, shift=0.3), "first-impression", 0.5),
        (Looks(texts=1, shift=0.1, sizes=8, fonts=3, colours=12), "first-impression", 0.0),
    ],
)
def test_style_is_counted(looks: Looks, aspect: str, cost: float) -> None:
    assert adjustment(looking(run(), looks), "aesthetics", aspect).amount == pytest.approx(-cost)


@pytest.mark.parametrize(
    ("kind", "aspect", "cost"),
    [
        ("blank-page", "first-impression", 1.0),
        ("error-overlay", "first-impression", 1.0),
        ("broken-image", "content-completeness", 0.25),
    ],
)
def test_faults_that_are_seen_cost_beauty(kind: FindingKind, aspect: str, cost: float) -> None:
    found = adjustment(run(findings=[finding(kind, at=0)]), "aesthetics", aspect)
    assert (found.amount, found.citations) == (-cost, ("P1",))


@pytest.mark.parametrize(
    "text", ["Lorem ipsum dolor", "Hello undefined", "Total: NaN", "[object Object]", "{{ name }}"]
)
def test_leftovers_in_the_text_are_found(text: str) -> None:
    found = adjustment(run(html=f"<p>{text}</p>"), "aesthetics", "content-completeness")
    assert found.amount == -0.25
    assert found.citations == ("P1",)


@pytest.mark.parametrize("text", ["Todo", "null hypothesis", "an undefinedness", "nan bread"])
def test_words_that_only_look_like_leftovers_are_not(text: str) -> None:
    assert adjustment(run(html=f"<p>{text}</p>"), "aesthetics", "content-completeness").amount == 0


def test_what_the_tester_typed_is_no_leftover_of_the_app() -> None:
    typed = step(1, "a", "a", action=Action("fill", "test", locator="#q", value="undefined"))
    material = run([typed], html="<p>You searched for undefined</p>")
    assert adjustment(material, "aesthetics", "content-completeness").amount == 0


@pytest.mark.parametrize(
    ("kind", "cost"),
    [
        ("crash", 1.0),
        ("hang", 1.0),
        ("dialog-loop", 0.75),
        ("exception", 0.3),
        ("rejection", 0.3),
        ("console-error", 0.1),
    ],
)
def test_faults_cost_stability(kind: FindingKind, cost: float) -> None:
    found = adjustment(run(busy(), findings=[finding(kind, at=2)]), "usability", "stability")
    assert (found.amount, found.citations) == (-cost, ("S2",))


def test_an_aspect_loses_one_point_at_most() -> None:
    many: list[Finding] = [
        finding(kind, at=1, title=str(number))
        for number in range(9)
        for kind in ("crash", "hang", "exception")
    ]
    score = measured(run(busy(), findings=many), "usability")
    assert min(aspect.adjustment for aspect in score.aspects) == -1
    assert score.value is not None
    assert score.value >= 0


def test_requests_count_after_gestures_only_and_pages_apart() -> None:
    steps = busy()
    steps[0] = replace(steps[0], requests=(refused("/api"), refused("http://x/", blocked=True)))
    steps[1] = replace(steps[1], requests=(refused("/gone", resource="document"), refused("/api")))
    material = run(steps)
    core = adjustment(material, "usability", "core-operations")
    assert (core.amount, core.citations) == (-0.3, ("S1",))
    ends = adjustment(material, "usability", "dead-ends-and-consistency")
    assert (ends.amount, ends.citations) == (-0.5, ("S2",))


def test_dead_controls_cost_feedback_and_unfit_ones_input() -> None:
    material = run(busy(), findings=[finding("dead-control", at=3)])
    found = adjustment(material, "usability", "feedback")
    assert (found.amount, found.citations) == (-0.25, ("S3",))
    for rule, most in (("unnamed-control", 0.5), ("unlabelled-field", 0.5), ("small-target", 0.4)):
        looks = looking(run(busy()), flawed(rule, 2))
        assert adjustment(looks, "usability", "controls-and-input").amount == pytest.approx(-0.2)
        assert adjustment(looks, "usability", "controls-and-input").citations == ("N1",)
        whole = looking(run(busy()), flawed(rule, 10))
        assert adjustment(whole, "usability", "controls-and-input").amount == pytest.approx(-most)


def test_grave_violations_of_axe_count_unless_a_rule_of_our_own_sees_them() -> None:
    def audited(*rules: tuple[str, str]) -> Looks:
        flaws = [Flaw(f"axe:{rule}", "ul", "ul", f"help ({impact} impact)") for rule, impact in rules]
        return Looks(tuple(flaws), texts=10, controls=10)

    def cost(*rules: tuple[str, str]) -> float:
        return adjustment(looking(run(busy()), audited(*rules)), "usability", "controls-and-input").amount

    assert cost(("list", "serious")) == pytest.approx(-0.15)
    assert cost(("list", "serious"), ("aria-roles", "critical"), ("list", "serious")) == pytest.approx(-0.3)
    assert cost(*((f"rule-{number}", "critical") for number in range(9))) == pytest.approx(-0.5)
    assert cost(("color-contrast", "serious"), ("heading-order", "moderate")) == 0


def test_a_state_without_a_way_out_is_found() -> None:
    stuck = [step(1, "a", "b", new_state=True), *(step(index, "b", "b") for index in range(2, 5))]
    found = adjustment(run(stuck), "usability", "reachability-and-recovery")
    assert (found.amount, found.citations) == (-0.25, ("N2",))
    left = [*stuck, step(5, "b", "a")]
    assert adjustment(run(left), "usability", "reachability-and-recovery").amount == 0


def test_too_little_evidence_gives_no_score() -> None:
    bare = run(busy(2))
    assert measured(bare, "usability").status == "insufficient"
    assert "2 actions" in measured(bare, "usability").reason
    blind = replace(bare, trace=replace(bare.trace, steps=bare.trace.steps[1:]))
    score = measured(blind, "aesthetics")
    assert (score.value, score.status) == (None, "insufficient")


def test_the_built_in_judge_stands_behind_the_seam() -> None:
    material = run(busy(), html="<h1>Hello there</h1>")
    case = Case(material.trace, material.graph, tuple(material.findings), material.evidence)
    judge = built_in()
    assert (judge.name, judge.lost) == (BUILT_IN, "")
    assert asyncio.run(judge.score(case, "usability")) == measured(material, "usability")
    wanted = [
        Criterion(id="c1", kind="content", text='The page shows "Hello there"'),
        Criterion(id="c2", kind="functional", text="Adding works"),
    ]
    assert [verdict.met for verdict in asyncio.run(judge.verdicts(case, wanted))] == [True, None]


def test_a_page_that_shows_nothing_has_no_score_rather_than_a_good_one() -> None:
    blank = looking(run(busy()), Looks())
    for dimension in RUBRICS:
        score = measured(blank, dimension)
        assert (score.value, score.status) == (None, "insufficient")
        assert "showed anything" in score.reason
    blank.graph.nodes["a"]["basis"] = "canvas"
    assert measured(blank, "usability").status == "scored"


def test_more_faults_never_raise_a_score() -> None:
    chance = random.Random(3)
    kinds: list[FindingKind] = [
        "crash",
        "exception",
        "dead-control",
        "broken-image",
        "blank-page",
        "console-error",
    ]
    for _ in range(40):
        found: list[Finding] = []
        before = dict.fromkeys(RUBRICS, PERFECT)
        for number in range(8):
            found.append(finding(chance.choice(kinds), at=chance.randint(0, 4), title=str(number)))
            for dimension in RUBRICS:
                value = measured(run(busy(), findings=found), dimension).value
                assert value is not None
                assert 0 <= value <= before[dimension]
                before[dimension] = value


def test_documentation_names_every_aspect_and_cap_of_a_measure() -> None:
    text = (Path(__file__).parents[2] / "docs" / "built-in-judge.md").read_text()
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    aspect, caps = "", []
    for row in rows:
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        if len(cells) == 5 and cells[4].replace(".", "").isdigit():
            aspect = cells[1] or aspect
            caps.append((aspect, float(cells[4])))
    assert caps == [(measure.aspect, measure.cap) for measure in MEASURES]
