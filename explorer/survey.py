"""Loads the app once to see which scripts it runs that nothing measures, and has V8's ranges measure those."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from explorer.wording import plural
from graph.records import Observation
from instrument.asking import Asking
from instrument.bundle import Bundle
from instrument.cache import ResultCache, default_cache_dir
from instrument.classify import Verdict, classify, classify_page
from instrument.detect import PAGE
from instrument.encoding import decode
from instrument.growth import Growth
from instrument.node import WorkerPool
from instrument.probes import FailedScript, ProbeMap
from instrument.shapes import Unit
from instrument.strangers import (
    Outline,
    Stranger,
    is_counted,
    key_of,
    normalised,
    outlined_unit,
    parsed_unit,
    relocated,
)
from instrument.transpiled import transpiled_sources, without_unplaced

_LINE = re.compile(r"^(.*):(\d+)$")
_UNREADABLE = "cannot be read"
_TRANSPILER = re.compile(r"babel|typescript|sucrase|esbuild|swc", re.IGNORECASE)
_AMBIGUOUS, _ASKED_FOR = "vertical tabs", "asks for it"
"""What reasons say of scripts that could not carry counters though they can be parsed, and of those left out on purpose."""
_NOT_MEASURED = re.compile(r", (?:which (?:is|are) not measured|other text is not)$")
_NAMED = 3


class Surveyed(Protocol):
    """What the survey needs of a page."""

    async def open(self) -> Observation:
        """Loads the app."""

    async def strangers(self) -> list[Stranger]:
        """Scripts of the app that ran and that nothing measures."""

    async def outline(self, stranger: Stranger) -> Outline:
        """Where V8 could stop in one of them, by function."""


def needs_survey(bundle: Bundle) -> bool:
    """Whether scripts may run that nothing measures: all of mode "v8" that are made, those that could not be parsed."""
    if bundle.istanbul_globals:
        return False
    if bundle.mode == "v8" or any(not row.reason.startswith(_UNREADABLE) for row in bundle.failed):
        return True
    return any(bundle.mode == "none" or _AMBIGUOUS in row.reason for row in bundle.unmeasured)


async def surveyed(
    bundle: Bundle, page: Surveyed, *, say: Callable[[str], None], worker: WorkerPool | None = None
) -> Bundle:
    """The bundle with the scripts that the app's first load runs and that nothing measured before."""
    if worker is None:
        async with WorkerPool(size=1) as pool:
            return await surveyed(bundle, page, say=say, worker=pool)
    await page.open()
    unasked = {row.path for row in bundle.unmeasured if row.reason.endswith(_ASKED_FOR)}
    strangers = [
        one for one in await page.strangers() if not is_counted(one.text) and one.path not in unasked
    ]
    if not strangers:
        return bundle
    grown = await _grown(bundle, page, strangers, Asking(worker, ResultCache(default_cache_dir())))
    if grown is not bundle:
        added = len(grown.units) - len(bundle.units)
        say(f"{plural(added, 'script')} measured by the browser's own coverage: {grown.reason}")
    return grown


async def _grown(bundle: Bundle, page: Surveyed, strangers: Sequence[Stranger], asking: Asking) -> Bundle:
    files = _texts(bundle)
    growth = Growth(bundle.probes)
    taken: dict[str, Unit] = {}
    measured: set[str] = set()
    real: set[str] = set()
    placed: set[tuple[str, int]] = set()
    sources = transpiled_sources(bundle.units)
    for stranger in strangers:
        place = _settled(stranger, files)
        key = key_of(place, lambda key: key in taken or key in growth)
        unit = await parsed_unit(place, key, asking, sources) or outlined_unit(
            place, key, await page.outline(stranger)
        )
        held = {place.path: files[place.path]} if place.path in files else files
        unit, found = relocated(unit, held, placed)
        placed.update(found)
        if not sum(unit.sizes):
            continue
        taken[key] = unit
        growth.add([unit], _verdict(bundle, place, unit.served.text))
        measured |= _now_measured(bundle.failed, files, found)
        real |= {path for path, _ in found}
    if not taken:
        return bundle
    failed = tuple(row for row in bundle.failed if row.path not in measured | taken.keys())
    probes, unplaced = without_unplaced(_in_place(growth.probes(), real), bundle.units)
    return replace(
        bundle,
        probes=probes,
        units=(*bundle.units, *taken.values()),
        scripts=(*bundle.scripts, *taken),
        failed=failed,
        unmeasured=(
            *(
                _told(row, {one.maker for one in strangers})
                for row in bundle.unmeasured
                if not (_AMBIGUOUS in row.reason and row.path in taken)
            ),
            *unplaced,
        ),
        mode="v8" if bundle.mode == "none" else bundle.mode,
        reason=_reason(bundle, taken),
    )


def _in_place(probes: ProbeMap, real: set[str]) -> ProbeMap:
    """Files that were found in the app's folder are themselves, though a map led there."""
    return replace(
        probes,
        files=tuple(
            replace(source, mapped_from=()) if source.path in real else source for source in probes.files
        ),
    )


def _told(row: FailedScript, makers: set[str]) -> FailedScript:
    """Code made at run time is measured as far as the first load made it."""
    if row.path not in makers:
        return row
    told = "; what the first load made is measured, what comes later is not"
    return replace(row, reason=_NOT_MEASURED.sub(told, row.reason))


def _texts(bundle: Bundle) -> dict[str, str]:
    """Texts of the app's pages and scripts, by path: those with counters, and those that failed."""
    found = {
        source.path: source.text for source in bundle.probes.files if source.text and not source.mapped_from
    }
    paths = {(_LINE.match(row.path) or [row.path, row.path])[1] for row in bundle.failed}
    for path in (*paths, *(one for one in bundle.build.candidates), bundle.entry):
        if path not in found and (bundle.root / path).is_file():
            found[path] = decode((bundle.root / path).read_bytes()).text
    return found


def _settled(stranger: Stranger, files: Mapping[str, str]) -> Stranger:
    """The stranger without a path where its file does not hold it: then it was made while the app ran."""
    text = files.get(stranger.path)
    if text is None:
        return replace(stranger, path="" if PAGE.search(stranger.path) else stranger.path)
    inside = stranger.text.replace("\r\n", "\n") in text.replace("\r\n", "\n")
    return stranger if inside else replace(stranger, path="")


def _verdict(bundle: Bundle, stranger: Stranger, text: str) -> Verdict:
    if PAGE.search(stranger.path):
        return classify_page(stranger.path)
    if stranger.path:
        return bundle.verdicts.get(stranger.path) or classify(stranger.path, text)
    maker = bundle.verdicts.get(stranger.maker)
    library = stranger.maker.startswith("http") or (maker is not None and maker.file_class == "vendor")
    if library and not _TRANSPILER.search(stranger.maker):
        return Verdict("vendor", f"made at run time by {stranger.maker}, which is library code")
    return Verdict("own", "code that the app makes while it runs")


def _now_measured(
    failed: Sequence[FailedScript], files: Mapping[str, str], found: Sequence[tuple[str, int]]
) -> set[str]:
    """Failed scripts that turned up: whole files, and those of pages by the line of their tag."""
    measured = set()
    for row in failed:
        match = _LINE.match(row.path)
        for path, offset in found:
            if row.path == path or (
                match and match[1] == path and _within(files[path], int(match[2]), offset)
            ):
                measured.add(row.path)
    return measured


def _within(text: str, line: int, offset: int) -> bool:
    """Whether the tag that begins on a line (from 1) is the one around an offset of the normalised text."""
    text = normalised(text)
    begin = sum(len(one) for one in text.splitlines(keepends=True)[: line - 1])
    return begin <= offset and "</script" not in text[begin:offset].lower()


def _reason(bundle: Bundle, taken: Mapping[str, Unit]) -> str:
    named = ", ".join(list(taken)[:_NAMED]) + (", ..." if len(taken) > _NAMED else "")
    if bundle.mode == "none":
        return f"no script could be given counters ({_why(bundle)}), so the browser's own coverage measures {named}"
    if bundle.mode == "v8":
        return bundle.reason
    return f"{bundle.reason}; the browser's own coverage measures {named}, which could not be given any ({_why(bundle)})"


def _why(bundle: Bundle) -> str:
    return bundle.failed[0].reason if bundle.failed else "they are made while the app runs"
