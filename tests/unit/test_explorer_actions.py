"""Candidates: what each control, listener and page invites to."""

from random import Random
from typing import Any

from explorer.actions import DEFAULT_KEYS, Candidate, Key, Keyboard, _Around, candidates, key_of
from graph.records import Field, Handler, PageHandler, Snapshot, Target, Timer


def target(ref: str = "e0", **changes: Any) -> Target:
    plain: dict[str, Any] = {
        "tag": "div",
        "role": "",
        "name": "",
        "family": f"main>{ref}|",
        "ordinal": 0,
        "locator": f"#{ref}",
        "box": (10, 10, 80, 20),
    }
    return Target(ref=ref, **{**plain, **changes})


def page(*targets: Target, **changes: Any) -> Snapshot:
    return Snapshot(url="/", title="", html="<p>", digest="d", targets=targets, **changes)


def found(snapshot: Snapshot, keyboard: Keyboard | None = None) -> list[Candidate]:
    return list(candidates(snapshot, keyboard or Keyboard()))


def kinds(snapshot: Snapshot, ref: str = "e0") -> set[str]:
    return {c.kind for c in found(snapshot) if c.target and c.target.ref == ref}


def test_button_is_clicked_and_its_handlers_are_known() -> None:
    button = target(tag="button", role="button", handlers=(Handler("click", 7), Handler("keydown", 9)))
    [click] = [c for c in found(page(button)) if c.kind == "click"]
    assert click.functions == frozenset({7})


def test_disabled_and_covered_targets_invite_to_nothing() -> None:
    assert not kinds(page(target(tag="button", role="button", disabled=True)))
    assert not kinds(page(target(tag="button", role="button", covered=True)))


def test_plain_text_invites_to_nothing_but_a_pointer_cursor_does() -> None:
    assert not kinds(page(target()))
    assert kinds(page(target(pointer=True))) == {"click"}


def test_container_is_clicked_only_for_a_handler_of_its_own() -> None:
    delegated = (Handler("click", None, own=True),)
    assert not kinds(page(target(container=True, handlers=delegated)))
    assert kinds(page(target(container=True, handlers=(Handler("click", 3),)))) == {"click"}


def test_link_out_of_the_app_is_left_alone_unless_the_app_handles_it() -> None:
    link = {"tag": "a", "role": "link", "href": "https://example.com/"}
    assert not kinds(page(target(**link)))
    assert kinds(page(target(**link, handlers=(Handler("click", 1),)))) == {"click"}
    assert kinds(page(target(tag="a", role="link", href="/about"))) == {"click"}


def test_each_listener_opens_its_gesture() -> None:
    for event, kind in [
        ("dblclick", "double-click"),
        ("contextmenu", "right-click"),
        ("mouseenter", "hover"),
        ("wheel", "wheel"),
        ("touchstart", "swipe"),
        ("dragstart", "drag"),
    ]:
        assert kind in kinds(page(target(handlers=(Handler(event, 1),)))), event


def test_draggable_is_dragged_onto_what_takes_drops() -> None:
    snapshot = page(target(draggable=True), target("e1", droppable=True), target("e2", droppable=True))
    drags = [c for c in found(snapshot) if c.kind == "drag"]
    assert [c.value for c in drags] == ["to #e1", "to #e2"]


def test_mouse_press_with_movement_listened_to_on_the_page_is_a_free_drag() -> None:
    snapshot = page(target(handlers=(Handler("mousedown", 1),)), page_handlers=(PageHandler("mousemove", 2),))
    assert "drag" in kinds(snapshot)


def test_fields_are_filled_by_their_type() -> None:
    assert "fill" in kinds(page(target(tag="input", field=Field("text"))))
    assert kinds(page(target(tag="input", field=Field("checkbox")))) == {"check"}
    assert kinds(page(target(tag="input", field=Field("file")))) == {"upload"}
    assert kinds(page(target(tag="input", field=Field("range")))) == {"slide"}
    assert kinds(page(target(tag="input", field=Field("text", readonly=True)))) == {"click"}


def test_select_offers_every_option_but_the_current_one() -> None:
    select = target(tag="select", field=Field("select", value="b", options=("a", "b", "c")))
    assert [c.value for c in found(page(select)) if c.kind == "select"] == ["a", "c"]


def test_enter_is_pressed_in_a_form_and_mined_keys_in_a_field_that_listens() -> None:
    assert "press" in kinds(page(target(tag="input", field=Field("text"), form="f1")))
    listening = target(tag="input", field=Field("text"), handlers=(Handler("keydown", 5),))
    keyboard = Keyboard(by_function={5: ("ArrowDown",)})
    keys = [c.value for c in found(page(listening), keyboard) if c.kind == "press"]
    assert keys == ["Enter", "Escape", "ArrowDown"]


def test_submit_handlers_belong_to_the_button_that_sends_the_form() -> None:
    send = target(tag="button", role="button", form="f1", handlers=(Handler("submit", 4, own=False),))
    plain = target(
        "e1",
        tag="button",
        role="button",
        field=Field("button"),
        form="f1",
        handlers=(Handler("submit", 4, own=False),),
    )
    functions = {c.target.ref: c.functions for c in found(page(send, plain)) if c.target}
    assert functions == {"e0": frozenset({4}), "e1": frozenset()}


def test_page_keys_are_the_mined_ones_else_the_usual_ones() -> None:
    listening = page(page_handlers=(PageHandler("keydown", 3),))
    usual = [c.value for c in found(listening) if c.kind == "press"]
    assert usual == list(DEFAULT_KEYS)
    mined = Keyboard(by_function={3: ("n",)}, everywhere=("n", "/"))
    assert [c.value for c in found(listening, mined) if c.kind == "press"] == ["n", "/", "Control+n"]
    assert not [c for c in found(page()) if c.kind == "press"]


def test_waiting_reaches_the_last_timer_but_no_timer_days_away() -> None:
    timers = (Timer(90_000, 4), Timer(500, 5), Timer(10**9, 6))
    [wait] = [c for c in found(page(timers=timers)) if c.kind == "advance-time"]
    assert wait.value == "90500" and wait.functions == frozenset({4, 5})
    [later] = [c for c in found(page(timers=(Timer(90_137, 4),))) if c.kind == "advance-time"]
    assert later.value == wait.value


def test_waits_of_about_the_same_length_are_one() -> None:
    def wait(due: int) -> int:
        [found_one] = [c for c in found(page(timers=(Timer(due, 4),))) if c.kind == "advance-time"]
        return int(found_one.value)

    assert {wait(due) for due in (29_767, 29_158, 28_400, 30_000, 30_450)} == {30_500}
    assert all(due + 50 <= wait(due) <= max(2000, due + 5500) for due in range(0, 60_000, 37))
    assert wait(2_440) == 2500 and wait(2_460) == 3000


def test_offline_is_offered_only_to_who_listens() -> None:
    assert "network" not in {c.kind for c in found(page())}
    assert "network" in {c.kind for c in found(page(page_handlers=(PageHandler("offline"),)))}


def test_members_of_a_family_beyond_the_third_are_the_same_experience() -> None:
    rows = [target(f"e{i}", tag="button", role="button", family="li>button|", ordinal=i) for i in range(6)]
    keys = {c.key for c in found(page(*rows)) if c.kind == "click"}
    assert keys == {Key("click", f"li>button|#{i}") for i in range(3)}


def test_action_leads_back_to_its_key() -> None:
    snapshot = page(
        target(tag="select", field=Field("select", options=("a", "b"))),
        target("e1", tag="button", role="button", ordinal=5),
        page_handlers=(PageHandler("keydown"),),
    )
    for candidate in found(snapshot):
        assert key_of(candidate.action("why")) == candidate.key


def test_order_is_stable() -> None:
    snapshot = page(
        *(target(f"e{i}", tag="button", role="button") for i in range(5)),
        page_handlers=(PageHandler("keydown"),),
    )
    assert [c.key for c in found(snapshot)] == [c.key for c in found(snapshot)]


def test_delegated_double_click_is_for_content_not_for_controls() -> None:
    delegated = (Handler("dblclick", 1, own=False),)
    assert kinds(page(target(tag="li", role="listitem", container=True, handlers=delegated))) == {
        "double-click"
    }
    assert kinds(page(target(tag="a", role="link", handlers=delegated))) == {"click"}


def test_back_is_offered_only_when_there_is_a_page_to_go_back_to() -> None:
    assert "back" not in {c.kind for c in candidates(page(), Keyboard())}
    assert "back" in {c.kind for c in candidates(page(), Keyboard(), history=True)}


def test_list_items_are_dragged_where_the_document_listens_for_presses() -> None:
    listens = (Handler("mousedown", 1, own=False),)
    items = [
        target(f"e{i}", tag="li", family="ul>li|", ordinal=i, box=(10, 40 * i, 80, 20), handlers=listens)
        for i in range(3)
    ]
    drags = {c.target.ref: c.value for c in found(page(*items)) if c.kind == "drag" and c.target}
    assert drags["e0"] == "to #e2" and drags["e2"] == "to #e0"
    assert "drag" not in kinds(page(target(tag="button", role="button", handlers=listens)))


def test_focused_field_under_something_is_typed_into_blindly() -> None:
    hidden = target(tag="textarea", role="textbox", field=Field("textarea"), covered=True)
    assert not kinds(page(hidden))
    assert kinds(page(hidden, focus="e0")) == {"type", "press"}


def test_text_is_typed_where_the_page_itself_takes_keys() -> None:
    assert "type" in {c.kind for c in found(page(page_handlers=(PageHandler("keydown"),)))}


def test_what_can_be_grabbed_is_dragged_to_its_like_and_freely() -> None:
    handles = [target(f"e{i}", family="li>i|", ordinal=i, grabbable=True) for i in range(2)]
    assert [c.value for c in found(page(*handles)) if c.target and c.target.ref == "e0"] == [
        "to #e1",
        "160,20",
        "0,120",
    ]
    assert [c.value for c in found(page(handles[0])) if c.kind == "drag"] == ["160,20", "0,120"]


def test_the_furthest_of_a_family_is_the_one_that_measuring_each_finds() -> None:
    chance = Random(5)
    for _ in range(300):
        many = [
            target(
                f"e{index}", family=chance.choice("ab"), box=(chance.randrange(6), chance.randrange(6), 9, 9)
            )
            for index in range(chance.randrange(1, 9))
        ]
        around = _Around(page(*many), Keyboard())
        for one in many:
            x, y = one.box[:2]
            others = [other for other in many if other.family == one.family and other is not one]
            best = max(others, key=lambda o: abs(o.box[0] - x) + abs(o.box[1] - y), default=None)
            assert around.furthest(one) is best
