"""Each rule by itself: what it masks, what it must leave, and that doing it twice changes nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from lxml import html

from graph.rules import (
    RULES,
    TextRule,
    addresses,
    announcers,
    clocks,
    counters,
    hashed_classes,
    looks_generated,
    mask_ids,
    mutable_attributes,
    numbered_classes,
    placeholders,
    random_ids,
    reference_ids,
    relative_times,
    said_by_default,
    scope_classes,
    scroll_helpers,
    timestamps,
    transient_classes,
    unseen,
)


@pytest.mark.parametrize(
    ("rule", "text", "expected"),
    [
        (timestamps, "Saved 2026-11-30T09:15:00.123Z", "Saved {date}"),
        (timestamps, "due 2026-11-30", "due {date}"),
        (timestamps, "Mon, Nov 30, 2026", "{date}"),
        (timestamps, "30 November 2026", "{date}"),
        (timestamps, "November 2026", "{date}"),
        (timestamps, "on 30/11/2026 or 30.11.26", "on {date} or {date}"),
        (timestamps, "You may go, all 3 of you", "You may go, all 3 of you"),
        (timestamps, "version 1.2", "version 1.2"),
        (clocks, "now 12:34:56", "now {clock}"),
        (clocks, "at 9:05 pm, 3pm", "at {clock}, {clock}"),
        (clocks, "took 350 ms", "took {duration}"),
        (clocks, "1h 20m left", "{duration} left"),
        (clocks, "ratio 16 to 9", "ratio 16 to 9"),
        (relative_times, "edited 3 minutes ago", "edited {ago}"),
        (relative_times, "edited just now", "edited {ago}"),
        (relative_times, "starts in 2 hours", "starts {ago}"),
        (relative_times, "in the minutes", "in the minutes"),
        (random_ids, "id 123e4567-e89b-12d3-a456-426614174000", "id {id}"),
        (random_ids, "commit a81bc0d9", "commit {id}"),
        (random_ids, "a decade, a facade", "a decade, a facade"),
        (counters, "3 items left", "# items left"),
        (counters, "1,234.50 of 2", "# of #"),
    ],
)
def test_text_rule(rule: Callable[[str], str], text: str, expected: str) -> None:
    assert rule(text) == expected


@pytest.mark.parametrize(
    "text", ["Mon, Nov 30, 2026 at 12:34, 3 minutes ago, a81bc0d9 x12 1h 2m", "", "#{date}"]
)
def test_text_rules_together_are_idempotent(text: str) -> None:
    def all_rules(value: str) -> str:
        for rule in RULES:
            if isinstance(rule, TextRule):
                value = rule.apply(value)
        return value

    assert all_rules(all_rules(text)) == all_rules(text)


@pytest.mark.parametrize(
    ("rule", "token", "expected"),
    [
        (scope_classes, "svelte-1x2y3z", None),
        (scope_classes, "sc-bdVaJa", None),
        (scope_classes, "jsx-3287461", None),
        (scope_classes, "ng-star-inserted", None),
        (scope_classes, "schedule", "schedule"),
        (scope_classes, "score-board", "score-board"),
        (hashed_classes, "Button_root__3fK2a", "Button_root"),
        (hashed_classes, "_button_1a2b3_12", "button"),
        (hashed_classes, "css-1dbjc4n", None),
        (hashed_classes, "css-1dbjc4n-MuiBox", "MuiBox"),
        (hashed_classes, "kZqQpA", None),
        (hashed_classes, "btn-primary", "btn-primary"),
        (hashed_classes, "card__title", "card__title"),
        (hashed_classes, "col-md-6", "col-md-6"),
        (hashed_classes, "btn--loading", "btn--loading"),
        (hashed_classes, "TodoItem", "TodoItem"),
        (transient_classes, "fade-enter-active", None),
        (transient_classes, "Mui-focusVisible", None),
        (transient_classes, "hover", None),
        (transient_classes, "ui-state-hover", None),
        (transient_classes, "ui-visual-focus", None),
        (transient_classes, "cover", "cover"),
        (transient_classes, "modal-open", "modal-open"),
        (transient_classes, "hover-card", "hover-card"),
        (numbered_classes, "tile-position-1-2", "tile-position-#-#"),
        (numbered_classes, "even", None),
    ],
)
def test_class_rule(rule: Callable[[str], str | None], token: str, expected: str | None) -> None:
    assert rule(token) == expected


@pytest.mark.parametrize(
    ("rule", "name", "value", "expected"),
    [
        (mutable_attributes, "style", "color:red", None),
        (mutable_attributes, "data-reactid", ".0.1", None),
        (mutable_attributes, "data-v-7ba5bd90", "", None),
        (mutable_attributes, "_ngcontent-abc-c12", "", None),
        (mutable_attributes, "data-astro-cid-x1", "", None),
        (mutable_attributes, "data-x-value", "typed", None),
        (mutable_attributes, "data-state", "open", "open"),
        (mutable_attributes, "title", "Save", "Save"),
        (said_by_default, "aria-disabled", "false", None),
        (said_by_default, "aria-disabled", "true", "true"),
        (said_by_default, "aria-expanded", "false", "false"),
        (reference_ids, "aria-controls", "radix-:r7:", "radix-#"),
        (reference_ids, "for", "field-12", "field-#"),
        (reference_ids, "role", "h1", "h1"),
        (addresses, "href", "/item/42/edit", "/item/#/edit"),
        (addresses, "src", "data:image/png;base64,AAAA", "data:"),
        (addresses, "src", "/assets/logo.a81bc0d9.svg", "/assets/logo.#.svg"),
        (addresses, "alt", "42", "42"),
    ],
)
def test_attribute_rule(
    rule: Callable[[str, str], str | None], name: str, value: str, expected: str | None
) -> None:
    assert rule(name, value) == expected


@pytest.mark.parametrize("token", ["1dbjc4n", "kZqQpA", "a81bc0d", "3fK2a", "x7f3k9q2"])
def test_hashes_look_generated(token: str) -> None:
    assert looks_generated(token)


@pytest.mark.parametrize(
    "token",
    [
        "sidebar",
        "fooBarBaz",
        "col12",
        "button",
        "TodoItem",
        "h1",
        "HTMLElement",
        "iPhone",
        "section2",
        "modal",
    ],
)
def test_names_do_not_look_generated(token: str) -> None:
    assert not looks_generated(token)


def test_buttons_back_to_the_top_are_scroll_helpers() -> None:
    root = html.document_fromstring(
        "<body><a class='btn scroll-to-top'><i></i></a><button id=backToTop>^</button><div class=totop>^</div>"
        "<a class=top>Top stories</a><div class=desktop>x</div><button id=stop>Stop</button></body>"
    )

    assert [element.get("class") or element.get("id") for element in scroll_helpers(root)] == [
        "btn scroll-to-top",
        "backToTop",
        "totop",
    ]


def test_unseen_elements_are_named_wherever_they_are() -> None:
    root = html.document_fromstring("<body><p>a<script>1</script></p><svg><style>x</style></svg></body>")

    assert [element.tag for element in unseen(root)] == ["script", "style"]


@pytest.mark.parametrize(
    "region",
    [
        "<p aria-live=polite style='position: absolute; clip: rect(0px, 0px, 0px, 0px)'>About</p>",
        "<p role=alert style='clip-path: inset(50%)'>About</p>",
        "<p class='cdk-live-announcer-element cdk-visually-hidden' aria-live=polite>About</p>",
        "<p class=sr-only role=status>3 found</p>",
        "<p data-live-announcer=true><i role=log>x</i></p>",
    ],
)
def test_regions_that_only_screen_readers_hear_are_announcers(region: str) -> None:
    root = html.document_fromstring(f"<body><h1>x</h1>{region}</body>")

    assert [element.tag for element in announcers(root)][:1] == ["p"]


@pytest.mark.parametrize(
    "region",
    [
        "<p role=alert>Too short</p>",
        "<p aria-live=polite class=toast style='position:absolute'>Saved</p>",
        "<p class=sr-only>Menu</p>",
        "<p role=status><span class=visually-hidden>Loading</span></p>",
        "<p aria-live=off class=sr-only>x</p>",
    ],
)
def test_what_is_shown_or_says_nothing_by_itself_is_no_announcer(region: str) -> None:
    assert list(announcers(html.document_fromstring(f"<body>{region}</body>"))) == []


def test_a_custom_element_goes_with_the_region_that_is_all_it_holds() -> None:
    page = (
        "<body><app-root>{}<next-route-announcer><x-shadow><p role=alert style='clip: rect(0, 0, 0, 0)'>x</p>"
        "</x-shadow></next-route-announcer></app-root></body>"
    )

    def named(page: str) -> list[str]:
        return [element.tag for element in announcers(html.document_fromstring(page))]

    assert named(page.format("<h1>Home</h1>")) == ["next-route-announcer"]
    assert named(page.format("Home")) == ["next-route-announcer"]


def test_placeholders_hold_nothing_and_are_hidden() -> None:
    root = html.document_fromstring(
        "<body><div hidden data-x-hidden></div><div></div><div hidden id=a></div>"
        "<div hidden>text</div><div hidden><i></i></div></body>"
    )

    assert [dict(element.attrib) for element in placeholders(root)] == [{"hidden": "", "data-x-hidden": ""}]


@pytest.mark.parametrize("text", ["/item/42/edit", "radix-:r1:", "x-a81bc0d9-7", "plain"])
def test_masking_ids_is_idempotent(text: str) -> None:
    assert mask_ids(mask_ids(text)) == mask_ids(text)
