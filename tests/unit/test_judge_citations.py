"""What cites nothing, cites what is not there or quotes what is not there is dropped, with its reason."""

from __future__ import annotations

from judge.citations import MOST_CLAIMS, check_claims, stands_in, valid_ids
from judge.records import Claim, Exhibit

SHOWN = {
    "S1": Exhibit("S1", "step", 'click button "Add"\n  + text "Milk & <b>eggs</b>"'),
    "P1": Exhibit("P1", "screenshot", "picture of N1", quotable='h1 "My notes"'),
}


def claim(text: str, *citations: str, quote: str = "") -> Claim:
    return Claim(text=text, citations=citations, quote=quote)


def check(*claims: Claim) -> tuple[list[str], list[str]]:
    found = check_claims(claims, by="critic", shown=SHOWN)
    return [each.text for each in found.kept], [each.reason for each in found.dropped]


def test_claims_that_stand_are_kept_as_they_are() -> None:
    assert check(claim("it adds", "S1", quote="Milk"), claim("it looks fine", "P1")) == (
        ["it adds", "it looks fine"],
        [],
    )


def test_claim_without_citation_or_with_invented_ids_only_is_dropped() -> None:
    kept, reasons = check(claim("fast", ""), claim("rich"), claim("safe", "S99", "N7"))
    assert kept == []
    assert reasons == ["it cites no exhibit", "it cites no exhibit", "S99, N7: there is no such exhibit"]


def test_invented_id_is_taken_off_and_counted() -> None:
    found = check_claims([claim("it adds", "S1", "S99")], by="judge", shown=SHOWN)
    assert found.kept[0].citations == ("S1",)
    assert [(each.citations, each.by) for each in found.dropped] == [(("S99",), "judge")]


def test_quote_that_is_not_there_drops_the_claim() -> None:
    kept, reasons = check(claim("it says bread", "S1", quote="Bread"))
    assert kept == [] and reasons == ["its quote does not stand in S1"]
    # It has to stand in what is cited, not just anywhere.
    assert check(claim("title", "S1", quote="My notes"))[0] == []


def test_whitespace_quotation_marks_and_escapes_of_a_quote_do_not_matter() -> None:
    for quote in (
        "Milk  &\n<b>eggs</b>",
        "“Milk & <b>eggs</b>”",
        "Milk &amp; &lt;b&gt;eggs&lt;/b&gt;",
        "button",
    ):
        assert stands_in(quote, [SHOWN["S1"]]), quote
    assert stands_in("My notes", [SHOWN["P1"]])
    assert not stands_in("milk & eggs", [SHOWN["S1"]])


def test_claims_said_twice_or_beyond_the_most_are_dropped() -> None:
    assert check(claim("it adds", "S1"), claim("it  adds", "P1"))[1] == ["it was said before"]
    kept, reasons = check(*(claim(f"claim {number}", "S1") for number in range(MOST_CLAIMS + 3)))
    assert len(kept) == MOST_CLAIMS and len(reasons) == 3 and "already made" in reasons[0]
    assert check(claim("  ", "S1")) == ([], ["it says nothing"])


def test_ids_are_taken_out_of_what_is_around_them() -> None:
    assert valid_ids(["[s1]", "S1", "P1,", "E5", ""], SHOWN) == (("S1", "P1"), ("E5",))
    assert valid_ids(["step S1 and P1", "S1-S9"], SHOWN) == (("S1", "P1"), ("S9",))
    assert valid_ids(["the first picture", "XS1", "S11"], SHOWN) == ((), ("the first picture", "XS1", "S11"))
