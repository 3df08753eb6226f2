"""Gatsby: React pages made ahead of time."""

from __future__ import annotations

from instrument.configtext import string
from instrument.kinds.appfolder import AppFolder
from instrument.kinds.clues import configured, laid_out, needs, runs, source_folders
from instrument.kinds.evidence import Kind, Layout


def layout(folder: AppFolder, built_by: str) -> Layout:
    """public, which is no folder of sources here; the path prefix counts only where the command asks for it."""
    config = folder.config("gatsby-config")
    prefixed = "--prefix-paths" in built_by
    return Layout(
        outputs=("public",),
        base=string(folder.code(config), "pathPrefix") if prefixed else "",
        config=config,
        public_folder=folder.has("static"),
        source_folders=source_folders(folder, "src"),
        flavour="react",
        way="served",
        way_reason="it is built by its own script, whose source maps lead back to the sources",
    )


GATSBY = Kind(
    name="gatsby",
    tool="gatsby build",
    command=runs("gatsby", "build"),
    clues=(
        needs("gatsby"),
        configured("gatsby-config", "gatsby-node", "gatsby-browser"),
        laid_out("where Gatsby keeps its pages", "src/pages"),
    ),
    layout=layout,
)
