"""What a page says to a reader, and what changed from one page to the next."""

from __future__ import annotations

from graph.pagetext import DEEPEST, LONGEST_LINE, difference, page_lines


def lines(body: str) -> list[str]:
    return [
        line.strip() for line in page_lines(f"<html><head><title>T</title></head><body>{body}</body></html>")
    ]


def test_controls_carry_name_value_and_state() -> None:
    assert lines(
        '<nav aria-label="Views"><button aria-current="page">Entries</button><a href="#/done">Done</a></nav>'
        '<input placeholder="What" data-x-value="milk" required>'
        '<input type="checkbox" aria-label="All" data-x-checked="true">'
        '<input type="checkbox" aria-label="One" checked data-x-checked="false">'
    ) == [
        'nav "Views"',
        'button "Entries" (current)',
        'link "Done" to #/done',
        'field "What" = "milk" (required)',
        'checkbox "All" (checked)',
        'checkbox "One"',
    ]


def test_hidden_parts_and_scripts_are_left_out_but_not_the_text_after_them() -> None:
    assert lines(
        "<p>Seen <b data-x-hidden>secret</b> too</p><div data-x-hidden><p>gone</p></div><script>x</script>"
    ) == ['text "Seen too"']


def test_options_of_a_closed_list_are_told() -> None:
    told = lines(
        '<select aria-label="Kind" data-x-value="Home"><option data-x-hidden>Food</option>'
        "<option data-x-hidden>Home</option></select>"
    )
    assert told == ['list "Kind" = "Home" of {Food, Home}']


def test_passwords_are_never_told() -> None:
    assert lines('<input type="password" name="pin" data-x-value="hunter2">') == ['field "pin"']


def test_text_of_mixed_content_keeps_its_order() -> None:
    assert lines("<div>before <button>Go</button> after</div>") == ['"before"', 'button "Go"', '"after"']


def test_deep_and_long_pages_stay_bounded() -> None:
    deep = "<section>" * 3000 + "x" * 1000 + "</section>" * 3000
    told = page_lines(f"<body>{deep}</body>")
    assert len(told[-1]) <= LONGEST_LINE + 2 * DEEPEST
    assert told[-1].strip().endswith("…")


def test_empty_page_has_no_lines() -> None:
    assert page_lines("") == ()


def test_difference_counts_equal_entries() -> None:
    assert difference(['li "milk"'], ['li "milk"', '  li "milk"']) == ('+ li "milk"',)
    assert difference(["a", "b"], ["a", "c"]) == ("- b", "+ c")
    assert difference(["a"], ["  a"]) == ()


def test_difference_tells_a_new_order() -> None:
    assert difference(["a", "b"], ["b", "a"]) == ("~ the same things in another order, from b",)


def test_difference_is_bounded_and_counts_the_rest() -> None:
    old, new = [f"old {n}" for n in range(40)], [f"new {n}" for n in range(3)]
    found = difference(old, new, most=12)
    assert len(found) == 13
    assert found[-1] == "… and 31 more changes"
    assert sum(line.startswith("+") for line in found) == 3
