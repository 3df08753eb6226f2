"""Installs the apps of corpus.toml by name into a cache, so that a benchmark explores what others wrote."""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_path

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class App:
    """One app: what is served is `folder`, what is opened is `entry` inside it."""

    id: str
    package: str
    root: str
    entry: str
    about: str
    files: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        """Where it lies once it is installed."""
        package = cache() / self.package.replace("/", "+")
        return package / f"only-{self.id}" if self.files else package / "app" / self.root


def cache() -> Path:
    """Folder that installed packages are kept in."""
    return user_cache_path("explore-app") / "bench"


def apps(wanted: list[str] | None = None) -> list[App]:
    """Apps of corpus.toml, all or those named; SystemExit for a name that is not there."""
    rows = tomllib.loads((HERE / "corpus.toml").read_text())["app"]
    listed = [
        App(
            row["id"],
            row["package"],
            row.get("root", ""),
            row["entry"],
            row["about"],
            tuple(row.get("files", ())),
        )
        for row in rows
    ]
    if not wanted:
        return listed
    unknown = set(wanted) - {app.id for app in listed}
    if unknown:
        raise SystemExit(f"no such app in corpus.toml: {', '.join(sorted(unknown))}")
    return [app for app in listed if app.id in wanted]


def install(app: App) -> Path:
    """Puts the app's package into the cache, once; the folder to serve."""
    place = cache() / app.package.replace("/", "+")
    if not (place / "app").is_dir():
        work = place.with_name(place.name + ".partial")
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        name = app.package.rsplit("@", 1)[0]
        subprocess.run(
            [
                "npm",
                "install",
                "--silent",
                "--ignore-scripts",
                "--no-audit",
                "--no-fund",
                "--prefix",
                str(work),
                app.package,
            ],
            check=True,
        )
        # What it depends on is left where npm put it: several of these apps load it from node_modules.
        shutil.copytree(work / "node_modules" / name, work / "app", symlinks=True)
        for other in (work / "node_modules").iterdir():
            beside = work / "app" / "node_modules" / other.name
            if other.name != name and not other.name.startswith(".") and not beside.exists():
                beside.parent.mkdir(exist_ok=True)
                shutil.move(str(other), beside)
        shutil.rmtree(work / "node_modules")
        work.replace(place)
    if app.files and not app.folder.is_dir():
        for pattern in app.files:
            for file in sorted((place / "app").glob(pattern)):
                to = app.folder / file.relative_to(place / "app")
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(file, to)
    return app.folder
