"""esbuild by its command line, or by a script of the project's own."""

from __future__ import annotations

import posixpath
import re

from instrument.configtext import expression, flag, string
from instrument.kinds.appfolder import AppFolder
from instrument.kinds.clues import flavour_of, needs, runs, source_folders, way_of
from instrument.kinds.evidence import Kind, Layout
from instrument.kinds.pages import find_page

_OWN = re.compile(r"(?:node|bun|tsx|ts-node|zx)\s+(?:-\S+\s+)*[\"']?(?P<file>[\w./-]+\.[cm]?[jt]s)\b")


def layout(folder: AppFolder, built_by: str) -> Layout:
    """The folder of --outdir or --outfile; the page's own folder first where the page is not copied there."""
    code = folder.code(own_script(folder, built_by))
    out = flag(built_by, "--outdir") or posixpath.dirname(flag(built_by, "--outfile"))
    out = out or string(code, "outdir") or posixpath.dirname(string(code, "outfile")) or "dist"
    out = posixpath.normpath(out)
    page = find_page(folder, outputs=(out, *_files(built_by, code, out)))
    copied = re.search(r"index\.html|\bcp\b|copy", built_by + code) is not None
    places = (page.folder, out) if page and not copied else (out, *((page.folder,) if page else ()))
    flavour, clue = flavour_of(folder)
    way, why = way_of(flavour)
    return Layout(
        outputs=tuple(dict.fromkeys(places)),
        proof=page.proof if page and not copied else "index.html",
        config=own_script(folder, built_by),
        public_folder=folder.has("static", "public"),
        source_folders=source_folders(folder, "src", "app"),
        flavour=flavour,
        clues=(clue,) if clue else (),
        way=way,
        way_reason=why,
    )


def _files(built_by: str, code: str, out: str) -> list[str]:
    """Scripts that esbuild writes: --outfile, or one for each entry in the folder."""
    named = [*re.findall(r"--outfile[= ][\"']?([^\s\"']+)", built_by), string(code, "outfile")]
    entries = re.findall(r"[\w./-]+\.[cm]?[jt]sx?\b", f"{built_by} {expression(code, 'entryPoints')}")
    stems = (re.sub(r"\.\w+$", "", posixpath.basename(entry)) for entry in entries)
    return [name for name in named if name] + [posixpath.join(out, f"{stem}.js") for stem in stems]


def own_script(folder: AppFolder, built_by: str) -> str:
    """The project's script that calls esbuild, below root; "" without one."""
    for found in _OWN.finditer(built_by):
        if re.search(r"[\"']esbuild[\"']", folder.text(found["file"])):
            return posixpath.normpath(found["file"])
    return ""


def makes_page(folder: AppFolder, built_by: str) -> bool:
    """Called by command or by the project's script, for a page that does not run without it."""
    called = _COMMAND.search(built_by) or own_script(folder, built_by)
    code, outputs = folder.code(own_script(folder, built_by)), layout(folder, built_by).outputs
    written = [name for out in outputs for name in _files(built_by, code, out)]
    page = find_page(folder, outputs=(*outputs, *written)) if called else None
    return page is not None and page.needs_build


_COMMAND = runs("esbuild")

ESBUILD = Kind(
    name="esbuild",
    tool="",
    command=re.compile(f"{_COMMAND.pattern}|{_OWN.pattern}"),
    clues=(needs("esbuild"),),
    layout=layout,
    admits=makes_page,
    by_command_only=True,
)
