"""Helpers of the instrument tests: apps written from a dict of files, bundled without a cache."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from instrument.bundle import Bundle, make_bundle
from instrument.detect import detect
from instrument.node import WorkerPool


def write_app(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Writes files by path below the folder and returns it."""
    for path, content in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def bundle_of(
    folder: Path, *, entry: str | None = None, sources: Path | None = None, **options: Any
) -> Bundle:
    """The bundle of an app, made without a cache unless one is named; `sources`: the project that it was built of."""
    options.setdefault("cache", "cache_dir" in options)

    async def run() -> Bundle:
        async with WorkerPool(size=1) as pool:
            build = replace(detect(folder, entry=entry), sources=sources)
            return await make_bundle(build, worker=pool, **options)

    # A thread of its own, for Playwright's synchronous API keeps a loop running in the tests' one.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(run())).result()


def texts_of(bundle: Bundle, path: str, kind: str = "statement") -> list[str]:
    """The source text of each probe of a file, for probes within one line."""
    source = next(source for source in bundle.probes.files if source.path == path)
    ids = {"statement": source.statements, "function": source.functions, "branch": source.branches}[kind]
    return [text_at(source.text, bundle.probes.probes[probe].position) for probe in ids]


def text_at(text: str, position: tuple[int, int, int, int]) -> str:
    """What a position holds; lines are joined by a newline."""
    lines = _lines(text)
    first, start, last, end = position
    if first == 0:
        return ""
    if first == last:
        return lines[first - 1][start:end]
    return "\n".join([lines[first - 1][start:], *lines[first : last - 1], lines[last - 1][:end]])


@functools.cache
def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n")
