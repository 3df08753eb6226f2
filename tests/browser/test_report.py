"""The report in a real browser, opened from disk: it works, it stays inside, and it can be used by keyboard."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Dialog, Page, expect, sync_playwright

from explorer import provision
from explorer.exploration import Exploration
from explorer.report import render_report
from explorer.rundir import write_text
from tests.explorations import attacked, exploration, probe_map, write_screenshots

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser(found_browser: provision.Browser) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=found_browser.executable, chromium_sandbox=found_browser.sandbox
        )
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("reports")
    runs = {"calm": exploration(), "hostile": attacked()}
    return {name: write_report(run, folder / name) for name, run in runs.items()}


def write_report(run: Exploration, folder: Path) -> Path:
    return write_text(folder / "report.html", render_report(write_screenshots(run, folder)))


class Watched:
    """A page with a report, and everything that went wrong in it."""

    def __init__(self, page: Page, path: Path) -> None:
        self.page, self.path = page, path
        self.troubles: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda message: self.troubles.append(message.text))
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.on("dialog", self._dialog)
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(path.as_uri())

    def _dialog(self, dialog: Dialog) -> None:
        self.troubles.append(dialog.message)
        dialog.dismiss()


def wait_until(page: Page, condition: str) -> None:
    """Like wait_for_function, which the page's policy forbids: it evaluates text inside the page."""
    for _ in range(100):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never true: {condition}")


def swipe_up(page: Page, x: float, y: float) -> None:
    """One finger, 200 pixels up."""
    session = page.context.new_cdp_session(page)

    def touch(kind: str, *points: dict[str, float]) -> None:
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

    touch("touchStart", {"x": x, "y": y})
    for moved in range(20, 220, 20):
        touch("touchMove", {"x": x, "y": y - moved})
    touch("touchEnd")


@pytest.fixture
def calm(browser: Browser, files: dict[str, Path]) -> Iterator[Page]:
    yield from opened(browser, files["calm"])


def opened(browser: Browser, path: Path, **options: Any) -> Iterator[Page]:
    context = browser.new_context(**options)
    watched = Watched(context.new_page(), path)
    yield watched.page
    assert watched.troubles == []
    context.close()


def test_a_report_needs_nothing_but_its_file(browser: Browser, files: dict[str, Path]) -> None:
    context = browser.new_context()
    watched = Watched(context.new_page(), files["calm"])
    watched.page.locator("#unreached").scroll_into_view_if_needed()
    assert [url for url in watched.requests if not url.startswith("data:")] == [files["calm"].as_uri()]
    assert watched.troubles == []
    context.close()


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_the_window(
    browser: Browser, files: dict[str, Path], width: int, scheme: Any
) -> None:
    for page in opened(browser, files["calm"], viewport={"width": width, "height": 800}, color_scheme=scheme):
        assert page.evaluate("document.documentElement.scrollWidth") == width
        dark = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(15, 18, 22)"
        assert dark == (scheme == "dark")


def test_on_a_phone_the_bar_shows_the_link_of_the_section_that_is_read(
    browser: Browser, files: dict[str, Path]
) -> None:
    for page in opened(browser, files["calm"], viewport={"width": 390, "height": 800}):
        for section in ("run", "overview", "files"):
            page.evaluate(f"document.getElementById('{section}').scrollIntoView({{behavior: 'instant'}})")
            link = page.locator(f'nav a[href="#{section}"]')
            expect(link).to_have_attribute("aria-current", "true")
            expect(link).to_be_in_viewport(ratio=0.99)


def test_an_app_that_attacks_runs_nothing(browser: Browser, files: dict[str, Path]) -> None:
    context = browser.new_context()
    watched = Watched(context.new_page(), files["hostile"])
    page = watched.page
    page.evaluate("for (const item of document.querySelectorAll('details')) item.open = true")
    for route in ("state-3", "step-4", "finding-0", "source-0:3", "source-1:1"):
        page.evaluate(f"location.hash = '{route}'")
        page.wait_for_timeout(30)
    expect(page.locator("dialog .row").first).to_be_visible()
    assert page.evaluate("window.pwned") is None
    assert page.locator("img, iframe, [onclick], [onerror]").count() == 0
    assert [url for url in watched.requests if not url.startswith("data:")] == [files["hostile"].as_uri()]
    assert watched.troubles == []
    context.close()


def test_markup_that_slipped_through_would_still_not_run(browser: Browser, files: dict[str, Path]) -> None:
    context = browser.new_context()
    watched = Watched(context.new_page(), files["calm"])
    blocked = """async () => {
      const found = new Promise((resolve) => addEventListener('securitypolicyviolation', resolve));
      document.body.append(Object.assign(document.createElement('script'), { textContent: 'pwned = 1' }));
      return (await found).violatedDirective;
    }"""
    assert watched.page.evaluate(blocked) == "script-src-elem"
    assert watched.page.evaluate("window.pwned") is None
    context.close()


def test_the_source_view_names_what_does_not_show(browser: Browser, files: dict[str, Path]) -> None:
    for page in opened(browser, files["hostile"]):
        lines = exploration().probes.files[0].text.count("\n") + 2
        page.evaluate(f"location.hash = 'source-0:{lines}'")
        row = page.locator("dialog .row", has_text="evil").first
        expect(row).to_contain_text("⟨U+202E⟩evil⟨U+2066⟩⟨U+0000⟩⟨U+001B⟩")


def test_a_state_chosen_in_the_text_shows_in_the_graph_s_panel(calm: Page) -> None:
    calm.locator("#step-3 a.state").click()
    expect(calm.locator("#graph-panel h3")).to_contain_text("N3")
    expect(calm.locator("#graph-panel .shot")).to_have_css("background-image", re.compile("data:image/png"))


def test_an_address_with_a_state_opens_the_graph_at_it(browser: Browser, files: dict[str, Path]) -> None:
    for page in opened(browser, files["calm"]):
        page.goto(files["calm"].as_uri() + "#state-4")
        page.reload()
        expect(page.locator("#graph-panel h3")).to_contain_text("N5")
        expect(page.locator("#graph-canvas")).to_be_in_viewport()
        expect(page.locator("#state-list")).not_to_have_attribute("open", "")


def test_the_graph_goes_by_keyboard_and_its_list_says_the_same(calm: Page) -> None:
    expect(calm.locator("#graph-panel h3")).to_contain_text("N1 ")
    calm.locator("#graph-canvas").focus()
    calm.keyboard.press("ArrowRight")
    calm.keyboard.press("ArrowRight")
    expect(calm.locator("#graph-panel h3")).to_contain_text("N3")
    calm.keyboard.press("ArrowLeft")
    expect(calm.locator("#graph-panel h3")).to_contain_text("N2")
    calm.locator("#state-list > summary").press("Enter")
    expect(calm.locator("#card-1 h3")).to_be_visible()


def test_a_click_into_the_graph_chooses_a_state(calm: Page) -> None:
    canvas = calm.locator("#graph-canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box
    found = set()
    for x in range(60, int(box["width"]), 80):
        for y in range(40, int(box["height"]), 60):
            canvas.click(position={"x": x, "y": y})
            found.add(calm.locator("#graph-panel h3").inner_text().split()[0])
    assert len(found) > 3


def test_the_wheel_scrolls_the_page_over_the_graph(calm: Page) -> None:
    calm.locator("#graph-canvas").hover()
    before = calm.evaluate("scrollY")
    calm.mouse.wheel(0, 200)
    wait_until(calm, f"scrollY > {before} + 100")


def test_one_finger_scrolls_the_page_over_the_graph_and_a_tap_chooses(
    browser: Browser, files: dict[str, Path]
) -> None:
    phone = {"viewport": {"width": 390, "height": 800}, "has_touch": True, "is_mobile": True}
    for page in opened(browser, files["calm"], **phone):
        canvas = page.locator("#graph-canvas")
        canvas.scroll_into_view_if_needed()
        box = canvas.bounding_box()
        assert box
        found = set()
        for x in range(30, int(box["width"]), 40):
            for y in range(30, int(box["height"]), 50):
                page.touchscreen.tap(box["x"] + x, box["y"] + y)
                found.add(page.locator("#graph-panel h3").inner_text().split()[0])
        assert len(found) > 3
        before = page.evaluate("scrollY")
        swipe_up(page, box["x"] + box["width"] / 2, box["y"] + box["height"] - 40)
        wait_until(page, f"scrollY > {before} + 100")


def test_the_film_strip_shows_gains_or_findings_only(calm: Page) -> None:
    run = exploration()
    frames = calm.locator(".frame:not([hidden])")
    expect(frames).to_have_count(61)
    calm.get_by_role("button", name="Gains only").click()
    expect(frames).to_have_count(sum(1 for step in run.trace.steps if step.gain))
    calm.get_by_role("button", name="Findings only").click()
    expect(frames).to_have_count(4)
    expect(calm.get_by_role("button", name="Findings only")).to_have_attribute("aria-pressed", "true")
    # A link to a frame that the filter hides shows it all the same.
    calm.evaluate("location.hash = 'step-5'")
    expect(calm.locator("#step-5")).to_be_visible()


def test_the_curve_tells_of_a_step_by_pointer_and_by_key(calm: Page) -> None:
    calm.locator("#plot .column").nth(3).hover()
    expect(calm.locator(".tip")).to_contain_text('Step 3: click button "Add"')
    calm.locator("#plot").focus()
    calm.keyboard.press("End")
    expect(calm.locator(".tip")).to_contain_text("Step 60")
    calm.keyboard.press("ArrowLeft")
    expect(calm.locator(".tip")).to_contain_text("Step 59")
    calm.keyboard.press("Enter")
    expect(calm.locator("#step-59")).to_be_focused()


def test_files_sort_by_a_click_and_turn_round_by_a_second(calm: Page) -> None:
    own = calm.locator("table.files").first
    names = own.locator("tbody .source")
    own.get_by_role("button", name="Statements").click()
    expect(names).to_have_text(["store.js", "app.js"])
    own.get_by_role("button", name="Statements").click()
    expect(names).to_have_text(["app.js", "store.js"])
    expect(own.locator("th[aria-sort]")).to_have_attribute("aria-sort", "ascending")


def test_a_verdict_chooses_among_unreached_functions(calm: Page) -> None:
    rows = calm.locator(".gap-file:not([hidden]) li[data-verdict]:not([hidden]) > .gap-head .source")
    before = rows.count()
    calm.get_by_role("button", name="appeared, not tried").click()
    expect(rows).to_have_text(["openEditor", "dblclick listener"])
    calm.get_by_role("button", name="appeared, not tried").click()
    expect(rows).to_have_count(before)


def test_a_finding_opens_its_source_at_the_line_and_escape_closes_it(calm: Page) -> None:
    finding = calm.locator(".finding", has_text="TypeError")
    finding.locator("summary").click()
    finding.locator("a.source").click()
    dialog = calm.locator("dialog")
    expect(dialog.locator("h2")).to_have_text("app.js")
    expect(dialog.locator(".row.here")).to_contain_text("const lines = store.notes.map((note) =>")
    expect(dialog.locator(".row.here .t3").first).to_have_text("const")
    calm.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    # The same link works a second time, and so does the way back.
    finding.locator("a.source").click()
    expect(dialog).to_be_visible()
    calm.go_back()
    expect(dialog).to_be_hidden()


def test_lines_say_whether_they_ran_and_the_next_that_did_not_is_a_key_away(calm: Page) -> None:
    calm.evaluate("location.hash = 'source-0'")
    row = calm.locator("dialog .row")
    run = exploration()
    source = run.probes.files[0]
    missed = {run.probes.probes[item].position.line for item in source.statements if item not in run.hits}
    ran = {run.probes.probes[item].position.line for item in source.statements if item in run.hits}
    only_missed, only_ran = min(missed - ran), min(ran - missed)
    expect(row.nth(only_ran - 1)).to_have_class(re.compile("hit"))
    expect(row.nth(only_missed - 1)).to_have_class(re.compile("miss|part"))
    expect(row.nth(only_missed - 1).locator(".m").first).to_be_visible()
    calm.keyboard.press("n")
    wait_until(calm, "document.querySelector('.viewer-scroll').scrollTop > 0")


def test_a_minified_megabyte_opens_broken_into_rows(browser: Browser, tmp_path: Path) -> None:
    run = exploration()
    one = "function f(a){return a?g(a):h(a)}"
    probes = probe_map({"small.js": one})
    text = one * 30_000
    long = replace(probes, files=(replace(probes.files[0], path="bundle.min.js", text=text),))
    path = write_report(replace(run, probes=long, hits=frozenset()), tmp_path)
    for page in opened(browser, path):
        page.evaluate("location.hash = 'source-0'")
        rows = page.locator("dialog .row")
        expect(rows.first).to_be_visible()
        assert rows.count() < 200
        height = page.evaluate("document.querySelector('.viewer-scroll').scrollHeight")
        assert height / 20 >= len(text) / 400
        column = len(one) * 20_000
        page.evaluate(f"location.hash = 'source-0:1:{column}'")
        here = page.locator("dialog .row.here")
        expect(here).to_be_visible()
        before = page.evaluate("document.querySelector('.viewer-scroll').scrollTop")
        # Two thirds of the text are two thirds of the rows.
        assert 0.6 < before / height < 0.72
        page.evaluate("document.querySelector('.viewer-scroll').scrollTop = 1e9")
        expect(rows.last).to_contain_text("h(a)}")
        assert max(len(item) for item in rows.all_inner_texts()) < 500


def test_without_script_everything_but_graph_and_source_is_there(
    browser: Browser, files: dict[str, Path]
) -> None:
    for page in opened(browser, files["calm"], java_script_enabled=False):
        for part in ("#plot", "#state-4 h3", "#step-7", ".finding", "table.files", ".gaps li", "#run dl"):
            expect(page.locator(part).first).to_be_visible()
        expect(page.locator("#graph-view")).to_be_hidden()


def test_print_shows_states_instead_of_the_graph(calm: Page) -> None:
    calm.emulate_media(media="print")
    expect(calm.locator("nav")).to_be_hidden()
    expect(calm.locator("#graph-view")).to_be_hidden()
    assert calm.pdf().startswith(b"%PDF")
    expect(calm.locator("#state-list")).to_have_attribute("open", "")
