"""The command `explore-app cache`: what is kept from run to run, and a way to free it."""

from __future__ import annotations

import click

_PARTS = ("builds", "packages", "scripts")
"""As `explorer.cacheparts.parts`, known without loading it."""


@click.command(name="cache")
@click.option(
    "--clear",
    type=click.Choice(["all", *_PARTS]),
    is_flag=False,
    flag_value="all",
    default=None,
    metavar="[PART]",
    help=f"Free it: all of it, or one of {', '.join(_PARTS)}. What a run needs again, it makes again.",
)
def cache_command(clear: str | None) -> None:
    """Say what is kept from run to run, where, and what it takes; free it.

    Runs are never in it. Each part keeps below its bound by itself: what was used longest ago goes first.
    """
    from explorer.cacheparts import cleared, parts
    from explorer.wording import size

    if clear:
        for part in parts():
            if clear in ("all", part.name):
                click.echo(cleared(part))
        return
    found = [(part, part.bytes()) for part in parts()]
    click.echo(f"{found[0][0].folder.parent}: {size(sum(taken for _, taken in found))}")
    for part, taken in found:
        click.echo(f"  {part.name:<9} {size(taken):>10}  {part.holds} (bound: {size(part.limit)})")
    click.echo("`explore-app cache --clear` frees all of it, `--clear PART` one part.")
