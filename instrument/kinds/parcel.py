"""Parcel: starts from a page and needs no config."""

from __future__ import annotations

from pathlib import PurePosixPath

from instrument.configtext import flag
from instrument.kinds.appfolder import AppFolder
from instrument.kinds.clues import configured, flavour_of, needs, runs, source_folders, way_of
from instrument.kinds.evidence import Kind, Layout
from instrument.kinds.pages import find_page


def layout(folder: AppFolder, built_by: str) -> Layout:
    """dist, or what --dist-dir (Parcel 2) or --out-dir (Parcel 1) says."""
    out = flag(built_by, "--dist-dir", "--out-dir", "-d") or "dist"
    flavour, clue = flavour_of(folder)
    way, why = way_of(flavour)
    return Layout(
        outputs=(out.removeprefix("./").rstrip("/"),),
        base=flag(built_by, "--public-url"),
        config=folder.has(".parcelrc"),
        public_folder=folder.has("static"),
        source_folders=source_folders(folder, "src", "app"),
        flavour=flavour,
        clues=(clue,) if clue else (),
        way=way,
        way_reason=why,
    )


def starts_from_page(folder: AppFolder, built_by: str) -> bool:
    """A page among the command's words, or in package.json's source, or in a usual place."""
    named = [word for word in (*built_by.split(), folder.manifest.source) if word.endswith((".html", ".pug"))]
    if any(folder.has(name) or any(folder.find(".", name, limit=1)) for name in named if _inside(name)):
        return True
    return find_page(folder, outputs=layout(folder, built_by).outputs) is not None


def _inside(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts


PARCEL = Kind(
    name="parcel",
    tool="parcel build",
    command=runs("parcel", "build"),
    clues=(needs("parcel", "parcel-bundler"), configured(".parcelrc")),
    layout=layout,
    admits=starts_from_page,
    by_command_only=True,
)
