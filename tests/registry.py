"""A registry of npm packages on loopback, so that tests of CDNs need no network: tiny packages, and real ones of js/."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import shutil
import tarfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from instrument.semver import best

INSTALLED = Path(__file__).parent.parent / "js" / "node_modules"
"""Real packages that may be published: react, react-dom, scheduler, vue, three, jquery, preact, esbuild."""
Files = Mapping[str, str | bytes]


class Registry:
    """What npm asks: the description of a package, and its archives."""

    def __init__(self) -> None:
        self._packages: dict[str, dict[str, tuple[dict[str, Any], bytes]]] = {}
        self.asked: list[str] = []
        """Paths, in order."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/"

    def publish(self, name: str, version: str, files: Files, **manifest: Any) -> None:
        """Adds a version of a package; `manifest` is more of its package.json."""
        described = {"name": name, "version": version, **manifest}
        self._add(described, _archive({"package.json": json.dumps(described), **files}))

    def publish_installed(self, *names: str) -> None:
        """Adds packages as they lie in js/node_modules."""
        for name in names:
            folder = INSTALLED / name
            described = json.loads((folder / "package.json").read_text())
            found = {
                path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()
            }
            self._add(described, _archive({path: place.read_bytes() for path, place in found.items()}))

    def publish_esbuild(self) -> None:
        """Adds the bundler, for this machine only."""
        (program,) = (INSTALLED / "@esbuild").iterdir()
        described = json.loads((INSTALLED / "esbuild" / "package.json").read_text())
        described["optionalDependencies"] = {f"@esbuild/{program.name}": described["version"]}
        described.pop("scripts", None)
        main = (INSTALLED / "esbuild" / "lib" / "main.js").read_bytes()
        self._add(described, _archive({"package.json": json.dumps(described), "lib/main.js": main}))
        self.publish_installed(f"@esbuild/{program.name}")

    def stop(self) -> None:
        """From now on nothing answers."""
        self._server.shutdown()
        self._server.server_close()

    def _add(self, described: dict[str, Any], archive: bytes) -> None:
        self._packages.setdefault(described["name"], {})[described["version"]] = (described, archive)

    def answer(self, path: str) -> bytes | None:
        """Body of the answer, None for 404."""
        self.asked.append(path)
        name, _, archive = path.partition("/-/")
        versions = self._packages.get(name)
        if versions is None:
            return None
        if archive:
            return (
                versions[archive.removesuffix(".tgz")][1]
                if archive.removesuffix(".tgz") in versions
                else None
            )
        return json.dumps(self._description(name, versions)).encode()

    def _description(self, name: str, versions: Mapping[str, tuple[dict[str, Any], bytes]]) -> dict[str, Any]:
        latest = best(versions, "*") or max(versions)
        rows = {
            version: {**described, "dist": self._dist(name, version, archive)}
            for version, (described, archive) in versions.items()
        }
        return {"name": name, "dist-tags": {"latest": latest}, "versions": rows}

    def _dist(self, name: str, version: str, archive: bytes) -> dict[str, str]:
        digest = base64.b64encode(hashlib.sha512(archive).digest()).decode()
        return {"tarball": f"{self.url}{name}/-/{version}.tgz", "integrity": f"sha512-{digest}"}


def _handler(registry: Registry) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = registry.answer(unquote(self.path).lstrip("/"))
            self.send_response(404 if body is None else 200)
            body = body or b"{}"
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

    return Handler


def _archive(files: Files) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1) as archive:
        for path, text in files.items():
            body = text.encode() if isinstance(text, str) else text
            info = tarfile.TarInfo(f"package/{path}")
            info.size, info.mode = len(body), 0o755
            archive.addfile(info, io.BytesIO(body))
    return buffer.getvalue()


@contextmanager
def running(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    """A registry that npm is told of, and caches of its own for npm and for explore-app."""
    registry = Registry()
    monkeypatch.setenv("npm_config_registry", registry.url)
    monkeypatch.setenv("npm_config_cache", str(folder / "npm"))
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda name: str(folder / "cache" / name))
    if not shutil.which("npm"):
        pytest.fail("npm is needed: install Node.js")
    try:
        yield registry
    finally:
        registry.stop()
