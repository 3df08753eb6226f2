"""Create React App: react-scripts and the tools that wrap it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from instrument.kinds.appfolder import AppFolder
from instrument.kinds.clues import laid_out, needs, runs, source_folders
from instrument.kinds.evidence import Clue, Kind, Layout
from instrument.manifest import NAME


def layout(folder: AppFolder, built_by: str) -> Layout:
    """build, or BUILD_PATH; the base is the path of package.json's homepage, or PUBLIC_URL."""
    address = variable(folder, built_by, "PUBLIC_URL") or folder.manifest.homepage
    return Layout(
        outputs=((variable(folder, built_by, "BUILD_PATH") or "build").removeprefix("./").rstrip("/"),),
        base=address if address.startswith(".") else urlsplit(address).path.rstrip("/"),
        config=folder.has("craco.config.js", "craco.config.ts", "craco.config.cjs", "config-overrides.js"),
        public_folder=folder.has("public"),
        source_folders=source_folders(folder, "src"),
        flavour="react",
        clues=(Clue("config", f"homepage is {folder.manifest.homepage}", folder.shown(NAME)),)
        if folder.manifest.homepage
        else (),
    )


def ejected(folder: AppFolder) -> Iterator[Clue]:
    """The files that `react-scripts eject` leaves in place of the dependency."""
    if folder.has("config/paths.js") and folder.has("scripts/build.js"):
        words = (
            "config/paths.js and scripts/build.js are there, which react-scripts leaves when it is ejected"
        )
        yield Clue("config", words, folder.shown("config/paths.js"))


def variable(folder: AppFolder, command: str, name: str) -> str:
    """An environment variable of the build: set in the command, else in an .env file that production builds read."""
    found = re.search(rf"(?<!\S){name}=[\"']?([^\s\"'&|;]*)", command)
    for file in (".env.production.local", ".env.local", ".env.production", ".env"):
        found = found or re.search(rf"^\s*{name}\s*=\s*[\"']?([^\s\"'#]*)", folder.text(file), re.MULTILINE)
    return found[1] if found else ""


CREATE_REACT_APP = Kind(
    name="create-react-app",
    tool="react-scripts build",
    command=runs("(?:react-scripts(?:-ts)?|craco|react-app-rewired)", "build"),
    clues=(
        needs("react-scripts", "@craco/craco", "react-app-rewired", "react-scripts-ts"),
        ejected,
        laid_out(
            "where react-scripts begins", "src/index.js", "src/index.tsx", "src/index.jsx", "src/index.ts"
        ),
        laid_out("the page that react-scripts fills", "public/index.html"),
    ),
    layout=layout,
    admits=lambda folder, _: bool(folder.has("public/index.html")),
)
