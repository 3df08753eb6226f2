"""Clue functions that most kinds share: a dependency, a config file, files of the usual layout."""

from __future__ import annotations

import re
from collections.abc import Iterator

from instrument.kinds.appfolder import AppFolder
from instrument.kinds.evidence import Clue, ClueFunction, Flavour, Way
from instrument.manifest import NAME


def needs(*packages: str) -> ClueFunction:
    """The app, or else its workspace, depends on one of these packages."""

    def clue(folder: AppFolder) -> Iterator[Clue]:
        if need := folder.need(*packages):
            yield Clue("dependency", f"{need.field} name {need.name} {need.range}", folder.shown(NAME))
        elif need := folder.hoisted(*packages):
            yield Clue("dependency", f"the workspace's {need.field} name {need.name} {need.range}", NAME)

    return clue


def configured(*stems: str) -> ClueFunction:
    """A config file of the tool is there, whatever its ending."""

    def clue(folder: AppFolder) -> Iterator[Clue]:
        if name := folder.config(*stems):
            yield Clue("config", f"{name} is there", folder.shown(name))

    return clue


def beside(package: str, clue: ClueFunction) -> ClueFunction:
    """A clue that speaks only where the app depends on a package: other tools have the same file."""

    def spoken(folder: AppFolder) -> Iterator[Clue]:
        if folder.any_need(package) or folder.hoisted(package):
            yield from clue(folder)

    return spoken


def laid_out(words: str, *names: str) -> ClueFunction:
    """One of the files or folders that the tool expects is there."""

    def clue(folder: AppFolder) -> Iterator[Clue]:
        if name := folder.has(*names):
            yield Clue("files", f"{name} is there, {words}", folder.shown(name))

    return clue


def runs(tool: str, *actions: str) -> re.Pattern[str]:
    """Pattern of a command line that runs a tool, with one of these words after it where any are given.

    Options may stand between; the tool may be written as a path or with `npx`.
    """
    after = rf"\s+(?:[^&|;]*?\s)?(?:{'|'.join(actions)})(?![\w:-])" if actions else r"(?![\w:.@/-])"
    return re.compile(rf"(?<![\w@:.-]){tool}(?:\.js|\.mjs|\.cmd)?{after}")


_BY_PLUGIN: tuple[tuple[Flavour, str], ...] = (
    ("svelte", r"@sveltejs/|svelte-loader|esbuild-svelte|rollup-plugin-svelte"),
    ("vue", r"@vitejs/plugin-vue|vue-loader|rspack-vue|plugin-vue\b"),
    ("solid", r"vite-plugin-solid|babel-preset-solid|esbuild-plugin-solid"),
    ("preact", r"@preact/preset-vite|@prefresh/"),
    ("react", r"@vitejs/plugin-react|@babel/preset-react|vite-plugin-react|plugin-react\b"),
)
_BY_PACKAGE: tuple[tuple[Flavour, tuple[str, ...]], ...] = (
    ("svelte", ("svelte",)),
    ("vue", ("vue",)),
    ("solid", ("solid-js",)),
    ("preact", ("preact",)),
    ("react", ("react-dom", "react")),
    ("lit", ("lit", "lit-element", "lit-html")),
)


_OTHERS = (
    "@builder.io/qwik",
    "@qwik.dev/core",
    "marko",
    "vite-plugin-elm",
    "elm",
    "imba",
    "@analogjs/platform",
)
"""Libraries whose own compiler changes the sources so much that counters go into its result."""
_COMPILED: tuple[Flavour, ...] = ("vue", "svelte", "")


def way_of(flavour: Flavour) -> tuple[Way, str]:
    """How a flavour is instrumented, and why: sources are rewritten only where they are the scripts that run."""
    if flavour not in _COMPILED:
        return "source", "its sources are plain scripts, which take counters before the build"
    compiler = f"{flavour.capitalize()}'s compiler" if flavour else "a compiler of its own"
    return "served", f"{compiler} makes the scripts, and its source maps lead back to the components"


def flavour_of(folder: AppFolder, config: str = "") -> tuple[Flavour, Clue | None]:
    """The user-interface library and what tells it: the plugins that the config names, then a dependency.

    Plugins come first, since a React app may well depend on vue for something else; the workspace's
    dependencies come last, since they are those of all its members.
    """
    code = folder.code(config)
    for flavour, pattern in _BY_PLUGIN:
        if code and (found := re.search(rf"[\"']((?:{pattern})[\w/.-]*)", code)):
            return flavour, Clue(
                "config", f"{config} names {found[1]}, so it is {flavour}", folder.shown(config)
            )
    for flavour, packages in _BY_PACKAGE:
        if need := folder.need(*packages):
            words = f"{need.field} name {need.name} {need.range}, so it is {flavour}"
            return flavour, Clue("dependency", words, folder.shown(NAME))
    for flavour, packages in _BY_PACKAGE:
        if (need := folder.hoisted(*packages)) and _has_files(folder, flavour):
            words = f"the workspace's {need.field} name {need.name} {need.range}, so it is {flavour}"
            return flavour, Clue("dependency", words, NAME)
    if need := folder.need(*_OTHERS):
        words = f"{need.field} name {need.name} {need.range}, whose compiler makes the scripts"
        return "", Clue("dependency", words, folder.shown(NAME))
    return "vanilla", None


def _has_files(folder: AppFolder, flavour: Flavour) -> bool:
    """Whether sources of a hoisted library are there at all."""
    ending = {"svelte": "**/*.svelte", "vue": "**/*.vue", "lit": "**/*.[jt]s"}.get(flavour, "**/*.[jt]sx")
    return next(folder.find("src", ending, limit=1), "") != ""


def setting(folder: AppFolder, config: str, words: str, *, when: object = True) -> tuple[Clue, ...]:
    """A clue that the config file says something of the layout, where it does."""
    return (Clue("config", f"{config} says {words}", folder.shown(config)),) if when and config else ()


def source_folders(folder: AppFolder, *names: str) -> tuple[str, ...]:
    """Those of some folders that are there, else root itself."""
    return tuple(name for name in names if (folder.root / name).is_dir()) or (".",)
