"""All kinds, the most specific first, and what a folder is: its build script's command first, then what adds up."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from instrument.kinds.angular import ANGULAR
from instrument.kinds.appfolder import AppFolder
from instrument.kinds.astro import ASTRO
from instrument.kinds.commands import BuildScript, build_scripts, calls_unseen, words_of
from instrument.kinds.create_react_app import CREATE_REACT_APP
from instrument.kinds.esbuild import ESBUILD
from instrument.kinds.evidence import Clue, Evidence, Kind, Layout
from instrument.kinds.gatsby import GATSBY
from instrument.kinds.next_js import NEXT
from instrument.kinds.nuxt import NUXT
from instrument.kinds.parcel import PARCEL
from instrument.kinds.script import SCRIPT
from instrument.kinds.sveltekit import SVELTEKIT
from instrument.kinds.vite import VITE
from instrument.kinds.webpack import WEBPACK
from instrument.manifest import NAME

KINDS: tuple[Kind, ...] = (
    NEXT,
    ASTRO,
    SVELTEKIT,
    NUXT,
    ANGULAR,
    GATSBY,
    CREATE_REACT_APP,
    VITE,
    PARCEL,
    WEBPACK,
    ESBUILD,
    SCRIPT,
)
"""To add a kind, write its module and name it here, before the tools that it is built on."""


_OWN_PROGRAM = re.compile(
    r"(?:^|[\s/;&|])(?:node|bun|tsx|ts-node|deno|zx|bash|sh|make|gulp|grunt)\s|(?:^|[\s;&|])\./"
)


_EXECUTORS = {"angular": ANGULAR, "webpack": WEBPACK, "rspack": WEBPACK, "esbuild": ESBUILD}
"""Words in the names of Nx's executors."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What builds a folder's app."""

    kind: Kind
    script: BuildScript | None
    """None where no script builds it, so that the tool's own command does."""
    layout: Layout
    reason: str
    evidence: tuple[Evidence, ...]
    """What speaks for the kind, then what speaks for others."""


def recognise(folder: AppFolder) -> Verdict | None:
    """What builds the app in a folder; None where no app is there that needs a build."""
    found = (
        _by_call(folder)
        or _by_command(folder, *(kind for kind in KINDS if kind is not SCRIPT))
        or _by_signs(folder)
        or _by_runner(folder)
        or _by_command(folder, SCRIPT)
    )
    if found is None:
        return None
    kind, script = found
    layout = kind.layout(folder, script.full if script else "")
    if folder.manifest.result:
        layout = replace(layout, outputs=tuple(dict.fromkeys((folder.manifest.result, *layout.outputs))))
    evidence = _evidence(folder, kind, script, layout)
    others = _others(folder, kind)
    reason = _reason(kind, evidence, others, aside=_aside(folder))
    return Verdict(kind, script, layout, reason, (*evidence, *others))


def _aside(folder: AppFolder) -> str:
    """Why no script builds an app whose tool is run by itself."""
    own = _own_script(folder)
    return f"the script `build` (`{own.command}`) makes no page of it" if own else "no script builds it"


def _by_command(folder: AppFolder, *kinds: Kind) -> tuple[Kind, BuildScript] | None:
    for script in build_scripts(folder):
        for kind in kinds:
            if kind.command.search(script.full) and kind.admits(folder, script.full):
                return kind, script
    return None


def _by_call(folder: AppFolder) -> tuple[Kind, BuildScript] | None:
    """A build script that calls what cannot be followed here is the project's own: no other one takes its place."""
    own = _own_script(folder)
    if own is None or not calls_unseen("build", folder.manifest.scripts) or _tool_of(folder, own):
        return None
    kind = _kind_by_signs(folder)
    return (kind, own) if kind else None


def _own_script(folder: AppFolder) -> BuildScript | None:
    return next((one for one in build_scripts(folder) if one.name == "build"), None)


def _tool_of(folder: AppFolder, script: BuildScript) -> Kind | None:
    """The kind whose tool a script runs."""
    kinds = (kind for kind in KINDS if kind is not SCRIPT)
    return next(
        (kind for kind in kinds if kind.command.search(script.full) and kind.admits(folder, script.full)),
        None,
    )


def _by_signs(folder: AppFolder) -> tuple[Kind, BuildScript | None] | None:
    """A kind that adds up; a build script that runs a program of the project's own is then taken to build it."""
    own = _own_script(folder)
    kind = _kind_by_signs(folder)
    return (kind, own if own and _OWN_PROGRAM.search(own.full) else None) if kind else None


def _kind_by_signs(folder: AppFolder) -> Kind | None:
    """A kind that at least two sorts of observations speak for, one of them a dependency or a config file."""
    for kind in KINDS:
        if kind.by_command_only or not kind.admits(folder, ""):
            continue
        sorts = {clue.by for clue in _clues(folder, kind)}
        if len(sorts) > 1 and sorts & {"dependency", "config"}:
            return kind
    return None


def _by_runner(folder: AppFolder) -> tuple[Kind, None] | None:
    """The kind that the workspace's task runner is told to build a folder with."""
    name = folder.manifest.executor
    word = next((word for word in _EXECUTORS if word in name), "") if folder.has("src/index.html") else ""
    return (_EXECUTORS[word], None) if word else None


def _clues(folder: AppFolder, kind: Kind) -> list[Clue]:
    return [clue for find in kind.clues for clue in find(folder)]


def _evidence(folder: AppFolder, kind: Kind, script: BuildScript | None, layout: Layout) -> list[Evidence]:
    clues = [*_clues(folder, kind), *layout.clues]
    if script:
        clues.insert(0, Clue("command", _words(folder, kind, script), folder.shown(NAME)))
    if runner := folder.manifest.runner:
        clues.insert(
            0,
            Clue(
                "command", f"{folder.manifest.executor} builds it by `{runner}`", folder.shown("project.json")
            ),
        )
    if folder.declared_in:
        path = folder.root.relative_to(folder.workspace).as_posix()
        clues.append(
            Clue("files", f"{folder.declared_in} makes {path} a member of the workspace", folder.declared_in)
        )
    return [Evidence(kind.name, clue.words, clue.file, clue.by) for clue in clues]


def _words(folder: AppFolder, kind: Kind, script: BuildScript) -> str:
    found = kind.command.search(script.full)
    if kind is not SCRIPT and not found:
        what = (
            "which cannot be followed here"
            if calls_unseen(script.name, folder.manifest.scripts)
            else "a program of the project's own"
        )
        return f"the script `{script.name}` runs `{script.command}`, {what}"
    return words_of(script, script.command if kind is SCRIPT or not found else found[0])


def _others(folder: AppFolder, chosen: Kind) -> list[Evidence]:
    """Dependencies and configs that speak for another kind; what is built on Vite names vite of course."""
    seen = [(kind, clue) for kind in KINDS if kind is not chosen for clue in _clues(folder, kind)]
    return [
        Evidence(kind.name, clue.words, clue.file, clue.by)
        for kind, clue in seen
        if clue.by in ("dependency", "config") and kind is not SCRIPT
    ]


def _reason(kind: Kind, evidence: list[Evidence], others: list[Evidence], *, aside: str) -> str:
    first = evidence[0].words
    if evidence[0].by != "command":
        first = f"{aside}, and " + " and ".join(one.words for one in evidence[:3])
    elif kind is not VITE and kind.command.pattern == VITE.command.pattern:
        first += " and " + evidence[1].words
    against = {
        one.kind: one
        for one in others
        if one.by == "dependency" and not one.words.startswith("the workspace")
    }
    rank = [known.name for known in KINDS]
    stronger = [one for name, one in against.items() if rank.index(name) < rank.index(kind.name)]
    if stronger and evidence[0].by == "command":
        first += f", which settles it although {stronger[0].words}"
    return first
