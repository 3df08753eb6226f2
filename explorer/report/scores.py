"""Scores: each dimension with its aspects, their reasons and citations, both sides' claims, and what was dropped."""

from __future__ import annotations

from collections.abc import Sequence

from explorer.report.content import Content
from explorer.report.exhibits import Exhibits
from explorer.report.markup import Child, Html, tag
from explorer.wording import plural
from judge.records import BUILT_IN, Claim, Dropped, Opinion, Score, Scores, Verdict

_PROTOCOLS = {
    "deliberation": "advocate, critic and judge; five goes, best and worst dropped",
    "single-round": "one go of the judge alone",
    "criteria": "criterion by criterion",
    "heuristic": "measured, without a model",
}


def scores_section(content: Content) -> Html | None:
    """The section; None for a run that was not judged."""
    scores = content.run.scores
    if scores is None:
        return None
    exhibits = Exhibits(content)
    return tag(
        "section",
        tag("h2", "Scores"),
        tag("p", _who(scores), class_="aside"),
        [tag("p", text, class_="notice") for text in (*scores.warnings, *scores.notes)],
        tag("div", [_tile(score) for score in scores.scores], class_="tiles"),
        [_dimension(score, exhibits) for score in scores.scores if score.aspects or score.opinions],
        _criteria(scores.verdicts, exhibits),
        id="scores",
    )


def _who(scores: Scores) -> str:
    judge = "the built-in judge (heuristic)" if scores.judge == BUILT_IN else scores.judge
    return (
        f"By {judge}: {_PROTOCOLS[scores.protocol]}. It saw what the run recorded and nothing else. "
        "In citations S is a step, N a state, E a transition, P a picture."
    )


def _tile(score: Score) -> Html:
    value = f"{score.value:.1f}" if score.value is not None else "–"
    note = score.reason if score.value is None else _how(score)
    return tag(
        "div",
        tag("span", score.dimension.capitalize(), class_="label"),
        tag("span", value, class_="value"),
        tag("span", f"{score.status}: {note}" if score.value is None else note, class_="note aside"),
        class_="tile",
    )


def _how(score: Score) -> str:
    label = "heuristic" if score.judge == BUILT_IN else score.judge
    if score.determined is not None:
        left = f", {score.undetermined} undetermined" if score.undetermined else ""
        return f"{score.met} of {plural(score.determined, 'criterion', many='criteria')} met{left}"
    return f"of 100 · {label}"


def _dimension(score: Score, exhibits: Exhibits) -> Html:
    return tag(
        "details",
        tag("summary", tag("span", f"{score.dimension.capitalize()} in detail", class_="words")),
        tag("p", _arithmetic(score), class_="facts"),
        [tag("p", note, class_="aside") for note in score.notes],
        _aspects(score, exhibits),
        [_opinion(opinion, exhibits) for opinion in score.opinions],
        _dropped(score.dropped, exhibits),
        class_="finding",
        open=True,
    )


def _arithmetic(score: Score) -> str:
    totals = [f"{sample.total:.2f}" for sample in score.samples if sample.total is not None]
    failed = [sample for sample in score.samples if sample.total is None]
    told = [f"base {score.base:.2f} of 5" if score.base is not None else "no base"]
    if totals:
        told.append(f"totals {', '.join(totals)}")
    if failed:
        told.append(
            f"{plural(len(failed), 'go', many='goes')} without a total ({failed[0].reason or failed[0].status})"
        )
    if score.value is not None:
        told.append(f"score {score.value:.1f}")
    return " · ".join(told)


def _aspects(score: Score, exhibits: Exhibits) -> Child:
    if not score.aspects:
        return None
    rows = [
        tag(
            "tr",
            tag("th", aspect.aspect.replace("-", " "), scope="row"),
            tag("td", f"{aspect.adjustment:+.2f}" if aspect.adjustment else "0", class_="amount"),
            tag("td", aspect.reason, exhibits.chips(aspect.citations)),
        )
        for aspect in score.aspects
    ]
    head = tag(
        "tr", [tag("th", name, scope="col", class_="text") for name in ("Aspect", "Adjustment", "Reason")]
    )
    return tag(
        "div",
        tag("table", tag("thead", head), tag("tbody", rows), class_="aspects"),
        class_="scroll",
        tabindex="0",
    )


def _opinion(opinion: Opinion, exhibits: Exhibits) -> Html:
    told = plural(len(opinion.claims), "claim")
    if opinion.status != "ok":
        told = f"no opinion ({opinion.status}: {opinion.reason})"
    return tag(
        "details",
        tag("summary", tag("span", f"The {opinion.by}: {told}", class_="words")),
        tag("ul", [_claim(claim, exhibits) for claim in opinion.claims]),
    )


def _claim(claim: Claim, exhibits: Exhibits) -> Html:
    quote = [" ", tag("q", claim.quote)] if claim.quote else None
    return tag("li", claim.text, quote, exhibits.chips(claim.citations))


def _dropped(dropped: Sequence[Dropped], exhibits: Exhibits) -> Child:
    if not dropped:
        return None
    rows = [
        tag(
            "li",
            f"{each.by}: {each.text} ",
            tag("span", f"dropped: {each.reason}", class_="aside"),
            exhibits.chips(each.citations),
        )
        for each in dropped
    ]
    told = f"{plural(len(dropped), 'claim')} dropped, because the evidence does not bear them out"
    return tag("details", tag("summary", tag("span", told, class_="words")), tag("ul", rows))


def _criteria(verdicts: Sequence[Verdict], exhibits: Exhibits) -> Child:
    if not verdicts:
        return None
    head = tag("tr", [tag("th", name, scope="col", class_="text") for name in ("Criterion", "Met", "Why")])
    return [
        tag("h3", "Criteria"),
        tag(
            "div",
            tag(
                "table",
                tag("thead", head),
                tag("tbody", [_verdict(verdict, exhibits) for verdict in verdicts]),
                class_="aspects",
            ),
            class_="scroll",
            tabindex="0",
        ),
    ]


def _verdict(verdict: Verdict, exhibits: Exhibits) -> Html:
    answer = "undetermined" if verdict.met is None else "yes" if verdict.met else "no"
    style = {"yes": "chip state", "no": "chip grave"}.get(answer, "chip")
    sure = f"confidence {verdict.confidence:.0%}" if verdict.confidence is not None else ""
    why = " · ".join(part for part in (verdict.analysis, verdict.reason, sure) if part)
    return tag(
        "tr",
        tag(
            "th",
            verdict.criterion.text,
            tag("span", verdict.criterion.kind, class_="note aside"),
            scope="row",
        ),
        tag("td", tag("span", answer, class_=style)),
        tag("td", why, exhibits.chips(verdict.citations)),
    )
