"""The pages and scripts of an app as texts, and what the pages say of the scripts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from instrument.detect import PAGE, Build
from instrument.encoding import Decoded, decode
from instrument.folder import Listing
from instrument.leftout import test_page, twin, unrunnable
from instrument.mentions import existing, local_path, mentions
from instrument.probes import FailedScript

_SCRIPT = re.compile(r"\.(?:m?js|es6?)$", re.IGNORECASE)
_XHTML = re.compile(r"\.xhtml$", re.IGNORECASE)
_SVG_LIMIT = 1 << 20


@dataclass
class Sources:
    """Texts by path below root, pages and scripts apart."""

    listing: Listing
    pages: dict[str, Decoded] = field(default_factory=dict)
    scripts: dict[str, Decoded] = field(default_factory=dict)
    failed: list[FailedScript] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    """Scripts that pages load and that are not in the folder, in words."""
    unmeasured: list[FailedScript] = field(default_factory=list)

    def read(self, path: str, into: dict[str, Decoded], charset: str = "") -> bool:
        """Reads one file; one that cannot be read is listed as failed."""
        if path in into:
            return True
        try:
            into[path] = decode(self.listing.read(path), charset=charset)
        except OSError as error:
            self.failed.append(FailedScript(path, f"cannot be read: {error.strerror}"))
            return False
        return True


def read_sources(build: Build, listing: Listing) -> Sources:
    """All pages and scripts that belong to the app, as far as names tell."""
    found = Sources(listing)
    found.unmeasured += listing.skipped
    for path in build.only or listing.files:
        if _XHTML.search(path):
            found.unmeasured.append(FailedScript(path, "XHTML, whose inline scripts are not measured"))
        elif PAGE.search(path):
            found.read(path, found.pages)
        elif _SCRIPT.search(path):
            found.read(path, found.scripts)
        elif path.lower().endswith(".svg") and _scripted(listing, path):
            found.unmeasured.append(FailedScript(path, "an SVG file with scripts, which are not measured"))
    _leave_test_pages(build, found)
    return found


def _scripted(listing: Listing, path: str) -> bool:
    try:
        return listing.files.get(path, 0) < _SVG_LIMIT and b"<script" in listing.read(path)
    except OSError:
        return False  # listed nowhere: a picture that cannot be read is no script


def _leave_test_pages(build: Build, found: Sources) -> None:
    tests = [path for path in found.pages if test_page(path) and path != build.entry]
    others = [page.text for path, page in found.pages.items() if path not in tests]
    for path in tests:
        if not _named_elsewhere(path.rpartition("/")[2], "", others):
            del found.pages[path]
            found.unmeasured.append(FailedScript(path, "a test that no other page names"))


@dataclass
class Reference:
    """What all pages together say of one script."""

    kinds: set[str] = field(default_factory=set)
    """classic, module, transpiled."""
    nomodule: bool = True
    """Every page loads it for browsers without modules only."""
    typescript: bool = False
    charset: str = ""

    @property
    def goal(self) -> str:
        """What the parser is to expect."""
        plain = {"classic": "script", "module": "module"}
        return plain.get(next(iter(self.kinds)), "auto") if len(self.kinds) == 1 else "auto"


def references_of(answers: Mapping[str, Mapping[str, Any]], found: Sources) -> dict[str, Reference]:
    """Scripts that the pages load, by path; those from other hosts are listed as unmeasured.

    `answers` are the worker's to each page.
    """
    references: dict[str, Reference] = {}
    outside: dict[str, str] = {}
    for page, answer in answers.items():
        base = local_path(answer.get("base") or "", page) or page
        for row in answer["references"]:
            place = local_path(row["src"], base)
            if place is None:
                outside.setdefault(row["src"], page)
                continue
            path = existing(place, found.listing.__contains__)
            if path is None:
                found.missing.append(f"{page} loads {row['src']}, which is not in the folder")
                continue
            known = references.setdefault(path, Reference())
            known.kinds.add(row["kind"])
            known.nomodule &= row["nomodule"]
            known.typescript |= row.get("typescript", False)
            known.charset = known.charset or row.get("charset", "") or answer.get("charset") or ""
    found.unmeasured += [
        FailedScript(address, f"loaded from another host by {page}") for address, page in outside.items()
    ]
    return references


def settle_scripts(found: Sources, references: Mapping[str, Reference]) -> None:
    """Adds the scripts that pages load by other names, and takes out what no browser would run."""
    for path, reference in references.items():
        if reference.charset and path in found.scripts and found.scripts[path].encoding not in ("utf-8",):
            del found.scripts[path]
        found.read(path, found.scripts, reference.charset)
    doubtful = dict(_doubtful(found, references))
    if not doubtful:
        return
    exists = found.listing.__contains__
    named = {file for path, page in found.pages.items() for file in mentions(path, page.text, exists)}
    texts = [source.text for source in (*found.pages.values(), *found.scripts.values())]
    for path, reason in doubtful.items():
        # Bundles carry the names of the CommonJS modules in them, so only a page's word counts for those.
        known = path in named or (
            "CommonJS" not in reason
            and "another form" not in reason
            and _named_elsewhere(path.rpartition("/")[2], found.scripts[path].text, texts)
        )
        if not known:
            del found.scripts[path]
            found.unmeasured.append(FailedScript(path, reason))


def _doubtful(found: Sources, references: Mapping[str, Reference]) -> Iterable[tuple[str, str]]:
    for path, source in found.scripts.items():
        if path in references:
            continue
        reason = unrunnable(path, source.text) or twin(path, references, found.scripts)
        if reason:
            yield path, reason


def _named_elsewhere(name: str, own: str, texts: Iterable[str]) -> bool:
    """Whether another file names this one in quotes or as an address."""
    pattern = re.compile(rf"[\"'`/=]{re.escape(name)}[\"'`?#\s>]")
    return any(name in text and pattern.search(text) for text in texts if text is not own)
