"""What is settled before the first step: the run folder, the trace's head, the archive, how the page is opened."""

from __future__ import annotations

import platform
import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from datetime import datetime
from importlib import metadata
from pathlib import Path

from explorer.archive import Archive
from explorer.browser_options import BrowserOptions
from explorer.exploration import Instrumentation
from explorer.options import Options
from explorer.provision import Browser
from explorer.rundir import TRACE, create_run_folder
from graph.records import TraceHead
from graph.tracefile import VERSION
from instrument.bundle import Bundle


@contextmanager
def fresh_folder(out: str | Path | None, *, target: str, now: datetime) -> Iterator[Path]:
    """A run folder that is taken away again when a run ends before its first step: nothing half-made stays."""
    existed = out is not None and Path(out).expanduser().exists()
    folder = create_run_folder(out, target=target, now=now)
    try:
        yield folder
    except BaseException:
        if not _has_steps(folder):
            shutil.rmtree(folder, ignore_errors=True)
            if existed:
                folder.mkdir(exist_ok=True)
        raise


def _has_steps(folder: Path) -> bool:
    trace = folder / TRACE
    return trace.is_file() and trace.read_bytes().count(b"\n") > 1


def archive_of(target: str, bundle: Bundle, *, browser: Browser, now: datetime, command: str) -> Archive:
    """What is known of a run before its first step."""
    return Archive(
        target=target,
        build_kind=bundle.build.kind,
        build_reason=bundle.build.reason,
        instrumentation=Instrumentation(
            mode=bundle.mode,
            reason=bundle.reason,
            scripts=len(bundle.scripts),
            failed=bundle.failed,
            unmeasured=bundle.unmeasured,
            notes=bundle.notes,
        ),
        probes=bundle.probes,
        command=command,
        started=now.isoformat(timespec="seconds"),
        versions=versions(browser),
    )


def versions(browser: Browser | None = None) -> dict[str, str]:
    """Versions of what takes part in a run."""
    return {
        "explore-app": metadata.version("explore-app"),
        "python": platform.python_version(),
        "playwright": metadata.version("playwright"),
        **({"browser": f"{browser.name} {browser.version}"} if browser else {}),
    }


def command_of(target: str, budget: int, seed: int, options: Options) -> str:
    """The command line that does this run again."""
    words = ["explore-app", target, "--budget", str(budget), "--seed", str(seed)]
    plain = Options()
    for field in fields(Options):
        value = getattr(options, field.name)
        if value == getattr(plain, field.name):
            continue
        name = f"--{field.name.replace('_', '-')}"
        values = value if isinstance(value, tuple) else (value,)
        for each in values:
            words += [name] if each is True else [name, str(each)]
    return shlex.join(words)


def browser_options(options: Options, seed: int, *, istanbul: bool = False) -> BrowserOptions:
    """How the page is opened."""
    return BrowserOptions(
        headed=options.headed,
        seed=seed,
        clock=options.clock,
        network=options.network,
        allow_hosts=options.allow_host,
        istanbul=("__coverage__",) if istanbul else (),
    )


def head_of(archive: Archive, options: Options, *, budget: int, seed: int, hint: str) -> TraceHead:
    """First line of the trace."""
    probes = archive.probes
    return TraceHead(
        version=VERSION,
        target=archive.target,
        seed=seed,
        budget=budget,
        tester=options.tester,
        hint=hint,
        abstraction=options.abstraction,
        own_statements=sum(1 for probe in probes.own if probes.probes[probe].kind == "statement"),
    )
