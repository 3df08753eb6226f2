"""Astro: static pages with islands, or a server where an adapter is configured."""

from __future__ import annotations

import re

from instrument.configtext import flag, outside, string
from instrument.kinds.appfolder import AppFolder
from instrument.kinds.clues import configured, laid_out, needs, runs, setting, source_folders
from instrument.kinds.evidence import Clue, Flavour, Kind, Layout
from instrument.manifest import NAME

_ISLANDS: tuple[tuple[Flavour, str], ...] = (
    ("react", "@astrojs/react"),
    ("preact", "@astrojs/preact"),
    ("vue", "@astrojs/vue"),
    ("svelte", "@astrojs/svelte"),
    ("solid", "@astrojs/solid-js"),
    ("lit", "@astrojs/lit"),
)
_ON_DEMAND = re.compile(r"\bprerender\s*=\s*false")


def layout(folder: AppFolder, built_by: str) -> Layout:
    """dist; with an adapter and pages made on demand the browser's part lies in dist/client."""
    config = flag(built_by, "--config") or folder.config("astro.config")
    code = folder.code(config)
    own = outside(code, "integrations", "vite", "build", "server", "image", "i18n", "markdown")
    out = flag(built_by, "--outDir") or string(own, "outDir") or "dist"
    out = out.removeprefix("./").rstrip("/")
    on_demand = _on_demand(folder, own)
    islands = [flavour for flavour, package in _ISLANDS if folder.need(package)]
    return Layout(
        outputs=(f"{out}/client", out) if on_demand else (out,),
        proof="../server/entry.mjs" if on_demand else "index.html",
        server="astro preview" if on_demand else "",
        base=string(own, "base"),
        config=config,
        public_folder=folder.has(string(own, "publicDir").removeprefix("./").rstrip("/") or "public"),
        source_folders=source_folders(folder, string(own, "srcDir").removeprefix("./").rstrip("/") or "src"),
        clues=(
            *setting(folder, config, f"outDir is {out}", when=out != "dist"),
            *setting(folder, config, f"output is {string(own, 'output')}", when=string(own, "output")),
            *setting(folder, config, "an adapter, for pages that are made on demand", when=on_demand),
            *(clue for clue in (_island(folder, package) for _, package in _ISLANDS) if clue),
        ),
        flavour=islands[0] if len(islands) == 1 else "" if islands else "vanilla",
        way_reason="islands and scripts of pages are rewritten; .vue and .svelte islands are counted as served",
    )


def _island(folder: AppFolder, package: str) -> Clue | None:
    need = folder.need(package)
    words = f"{need.field} name {package} {need.range}, for islands" if need else ""
    return Clue("dependency", words, folder.shown(NAME)) if need else None


def _on_demand(folder: AppFolder, config: str) -> bool:
    """Whether pages are made by a server: `output: 'server'`, or an adapter with a page that is not prerendered."""
    if string(config, "output") in ("server", "hybrid"):
        return True
    if not re.search(r"\badapter\s*:", config):
        return False
    return any(_ON_DEMAND.search(folder.text(page)) for page in folder.find("src/pages", "**/*.*"))


ASTRO = Kind(
    name="astro",
    tool="astro build",
    command=runs("astro", "build"),
    clues=(
        needs("astro"),
        configured("astro.config"),
        laid_out("where Astro keeps its pages", "src/pages"),
        laid_out("which Astro's types need", "src/env.d.ts", ".astro"),
    ),
    layout=layout,
)
