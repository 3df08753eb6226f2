"""What a judge is shown: marked as data, bounded, counted, and too little where it is too little."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from pathlib import Path

from graph.records import Request
from judge.evidence import gather, read_case
from judge.packs import aesthetics_pack, marked, usability_pack
from judge.records import Evidence, Exhibit
from judge.request import ImageBlock, TextBlock
from tests.cases import BEG, case, notebook, write_run


def text_of(pack_blocks: tuple[object, ...]) -> str:
    return "\n".join(block.text for block in pack_blocks if isinstance(block, TextBlock))


def test_no_text_of_the_app_can_close_the_marks(tmp_path: Path) -> None:
    evidence = case(tmp_path, notebook(says=BEG)).evidence
    for pack in (usability_pack(evidence), aesthetics_pack(evidence)):
        text = text_of(pack.blocks)
        assert text.startswith("<evidence>") and text.endswith("</evidence>")
        assert text.count("</evidence>") == 1
    assert "&lt;/evidence&gt;" in text_of(usability_pack(evidence).blocks)


def test_marked_escapes_attributes_too() -> None:
    assert marked("x", "a<b>&c", of='"><y>') == '<x of="&quot;&gt;&lt;y&gt;">\na&lt;b&gt;&amp;c\n</x>'


def test_usability_shows_trace_and_graph_and_no_picture(tmp_path: Path) -> None:
    pack = usability_pack(case(tmp_path).evidence)
    assert {name[0] for name in pack.shown} == {"S", "N", "E"}
    assert len(pack.blocks) == 1 and isinstance(pack.blocks[0], TextBlock) and pack.blocks[0].cache_end
    assert pack.left_out == {} and not pack.lacking


def test_aesthetics_shows_pictures_and_nothing_of_the_trace(tmp_path: Path) -> None:
    pack = aesthetics_pack(case(tmp_path).evidence)
    assert list(pack.shown) == ["P1", "P2", "P3"]
    assert sum(isinstance(block, ImageBlock) for block in pack.blocks) == 3
    assert [block.cache_end for block in pack.blocks] == [False] * 7 + [True]


def test_long_traces_are_thinned_out_and_what_is_left_out_is_counted() -> None:
    steps = tuple(
        Exhibit(
            f"S{number}", "step", f"click button {number} " + "x" * 200, weight=16 if number == 333 else 1
        )
        for number in range(1000)
    )
    pack = usability_pack(Evidence(steps, head="head"), most_text=40_000)
    text = text_of(pack.blocks)
    assert len(text) < 42_000
    assert (
        pack.left_out["steps"] == 1000 - len(pack.shown)
        and f"{pack.left_out['steps']} steps left out" in text
    )
    assert "S333" in pack.shown
    # Thinned out over the whole length, not cut off.
    numbers = sorted(int(name[1:]) for name in pack.shown)
    assert numbers[0] < 20 and numbers[-1] > 980
    assert max(b - a for a, b in itertools.pairwise(numbers)) <= 20


def test_what_one_kind_does_not_need_is_the_next_ones() -> None:
    step = Exhibit("S1", "step", "click button")
    nodes = tuple(Exhibit(f"N{number}", "node", "y" * 900) for number in range(1, 30))
    pack = usability_pack(Evidence((step, *nodes)), most_text=20_000)
    # Steps and transitions need next to nothing, so that states may take nearly all but what is kept for transitions.
    assert 16 <= sum(name[0] == "N" for name in pack.shown) <= 18


def test_bound_holds_for_every_size() -> None:
    trace = notebook()
    from graph.collapse import collapse

    evidence = gather(trace, collapse(trace))
    for most in (500, 1000, 2000, 4000):
        pack = usability_pack(evidence, most_text=most)
        assert len(text_of(pack.blocks)) <= most + len(evidence.head) + 600


def test_nothing_to_judge_from_is_said(tmp_path: Path) -> None:
    evidence = case(tmp_path).evidence
    loads = replace(evidence, exhibits=tuple(each for each in evidence.exhibits if each.id == "S0"))
    assert usability_pack(loads).lacking == "the trace has no action: nothing was tried"
    assert aesthetics_pack(loads).lacking == "the run left no picture"


def test_pictures_that_cannot_be_used_are_told(tmp_path: Path) -> None:
    from PIL import Image

    folder = write_run(tmp_path)
    Image.new("RGB", (640, 400), "white").save(folder / "screenshots/0002.jpg")
    pack = aesthetics_pack(read_case(folder).evidence)
    assert list(pack.shown) == ["P1", "P3"]
    assert any(re.match(r"P2 is blank", note) for note in pack.notes)
    for name in ("0000", "0002", "0003"):
        Image.new("RGB", (640, 400), "white").save(folder / f"screenshots/{name}.jpg")
    assert "none of 3 pictures can be used" in aesthetics_pack(read_case(folder).evidence).lacking


def test_what_the_tester_kept_out_is_no_fault_of_the_app(tmp_path: Path) -> None:
    trace = notebook()
    out = tuple(
        Request("GET", f"https://{host}/x", None, "not allowed out", True, kind)
        for host, kind in (
            ("fonts.example.com", "font"),
            ("fonts.example.com", "font"),
            ("shop.example.org", "document"),
        )
    )
    kept = replace(trace, steps=(replace(trace.steps[0], requests=out), *trace.steps[1:]))
    evidence = case(tmp_path, kept).evidence
    for pack in (usability_pack(evidence), aesthetics_pack(evidence)):
        told = text_of(pack.blocks)
        assert (
            "kept the app from reaching other hosts (fonts.example.com)" in told
            and "shop.example.org)" not in told
        )
    assert not case(tmp_path / "other").evidence.limits
