"""What is settled before the first step: the run folder, the trace's head, the archive, how the page is opened."""

from __future__ import annotations

import json
import platform
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from explorer.archive import Archive
from explorer.browser_options import BrowserOptions
from explorer.driving import counts
from explorer.exploration import Instrumentation
from explorer.options import Options
from explorer.provision import Browser
from explorer.request import Request, command_of
from explorer.rundir import RUN, TRACE, create_run_folder, place_aside, watched_here
from explorer.wording import plural
from graph.records import Trace, TraceHead
from graph.tracefile import VERSION, TraceWriter
from instrument.bundle import Bundle
from instrument.detect import PAGE
from instrument.errors import UsageError
from instrument.probes import ProbeMap
from instrument.probetable import own_statements
from instrument.sourceroots import home_of

_NUMBERED = re.compile(r"\?\d+$")


@contextmanager
def fresh_folder(
    out: str | Path | None,
    *,
    target: str,
    now: datetime,
    say: Callable[[str], None] = lambda _: None,
    served: bool = False,
) -> Iterator[Path]:
    """A run folder that is taken away again when a run ends before its first step: nothing half-made stays.

    What a build or a server said stays, for messages refer to it. `say` is told what is left of a run that broke off later.
    `served`: the app's own server runs meanwhile. A dev server reloads its pages when files are written beside them, so a
    run that is started within a project goes elsewhere then.
    """
    existed = out is not None and Path(out).expanduser().exists()
    aside = place_aside() if served and out is None and watched_here() else None
    folder = create_run_folder(out, target=target, now=now, parent=aside)
    if aside:
        say(
            f"A dev server would see files in this project, so the run is written to {folder} (--out chooses)."
        )
    try:
        yield folder
    except BaseException:
        if not _has_steps(folder):
            if _emptied(folder):
                say(f"Nothing was explored; {folder} keeps the logs only.")
            else:
                folder.rmdir()
                say("Nothing was explored, so nothing was written.")
                if existed:
                    folder.mkdir()
        else:
            say(
                f"What was explored until then is in {folder}: `explore-app report {folder}` makes its report."
            )
        raise


def _emptied(folder: Path) -> bool:
    """Takes all but logs away; whether there are any."""
    logs = False
    for entry in folder.iterdir():
        if entry.suffix == ".log" and entry.is_file() and entry.stat().st_size:
            logs = True
        elif entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry, ignore_errors=True)
        else:
            entry.unlink(missing_ok=True)
    return logs


def _has_steps(folder: Path) -> bool:
    trace = folder / TRACE
    return trace.is_file() and trace.read_bytes().count(b"\n") > 1


def now() -> datetime:
    """The wall clock, with its offset."""
    return datetime.now().astimezone()


def spent_before(folder: Path) -> tuple[float, dict[str, Any]]:
    """Wall seconds that an earlier run took and its models' accounts, by its run.json; nothing for one that was cut off
    before it had one.
    """
    try:
        row = json.loads((folder / RUN).read_text(encoding="utf-8"))
        return float(row["seconds"]), dict(row.get("models") or {})
    except FileNotFoundError:
        return 0.0, {}
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{folder / RUN} is damaged ({error}): delete it, and resume again.") from error


def open_trace(folder: Path, earlier: Trace | None) -> TraceWriter:
    """The trace's writer, at the end of what an earlier run wrote."""
    return TraceWriter(folder / TRACE, resume=earlier is not None)


def check_budget_left(earlier: Trace, *, budget: int) -> None:
    """Raises UsageError where a run that is to go on has spent its budget already."""
    done = sum(counts(step) for step in earlier.steps)
    if budget <= done:
        raise UsageError(
            f"The run has done {plural(done, 'action')} already, so a budget of {budget} leaves none: "
            f"--budget counts those of the whole run, so give more than {done}."
        )


def check_same_app(archive: Archive, earlier: Trace | None, *, known: ProbeMap | None = None) -> None:
    """Raises UsageError where the app has changed since the run that is resumed: its probes would not match.

    `known`: the map of that run where the app is served elsewhere, so that it may have grown, but not changed.
    """
    if known is not None:
        changed = changed_sources(known, archive.probes)
        if changed:
            raise UsageError(f"The app has changed since that run ({changed[0]}): explore it anew.")
    elif earlier is not None and earlier.head.own_statements != len(own_statements(archive.probes)):
        raise UsageError("The app has changed since that run: explore it anew.")


def changed_sources(known: ProbeMap, now: ProbeMap) -> list[str]:
    """Scripts of the user's that have another text now than they had: `src/a.ts?2` came beside `src/a.ts`.

    Pages are left out: a server may write other words into them each time.
    """
    before = {source.path for source in known.files}
    fresh = (source.path for source in now.files if source.file_class == "own" and source.path not in before)
    bases = (path.rpartition("?")[0] for path in fresh if _NUMBERED.search(path))
    return sorted(base for base in bases if base in before and not PAGE.search(base))


def archive_of(
    request: Request, bundle: Bundle, *, browser: Browser, now: datetime, notes: tuple[str, ...] = ()
) -> Archive:
    """What is known of a run before its first step; `notes`: more of what its readers must know."""
    return Archive(
        target=request.target,
        build_kind=bundle.build.kind,
        build_reason=bundle.build.reason,
        instrumentation=Instrumentation(
            mode=bundle.mode,
            reason=bundle.reason,
            scripts=len(bundle.scripts),
            failed=bundle.failed,
            unmeasured=bundle.unmeasured,
            notes=bundle.notes,
            ways=bundle.ways,
        ),
        probes=bundle.probes,
        root=_home_of(bundle),
        command=command_of(request),
        started=now.isoformat(timespec="seconds"),
        versions=versions(browser),
        notes=(*caveats(request.options), *notes),
    )


def _home_of(bundle: Bundle) -> str:
    """What the paths of sources are below: the project or its workspace, else the folder that is served; "" for neither."""
    sources = bundle.build.sources
    home = home_of(sources) if sources else bundle.root
    return str(home) if home != Path() else ""


def caveats(options: Options) -> tuple[str, ...]:
    """What keeps a run from repeating exactly, for the report; nothing with the defaults."""
    found = []
    if options.clock == "real":
        found.append("The page's clock was the real one: the same seed may lead to another run.")
    if options.network == "open" or options.allow_host:
        found.append("The app could reach other hosts: what they answer may differ from run to run.")
    if options.time_limit is not None:
        found.append("A time limit was set: how far a run gets depends on the machine.")
    return tuple(found)


def versions(browser: Browser | None = None) -> dict[str, str]:
    """Versions of what takes part in a run."""
    return {
        "explore-app": metadata.version("explore-app"),
        "python": platform.python_version(),
        "playwright": metadata.version("playwright"),
        **({"browser": f"{browser.name} {browser.version}"} if browser else {}),
    }


def browser_options(options: Options, seed: int, *, istanbul: bool = False) -> BrowserOptions:
    """How the page is opened."""
    return BrowserOptions(
        headed=options.headed,
        seed=seed,
        clock=options.clock,
        network="open" if options.network == "open" else "app",
        allow_hosts=options.allow_host,
        axe=options.axe,
        istanbul=("__coverage__",) if istanbul else (),
    )


def head_of(archive: Archive, request: Request, *, hint: str) -> TraceHead:
    """First line of the trace."""
    return TraceHead(
        version=VERSION,
        target=request.target,
        seed=request.seed,
        budget=request.budget,
        tester=request.options.tester,
        hint=hint,
        abstraction=request.options.abstraction,
        own_statements=len(own_statements(archive.probes)),
    )
