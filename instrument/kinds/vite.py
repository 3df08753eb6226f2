"""Vite: any user-interface library or none, one page or several."""

from __future__ import annotations

import posixpath
import re

from instrument.configtext import anchored, block, expression, flag, outside, string
from instrument.kinds.appfolder import AppFolder
from instrument.kinds.clues import (
    configured,
    flavour_of,
    laid_out,
    needs,
    runs,
    setting,
    source_folders,
    way_of,
)
from instrument.kinds.evidence import Clue, Kind, Layout

_BUILD = re.compile(r"\bvite(?:\.js)?\s+build(?P<words>[^&|;]*)")
_NOT_ITS_OWN = (
    "plugins",
    "build",
    "server",
    "preview",
    "css",
    "test",
    "resolve",
    "ssr",
    "worker",
    "experimental",
)


def layout(folder: AppFolder, built_by: str) -> Layout:
    """build.outDir below Vite's root, which the config or the command may have moved."""
    config, root = _config(folder, built_by), _root(folder, built_by)
    code = folder.code(config)
    build, own = block(code, "build"), outside(code, *_NOT_ITS_OWN)
    words = _words(built_by)
    flavour, clue = flavour_of(folder, config)
    way, why = way_of(flavour)
    public = posixpath.normpath(posixpath.join(root, string(own, "publicDir") or "public"))
    return Layout(
        outputs=(_output(words, config, build, root),),
        base=flag(words, "--base") or string(own, "base"),
        config=config,
        public_folder=folder.has(public),
        source_folders=source_folders(folder, posixpath.normpath(f"{root}/src"), root.strip("./") or "app"),
        flavour=flavour,
        way=way,
        way_reason=why,
        clues=(*((clue,) if clue else ()), *_settings(folder, config, root, build, own)),
        library=bool(block(build, "lib")),
    )


def _output(words: str, config: str, build: str, root: str) -> str:
    """build.outDir: relative to Vite's root, or to the config's folder where it is resolved from there."""
    out = flag(words, "--outDir") or string(build, "outDir") or "dist"
    fixed = not flag(words, "--outDir") and anchored(build, "outDir")
    return posixpath.normpath(posixpath.join(posixpath.dirname(config) if fixed else root, out))


def _settings(folder: AppFolder, config: str, root: str, build: str, own: str) -> tuple[Clue, ...]:
    out, base = string(build, "outDir"), string(own, "base")
    return (
        *setting(folder, config, f"root is {root}", when=string(own, "root")),
        *setting(folder, config, f"build.outDir is {out}", when=out),
        *setting(folder, config, f"base is {base}", when=base),
        *setting(folder, config, "build.lib, so a library is made", when=block(build, "lib")),
    )


def _config(folder: AppFolder, built_by: str) -> str:
    return flag(_words(built_by), "--config", "-c").removeprefix("./") or folder.config("vite.config")


def _words(built_by: str) -> str:
    found = _BUILD.search(built_by)
    return found["words"] if found else ""


def _root(folder: AppFolder, built_by: str) -> str:
    """Vite's root below the app's folder: a word after `vite build`, else the config's `root`."""
    words = re.sub(r"\s--?[\w.-]+(?:=\S+|\s+(?!-)\S+)?", "", _words(built_by)).split()
    own = outside(folder.code(_config(folder, built_by)), *_NOT_ITS_OWN)
    named = words[0] if words and folder.has(words[0]) else string(own, "root")
    named = "" if named.startswith(("/", "..")) else named
    return posixpath.normpath(named or ".")


def has_pages(folder: AppFolder, built_by: str) -> bool:
    """Whether Vite builds pages: one at its root, or those that the config names; without any it makes a library."""
    root = _root(folder, built_by)
    if folder.has(f"{root}/index.html") or next(folder.find(root, "*.html", limit=1), ""):
        return True
    code = folder.code(_config(folder, built_by))
    return ".html" in expression(block(block(code, "build"), "rollupOptions"), "input") or (
        ".html" in expression(block(block(code, "build"), "rolldownOptions"), "input")
    )


VITE = Kind(
    name="vite",
    tool="vite build",
    command=runs("vite", "build"),
    clues=(
        needs("vite", "rolldown-vite", "vite-plus"),
        configured("vite.config"),
        laid_out("the page that Vite starts from", "index.html"),
    ),
    layout=layout,
    admits=has_pages,
)
