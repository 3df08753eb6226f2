"""Whatever else a build script runs: known by its command where that is usual, else by the page that needs it."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass

from instrument.configtext import flag, string
from instrument.kinds.appfolder import AppFolder
from instrument.kinds.clues import flavour_of, needs, runs, source_folders
from instrument.kinds.evidence import Kind, Layout
from instrument.kinds.pages import Page, find_page


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool whose result lies in a known place."""

    command: re.Pattern[str]
    outputs: tuple[str, ...]
    server: str = ""
    package: str = ""
    """Dependency that must be there, because the command is another tool's."""


TOOLS = (
    Tool(runs("react-router", "build"), ("build/client",), "react-router-serve ./build/server/index.js"),
    Tool(runs("remix", "vite:build"), ("build/client",), "remix-serve ./build/server/index.js"),
    Tool(
        runs("vite", "build"),
        ("build/client",),
        "react-router-serve ./build/server/index.js",
        "@react-router/dev",
    ),
    Tool(
        runs("vite", "build"), (".output/public",), "node .output/server/index.mjs", "@tanstack/react-start"
    ),
    Tool(runs("vinxi", "build"), (".output/public",), "node .output/server/index.mjs"),
    Tool(runs("vite", "build"), (".output/public",), "node .output/server/index.mjs", "@solidjs/start"),
    Tool(runs("vite", "build"), ("dist/client",), "vike preview", "vike"),
    Tool(runs("vike", "build"), ("dist/client",), "vike preview"),
    Tool(runs("waku", "build"), ("dist/public",), "waku start"),
    Tool(runs("expo", "export"), ("dist",)),
    Tool(runs("expo", "export:web"), ("web-build",)),
    Tool(runs("docusaurus", "build"), ("build",)),
    Tool(runs("vitepress", "build"), ("docs/.vitepress/dist", ".vitepress/dist")),
    Tool(runs("(?:eleventy|@11ty/eleventy)"), ("_site",)),
    Tool(runs("rsbuild", "build"), ("dist",)),
    Tool(runs("farm", "build"), ("dist",)),
    Tool(runs("preact", "build"), ("build",)),
    Tool(runs("ember", "build"), ("dist",)),
    Tool(runs("quasar", "build"), ("dist/spa",)),
    Tool(runs("umi", "build"), ("dist",)),
    Tool(runs("ionic", "build"), ("www",)),
    Tool(runs("stencil", "build"), ("www",)),
    Tool(runs("snowpack", "build"), ("build",)),
)
_OUTPUTS = ("dist", "build", "out", "_site")
_WRITES = re.compile(
    r"(?:--(?:dir|outDir|out-dir|outfile|outFile|outdir|file|output)[= ]|(?<=\s)-[od] |>)\s*[\"']?([\w./-]+)"
)


def known_tool(folder: AppFolder, built_by: str) -> Tool | None:
    """The tool of the table that the build script runs."""
    for tool in TOOLS:
        if tool.command.search(built_by) and (not tool.package or folder.any_need(tool.package)):
            return tool
    return None


def layout(folder: AppFolder, built_by: str) -> Layout:
    """The tool's usual place; for an unknown one the page's own folder or the usual names."""
    tool, (flavour, clue) = known_tool(folder, built_by), flavour_of(folder)
    page = None if tool else _page(folder, built_by)
    beside = (page.folder,) if page and page.folder != "src" and page.proof != "index.html" else ()
    named = flag(built_by, "--outDir", "--out-dir", "--output")
    outputs = ((named,) if named else ()) + (tool.outputs if tool else (*beside, *_places(folder, built_by)))
    compiled = flavour in ("vue", "svelte")
    return Layout(
        outputs=tuple(dict.fromkeys(outputs)),
        proof=page.proof if page and beside else "index.html",
        server=tool.server if tool else "",
        public_folder=folder.has("public", "static"),
        source_folders=source_folders(folder, "src", "app", "lib", "js"),
        flavour=flavour,
        clues=(clue,) if clue else (),
        way="served" if compiled else "source",
        way_reason=f"{flavour.capitalize()}'s compiler makes the scripts"
        if compiled
        else "it is built by its own script, which may write no source maps: plain sources take counters before the build",
    )


def _written(folder: AppFolder, built_by: str) -> list[str]:
    """Folders and scripts that options, redirections and Rollup's config name as results."""
    code = folder.code(folder.config("rollup.config"))
    named = [*_WRITES.findall(built_by), string(code, "file"), string(code, "dir")]
    return [posixpath.normpath(name) for name in named if name and not name.endswith((".ts", ".css"))]


def _places(folder: AppFolder, built_by: str) -> tuple[str, ...]:
    """Folders where the result may lie, those that are named first."""
    named = [posixpath.dirname(name) if name.endswith(".js") else name for name in _written(folder, built_by)]
    return tuple(dict.fromkeys((*(name for name in named if name), *_OUTPUTS)))


def _page(folder: AppFolder, built_by: str) -> Page | None:
    return find_page(folder, outputs=(*_places(folder, built_by), *_written(folder, built_by)))


def needs_its_script(folder: AppFolder, built_by: str) -> bool:
    """A known tool that makes sites, or any script beside a page that does not run without it."""
    if known_tool(folder, built_by):
        return True
    page = _page(folder, built_by)
    return page is not None and page.needs_build


SCRIPT = Kind(
    name="script",
    tool="",
    command=re.compile(r"\S"),
    clues=(needs("rollup", "typescript", "@babel/core", "gulp", "browserify", "sass"),),
    layout=layout,
    admits=needs_its_script,
    by_command_only=True,
)
