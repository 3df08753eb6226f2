# ruff: noqa: E501 - pages are html on long lines
"""How a state looks, measured in the page: each rule with what breaks it and what only seems to."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.browser.agent_page import AgentBrowser, AgentPage, agent

pytestmark = pytest.mark.browser
__all__ = ["agent"]

HEAD = "<!doctype html><html lang=en><title>T</title>"
DOT = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="
Looks = dict[str, Any]


def looked(agent: AgentBrowser, html: str) -> Looks:
    """What `looks` says of a page."""
    found: list[Looks] = []

    async def work(page: AgentPage) -> None:
        await page.observe()
        found.append(json.loads(await page.call("__explorer$.looks()")))

    agent.run(html, work)
    return found[0]


@pytest.mark.parametrize(
    ("rule", "broken", "fine"),
    [
        ("low-contrast", "<p style='color:#999'>grey", "<p style='color:#666'>grey"),
        (
            "low-contrast",
            "<div style='background:#036'><p style='color:#05a'>blue</div>",
            "<div style='background:url(x.png)'><p style='color:#999'>over a picture</div>",
        ),
        (
            "low-contrast",
            "<p style='font-size:20px;color:#888'>not large",
            "<p style='font-size:24px;color:#888'>large",
        ),
        (
            "low-contrast",
            "<p style='color:rgba(0,0,0,.4)'>see-through",
            "<button disabled style='color:#999'>off</button>",
        ),
        (
            "low-contrast",
            "<p style='opacity:.5;color:#333'>veiled",
            "<p style='opacity:.9;color:#333'>veiled a little",
        ),
        (
            "low-contrast",
            "<div style='opacity:.4;background:#000'><p style='color:#fff'>a veiled box</div>",
            "<div style='opacity:.9;background:#000'><p style='color:#fff'>a box</div>",
        ),
        ("tiny-text", "<p style='font-size:7px'>small print", "<p style='font-size:11px'>small print"),
        (
            "small-target",
            "<button style='width:18px;height:18px;padding:0'>x</button>",
            "<p>A <a href=#a style='font-size:12px'>link</a> in a sentence",
        ),
        (
            "small-target",
            "<a href=# style='display:block;width:90px;height:12px'>thin</a>",
            "<label><input type=checkbox> Agree</label>",
        ),
        (
            "unnamed-control",
            "<button style='width:40px;height:40px'></button>",
            "<button style='width:40px;height:40px' aria-label=Close></button>",
        ),
        ("unlabelled-field", "<input>", "<label>Name <input></label>"),
        (
            "image-without-alternative",
            f"<img src='{DOT}' width=40 height=40>",
            f"<img src='{DOT}' alt='' width=40 height=40>",
        ),
        (
            "distorted-image",
            f"<img alt=a src='{DOT}' style='width:90px;height:40px'>",
            f"<img alt=a src='{DOT}' style='width:90px;height:40px;object-fit:cover'>",
        ),
        (
            "clipped-text",
            "<p style='width:60px;white-space:nowrap;overflow:hidden'>a longer line of text",
            "<p style='width:60px;white-space:nowrap;overflow:hidden;text-overflow:ellipsis'>a longer line of text",
        ),
        (
            "clipped-text",
            "<div style='height:12px;overflow:hidden;font-size:20px;line-height:20px'>half a line</div>",
            "<span style='position:absolute;width:1px;height:1px;overflow:hidden'>for screen readers</span>",
        ),
        (
            "overlapping-text",
            "<p style='margin:0'>first text here<p style='margin:-18px 0 0'>second text here",
            "<p style='margin:0'>first text here<p style='margin:-18px 0 0;background:#fff'>second text here",
        ),
        (
            "overlapping-text",
            "<div style='height:20px'>folded menu</div><p style='margin:-18px 0 0'>what comes next",
            "<div style='height:0;overflow:hidden'><p style='margin:0'>folded menu</div><p style='margin:0'>what comes next",
        ),
        (
            "low-contrast",
            "<a href=# style='color:#aaa'>skip to content</a>",
            "<a href=# style='position:absolute;top:-99px;color:#aaa'>skip to content</a>",
        ),
        ("page-too-wide", "<div style='width:2000px'>wide</div>", "<div style='width:100%'>fits</div>"),
    ],
)
def test_each_rule_sees_what_breaks_it_and_nothing_else(
    agent: AgentBrowser, rule: str, broken: str, fine: str
) -> None:
    found = looked(agent, HEAD + broken)
    assert found["counts"].get(rule) == 1, found
    (flaw,) = [flaw for flaw in found["flaws"] if flaw[0] == rule]
    assert flaw[3]
    assert rule not in looked(agent, HEAD + fine)["counts"]


def test_a_page_without_flaws_has_none(agent: AgentBrowser) -> None:
    found = looked(agent, HEAD + "<h1>Hello</h1><p>A text.<button style='height:40px'>Go</button>")
    assert found["flaws"] == []
    assert (found["texts"], found["controls"], found["sizes"]) == (3, 1, 3)


def test_document_needs_title_and_language(agent: AgentBrowser) -> None:
    assert set(looked(agent, "<!doctype html><p>x")["counts"]) == {
        "page-without-title",
        "page-without-language",
    }


def test_flaws_are_all_counted_and_a_few_described(agent: AgentBrowser) -> None:
    found = looked(agent, HEAD + "<p style='color:#aaa'>pale" * 9)
    assert found["counts"]["low-contrast"] == 9
    assert len(found["flaws"]) == 5
    assert found["flaws"][0][1] == "p “pale”"
    assert found["flaws"][0][2] == "html > body:nth-of-type(1) > p:nth-of-type(1)"
    assert found["flaws"][0][4][2] > 10


def test_shadow_roots_are_measured_too_and_hidden_things_are_not(agent: AgentBrowser) -> None:
    html = (
        HEAD
        + """<div id=h></div><p hidden style='color:#aaa'>gone</p><p style='visibility:hidden;color:#aaa'>veiled</p>
    <script>h.attachShadow({mode: 'open'}).innerHTML = "<p style='color:#aaa'>inside</p>"</script>"""
    )
    found = looked(agent, html)
    assert found["counts"] == {"low-contrast": 1}
    assert " >>> " in found["flaws"][0][2]


def test_layout_that_jumps_by_itself_is_noticed(agent: AgentBrowser) -> None:
    html = (
        HEAD
        + """<div id=top></div><p style='height:300px'>text that is pushed down</p>
    <script>requestAnimationFrame(() => requestAnimationFrame(() => { top.style; document.getElementById('top').style.height = '300px'; }))</script>"""
    )
    found: list[float] = []

    async def work(page: AgentPage) -> None:
        await page.observe()
        await page.observe()
        found.append(json.loads(await page.call("__explorer$.looks()"))["shift"])

    agent.run(html, work)
    assert found[0] > 0.1
