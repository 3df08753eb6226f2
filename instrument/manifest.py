"""A package.json as detection needs it: read leniently, since hand-edited ones have comments and stray commas."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from instrument.configtext import loose_json
from instrument.encoding import decode

NAME = "package.json"
_FIELDS = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")


@dataclass(frozen=True, slots=True)
class Need:
    """A dependency and where it is written."""

    name: str
    range: str
    field: str
    """`devDependencies`, ..."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a package.json says."""

    folder: Path
    name: str = ""
    scripts: dict[str, str] = field(default_factory=dict)
    needs: dict[str, Need] = field(default_factory=dict)
    workspaces: tuple[str, ...] = ()
    """Globs of its workspaces, negations with `!`."""
    manager: str = ""
    """The packageManager field: `pnpm@9.1.0+sha512...`."""
    node: str = ""
    homepage: str = ""
    source: str = ""
    """Entry that Parcel builds where the command names none."""
    runner: str = ""
    """Command of the workspace's task runner that builds it, where that is written: `nx build shop`."""
    executor: str = ""
    """What the runner builds it with: `@nx/webpack:webpack`."""
    result: str = ""
    """Folder that the runner builds it to, from its own one."""
    private: bool = False
    problem: str = ""
    """Why it cannot be read, as a sentence; everything else is then empty."""

    @property
    def file(self) -> Path:
        """The package.json itself."""
        return self.folder / NAME


def read_manifest(folder: Path) -> Manifest | None:
    """The folder's package.json; None without one. A broken one says so in `problem`."""
    file = folder / NAME
    try:
        text = decode(file.read_bytes()).text
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as error:
        return Manifest(folder, problem=f"{file} cannot be read ({error.strerror}): allow it.")
    if not text.strip():
        return Manifest(folder, problem=f"{file} is empty: write the project's name and scripts into it.")
    try:
        found = loose_json(text)
    except ValueError as error:
        return Manifest(folder, problem=f"{file} is no JSON ({error}): mend it, then try again.")
    if not isinstance(found, dict):
        return Manifest(folder, problem=f"{file} holds no object: mend it, then try again.")
    return _manifest(folder, found)


def _manifest(folder: Path, found: dict[str, Any]) -> Manifest:
    return Manifest(
        folder,
        name=_string(found, "name"),
        scripts=_strings(found.get("scripts")),
        needs=_needs(found),
        workspaces=_globs(found.get("workspaces")),
        manager=_string(found, "packageManager"),
        node=_strings(found.get("engines")).get("node", ""),
        homepage=_string(found, "homepage"),
        source=_string(found, "source"),
        private=found.get("private") is True,
    )


def _string(found: dict[str, Any], key: str) -> str:
    value = found.get(key)
    return value if isinstance(value, str) else ""


def _strings(value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        return {}
    return {str(key): text for key, text in value.items() if isinstance(text, str)}


def _needs(found: dict[str, Any]) -> dict[str, Need]:
    needs: dict[str, Need] = {}
    for kind in _FIELDS:
        for name, wanted in _strings(found.get(kind)).items():
            needs.setdefault(name, Need(name, wanted, kind))
    return needs


def _globs(value: object) -> tuple[str, ...]:
    """Both forms: a list, or yarn's object with a list of `packages`."""
    if isinstance(value, dict):
        value = value.get("packages")
    if not isinstance(value, list):
        return ()
    return tuple(re.sub(r"^(!?)\./", r"\1", glob) for glob in value if isinstance(glob, str) and glob)
