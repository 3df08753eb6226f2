"""Next.js: App Router and Pages Router, static export or a server."""

from __future__ import annotations

import re

from instrument.configtext import outside, string
from instrument.kinds.appfolder import AppFolder
from instrument.kinds.clues import configured, laid_out, needs, runs, setting, source_folders
from instrument.kinds.evidence import Kind, Layout

_PAGES = ("app", "pages", "src/app", "src/pages")


def layout(folder: AppFolder, built_by: str) -> Layout:
    """`output: 'export'` (or the older `next export`) makes files in out or distDir; else `next start` serves .next."""
    config = folder.config("next.config")
    code = folder.code(config)
    chosen = string(code, "distDir").removeprefix("./").rstrip("/")
    exports = bool(re.search(r"\boutput\s*[:=]\s*[\"'`]export[\"'`]", code)) or "next export" in built_by
    own_server = folder.has("server.js", "server.mjs", "server.ts", "server.cjs")
    start = folder.manifest.scripts.get("start", "")
    base = string(outside(code, "env", "images"), "basePath")
    return Layout(
        outputs=(chosen or "out", "out")
        if exports and chosen
        else ("out",)
        if exports
        else (chosen or ".next",),
        proof="index.html" if exports else "BUILD_ID",
        server="" if exports else start if own_server and own_server in start else "next start",
        base=base,
        config=config,
        public_folder=folder.has("public"),
        source_folders=source_folders(folder, "src", "app", "pages", "components", "lib"),
        flavour="react",
        clues=(
            *setting(folder, config, "output is export, so files are made", when=exports),
            *setting(folder, config, f"distDir is {chosen}", when=chosen),
            *setting(folder, config, f"basePath is {base}", when=base),
        ),
    )


NEXT = Kind(
    name="next",
    tool="next build",
    command=runs("next", "build", "export"),
    clues=(
        needs("next"),
        configured("next.config"),
        laid_out("where Next keeps its pages", *_PAGES),
        laid_out("which Next writes", "next-env.d.ts"),
    ),
    layout=layout,
    admits=lambda folder, _: bool(folder.has(*_PAGES)),
)
