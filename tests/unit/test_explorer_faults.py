"""What one observation shows to be a fault of the app, and what it does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from explorer.faults import Context, findings_of, frames_of, is_blank, masked, merged, place_of
from graph.records import (
    Action,
    Dialog,
    Effects,
    Fault,
    Finding,
    Message,
    Observation,
    Request,
    Snapshot,
    Target,
    Timer,
)

PAGE = Snapshot("/", "App", "<body><p>Hello</p></body>", "d1")
CLICK = Action("click", "why", ref="e1", locator="#save", role="button", name="Save", family="f")
STACK = (
    "TypeError: x is undefined\n"
    "    at <anonymous>:1:1\n"
    "    at save (/assets/index.js:12:34)\n"
    "    at HTMLButtonElement.onclick (http://127.0.0.1:4321/:3:9)"
)


def seen(
    *, action: Action | None = CLICK, context: Context | None = None, **more: Any
) -> tuple[Finding, ...]:
    observation = Observation(more.pop("snapshot", PAGE), frozenset(), **more)
    return findings_of(PAGE, action, observation, context=context or Context(step=3, state="s"))


def kinds(**more: Any) -> list[str]:
    return [finding.kind for finding in seen(**more)]


def test_nothing_wrong_is_no_finding() -> None:
    assert seen() == ()


def test_an_exception_says_where_it_was_thrown() -> None:
    [finding] = seen(faults=(Fault("TypeError: x is undefined", STACK),))

    assert finding.kind == "exception"
    assert finding.title == "TypeError: x is undefined"
    assert finding.source == "assets/index.js:12:34"
    assert (finding.step, finding.state, finding.detail) == (3, "s", STACK)


def test_the_place_is_mapped_to_the_users_source_and_library_frames_are_passed_over() -> None:
    def source_of(path: str, line: int, column: int) -> str:
        return "index.html:3:9" if (path, line, column) == ("", 3, 9) else ""

    [finding] = seen(faults=(Fault("boom", STACK, True),), context=Context(source_of=source_of))

    assert (finding.kind, finding.source) == ("rejection", "index.html:3:9")
    assert finding.detail == STACK.replace("http://127.0.0.1:4321/:3:9", "index.html:3:9")


def test_frames_are_read_from_all_notations() -> None:
    stack = (
        "Error\n at async f (/a.js?v=1:1:2)\n at /b.js:3:4\n at g (https://cdn.example/c.js:5:6)\n"
        " at eval (eval at h (/d.js:7:8), <anonymous>:1:1)\n at new Promise (<anonymous>)\n no frame:1:1"
    )

    assert list(frames_of(stack)) == [("a.js", 1, 2), ("b.js", 3, 4), ("c.js", 5, 6)]
    assert place_of("Error: no stack", None) == ""


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Item 12 not found", "Item 99 not found"),
        ("GET http://127.0.0.1:4000/a", "GET http://localhost:5000/a"),
        ("at 12:30:01 failed", "at 09:15:59 failed"),
        ("id 123e4567-e89b-12d3-a456-426614174000", "id 00000000-e89b-12d3-a456-426614174000"),
    ],
)
def test_identity_is_stable_over_numbers_ports_and_times(first: str, second: str) -> None:
    one, other = (seen(faults=(Fault(text, STACK),))[0] for text in (first, second))

    assert one.identity == other.identity
    assert masked(masked(first)) == masked(first)


def test_different_places_are_different_faults() -> None:
    one, other = (seen(faults=(Fault("boom", f"boom\n at f (/a.js:{line}:1)"),))[0] for line in (1, 2))

    assert one.identity != other.identity


def test_the_same_fault_twice_is_one_with_its_count() -> None:
    [finding] = seen(faults=(Fault("boom 1", STACK), Fault("boom 2", STACK)))

    assert (finding.title, finding.count) == ("boom 1", 2)
    assert merged([finding, finding])[0].count == 4


def test_console_errors_are_findings_and_other_levels_are_not() -> None:
    messages = tuple(Message(level, f"text {level}", "/a.js", 7) for level in ("log", "warning", "error"))
    [finding] = seen(messages=messages)

    assert (finding.kind, finding.title, finding.source) == ("console-error", "text error", "a.js:7")


def test_the_consoles_copy_of_a_fault_is_no_second_finding() -> None:
    message = Message("error", "The above error: TypeError: x is undefined occurred in <App>")

    assert kinds(faults=(Fault("TypeError: x is undefined", STACK),), messages=(message,)) == ["exception"]


def test_failed_and_refused_requests() -> None:
    requests = (
        Request("GET", "/api/items/7", 500, "Server Error", resource="fetch"),
        Request("GET", "/api/items/8", 500, "Server Error", resource="fetch"),
        Request("POST", "/api", None, "net::ERR_CONNECTION_REFUSED"),
        Request("GET", "/app.js", 404),
    )
    messages = (Message("error", "Failed to load resource: the server responded with a status of 500"),)
    found = seen(requests=requests, messages=messages)

    assert [(finding.kind, finding.count) for finding in found] == [
        ("http-error", 2),
        ("request-failed", 1),
        ("http-error", 1),
    ]
    assert found[0].title == "GET /api/items/7 was answered with 500"
    assert found[1].title == "POST /api failed: net::ERR_CONNECTION_REFUSED"


@pytest.mark.parametrize(
    "request_",
    [
        Request("GET", "https://fonts.example/a.css", None, "kept in", blocked=True),
        Request("GET", "/favicon.ico", 404),
        Request("GET", "/apple-touch-icon.png", 404),
        Request("GET", "/assets/index.js.map", 404),
        Request("GET", "/api", None, "net::ERR_ABORTED"),
        Request("GET", "/api", None, "net::ERR_INTERNET_DISCONNECTED"),
        Request("GET", "/api", 304),
    ],
)
def test_requests_that_are_no_fault_of_the_app(request_: Request) -> None:
    assert kinds(requests=(request_,)) == []


@pytest.mark.parametrize(
    "text",
    [
        "TypeError: Failed to fetch",
        "AxiosError: Network Error",
        "Failed to load resource: net::ERR_BLOCKED_BY_CLIENT",
        "WebSocket connection to 'wss://api.example/x' failed",
        "Access to fetch at 'https://api.example/x' has been blocked by CORS policy",
    ],
)
def test_a_request_that_the_engine_kept_in_gives_no_second_finding(text: str) -> None:
    kept = (Request("GET", "https://api.example/x", None, "kept in", blocked=True),)

    assert (
        kinds(requests=kept, messages=(Message("error", text),), faults=(Fault(text, rejection=True),)) == []
    )


def test_a_fetch_that_fails_by_itself_is_a_finding() -> None:
    assert kinds(faults=(Fault("TypeError: Failed to fetch", rejection=True),)) == ["rejection"]


def test_an_error_after_a_kept_out_script_says_what_may_have_caused_it() -> None:
    kept = (Request("GET", "https://cdn.example/react.js", None, "kept in", blocked=True, resource="script"),)
    [finding] = seen(requests=kept, faults=(Fault("ReferenceError: React is not defined", STACK),))

    assert "https://cdn.example/react.js" in finding.detail


def test_hosts_kept_out_earlier_are_remembered() -> None:
    message = Message("error", "GET https://api.example/x net::ERR_FAILED")

    assert kinds(messages=(message,), context=Context(kept_out=frozenset({"api.example"}))) == []
    assert kinds(messages=(message,)) == ["console-error"]


def test_a_broken_image_is_one_finding_also_when_its_request_failed() -> None:
    found = seen(
        broken_images=("/img/cat.png", "/img/cat.png"), requests=(Request("GET", "/img/cat.png", 404),)
    )

    assert [(finding.kind, finding.title) for finding in found] == [
        ("broken-image", "Image /img/cat.png is broken")
    ]


def test_an_image_of_a_host_that_was_kept_out_is_not_broken() -> None:
    url = "https://pictures.example/cat.png"

    assert kinds(broken_images=(url,), requests=(Request("GET", url, None, "kept in", blocked=True),)) == []
    assert kinds(broken_images=(url,)) == ["broken-image"]


@pytest.mark.parametrize(
    ("liveness", "kind", "title"),
    [
        ("hung", "hang", 'The page hangs after click button "Save"'),
        ("crashed", "crash", 'The page crashed after click button "Save"'),
        ("browser-lost", "crash", 'The browser went down with the page after click button "Save"'),
        ("closed", "window-closed", 'The page closed its own window after click button "Save"'),
    ],
)
def test_a_lost_page_names_the_action_that_did_it(liveness: str, kind: str, title: str) -> None:
    [finding] = seen(liveness=liveness, snapshot=Snapshot("", "", "", ""))

    assert (finding.kind, finding.title) == (kind, title)


def test_a_hang_on_load_says_so() -> None:
    assert seen(action=None, liveness="hung")[0].title == "The page hangs on load"


def test_error_overlay() -> None:
    [finding] = seen(overlay="\n[plugin:vite] Failed to resolve import 7\nat x")

    assert finding.kind == "error-overlay"
    assert finding.title == "Error overlay: [plugin:vite] Failed to resolve import 7"


def test_equal_dialogs_in_a_row_are_a_loop() -> None:
    again = tuple(Dialog("alert", f"Wrong, try {number}", True) for number in range(5))

    assert kinds(dialogs=again) == ["dialog-loop"]
    assert kinds(dialogs=again[:4]) == []
    assert kinds(dialogs=again[:3], effects=Effects(dialogs=500)) == ["dialog-loop"]
    assert kinds(dialogs=tuple(Dialog("alert", text, True) for text in ("a", "b", "c", "d", "e"))) == []


@pytest.mark.parametrize(
    ("html", "blank"),
    [
        ("<body></body>", True),
        ("", True),
        ("<body><div id=root></div><script>1</script><style>x</style></body>", True),
        ("<head><title>App</title></head><body><div data-x-hidden>Hello <img></div></body>", True),
        ("<body><noscript>Please switch JavaScript on</noscript></body>", True),
        ("<body><p>Hello</p></body>", False),
        ("<body>Hello</body>", False),
        ("<body><div></div>Hello</body>", False),
        ("<body><img></body>", False),
        ("<body><svg></svg></body>", False),
        ("<body><x-shadow><b>Hi</b></x-shadow></body>", False),
    ],
)
def test_blank_page(html: str, blank: bool) -> None:
    assert is_blank(Snapshot("/", "", html, "d")) == blank


def test_a_page_with_a_timer_or_a_control_or_a_canvas_is_not_blank() -> None:
    empty = Snapshot("/", "", "<body></body>", "d")
    control = Target("e1", "div", "", "", "f", 0, "div", (0, 0, 9, 9))

    assert is_blank(empty) and is_blank(replace(empty, timers=(Timer(100, repeats=True),)))
    assert not is_blank(replace(empty, timers=(Timer(100),)))
    assert not is_blank(replace(empty, targets=(control,)))
    assert not is_blank(replace(empty, canvas="c"))


def test_a_page_whose_scripts_were_kept_in_is_not_called_blank() -> None:
    empty = Snapshot("/", "", "<body><div id=root></div></body>", "d2")
    script = Request("GET", "https://cdn.example/react.js", None, "kept in", blocked=True, resource="script")
    style = Request("GET", "https://cdn.example/a.css", None, "kept in", blocked=True, resource="stylesheet")
    broken = Request("GET", "/app.js", 404, resource="script")

    assert kinds(action=None, snapshot=empty, requests=(script, style)) == []
    assert kinds(action=None, snapshot=empty, requests=(broken,)) == ["http-error", "blank-page"]
    [finding] = seen(action=None, snapshot=empty, requests=(style,))
    assert finding.kind == "blank-page" and "https://cdn.example/a.css" in finding.detail


def test_a_page_that_becomes_blank_is_found_once() -> None:
    empty = Snapshot("/board/7", "", "<body></body>", "d2")
    observation = Observation(empty, frozenset())

    assert kinds(action=None, snapshot=empty) == ["blank-page"]
    assert seen(snapshot=empty)[0].title == 'Nothing is visible at /board/# after click button "Save"'
    assert findings_of(empty, CLICK, observation, context=Context()) == ()


def test_a_lost_page_is_not_blank_too() -> None:
    assert kinds(liveness="crashed", snapshot=Snapshot("", "", "", "")) == ["crash"]


def test_long_titles_are_cut() -> None:
    [finding] = seen(messages=(Message("error", "x" * 1000),))

    assert len(finding.title) == 160 and finding.title.endswith("…")
    assert len(finding.detail) == 1000
