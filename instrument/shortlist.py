"""Which of several apps is meant: ranked by what speaks for each, chosen by name, or refused where nothing decides."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from instrument.errors import UsageError
from instrument.freshness import built_folder
from instrument.kinds.appfolder import AppFolder
from instrument.kinds.evidence import ProjectKind
from instrument.kinds.registry import Verdict

_ASIDE = frozenset(
    {"docs", "doc", "documentation", "storybook", ".storybook", "www-docs", "website", "examples", "example",
     "samples", "playground", "playgrounds", "sandbox", "e2e", "test", "tests", "benchmark", "benchmarks",
     "fixtures", "templates", "template", "demo", "demos", "stories", "test-app", "dev"}
)  # fmt: skip
"""Folders and last words of names that hold no app of the users', but something about it."""
_ALWAYS_ASIDE = frozenset({"docs", "storybook", "e2e", "example", "examples", "playground"})
"""Those that tell as much as a part of a name: `web-docs`, `shop-e2e`."""
_MOST_LISTED = 10
_LIKELY = frozenset(
    {"web", "app", "webapp", "web-app", "frontend", "front-end", "client", "ui", "site", "www", "main"}
)


@dataclass(frozen=True, slots=True)
class Sign:
    """Something that may speak for an app."""

    holds: bool
    yes: str
    no: str


@dataclass(frozen=True, slots=True)
class App:
    """A folder whose app was recognised."""

    folder: AppFolder
    verdict: Verdict
    signs: tuple[Sign, ...] = ()
    """What speaks for and against it, the weightiest first."""
    depth: int = 0
    """Folders that it lies below the one that was searched."""

    @property
    def root(self) -> Path:
        """Folder with the app's package.json."""
        return self.folder.root

    @property
    def rank(self) -> tuple[int, ...]:
        """Lower is likelier; equal ranks cannot be told apart."""
        return (*(0 if sign.holds else 1 for sign in self.signs), self.depth)

    @property
    def why(self) -> str:
        """What speaks for it, and the name that speaks against it."""
        against = [sign.no for sign in self.signs[:1] if not sign.holds]
        return ", ".join([*against, *(sign.yes for sign in self.signs[2:] if sign.holds)])

    def before(self, other: App) -> str:
        """Why it is likelier than another, by the weightiest sign that tells them apart."""
        for own, its in zip(self.signs, other.signs, strict=True):
            if own.holds != its.holds:
                return f"it {own.yes}, {other.root.name} {its.no}"
        return f"it lies less deep than {other.root.name}"

    @property
    def kind(self) -> ProjectKind:
        """What builds it."""
        return self.verdict.kind.name


def ranked(apps: tuple[App, ...], *, top: Path) -> list[App]:
    """The apps with their ranks and reasons, the likeliest first, equal ones by path."""
    judged = [_judged(app, top) for app in apps]
    return sorted(judged, key=lambda app: (app.rank, app.root.as_posix()))


def _judged(app: App, top: Path) -> App:
    path = app.root.relative_to(top).parts
    words = {part.lower() for part in path} | {app.folder.manifest.name.lower().rsplit("/", 1)[-1]}
    aside = words & _ASIDE or {part for word in words for part in re.split(r"[-_.]", word)} & _ALWAYS_ASIDE
    layout = app.verdict.layout
    built = built_folder(app.root, layout.outputs, proof=layout.proof) is not None
    signs = (
        Sign(not aside, "is named like an app", "is named like documentation, an example or a test"),
        Sign(not layout.library, "builds no library", "builds a library"),
        Sign(app.verdict.script is not None, "has a build script", "has no build script"),
        Sign("apps" in path or not path, "lies in apps" if path else "lies at the top", "lies elsewhere"),
        Sign(bool(words & _LIKELY), "is named as the app usually is", "has a name of its own"),
        Sign(built, "is built already", "is not built yet"),
    )
    return App(app.folder, app.verdict, signs, len(path))


def choose(order: list[App], *, app: str, top: Path) -> tuple[App, str]:
    """The app that is meant and why it was chosen, "" where it is the only one.

    Raises UsageError for a name that none or several have, and for several that nothing tells apart.
    """
    if app:
        return _named(order, app, top), f"chosen by --app {app}" if len(order) > 1 else ""
    best = [one for one in order if one.rank == order[0].rank]
    if len(best) > 1:
        raise UsageError(
            f"{top} holds {len(order)} apps and nothing tells which is meant: choose one with --app ({_list(order, top)})."
        )
    if len(order) == 1:
        return order[0], _place(order[0], top)
    rest = _list(order[1:], top)
    return order[
        0
    ], f"of {len(order)} apps the likeliest ({order[0].before(order[1])}); --app chooses another ({rest})"


def _place(app: App, top: Path) -> str:
    return f"{app.root.relative_to(top).as_posix()} is the only app of {top.name}" if app.root != top else ""


def _named(order: list[App], app: str, top: Path) -> App:
    wanted, names = app.removeprefix("./").rstrip("/"), names_of(order)
    tests: tuple[Callable[[App], bool], ...] = (
        lambda one: one.root.relative_to(top).as_posix() == wanted or names[one.root] == wanted,
        lambda one: wanted in (one.folder.manifest.name, one.root.name, str(one.root)),
        lambda one: one.folder.manifest.name.rsplit("/", 1)[-1] == wanted,
    )
    for test in tests:
        found = [one for one in order if test(one)]
        if len(found) == 1:
            return found[0]
        if found:
            raise UsageError(
                f"--app {app} is the name of {len(found)} apps: give a path ({_list(found, top)})."
            )
    raise UsageError(f"There is no app {app} in {top}: choose one of {_list(order, top)}.")


def names_of(apps: list[App]) -> dict[Path, str]:
    """A name for each app by its root: that of its package.json, its folder's where that is missing or taken."""
    names: dict[Path, str] = {}
    for app in apps:
        own = app.folder.manifest.name
        names[app.root] = own if own and own not in names.values() else app.root.name
    return names


def _list(apps: list[App], top: Path) -> str:
    names = names_of(apps)
    shown = [
        f"{names[app.root]} in {app.root.relative_to(top).as_posix()}" if app.root != top else names[app.root]
        for app in apps[:_MOST_LISTED]
    ]
    rest = [f"and {len(apps) - len(shown)} more"] if len(apps) > len(shown) else []
    return ", ".join([*shown, *rest])
