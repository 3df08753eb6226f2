"""Html pages among sources: whether the browser could run one as it is, or a build has to come first."""

from __future__ import annotations

import fnmatch
import posixpath
import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from instrument.kinds.appfolder import AppFolder
from instrument.manifest import NAME

_SCRIPT = re.compile(r"<script\b[^>]*?\bsrc\s*=\s*[\"']?([^\"'\s>]+)[^>]*", re.IGNORECASE)
_ELSEWHERE = re.compile(r"(?:[a-z][\w+.-]*:)?//|data:|blob:", re.IGNORECASE)
_IN_PAGE = re.compile(r"type\s*=\s*[\"']?text/(?:babel|jsx|typescript)", re.IGNORECASE)
_TO_TRANSLATE = re.compile(r"\.(?:[cm]?tsx?|jsx|vue|svelte)(?:[?#]|$)", re.IGNORECASE)
_TEMPLATED = re.compile(r"%PUBLIC_URL%|%BASE_URL%|<%[-=_]|\{\{\s*htmlWebpackPlugin")
_PLACES = ("", "src/", "public/", "static/", "app/", "client/", "www/", "web/", "source/", "site/")
_TEMPLATES = (
    "index.ejs",
    "index.pug",
    "index.hbs",
    "template.html",
    "index.tmpl.html",
    "index.template.html",
)


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a project and what a build has to do with it."""

    file: str
    needs_build: bool
    words: str
    folder: str = "."
    """Folder that holds it, below root."""
    proof: str = "index.html"
    """Script that it loads, below its folder: there once the build ran."""


def find_page(folder: AppFolder, *, outputs: tuple[str, ...]) -> Page | None:
    """The page that a build script works for; None where there is none.

    A folder with a package.json of its own is another project. A page needs a build where it loads sources that
    no browser runs, scripts that are not there, or scripts that the build writes: `outputs` are folders and, ending
    in .js, files, in which `*` stands for what is not known.
    """
    places = [place for place in _PLACES if not place or not folder.has(f"{place}{NAME}")]
    for place in places:
        if folder.text(f"{place}index.html"):
            return _page(folder, f"{place}index.html", outputs)
    for place in places:
        if name := folder.has(*(place + name for name in _TEMPLATES)):
            return Page(
                name, True, f"{name} is a template of the page", PurePosixPath(name).parent.as_posix()
            )
    return None


def needs_build(folder: AppFolder, file: str) -> bool:
    """Whether a page below the folder runs only once it is built."""
    return _page(folder, file, ()).needs_build


def scripts_of(html: str) -> list[str]:
    """Addresses of the scripts that a page loads from its own folder, those that it translates itself left out."""
    return [
        tag[1]
        for tag in _SCRIPT.finditer(html)
        if not _ELSEWHERE.match(tag[1]) and not _IN_PAGE.search(tag[0])
    ]


def _page(folder: AppFolder, file: str, outputs: tuple[str, ...]) -> Page:
    parent = PurePosixPath(file).parent.as_posix()
    if found := _TEMPLATED.search(folder.text(file)):
        return Page(file, True, f"{file} holds {found[0]}, which a build fills in", parent)
    for address in scripts_of(folder.text(file)):
        path = re.sub(r"[?#].*", "", address)
        if _TO_TRANSLATE.search(address):
            return Page(file, True, f"{file} loads {path}, which no browser runs as it is", parent)
        place = path.lstrip("/") if parent == "." or path.startswith("/") else f"{parent}/{path}"
        names = (place, f"{parent}/{path.lstrip('/')}", f"public/{path.lstrip('/')}")
        if not folder.has(*names):
            return Page(
                file,
                True,
                f"{file} loads {path}, which is not there before a build",
                parent,
                path.lstrip("/"),
            )
        if any(_writes(out, place, parent) for out in outputs):
            return Page(file, True, f"{file} loads {path}, which the build writes", parent, path.lstrip("/"))
    return Page(file, False, f"{file} runs as it is", parent)


def _writes(out: str, script: str, parent: str) -> bool:
    """Whether a script is what the build writes; the page's own folder holds sources too, so only a file tells there."""
    path = posixpath.normpath(script)
    if out.endswith(".js"):
        return fnmatch.fnmatchcase(path, posixpath.normpath(out))
    return out not in (".", "", parent) and PurePosixPath(path).is_relative_to(out)
