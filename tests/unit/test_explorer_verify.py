"""Comparing an app with its instrumented self: what counts as a difference."""

from __future__ import annotations

from pathlib import Path

from explorer.verify import Aspect, Difference, aspects, differences
from graph.records import Fault, Message, Observation, Snapshot


def _seen(html: str, *, text: str = "", fault: str = "") -> Observation:
    return Observation(
        Snapshot(url="/", title="T", html=html, digest=""),
        frozenset(),
        messages=(Message("log", text),),
        faults=(Fault(fault),) if fault else (),
    )


def test_counters_positions_and_checksums_are_no_difference(tmp_path: Path) -> None:
    picture = tmp_path / "a.jpg"
    picture.write_bytes(b"same")
    plain = _seen('<b onclick="go()" integrity="sha256-a">x</b>', text="at /app.js:1:20")
    other = _seen(
        '<b onclick="__cv0123456789()[3]++;go()" integrity="sha256-b">x</b>', text="at /app.js:1:99"
    )
    assert aspects(plain, picture=picture) == aspects(other, picture=picture)


def test_the_name_of_a_script_is_no_difference_but_its_absence_is() -> None:
    def outline(*names: str) -> str:
        tags = "".join(
            f'<script src="/_next/static/chunks/{name}.js?dpl=1" async=""></script>' for name in names
        )
        return aspects(
            _seen(f'{tags}<link rel="preload" as="script" href="/a-{names[0]}.js">'), picture=None
        )["outline"]

    assert outline("1x6obpmlu1_c2") == outline("0p_3zk2m~aa1")
    assert outline("1x6obpmlu1_c2") != outline("0p_3zk2m~aa1", "other")


def test_islands_that_name_other_checksums_are_the_same_islands() -> None:
    def outline(uid: str, name: str, props: str = "{}") -> str:
        made = f'<astro-island uid="{uid}" component-url="/_astro/{name}.js" props="{props}"><b></b></astro-island>'
        return aspects(_seen(made), picture=None)["outline"]

    assert outline("Z1you4", "Counter.K3KdSuF1") == outline("1JN1ug", "Counter.Zh1NTuXz")
    assert outline("Z1you4", "Counter.K3KdSuF1") != outline("Z1you4", "Counter.K3KdSuF1", "{a}")


def test_a_difference_says_where_it_begins() -> None:
    plain = aspects(_seen("<p>a</p><p>b</p>"), picture=None)
    other = aspects(_seen("<p>a</p><p>c</p>", fault="TypeError: x"), picture=None)
    found = differences(plain, plain, other)
    assert found == (Difference("outline", "<p>b", "<p>c"), Difference("faults", "", "TypeError: x"))
    assert str(found[0]) == "outline: plain '<p>b', instrumented '<p>c'"


def test_what_plain_loads_do_not_agree_on_is_left_out() -> None:
    first: dict[Aspect, str] = {"title": "12:00", "outline": "same"}
    second: dict[Aspect, str] = {"title": "12:01", "outline": "same"}
    assert differences(first, second, {"title": "12:02", "outline": "same"}) == ()
    assert differences(first, first, {"title": "12:02", "outline": "same"})[0].aspect == "title"
