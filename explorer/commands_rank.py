"""The commands `rank` and `agreement`: judged runs on one scale, and how far people or another judge bear the scores out."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from explorer.commands_judge import DIMENSIONS
from explorer.wording import plural

if TYPE_CHECKING:
    from judge.agreement import Agreement, Share, Swap
    from judge.rank import Table


@click.command(name="rank")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--by",
    type=click.Choice(["run", "folder"]),
    default="run",
    show_default=True,
    help="Rank single runs, or the means of the runs in one folder (all apps of one model).",
)
@click.option(
    "--reference", type=click.Path(path_type=Path), help="Measure against this file, not against the pool."
)
@click.option(
    "--write-reference", type=click.Path(path_type=Path), help="Keep the pool's means and deviations."
)
@click.option("--json", "as_json", is_flag=True, help="Print the tables as JSON on stdout.")
def rank_command(
    runs: tuple[str, ...], by: str, reference: Path | None, write_reference: Path | None, as_json: bool
) -> None:
    """Rank judged runs: RUN is a run folder, or a folder of run folders.

    Each dimension is z-scored over the pool; 1/3 aesthetics, 1/3 usability, 1/9 each functional, content, visual.
    Every judge has a table of its own: scores of different judges share no scale.
    """
    from instrument.errors import UsageError
    from judge.pool import entry_of, run_folders
    from judge.rank import grouped, load_reference, rank, reference_of, save_reference

    folders = run_folders(runs)
    entries = [entry_of(folder) for folder in folders]
    if by == "folder":
        entries = list(grouped((folder.parent.name, e) for folder, e in zip(folders, entries, strict=True)))
    tables = rank(entries, reference=load_reference(reference) if reference else None)
    if write_reference:
        if len(tables) != 1:
            raise UsageError("A reference is of one judge: name runs that the same one has judged.")
        save_reference(reference_of(entries), write_reference)
    if as_json:
        click.echo(
            json.dumps({"tables": [table_json(table) for table in tables]}, indent=2, ensure_ascii=False)
        )
    else:
        click.echo("\n\n".join(table_text(table) for table in tables))


def table_json(table: Table) -> dict[str, Any]:
    """A table as `--json` prints it."""
    return {
        "judge": table.judge,
        "reference": {"pooled": table.pooled, **asdict(table.reference)},
        "notes": list(table.notes),
        "rows": [
            {
                "name": row.entry.name,
                "rank": row.rank,
                "overall": row.overall,
                "reason": row.reason,
                "raw": dict(row.entry.raw),
                "z": dict(row.z),
                "runs": row.entry.runs,
            }
            for row in table.rows
        ],
    }


def table_text(table: Table) -> str:
    """A table for people: rank, name, overall, and the raw scores beside it."""
    width = max([4, *(len(row.entry.name) for row in table.rows)])
    head = f"{'rank':>4}  {'name':<{width}}  {'overall':>8}  " + "  ".join(
        f"{name:>10}" for name in DIMENSIONS
    )
    lines = [f"Judge: {table.judge}" + ("" if table.pooled else " (against a fixed reference)"), head]
    for row in table.rows:
        place = str(row.rank) if row.rank is not None else "–"
        overall = f"{row.overall:+.3f}" if row.overall is not None else "–"
        raw = "  ".join(f"{_raw(row.entry.raw.get(name)):>10}" for name in DIMENSIONS)
        why = f"  ({row.reason})" if row.reason else ""
        lines.append(f"{place:>4}  {row.entry.name:<{width}}  {overall:>8}  {raw}{why}")
    return "\n".join([*lines, *(f"Note: {note}." for note in table.notes)])


def _raw(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"


@click.command(name="agreement")
@click.argument("scores", type=click.Path(path_type=Path))
@click.argument("votes", type=click.Path(path_type=Path), required=False)
@click.option(
    "--dimension", type=click.Choice(["overall", *DIMENSIONS]), default="overall", show_default=True
)
@click.option(
    "--swap-judge",
    default="",
    metavar="MODEL",
    help="Judge the runs in SCORES again by this model, and compare both judges.",
)
@click.option(
    "--base-url", default="", metavar="URL", help="Another server of the Messages API, for --swap-judge."
)
@click.option("--json", "as_json", is_flag=True, help="Print the numbers as JSON on stdout.")
def agreement_command(
    scores: Path, votes: Path | None, dimension: str, swap_judge: str, base_url: str, as_json: bool
) -> None:
    """Compare SCORES with people's VOTES on pairs, or with another judge's scores of the same runs.

    SCORES: a CSV with the columns name and score (or the dimension's name), what `rank --json` printed, or a folder of judged
    runs. VOTES: a CSV with the columns left, right, winner (one of the two, or tie) and voter.
    """
    from instrument.errors import UsageError

    if (votes is None) == (not swap_judge):
        raise UsageError(
            "Compare SCORES with a file of votes, or with another judge by --swap-judge MODEL: name one."
        )
    if votes is not None:
        found, lines = _by_votes(scores, votes, dimension)
    else:
        found, lines = _by_swap(scores, swap_judge, base_url)
    click.echo(json.dumps(found, indent=2, ensure_ascii=False) if as_json else "\n".join(lines))


def _by_votes(scores: Path, votes: Path, dimension: str) -> tuple[dict[str, Any], list[str]]:
    from instrument.errors import UsageError
    from judge.agreement import MARGINS, Z_MARGINS, agreement
    from judge.pool import OVERALL, is_ranking, read_scores, read_votes

    margins = Z_MARGINS if dimension == OVERALL and is_ranking(scores) else MARGINS
    found = agreement(read_scores(scores, dimension=dimension), read_votes(votes), margins=margins)
    if not found.overall.total and not found.ties:
        raise UsageError(
            f"No vote in {votes} is about two names that {scores} has scores of: check the names."
        )
    return asdict(found), agreement_lines(found)


def _by_swap(runs: Path, model: str, base_url: str) -> tuple[dict[str, Any], list[str]]:
    from explorer.driving import run_to_end
    from explorer.opening import now
    from explorer.swapped import swapped
    from judge.pool import run_folders
    from judge.roles import ModelSettings

    settings = ModelSettings(roles={"judge": model}, base_url=base_url)
    found = run_to_end(
        swapped(run_folders([runs]), settings, now=now(), say=lambda text: click.echo(text, err=True))
    )
    return {name: asdict(each) for name, each in found.items()}, [
        line for name, each in found.items() for line in swap_lines(name, each)
    ]


def swap_lines(dimension: str, found: Swap) -> list[str]:
    """What became of a dimension's order and level."""
    before, after = found.means
    return [
        f"{dimension.capitalize():<12}{plural(found.items, 'run')}; Spearman {_number(found.spearman)}, "
        f"Kendall {_number(found.kendall)}; mean {before:.1f} -> {after:.1f}",
        f"{'':<12}order kept: {_share(found.kept)}",
    ]


def agreement_lines(found: Agreement) -> list[str]:
    """What people want to know, a line each."""
    close, clear = found.margins
    words = {
        "close": f"scores less than {close:g} apart",
        "clear": f"{close:g} to {clear:g} apart",
        "wide": f"{clear:g} apart or more",
    }
    lines = [f"Pairs      {_share(found.overall)}"]
    lines += [f"  {words[name]:<28} {_share(share)}" for name, share in found.by_margin.items()]
    lines.append(
        f"Ranks      Spearman {_number(found.spearman)}, Kendall {_number(found.kendall)} with the people's order"
    )
    lines.append(f"Voters     Krippendorff's alpha {_number(found.alpha)}")
    if found.ties or found.unknown:
        without = plural(found.unknown, "vote")
        lines.append(f"Left out   {plural(found.ties, 'tie')}, {without} about something without a score")
    return lines


def _share(share: Share) -> str:
    if share.share is None:
        return "none"
    return (
        f"{share.agreeing:g} of {share.total} agree, {share.share:.1%} "
        f"(95 % interval {share.low:.1%} to {share.high:.1%})"
    )


def _number(value: float | None) -> str:
    return "cannot be told" if value is None else f"{value:.3f}"
