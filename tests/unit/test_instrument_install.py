"""Installing in the work copy, by stand-ins for npm and Node that are first on PATH."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import pytest

from instrument.errors import AppError, UsageError
from instrument.install import install
from instrument.lockfile import Manager, ManagerName
from instrument.node import find_node
from instrument.project import Project
from instrument.runner import Limits
from instrument.toolchain import Toolchain
from instrument.workcopy import WorkCopy

NPM = """#!/bin/sh
echo "$@" >> "$CALLS"
case "$1 $2" in
  "--version "*) echo 11.0.0; exit 0;;
  "install --no-save")
    mkdir -p "$4/node_modules/.bin"; cd "$4/node_modules/.bin"
    printf '#!/bin/sh\\nmkdir -p node_modules/tool; echo pnpm "$@" >> "$CALLS"\\n' > pnpm
    chmod +x pnpm; exit 0;;
  "ci "*) %s;;
esac
mkdir -p node_modules/tool; echo '{"engines":{"node":">=22.12.0"}}' > node_modules/tool/package.json
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    root = tmp_path / "shop"
    root.mkdir()
    (root / "package.json").write_text('{"name": "shop"}')
    (root / "package-lock.json").write_text("{}")
    return Project(
        kind="vite",
        flavour="react",
        root=root,
        workspace=root,
        manager=Manager("npm", "", "for the test", root / "package-lock.json"),
        script="build",
        command="vite build",
        outputs=("dist",),
        server="",
        base="",
        source_folders=("src",),
        public_folder="",
        way="source",
        reason="for the test",
    )


class Machine:
    """A PATH with stand-ins, and the work copies that use it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.programs = folder / "programs"
        self.programs.mkdir()
        self.calls_file = folder / "calls"
        self.said: list[str] = []

    def has(self, name: str, text: str) -> None:
        place = self.programs / name
        place.write_text(text.replace("$CALLS", str(self.calls_file)))
        place.chmod(0o755)

    @property
    def calls(self) -> list[str]:
        return self.calls_file.read_text().splitlines() if self.calls_file.exists() else []

    def tools(self, project: Project, name: str = "one") -> Toolchain:
        place = self.folder / "builds" / name
        workspace = place / "shop"
        for folder in (workspace, place / "home", place / "tools"):
            folder.mkdir(parents=True, exist_ok=True)
        for file in project.root.iterdir():
            (workspace / file.name).write_bytes(file.read_bytes())
        path = os.pathsep.join([str(self.programs), "/usr/bin", "/bin"])
        env = {"PATH": path, "HOME": str(self.folder)}
        return Toolchain(WorkCopy(place, project.root, workspace), env, place / "build.log")

    def install(self, project: Project, name: str = "one", *, seconds: float = 20) -> str:
        limits = Limits(seconds=seconds)
        return asyncio.run(install(project, self.tools(project, name), say=self.said.append, limits=limits))


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    made = Machine(tmp_path)
    made.has("npm", NPM % "true")
    return made


def test_the_lockfile_decides_and_the_second_time_nothing_is_done(project: Project, machine: Machine) -> None:
    assert machine.install(project) == "packages were installed in the work copy (npm ci)"
    assert machine.install(project) == ""
    assert machine.calls == ["ci"]


def test_a_change_of_the_lockfile_installs_anew(project: Project, machine: Machine) -> None:
    machine.install(project)
    (project.root / "package-lock.json").write_text('{"changed": true}')
    machine.install(project)
    assert machine.calls == ["ci", "ci"]


def test_another_copy_with_the_same_packages_gives_them(project: Project, machine: Machine) -> None:
    machine.install(project)
    assert machine.install(project, "two").startswith("packages were taken over from another work copy")
    assert machine.calls == ["ci"]
    copy = machine.folder / "builds/two/shop/node_modules/tool/package.json"
    assert copy.is_file()
    assert copy.stat().st_nlink == 1


def test_without_a_lockfile_the_ranges_decide(project: Project, machine: Machine) -> None:
    project = replace(project, manager=Manager("npm", "", "", None))
    assert machine.install(project) == (
        "packages were installed in the work copy (npm install: there is no lockfile)"
    )


def test_a_lockfile_that_does_not_fit_is_told(project: Project, machine: Machine) -> None:
    refusal = "echo 'npm ci can only install packages when your package.json and lock are in sync'; exit 1"
    machine.has("npm", NPM % refusal)
    done = machine.install(project)
    assert done.endswith("(npm install: the lockfile does not fit package.json)")
    assert machine.calls == ["ci", "install"]


def test_a_failure_has_its_cause_and_its_log(project: Project, machine: Machine) -> None:
    machine.has("npm", NPM % "echo 'npm error code ENOTFOUND getaddrinfo ENOTFOUND registry'; exit 1")
    with pytest.raises(AppError) as caught:
        machine.install(project)
    assert "could not be installed by `npm ci` (it ended with code 1)" in str(caught.value)
    assert "needs the net" in str(caught.value)
    assert str(machine.folder / "builds/one/build.log") in str(caught.value)


@pytest.mark.parametrize(
    ("name", "version", "lock", "package"),
    [
        ("pnpm", "9.1.0+sha512.abc", "", "pnpm@9.1.0"),
        ("pnpm", "", "lockfileVersion: '9.0'\n", "pnpm@10"),
        ("pnpm", "", "lockfileVersion: 5.4\n", "pnpm@7"),
    ],
)
def test_a_manager_that_is_missing_is_fetched_once(
    project: Project, machine: Machine, name: ManagerName, version: str, lock: str, package: str
) -> None:
    (project.root / "pnpm-lock.yaml").write_text(lock)
    project = replace(project, manager=Manager(name, version, "", project.root / "pnpm-lock.yaml"))
    done = machine.install(project)
    store = machine.folder / "builds/downloads/pnpm"
    assert done.startswith("packages were installed in the work copy (pnpm install --frozen-lockfile")
    assert machine.calls[0].endswith(package)
    assert machine.calls[1] == f"pnpm install --frozen-lockfile --store-dir {store}"


def test_npm_stands_in_for_a_manager_that_cannot(project: Project, machine: Machine) -> None:
    machine.has("yarn", '#!/bin/sh\necho yarn "$@" >> "$CALLS"; echo \'error Could not find it\'; exit 1\n')
    (project.root / "yarn.lock").write_text("")
    project = replace(project, manager=Manager("yarn", "", "", project.root / "yarn.lock"))
    assert machine.install(project) == (
        "packages were installed in the work copy (npm install: there is no lockfile; by npm, because yarn could not)"
    )
    assert machine.calls == ["yarn install --frozen-lockfile --non-interactive", "install"]


def test_an_installation_that_takes_too_long_is_not_given_to_another_manager(
    project: Project, machine: Machine
) -> None:
    machine.has("yarn", '#!/bin/sh\necho yarn "$@" >> "$CALLS"; exec sleep 600\n')
    project = replace(project, manager=Manager("yarn", "", "", None))
    with pytest.raises(AppError, match="did not end within 1 seconds"):
        machine.install(project, seconds=1)
    assert machine.calls == ["yarn install --non-interactive"]


def test_npm_does_not_try_what_it_does_not_know(project: Project, machine: Machine) -> None:
    machine.has("yarn", "#!/bin/sh\nexit 1\n")
    (project.root / "package.json").write_text('{"dependencies": {"ui": "workspace:*"}}')
    project = replace(project, manager=Manager("yarn", "", "", None))
    with pytest.raises(AppError, match="could not be installed by `yarn install --non-interactive`"):
        machine.install(project)


def node_of(machine: Machine, project: Project, version: str) -> tuple[str, Path | None]:
    machine.has("node", f"#!/bin/sh\necho {version}\n")
    tools = machine.tools(project)
    (tools.copy.workspace / "node_modules/vite").mkdir(parents=True)
    (tools.copy.workspace / "node_modules/vite/package.json").write_text(
        '{"engines": {"node": "^20.19.0 || >=22.12.0"}}'
    )
    told = asyncio.run(tools.with_node(project))
    link = tools.copy.tools / "node"
    return told, link.readlink() if link.is_symlink() else None


def test_a_node_that_is_too_old_is_replaced(project: Project, machine: Machine) -> None:
    told, node = node_of(machine, project, "v18.20.0")
    assert node == find_node()
    assert told.endswith("^20.19.0 || >=22.12.0 is asked for, and 18.20.0 was found on PATH")


def test_a_node_that_fits_is_kept(project: Project, machine: Machine) -> None:
    assert node_of(machine, project, "v20.20.2") == ("", None)


def test_without_npm_a_sentence_says_what_to_install(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("instrument.toolchain._npm_of_wheel", lambda: None)
    place = tmp_path / "builds/one"
    (place / "tools").mkdir(parents=True)
    tools = Toolchain(WorkCopy(place, project.root, place / "shop"), {"PATH": str(tmp_path)})
    with pytest.raises(UsageError, match=r"takes npm, which is not here: install Node\.js"):
        asyncio.run(tools.with_npm())


def test_npm_may_come_from_pypi(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cli = tmp_path / "npm-cli.js"
    monkeypatch.setattr("instrument.toolchain._npm_of_wheel", lambda: cli)
    place = tmp_path / "builds/one"
    (place / "tools").mkdir(parents=True)
    tools = Toolchain(WorkCopy(place, project.root, place / "shop"), {"PATH": str(tmp_path)})
    asyncio.run(tools.with_npm())
    assert (place / "tools/node").readlink() == find_node()
    assert (place / "tools/npm").read_text() == f'#!/bin/sh\nexec node "{cli}" "$@"\n'
