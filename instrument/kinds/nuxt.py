"""Nuxt: a server, or files where the site is generated."""

from __future__ import annotations

import re

from instrument.configtext import block, string
from instrument.kinds.appfolder import AppFolder
from instrument.kinds.clues import configured, laid_out, needs, runs, source_folders
from instrument.kinds.evidence import Kind, Layout

_GENERATES = re.compile(r"\b(?:nuxt|nuxi)\s+(?:generate|build\s[^&|;]*--prerender)")


def layout(folder: AppFolder, built_by: str) -> Layout:
    """.output/public holds the browser's part in any case, the pages too where they are generated."""
    config = folder.config("nuxt.config")
    code = folder.code(config)
    preset = string(block(code, "nitro"), "preset")
    static = bool(_GENERATES.search(built_by)) or preset.replace("-", "").endswith(("static", "githubpages"))
    return Layout(
        outputs=(".output/public", "dist") if static else (".output/public",),
        proof="index.html" if static else "../server/index.mjs",
        server="" if static else "node .output/server/index.mjs",
        base=string(block(code, "app"), "baseURL"),
        config=config,
        public_folder=folder.has("public", "static"),
        source_folders=source_folders(
            folder,
            "app",
            "src",
            "components",
            "pages",
            "layouts",
            "composables",
            "plugins",
            "stores",
            "utils",
        ),
        flavour="vue",
        way="served",
        way_reason="Vue's compiler makes the scripts, and its source maps lead back to the components",
    )


NUXT = Kind(
    name="nuxt",
    tool="nuxt build",
    command=runs("(?:nuxt|nuxi)", "build", "generate"),
    clues=(
        needs("nuxt", "nuxt3", "nuxt-nightly"),
        configured("nuxt.config"),
        laid_out("where Nuxt keeps its pages", "app.vue", "app/app.vue", "pages", "app/pages", "src/app.vue"),
    ),
    layout=layout,
)
