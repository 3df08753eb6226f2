"""Second stage of judging: evidence becomes the blocks that a model is shown, bounded, escaped and marked as data.

Everything that stems from the app stands between <evidence> and </evidence> with &, < and > escaped, so no text of a
page can close the marks and speak as anybody else. The blocks of a pack are the same for every request about it: the
prefix that may be cached.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from instrument.wording import plural
from judge.records import Deliberated, Evidence, Exhibit, ExhibitKind
from judge.request import Block, ImageBlock, TextBlock

MOST_TEXT = 120_000
"""Characters of a pack: about 35,000 tokens, well inside every current model's window."""
_RESERVED: Mapping[ExhibitKind, float] = {"step": 0.5, "node": 0.15, "edge": 0.0}
"""Part of it that each kind, in this order, leaves to those after it; what it does not need is theirs too."""


@dataclass(frozen=True, slots=True)
class Pack:
    """What one dimension is judged from."""

    blocks: tuple[Block, ...]
    shown: Mapping[str, Exhibit] = field(default_factory=dict)
    """Exhibits that are in the blocks and may be cited, by id."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """How many exhibits of a kind found no room, or could not be used."""
    notes: tuple[str, ...] = ()
    lacking: str = ""
    """Why this is too little to judge from; "" where it is enough."""


def marked(tag: str, text: str, **attributes: str) -> str:
    """Text as data between <tag> and </tag>, with &, < and > escaped."""
    said = "".join(f' {name}="{html.escape(value)}"' for name, value in attributes.items())
    return f"<{tag}{said}>\n{html.escape(text, quote=False)}\n</{tag}>"


def exhibited(exhibit: Exhibit) -> str:
    """One exhibit with its marks."""
    return marked("exhibit", exhibit.text, id=exhibit.id)


def pack(evidence: Evidence, dimension: Deliberated, *, most_text: int = MOST_TEXT) -> Pack:
    """What a dimension is judged from: pictures for aesthetics; trace and graph for usability."""
    return (
        aesthetics_pack(evidence)
        if dimension == "aesthetics"
        else usability_pack(evidence, most_text=most_text)
    )


def aesthetics_pack(evidence: Evidence) -> Pack:
    """At most five pictures (see `judge.pictures`), each after its line of text."""
    from judge.pictures import choose

    shots = sorted(evidence.of("screenshot"), key=_number)
    if not shots:
        return Pack((), lacking="the run left no picture")
    pictures = [(Path(evidence.folder) / shot.file).read_bytes() for shot in shots]
    found = choose(pictures)
    dropped = [f"{shots[number].id} is {why}" for number, why in found.dropped]
    left_out = {
        "pictures that could not be used": len(dropped),
        "pictures that show nearly the same": found.spared,
    }
    notes = (*([found.note] if found.note else []), *dropped)
    if not found.chosen:
        return Pack(
            (),
            left_out=left_out,
            notes=notes,
            lacking=f"none of {plural(len(shots), 'picture')} can be used: {dropped[0]}",
        )
    data = {shots[number].id: pictures[number] for number in found.chosen}
    # In the order of the evidence, which a test may shuffle; the choice does not depend on it.
    chosen = [shot for shot in evidence.of("screenshot") if shot.id in data]
    told = ["<evidence>", f"Pictures of a web app, {len(chosen)} of {len(shots)}.", *_limits(evidence)]
    blocks: list[Block] = [TextBlock("\n".join(told))]
    for shot in chosen:
        blocks += [TextBlock(exhibited(shot)), ImageBlock(data[shot.id])]
    blocks.append(TextBlock("</evidence>", cache_end=True))
    return Pack(tuple(blocks), {shot.id: shot for shot in chosen}, left_out, notes)


def usability_pack(evidence: Evidence, *, most_text: int = MOST_TEXT) -> Pack:
    """Trace and graph; where they are too long, what tells least is left out, and counted."""
    if not any(_acted(step) for step in evidence.of("step")):
        return Pack((), lacking="the trace has no action: nothing was tried")
    room, kept, left_out = most_text - len(evidence.head), set[str](), {}
    for kind, reserved in _RESERVED.items():
        exhibits = evidence.of(kind)
        chosen = _fitting(exhibits, int(room - most_text * reserved))
        room -= sum(len(exhibited(each)) for each in exhibits if each.id in chosen)
        kept |= chosen
        if len(chosen) < len(exhibits):
            left_out[f"{kind}s"] = len(exhibits) - len(chosen)
    shown = [each for each in evidence.exhibits if each.id in kept]
    notes = tuple(f"{number} {what} left out for length" for what, number in left_out.items())
    told = [
        "States of the app (N), transitions between them (E), and the steps of the trace (S).",
        *(f"{note}: those that show least." for note in notes),
    ]
    text = "\n".join(
        [
            "<evidence>",
            marked("summary", evidence.head),
            *_limits(evidence),
            *told,
            *(exhibited(each) for each in shown),
            "</evidence>",
        ]
    )
    return Pack((TextBlock(text, cache_end=True),), {each.id: each for each in shown}, left_out, notes)


def _limits(evidence: Evidence) -> list[str]:
    return [marked("limits", evidence.limits)] if evidence.limits else []


def _acted(step: Exhibit) -> bool:
    return not step.text.startswith(("loaded: ", "loaded again: "))


def _fitting(exhibits: Sequence[Exhibit], most: int) -> set[str]:
    """Ids of those that fit in, the telling ones first; of equals every other one before those between, so that a long
    trace is thinned out rather than cut off."""
    by_weight: dict[int, list[Exhibit]] = {}
    for exhibit in sorted(exhibits, key=_number):
        by_weight.setdefault(exhibit.weight, []).append(exhibit)
    chosen: set[str] = set()
    for weight in sorted(by_weight, reverse=True):
        for exhibit in _spread(by_weight[weight]):
            size = len(exhibited(exhibit)) + 1
            if size > most:
                continue
            most -= size
            chosen.add(exhibit.id)
    return chosen


def _spread(exhibits: list[Exhibit]) -> Iterable[Exhibit]:
    """All of them, coarsely first: every 16th, then every 8th of the rest, and so on."""
    done: set[int] = set()
    for stride in (16, 8, 4, 2, 1):
        for number in range(0, len(exhibits), stride):
            if number not in done:
                done.add(number)
                yield exhibits[number]


def _number(exhibit: Exhibit) -> int:
    return int(exhibit.id[1:])
