"""Which pages are one state, which are two, and what the outline looks like."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from graph.describe import plan_for
from graph.normalize import ABSTRACTIONS, Normalizer, basis_of, normalize, state_id
from graph.records import Snapshot
from graph.routes import route
from graph.rules import RULES, TextRule
from instrument.errors import UsageError


def snapshot(body: str, *, url: str = "/", canvas: str = "", html: str = "") -> Snapshot:
    page = html or f"<html><head><title>App</title></head><body>{body}</body></html>"
    return Snapshot(url=url, title="App", html=page, digest=str(hash(page)), canvas=canvas)


def todos(count: int, *, done: int = 0) -> str:
    rows = "".join(
        f'<li class="{"todo done" if index < done else "todo"}" data-id="{index}"><input type=checkbox>'
        f"<label>Task number {index}</label><button class=destroy></button></li>"
        for index in range(count)
    )
    return f"<ul class=todo-list>{rows}</ul><span><b>{count - done}</b> items left</span>"


def same(first: str, second: str, *, abstraction: str = "list") -> bool:
    return state_id(snapshot(first), abstraction=abstraction) == state_id(
        snapshot(second), abstraction=abstraction
    )


def test_outline_shows_one_element_a_line() -> None:
    page = '<body class="dark app"><ul><li data-n="x">Buy <b>milk</b> at 12:30</li><li>Tea\n &amp; cake</li></ul></body>'

    assert normalize(page, abstraction="text") == (
        "html\n"
        "  body.app.dark\n"
        "    ul\n"
        "      li[data-n=x]\n"
        '        "Buy"\n'
        '        b "milk"\n'
        '        "at {clock}"\n'
        '      li "Tea & cake"\n'
    )


def test_list_folds_equal_siblings_and_leaves_texts_out() -> None:
    assert normalize(f"<body>{todos(3, done=1)}</body>") == (
        "html\n"
        "  body\n"
        "    ul.todo-list\n"
        "      li.done.todo\n"
        "        input[type=checkbox]\n"
        '        label "…"\n'
        "        button.destroy\n"
        "      li.todo\n"
        "        input[type=checkbox]\n"
        '        label "…"\n'
        "        button.destroy\n"
        "    span\n"
        '      b "…"\n'
        '      "…"\n'
    )


@pytest.mark.parametrize(("count", "other"), [(3, 5), (1, 40)])
def test_lists_of_any_length_are_one_state_only_when_folded(count: int, other: int) -> None:
    assert same(todos(count), todos(other))
    assert not same(todos(count), todos(other), abstraction="structure")
    assert not same(todos(count), todos(other), abstraction="text")


def test_empty_and_filled_list_differ() -> None:
    assert not same(todos(0), todos(1))


def test_order_of_list_items_does_not_matter_when_folded() -> None:
    open_, done = "<li class=todo>a</li>", "<li class='todo done'>b</li>"

    assert same(f"<ul>{open_}{done}</ul>", f"<ul>{done}{open_}</ul>")
    assert same(f"<ul>{open_}{done}{open_}</ul>", f"<ul>{done}{open_}</ul>")


def test_order_of_different_things_matters() -> None:
    assert not same("<header>a</header><main>b</main>", "<main>b</main><header>a</header>")


@pytest.mark.parametrize("abstraction", ABSTRACTIONS)
@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(
            "<div class=modal data-x-hidden><p>Sure?</p></div>",
            "<div class=modal><p>Sure?</p></div>",
            id="modal open",
        ),
        pytest.param(
            "<div class=modal><p>x</p></div>", "<div class='modal show'><p>x</p></div>", id="modal by class"
        ),
        pytest.param(
            "<form><p class=error></p></form>", "<form><p class=error>Required</p></form>", id="error shown"
        ),
        pytest.param("<form></form>", "<form><p>Required</p></form>", id="error added"),
        pytest.param(
            "<nav><button class='tab active'>A</button><button class=tab>B</button><button class=tab>C</button></nav>",
            "<nav><button class=tab>A</button><button class='tab active'>B</button><button class=tab>C</button></nav>",
            id="tab by class",
        ),
        pytest.param(
            "<p role=tab aria-selected=false>A</p><p role=tab aria-selected=true>B</p><p role=tab>C</p>",
            "<p role=tab aria-selected=false>A</p><p role=tab>B</p><p role=tab aria-selected=true>C</p>",
            id="tab by aria",
        ),
        pytest.param("<button>Go</button>", "<button disabled>Go</button>", id="disabled"),
        pytest.param(
            "<button aria-expanded=false>M</button>", "<button aria-expanded=true>M</button>", id="expanded"
        ),
        pytest.param("<div class=app>x</div>", "<div class='app dark'>x</div>", id="dark by class"),
        pytest.param("<div data-theme=light>x</div>", "<div data-theme=dark>x</div>", id="dark by attribute"),
        pytest.param("<details><p>x</p></details>", "<details open><p>x</p></details>", id="details"),
        pytest.param("<x-shadow><p>x</p></x-shadow>", "<x-shadow><i>x</i></x-shadow>", id="shadow root"),
    ],
)
def test_different_states_differ(abstraction: str, first: str, second: str) -> None:
    assert not same(first, second, abstraction=abstraction)


_ANNOUNCER = (
    "<next-route-announcer style='position: absolute'><x-shadow><div role=alert aria-live=assertive "
    "style='clip: rect(0px, 0px, 0px, 0px)'>{}</div></x-shadow></next-route-announcer>"
)


@pytest.mark.parametrize("abstraction", ["text", "structure", "list"])
@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param("<p style='left:1px'>x</p>", "<p style='left:9px'>x</p>", id="style"),
        pytest.param("<p id=radix-:r1:>x</p>", "<p id=radix-:r9:>x</p>", id="generated id"),
        pytest.param(
            "<p class='card css-1dbjc4n'>x</p>", "<p class='card css-9qq8x1z'>x</p>", id="hashed class"
        ),
        pytest.param(
            "<p class='Card_root__3fK2a'>x</p>", "<p class='Card_root__9aK1c'>x</p>", id="css module"
        ),
        pytest.param("<p data-v-7ba5bd90>x</p>", "<p data-v-11111111>x</p>", id="scoped style"),
        pytest.param("<p class='a b'>x</p>", "<p class='b a'>x</p>", id="class order"),
        pytest.param("<p id=a lang=en>x</p>", "<p lang=en id=a>x</p>", id="attribute order"),
        pytest.param("<p>12:30:01</p>", "<p>12:30:02</p>", id="clock"),
        pytest.param("<p>3 items</p>", "<p>4 items</p>", id="counter"),
        pytest.param("<script>1</script><p>x</p>", "<script>2</script><p>x</p><style>y</style>", id="script"),
        pytest.param(
            "<p>x</p><i>y</i><script>1</script>", "<script>1</script><p>x</p><i>y</i>", id="script moved"
        ),
        pytest.param(
            "<p>x</p><template>t</template><link rel=a><i>y</i>",
            "<link rel=a><p>x</p><i>y</i><template>t</template>",
            id="template and link moved",
        ),
        pytest.param(
            "<p>one <script>1</script> two</p>", "<script>1</script><p>one two</p>", id="script in text"
        ),
        pytest.param("<p>n<!-- -->1</p>", "<p>n1</p>", id="comment in text"),
        pytest.param(
            "<p>x</p><noscript>on</noscript>", "<noscript><b>Please</b></noscript><p>x</p>", id="noscript"
        ),
        pytest.param(
            "<div hidden></div><p>x</p>", "<p>x</p><div hidden data-x-hidden></div>", id="placeholder moved"
        ),
        pytest.param(
            f"{_ANNOUNCER.format('')}<p>x</p>", f"<p>x</p>{_ANNOUNCER.format('Home')}", id="announcer moved"
        ),
        pytest.param("<p>x</p><!-- a -->", "<p>x</p><!-- b -->", id="comment"),
        pytest.param("<input data-x-value=a>", "<input data-x-value=b>", id="typed text"),
        pytest.param(
            "<button class=go>G</button>", "<button class='go focus-visible'>G</button>", id="focus"
        ),
        pytest.param("<a href=/item/1>x</a>", "<a href=/item/2>x</a>", id="link with id"),
        pytest.param("<p>a b</p>", "<p>\n  a\n  b </p>\n", id="white space"),
    ],
)
def test_volatile_differences_are_one_state(abstraction: str, first: str, second: str) -> None:
    assert same(first, second, abstraction=abstraction)


def test_exact_keeps_every_difference_but_white_space() -> None:
    assert not same("<p style='left:1px'>x</p>", "<p style='left:9px'>x</p>", abstraction="exact")
    assert not same("<input data-x-value=a>", "<input data-x-value=b>", abstraction="exact")
    assert same("<p>a b</p>", "<p> a\nb</p>", abstraction="exact")


def test_what_a_user_typed_is_no_state_of_the_list_abstraction() -> None:
    assert same("<li>Buy milk</li>", "<li>Call mum</li>")
    assert not same("<li>Buy milk</li>", "<li>Call mum</li>", abstraction="text")


def test_the_mode_of_a_toolbar_is_no_state_of_its_own() -> None:
    first = "<div class=tools><a class='tool current' href='#'>Pen</a><a class=tool href='#'>Line</a></div>"
    second = "<div class=tools><a class=tool href='#'>Pen</a><a class='tool current' href='#'>Line</a></div>"

    assert same(first, second)
    assert not same(first.replace("tools", "tabs"), second.replace("tools", "tabs"))
    assert not same(first.replace("'#'", "#/x"), second.replace("'#'", "#/x"))


def test_hidden_parts_do_not_split_states_of_the_list_abstraction() -> None:
    first, second = ("<div class=page data-x-hidden><p>a</p></div>", "<div class=page data-x-hidden></div>")

    assert same(first, second)
    assert not same(first, second, abstraction="structure")


def test_board_of_a_game_is_bounded_by_masked_numbers() -> None:
    assert same(
        "<div class='tile tile-2'>2</div>",
        "<div class='tile tile-2'>2</div><div class='tile tile-64'>64</div>",
    )


@pytest.mark.parametrize("depth", [300, 2_500, 10_000])
@pytest.mark.parametrize("abstraction", ["text", "list"])
def test_deep_nesting_survives(depth: int, abstraction: str) -> None:
    page = f"<html><body>{'<div class=a>' * depth}<b>bottom</b>{'</div>' * depth}<i>after</i></body></html>"
    outline = normalize(page, abstraction=abstraction)

    assert "b " in outline and outline.count("div.a") == depth
    assert ("bottom" in outline) == (abstraction == "text")
    assert outline.rstrip().endswith('i "after"' if abstraction == "text" else 'i "…"')


@pytest.mark.parametrize(
    "page", ["", "   ", "<!-- nothing -->", "\x00", "<", "<p", "plain", "<p>\ud800\x07</p>", "<a><a><b></p>"]
)
@pytest.mark.parametrize("abstraction", ABSTRACTIONS)
def test_odd_pages_have_an_outline(page: str, abstraction: str) -> None:
    normalize(page, abstraction=abstraction).encode()


def test_deep_and_hostile_page_has_an_outline() -> None:
    page = "<p:x ='1' a\x01b=\ud800>\x0c" + "<div>" * 3_000 + "]]>&amp;\x00\ufffe</DIV>"

    assert normalize(page, abstraction="exact").count("div") == 3_000


def test_documents_inside_frames_keep_their_own_body() -> None:
    def framed(inner: str) -> str:
        return f"<iframe></iframe><x-frame><html><head></head>{inner}</html></x-frame><p>after</p>"

    outline = normalize(f"<html><body>{framed('<body class=dark><b>in</b></body>')}</body></html>")
    assert outline.splitlines()[1:] == [
        "  body",
        "    iframe",
        "    x-frame",
        "      x-html",
        "        x-head",
        "        x-body.dark",
        '          b "…"',
        '    p "…"',
    ]
    assert not same(framed("<body class=dark></body>"), framed("<body></body>"))


def test_user_rule_extends_the_built_in_ones() -> None:
    rules = (*RULES, TextRule("names", lambda text: text.replace("Ada", "{name}").replace("Bob", "{name}")))
    first, second = snapshot("<p>Hello Ada</p>"), snapshot("<p>Hello Bob</p>")

    assert state_id(first, abstraction="text", rules=rules) == state_id(
        second, abstraction="text", rules=rules
    )
    assert state_id(first, abstraction="text") != state_id(second, abstraction="text")


def test_unknown_abstraction_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match="exact, text, structure, list"):
        normalize("<p>", abstraction="fuzzy")
    with pytest.raises(UsageError, match="fuzzy"):
        Normalizer(abstraction="fuzzy")


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("/", "/"),
        ("/index.html", "/"),
        ("/items/42?tab=log&q=milk", "/items/#?q&tab=log"),
        ("/#/active", "/#/active"),
        ("/#top", "/"),
        ("/a/123e4567-e89b-12d3-a456-426614174000", "/a/#"),
        ("/#/item/7?x=1", "/#/item/#"),
    ],
)
def test_route(url: str, expected: str) -> None:
    assert route(url) == expected


def test_route_is_part_of_the_state() -> None:
    assert state_id(snapshot("<p>x</p>", url="/a")) != state_id(snapshot("<p>x</p>", url="/b"))
    assert state_id(snapshot("<p>x</p>", url="/a/1")) == state_id(snapshot("<p>x</p>", url="/a/2"))
    exact = [state_id(snapshot("<p>x</p>", url=url), abstraction="exact") for url in ("/a/1", "/a/2")]
    assert exact[0] != exact[1]


def test_abstractions_never_share_ids() -> None:
    page = snapshot("<p>x</p>")

    assert len({state_id(page, abstraction=abstraction) for abstraction in ABSTRACTIONS}) == len(ABSTRACTIONS)


def test_canvas_tells_states_apart_only_where_the_page_says_nothing() -> None:
    game = "<canvas></canvas><p>Score: 3</p><button>Restart</button>"
    editor = "<canvas></canvas>" + "".join(f"<button>Tool {letter}</button>" for letter in "abcdef")

    assert basis_of(snapshot(game, canvas="1")) == "canvas"
    assert state_id(snapshot(game, canvas="1")) != state_id(snapshot(game, canvas="2"))
    assert basis_of(snapshot(editor, canvas="1")) == "outline"
    assert state_id(snapshot(editor, canvas="1")) == state_id(snapshot(editor, canvas="2"))


def test_links_out_of_the_app_do_not_outweigh_a_canvas() -> None:
    game = "<canvas></canvas>" + "<a href=https://example.org>By someone</a>" * 6

    assert basis_of(snapshot(game, canvas="1")) == "canvas"
    assert basis_of(snapshot(game + "<p>text</p>" * 20, canvas="1")) == "outline"


def test_hidden_controls_do_not_outweigh_a_canvas() -> None:
    hidden = "<div data-x-hidden>" + "<button>x</button>" * 9 + "</div>"

    assert basis_of(snapshot(f"<canvas></canvas>{hidden}", canvas="1")) == "canvas"


def test_normalizer_bounds_an_endless_animation() -> None:
    normalizer = Normalizer(canvas_cap=3)
    states = [normalizer.state_id(snapshot("<canvas></canvas>", canvas=str(frame))) for frame in range(50)]

    assert len(set(states)) == 4
    assert normalizer.state_id(snapshot("<canvas></canvas>", canvas="1")) == states[1]


@pytest.mark.parametrize("abstraction", ABSTRACTIONS)
def test_normalizer_agrees_with_the_pure_function(abstraction: str) -> None:
    pages = [snapshot(todos(count, done=count // 2), url=f"/{count}") for count in range(5)]
    normalizer = Normalizer(abstraction=abstraction, size=2)

    for page in (*pages, *pages):
        state = normalizer.state(page)
        assert state.id == state_id(page, abstraction=abstraction)
        assert state.outline == normalize(page.html, abstraction=abstraction)
        assert state.basis == "outline"


@pytest.mark.parametrize("abstraction", ABSTRACTIONS)
def test_what_earlier_pages_showed_changes_no_outline(abstraction: str) -> None:
    """The same elements where they mean another thing: a hidden button in an item, a chosen link in a menu."""
    hidden, chosen = "<button data-x-hidden>Delete</button>", '<a class="active" href="#">One</a>'
    pages = [
        f"{place}{element}"
        for element in (hidden, chosen, '<a class="b a">x</a>', '<a class="a b">y</a>')
        for place in ("<p>", "<ul><li>", "<nav>", "<div class=menu>", "<div class=card>")
    ]
    alone = []
    for page in pages:
        plan_for.cache_clear()
        alone.append(normalize(page, abstraction=abstraction))

    assert [normalize(page, abstraction=abstraction) for page in pages] == alone
    assert [normalize(page, abstraction=abstraction) for page in reversed(pages)] == alone[::-1]
    assert len(set(alone)) > len(pages) / 2


def test_a_canvas_that_comes_to_the_same_page_is_seen() -> None:
    without, withit = snapshot("<p>Play</p>"), snapshot("<p>Play</p>", canvas="f00")
    normalizer = Normalizer()

    assert [normalizer.state(each).basis for each in (without, withit, without)] == [
        "outline",
        "canvas",
        "outline",
    ]
    assert normalizer.state_id(withit) == state_id(withit)


def test_normalizer_looks_equal_digests_up() -> None:
    normalizer = Normalizer()
    page = snapshot("<p>x</p>")

    first = normalizer.state_id(page)

    assert normalizer.state_id(replace(page, html="never parsed")) == first


def test_order_stable_over_many_states_of_one_list() -> None:
    items = ["<li class=a>1</li>", "<li class=b>2</li>", "<li class='a b'><i>3</i></li>", "<li>4</li>"]
    rotations = [items[index:] + items[:index] for index in range(4)]

    assert len({normalize(f"<ul>{''.join(rotation)}</ul>") for rotation in rotations}) == 1


def test_ids_are_the_same_in_every_process() -> None:
    """Python salts its own hashes per process; nothing of that may reach an id or an order."""
    code = (
        "from graph.normalize import state_id; from graph.records import Snapshot; "
        f"print(state_id(Snapshot('/', '', {todos(4, done=2)!r}, 'd')))"
    )
    ids = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=Path(__file__).parents[2],
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }

    assert len(ids) == 1
