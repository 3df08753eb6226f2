"""webpack, Rspack and Vue CLI: pages made from templates, or beside a bundle."""

from __future__ import annotations

import re

from instrument.configtext import block, flag, string
from instrument.kinds.appfolder import AppFolder
from instrument.kinds.clues import configured, flavour_of, needs, runs, source_folders, way_of
from instrument.kinds.evidence import Kind, Layout
from instrument.kinds.pages import find_page

_CONFIGS = ("webpack.config", "webpack.prod", "webpack.config.prod", "rspack.config", "config/webpack.config",
            "config/webpack.prod", "build/webpack.prod.conf", "webpack/webpack.config")  # fmt: skip


def layout(folder: AppFolder, built_by: str) -> Layout:
    """output.path of the config, dist without one; the page's own folder first where the bundle lies beside it."""
    vue = "vue-cli-service" in built_by
    config = folder.config("vue.config") if vue else (
        flag(built_by, "--config", "-c").removeprefix("./") or folder.config(*_CONFIGS)
    )  # fmt: skip
    code = folder.code(config)
    output = code if vue else block(code, "output")
    out = (
        flag(built_by, "--output-path", "-o", "--dest")
        or string(output, "outputDir" if vue else "path")
        or "dist"
    )
    out = out.removeprefix("./").rstrip("/")
    page = find_page(folder, outputs=(out, _file(folder, built_by, output, out)))
    beside = page is not None and page.folder not in ("src",) and _static_page(folder, code)
    flavour, clue = flavour_of(folder, config)
    way, why = way_of(flavour)
    return Layout(
        outputs=tuple(dict.fromkeys((page.folder, out) if page and beside else (out,))),
        proof=page.proof if page and beside else "index.html",
        base=_base(string(output, "publicPath")),
        config=config,
        public_folder=folder.has("public", "static"),
        source_folders=source_folders(folder, "src", "app", "client"),
        flavour=flavour,
        clues=(clue,) if clue else (),
        way=way,
        way_reason=why,
    )


def _file(folder: AppFolder, built_by: str, output: str, out: str) -> str:
    """The script that webpack writes, with `*` for what it fills in."""
    name = flag(built_by, "--output-filename") or string(output, "filename") or "main.js"
    return f"{out}/" + re.sub(r"\[[^\]]*\]", "*", name)


def _static_page(folder: AppFolder, code: str) -> bool:
    """Whether nothing copies or makes the page, so that it is served where it lies."""
    makers = ("html-webpack-plugin", "copy-webpack-plugin", "@vue/cli-service", "html-bundler-webpack-plugin")
    return folder.need(*makers) is None and not re.search(
        r"HtmlWebpackPlugin|HtmlRspackPlugin|CopyRspack", code
    )


def _base(path: str) -> str:
    return path if path not in ("auto", "/dist/", "dist/", "/build/") else ""


def makes_pages(folder: AppFolder, built_by: str) -> bool:
    """A page is there that does not run without the build, or one is made from a template."""
    result = layout(folder, built_by)
    code = folder.code(result.config)
    if not _static_page(folder, code):
        return True
    files = [_file(folder, built_by, block(code, "output"), out) for out in result.outputs]
    page = find_page(folder, outputs=(*result.outputs, *files))
    return page is not None and page.needs_build


_SERVES = r"(?!\s+(?:serve|watch|dev)\b)"
_BUNDLES, _BUILDS = runs("(?:webpack|webpack-cli|rspack)"), runs("(?:vue-cli-service|rspack)", "build")
_COMMAND = re.compile(f"{_BUNDLES.pattern}{_SERVES}|{_BUILDS.pattern}")

WEBPACK = Kind(
    name="webpack",
    tool="webpack --mode production",
    command=_COMMAND,
    clues=(
        needs("webpack", "@rspack/core", "@vue/cli-service"),
        configured(*_CONFIGS, "vue.config"),
    ),
    layout=layout,
    admits=makes_pages,
    by_command_only=True,
)
