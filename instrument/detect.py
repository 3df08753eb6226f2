"""First of the line: what the given path holds, by evidence, and which page opens the app."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from instrument.encoding import decode
from instrument.errors import AppError, UsageError
from instrument.folder import Listing, list_folder, unwalked_folder
from instrument.markers import BuildKind, signs
from instrument.mentions import reachable

PAGE = re.compile(r"\.(html?|xhtml)$", re.IGNORECASE)
_URL = re.compile(r"https?:/", re.IGNORECASE)
"""With one slash, which is what a Path makes of two."""
_HOST_AND_PORT = re.compile(r"([\w.-]+|\[[\da-fA-F:.]+\]):\d{1,5}([/?#].*)?")
_TARGETS = (
    "a project, a folder with a web app, an html file, or the address of a running app (http://HOST:PORT)"
)
_OUTPUT_FOLDERS = ("dist", "build", "out", "public", "docs", "www", ".output/public")
_LIFT_LIMIT = 4
"""Folders that the app's root may lie above a page that was given as a file."""


@dataclass(frozen=True, slots=True)
class Build:
    """An app that is ready to be served, and how that is known."""

    kind: BuildKind
    root: Path
    """Folder that is served; absolute."""
    entry: str
    """Page to open, below root with `/`."""
    reason: str
    """Why this kind, root and page, in words."""
    evidence: tuple[str, ...] = ()
    """Markers that were found."""
    candidates: tuple[str, ...] = ()
    """All pages that could have been opened, the chosen one first."""
    only: tuple[str, ...] = ()
    """Files that belong to the app where a single page was given; empty: all below root."""
    sources: Path | None = None
    """The project that it was built from, absolute: what sources are called after; None where that is not known."""


def is_url(target: Path | str) -> bool:
    """Whether a target names a running server: http(s)://, or host:port where no such file is."""
    text = str(target)
    return bool(_URL.match(text)) or bool(
        _HOST_AND_PORT.fullmatch(text) and not Path(text).expanduser().exists()
    )


def detect(path: Path | str, *, entry: str | None = None) -> Build:
    """What the path holds: a folder with a built or plain web app, or an html file.

    `entry` names the page to open, below the folder. Raises UsageError for a path or entry that is not there,
    AppError for a folder that cannot be served.
    """
    try:
        place = _place(path)
        if place.is_file():
            return _from_file(place, entry)
        return _from_folder(place, entry)
    except PermissionError as error:
        raise AppError(
            f"{error.filename or path} cannot be read: allow it or copy the app elsewhere."
        ) from error


def _place(path: Path | str) -> Path:
    """The file or folder that a target names, absolute."""
    if not str(path):
        raise UsageError(f"No target was given: name {_TARGETS}.")
    target = Path(path).expanduser()
    if is_url(path):
        raise UsageError(
            "An address names a running server and no files: give it to `explore-app`, or name a folder here."
        )
    if not target.exists():
        raise UsageError(f"{path} does not exist: name {_TARGETS}.")
    return target.absolute()  # not resolve(): a link's own name is the one that users know


def _from_file(file: Path, entry: str | None) -> Build:
    if entry is not None:
        raise UsageError(f"{file} is a file, so there is no page {entry} in it: name the folder instead.")
    if not PAGE.search(file.name):
        raise AppError(f"{file} is no html file: name one, or the folder that the app is in.")
    body = file.read_bytes()
    if b"<" not in body or b"\0\0\0" in body[:1000]:
        raise AppError(f"{file} holds no html: name a page of the app.")
    if _is_source_page(file):
        raise _not_built(file.parent, f"{file.name} loads untranslated sources")
    root = _lift(file, decode(body).text)
    listing = unwalked_folder(root)
    name = file.relative_to(root).as_posix()
    texts: dict[str, str] = {}

    def text_of(path: str) -> str:
        if path not in texts:
            texts[path] = _text(listing, path)
        return texts[path]

    only = tuple(reachable([name], text_of, listing.__contains__))
    kind, evidence = _kind(listing, name, text_of(name))
    reason = f"{file.name} was given; of {root} only {_belonging(len(only) - 1)}"
    return Build(kind, root, name, reason, evidence, (name,), only)


def _belonging(others: int) -> str:
    """How much of its folder a page makes the app."""
    if not others:
        return "the page itself belongs to the app"
    more = "one page or script" if others == 1 else f"{others} pages and scripts"
    return f"the page and {more} that it leads to belong to the app"


def _text(listing: Listing, path: str) -> str:
    try:
        return decode(listing.read(path)).text
    except OSError:
        return ""


def _lift(file: Path, html: str) -> Path:
    """The deepest folder that holds the page and all files that it names by `../`."""
    root = file.parent
    for address in re.findall(r"""\b(?:src|href)\s*=\s*["']?\s*((?:\.\./)+[^"'\s>?#]+)""", html):
        place = Path(os.path.normpath(file.parent / address))
        levels = len(PurePosixPath(address).parts) - len(PurePosixPath(address.replace("../", "")).parts)
        above = file.parents[min(levels, len(file.parents) - 1)]
        if (
            levels <= _LIFT_LIMIT
            and place.is_file()
            and above != Path(above.anchor)
            and root.is_relative_to(above)
        ):
            root = above
    return root


def _from_folder(folder: Path, entry: str | None) -> Build:
    try:
        if not any(folder.iterdir()):
            raise AppError(f"{folder} is empty: name the folder that holds the built app.")
    except OSError as error:
        raise AppError(
            f"{folder} cannot be read ({error.strerror}): allow it or copy it elsewhere."
        ) from error
    root, why = _output_folder(folder) if entry is None else (folder, "")
    listing = list_folder(root)
    pages = _pages(listing)
    chosen, why_page = _choose(listing, pages, entry, folder)
    kind, evidence = _kind(listing, chosen, _text(listing, chosen))
    built = f"built by {kind}" if kind != "static" else "plain files"
    reason = "; ".join(part for part in (why, f"{built}", why_page) if part)
    return Build(kind, root, chosen, reason, evidence, (chosen, *(page for page in pages if page != chosen)))


def _output_folder(folder: Path) -> tuple[Path, str]:
    """The folder itself, or the output folder in it where it holds the sources of an app."""
    source = _source_project(folder)
    if not source:
        return folder, ""
    for name in _OUTPUT_FOLDERS:
        page = folder / name / "index.html"
        if page.is_file() and not _is_source_page(page):
            return folder / name, f"{folder.name} holds sources ({source}), so its built {name} is taken"
    raise _not_built(folder, source)


def _not_built(folder: Path, source: str) -> AppError:
    return AppError(
        f"{folder} holds the sources of an app ({source}) that is not built yet: "
        "build it, then name the folder with the result."
    )


def _source_project(folder: Path) -> str:
    """What says that the folder's own index.html is not runnable as it is; "" for nothing."""
    package = _package(folder)
    needs = {**(package.get("dependencies") or {}), **(package.get("devDependencies") or {})}
    for name in ("next", "astro", "react-scripts"):
        if name in needs:
            return f"package.json needs {name}"
    page = folder / "index.html"
    if page.is_file() and _is_source_page(page):
        return "index.html loads untranslated sources"
    if not page.is_file() and "vite" in needs:
        return "package.json needs vite"
    return ""


_UNTRANSLATED = re.compile(r"<script\b[^>]*\bsrc=[\"'][^\"'>]*\.(?:tsx?|jsx|vue|svelte)[\"'?]")
_FOR_BABEL = re.compile(r"type=[\"']text/(?:babel|jsx|typescript)")
_SOURCE_MODULE = re.compile(r"<script\b[^>]*type=[\"']module[\"'][^>]*\bsrc=[\"']/src/[^\"'>]*\.m?js[\"']")


def _is_source_page(page: Path) -> bool:
    """Whether a page needs a build first: it loads TypeScript or JSX, or modules as a scaffold lays them out."""
    text = decode(page.read_bytes()).text
    if "%PUBLIC_URL%" in text:
        return True
    if _UNTRANSLATED.search(text) and not _FOR_BABEL.search(text):
        return True
    return bool(_SOURCE_MODULE.search(text)) and bool(_package(page.parent).get("scripts"))


def _package(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads((folder / "package.json").read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def package_name(folder: Path) -> str:
    """Name in the folder's package.json, "" without one."""
    name = _package(folder).get("name")
    return name if isinstance(name, str) else ""


def _pages(listing: Listing) -> list[str]:
    """Pages in the order in which they would be opened: the shallowest first, then by name."""
    found = [path for path in listing.files if PAGE.search(path)]
    return sorted(found, key=lambda path: (path.count("/"), not _is_index(path), path))


def _is_index(path: str) -> bool:
    return PurePosixPath(path).name.lower() in ("index.html", "index.htm")


def _choose(listing: Listing, pages: list[str], entry: str | None, folder: Path) -> tuple[str, str]:
    if entry is not None:
        name = entry.lstrip("/").replace("\\", "/")
        name = f"{name}/index.html" if f"{name}/index.html" in listing.files else name
        if name not in listing:
            some = ", ".join(pages[:5]) or "none"
            raise UsageError(f"{folder} has no page {entry}: choose one of its pages ({some}).")
        return name, f"{name} was chosen"
    if not pages:
        raise AppError(f"{folder} has no html page: name the folder that holds the built app.")
    if "index.html" in pages or len(pages) == 1:
        return (
            (pages[0], "") if pages[0].lower() == "index.html" else (pages[0], f"{pages[0]} is its only page")
        )
    return pages[0], f"of {len(pages)} pages {pages[0]} was opened, the first of the shallowest"


def _kind(listing: Listing, page: str, html: str) -> tuple[BuildKind, tuple[str, ...]]:
    """The most specific kind that a marker speaks for, and all that was seen."""
    found = list(signs(listing, html, page=page, text_of=lambda path: _text(listing, path)))
    return (found[0][0] if found else "static"), tuple(dict.fromkeys(words for _, words in found))
