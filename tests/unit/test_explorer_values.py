"""Values for fields: the first is valid, then come mined words, boundaries and invalid ones."""

import re

import pytest

from explorer.values import blank_value, breaking_value, valid_value, values_for
from graph.records import Field


@pytest.mark.parametrize(
    ("field", "shape"),
    [
        (Field("email"), r"\S+@\S+\.\S+"),
        (Field("text", name="userEmail"), r"\S+@\S+\.\S+"),
        (Field("url"), r"https://\S+"),
        (Field("date"), r"\d{4}-\d\d-\d\d"),
        (Field("time"), r"\d\d:\d\d"),
        (Field("datetime-local"), r"\d{4}-\d\d-\d\dT\d\d:\d\d"),
        (Field("month"), r"\d{4}-\d\d"),
        (Field("week"), r"\d{4}-W\d\d"),
        (Field("color"), r"#[0-9a-f]{6}"),
        (Field("tel"), r"\+\d+"),
        (Field("text", label="PIN code"), r"\d{4}"),
        (Field("text", placeholder="Phone number"), r"\+\d+"),
        (Field("text", name="amount"), r"\d+"),
        (Field("textarea", name="jsonInput"), r"\{.*\}"),
    ],
)
def test_first_value_is_valid_for_what_the_field_says(field: Field, shape: str) -> None:
    assert re.fullmatch(shape, valid_value(field))


def test_password_has_all_kinds_of_characters() -> None:
    value = valid_value(Field("password"))
    assert all(re.search(kind, value) for kind in ("[a-z]", "[A-Z]", r"\d", r"\W")) and len(value) >= 8


@pytest.mark.parametrize(
    ("low", "high", "step"),
    [("1", "10", ""), ("0", "1", "0.1"), ("-5", "-2", ""), ("5", "5", ""), ("", "3", ""), ("2", "", "")],
)
def test_number_starts_inside_its_bounds_and_also_tries_both_ends_and_beyond(
    low: str, high: str, step: str
) -> None:
    values = values_for(Field("number", min=low, max=high, step=step))
    first = float(values[0])
    assert float(low or "-inf") <= first <= float(high or "inf")
    numbers = [float(value) for value in values if value]
    if low:
        assert min(numbers) < float(low) and float(low) in numbers
    if high:
        assert max(numbers) > float(high) and float(high) in numbers
    assert "" in values


def test_date_with_bounds_starts_at_a_bound() -> None:
    values = values_for(Field("date", min="2030-01-01", max="2030-02-01"))
    assert values[0] == "2030-01-01" and {"", "2026-05-15", "2030-02-01"} <= set(values)


def test_pattern_is_met_by_the_first_value() -> None:
    assert re.fullmatch(r"[0-9]{5}", valid_value(Field("text", pattern=r"[0-9]{5}")))
    assert re.fullmatch(r"[A-Z]{3}-\d{3}", valid_value(Field("text", pattern=r"[A-Z]{3}-\d{3}")))


def test_broken_pattern_is_no_error() -> None:
    assert valid_value(Field("text", pattern="[")) == "Test item"


def test_length_limits_are_kept_and_the_limit_itself_is_tried() -> None:
    values = values_for(Field("text", maxlength=5))
    assert len(values[0]) <= 5 and "yyyyy" in values
    assert len(valid_value(Field("text", minlength=20))) == 20


def test_mined_words_come_right_after_the_valid_value() -> None:
    values = values_for(Field("text", name="note"), mined=["xyzzy", "plugh", "abracadabra"])
    assert values[1:3] == ("xyzzy", "plugh") and "abracadabra" in values


def test_mined_words_that_are_no_text_are_left_out() -> None:
    assert not {"x" * 61, "a\nb", "<div>"} & set(
        values_for(Field("number"), mined=["", "x" * 61, "a\nb", "<div>"])[1:2]
    )


def test_search_repeats_what_was_typed_before() -> None:
    assert values_for(Field("search"), typed=["milk", "bread"])[0] == "bread"


def test_values_are_unique() -> None:
    for kind in ("text", "number", "email", "search", "date", "password"):
        values = values_for(Field(kind, min="1", max="1"), mined=["1", "100"])
        assert len(values) == len(set(values))


def test_empty_comes_early_where_a_field_may_be_empty() -> None:
    assert "" in values_for(Field("text", name="title"), mined=["one", "two", "three", "four"])[:4]


def test_dates_and_colours_take_no_mined_words() -> None:
    assert "3" not in values_for(Field("date"), mined=["3"]) and "red dot" not in values_for(
        Field("color"), mined=["red dot"]
    )


def test_search_does_not_repeat_dates_and_numbers() -> None:
    assert values_for(Field("search"), typed=["milk", "2026-05-15", "42"])[0] == "milk"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        (Field("number", min="1", max="10"), "11"),
        (Field("number", min="1", max="10", step="0.5"), "10.5"),
        (Field("number", min="3"), "2"),
        (Field("number"), None),
        (Field("date", max="2026-12-31"), "2027-01-01"),
        (Field("date", min="2026-01-01"), "2025-12-31"),
        (Field("date", max="9999-12-31"), None),
        (Field("date", min="soon"), None),
        (Field("text", maxlength=3), "xxxx"),
        (Field("text", minlength=3), "xx"),
        (Field("text", pattern=r"\d{4}"), "x"),
        (Field("text", pattern=r"\w+"), "?!"),
        (Field("text", pattern="("), None),
        (Field("email"), "not-an-address"),
        (Field("url"), "no url"),
        (Field("text"), None),
    ],
)
def test_breaking_value_is_just_beyond_the_limit(field: Field, value: str | None) -> None:
    assert breaking_value(field) == value


def test_blank_is_spaces_only_where_the_browser_asks_for_a_text() -> None:
    required = Field("text", required=True)
    assert blank_value(required, checked_by_browser=True).isspace()
    assert blank_value(required, checked_by_browser=False) == ""
    assert blank_value(Field("text"), checked_by_browser=True) == ""
    assert blank_value(Field("number", required=True), checked_by_browser=True) == ""
