"""Checks what a model says against the evidence, before anybody else gets to see it. Pure.

A citation counts where an exhibit with that id was shown and may be cited for the dimension; a quote where it stands in
one of the cited exhibits, whitespace aside. Invented ids are taken off a claim, a claim that is left without any is
dropped, and so is one whose quote is nowhere: each is kept with its reason, so that it can be counted and shown.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from instrument.wording import in_short
from judge.records import Claim, Dropped, Exhibit, Side

MOST_CLAIMS = 12
"""Claims of one side that the judge gets to see; ours, so that many words are no argument."""
LONGEST_CLAIM = 600
"""Characters of a claim; a longer one is cut."""

_ID = re.compile(r"\b[SNEP]\d+\b")
_SPACE = re.compile(r"\s+")
_MARKS = "\"'`“”„‘’«»…"


@dataclass(frozen=True, slots=True)
class Checked:
    """What is left of some claims, and what is not."""

    kept: tuple[Claim, ...]
    dropped: tuple[Dropped, ...]


def valid_ids(cited: Iterable[str], shown: Collection[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(ids that were shown, ids that were not), each once and in the given order.

    Ids are taken out of what is around them: "[s3]", "step S3" and "S3, S5" cite S3, S3 and both.
    """
    known: dict[str, None] = {}
    unknown: dict[str, None] = {}
    for each in cited:
        for name in _ID.findall(each.upper()) or [each.strip()[:40]]:
            if name in shown:
                known[name] = None
            elif name:
                unknown[name] = None
    return tuple(known), tuple(unknown)


def stands_in(quote: str, exhibits: Iterable[Exhibit]) -> bool:
    """Whether a quote stands in one of these exhibits; whitespace, quotation marks around it and escapes do not matter."""
    wanted = {_squeezed(quote), _squeezed(html.unescape(quote))}
    if not any(wanted):
        return True
    for exhibit in exhibits:
        text = _squeezed(f"{exhibit.text}\n{exhibit.quotable}")
        if any(words and words in text for words in wanted):
            return True
    return False


def check_claims(
    claims: Iterable[Claim], *, by: Side, shown: Mapping[str, Exhibit], most: int = MOST_CLAIMS
) -> Checked:
    """Sorts claims into those that stand on evidence and those that do not; a claim said twice counts once.

    shown: the exhibits that the model could see and may cite, by id.
    """
    kept: list[Claim] = []
    dropped: list[Dropped] = []
    said: set[str] = set()
    for claim in claims:
        known, unknown = valid_ids(claim.citations, shown)
        reason = _fault(claim, known, unknown, shown, said)
        if not reason and len(kept) >= most:
            reason = f"the {by} already made {most} claims that stand"
        if reason:
            dropped.append(_dropped(claim, by, reason))
            continue
        if unknown:
            dropped.append(_dropped(claim, by, f"only {_listed(unknown)}: there is no such exhibit", unknown))
        said.add(_squeezed(claim.text))
        kept.append(claim.model_copy(update={"citations": known, "text": _cut(claim.text)}))
    return Checked(tuple(kept), tuple(dropped))


def _fault(
    claim: Claim,
    known: tuple[str, ...],
    unknown: tuple[str, ...],
    shown: Mapping[str, Exhibit],
    said: Collection[str],
) -> str:
    """Why a claim does not stand; "" for one that does."""
    if not claim.text.strip():
        return "it says nothing"
    if not known:
        return f"{_listed(unknown)}: there is no such exhibit" if unknown else "it cites no exhibit"
    if claim.quote and not stands_in(claim.quote, (shown[name] for name in known)):
        return f"its quote does not stand in {_listed(known)}"
    if _squeezed(claim.text) in said:
        return "it was said before"
    return ""


def _dropped(claim: Claim, by: Side, reason: str, citations: tuple[str, ...] | None = None) -> Dropped:
    cited = claim.citations if citations is None else citations
    return Dropped(
        by=by,
        text=_cut(claim.text),
        reason=reason,
        citations=tuple(each[:40] for each in cited),
        quote=_cut(claim.quote),
    )


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def _cut(text: str) -> str:
    return in_short(text, LONGEST_CLAIM)


def _squeezed(text: str) -> str:
    """Without any whitespace: where lines break and inline elements touch is not the quoter's to know."""
    return _SPACE.sub("", text).strip(_MARKS)
