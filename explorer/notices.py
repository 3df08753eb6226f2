"""What a reader of a run's numbers must know first: hosts that were kept out, code that cannot be told apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from explorer.cdn import parse
from explorer.exploration import Exploration
from explorer.faults import host_of
from explorer.libraries import Libraries
from explorer.wording import plural
from graph.records import Request
from instrument.classify import BUILT

MOST_NAMED = 4
"""Hosts or files that a sentence names."""


def notices(run: Exploration) -> tuple[str, ...]:
    """Sentences for the terminal and the head of the report, the gravest first; () where the numbers speak."""
    listed = {item.url for item in run.libraries.unavailable}
    others = [request for request in run.blocked if request.url not in listed]
    told = (not_to_be_had(run.libraries), kept_in(others), built_without_map(run))
    return tuple(text for text in told if text)


def hosts_kept_out(blocked: Iterable[Request]) -> Counter[str]:
    """Other hosts that the app itself asked for something, with the number of requests.

    Links that a user follows to another site are not among them: the app does without where they lead.
    """
    hosts = Counter(host_of(request.url) for request in blocked if request.resource != "document")
    del hosts[""]
    return hosts


def kept_in(blocked: Iterable[Request]) -> str:
    """What was not let out, and how to let it; "" where nothing was asked of other hosts."""
    blocked = list(blocked)
    hosts = hosts_kept_out(blocked)
    if not hosts:
        return ""
    one = len(hosts) == 1
    names = [host for host, _ in hosts.most_common()]
    what = plural(hosts.total(), "request") + (" to another host" if one else " to other hosts")
    were, them = ("was", "it") if hosts.total() == 1 else ("were", "them")
    option = f"--allow-host {names[0]}" if one else "--allow-host HOST for each"
    if any(file.form != "none" for request in blocked if (file := parse(request.url))):
        option = f"--network cdn, which takes libraries from npm, {option}"
    return (
        f"{what} {were} kept in ({some(names, most=MOST_NAMED)}): "
        f"add {option}, or --network open, if the app needs {them}."
    )


def not_to_be_had(libraries: Libraries) -> str:
    """What a page needed of a CDN and did not get, with the reason; "" where it got all."""
    missing = [item for item in libraries.unavailable if item.needed]
    if not missing:
        return ""
    first = missing[0]
    more = f" (so were {len(missing) - 1} more, which the report lists)" if len(missing) > 1 else ""
    return f"{first.url} was answered by {first.answer}{more}: {first.reason}."


def from_npm(libraries: Libraries) -> str:
    """Which packages stood in for CDNs; "" where none did."""
    names = [f"{item.name}@{item.version}" for item in libraries.served]
    return f"{some(names, most=12)} served from npm in place of CDNs, not measured" if names else ""


def built_without_map(run: Exploration) -> str:
    """Which own files hold libraries too, and what would separate them; "" where there is none."""
    names = [
        file.path for file in run.probes.files if file.file_class == "own" and file.class_reason == BUILT
    ]
    if not names:
        return ""
    one = len(names) == 1
    built, inside = (
        ("was built without a source map", "it") if one else ("were built without source maps", "them")
    )
    return (
        f"{some(names, most=MOST_NAMED)} {built}: libraries inside {inside} are counted as the app's own code; "
        "build with source maps (Vite: --sourcemap) to see your own files."
    )


def libraries(run: Exploration) -> str:
    """Which files are counted apart; "" for an app without library code."""
    names = [file.path for file in run.probes.files if file.file_class == "vendor"]
    if not names:
        return ""
    are = "is" if len(names) == 1 else "are"
    return f"{plural(len(names), 'file')} {are} counted apart: {some(names, most=MOST_NAMED)}"


def some(names: Sequence[str], *, most: int) -> str:
    """ "a and b"; "a, b, c and 7 more" where there are more than `most`."""
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} and {len(names) - most + 1:,} more"
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)
