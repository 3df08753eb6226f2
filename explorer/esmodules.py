"""ES modules of npm packages, as esm.sh, jsdelivr's +esm and unpkg's ?module make them: one module a package and version.

Whatever an address says of the version, the code lives under one address, that of the exact version; all others pass on
what it exports. So react and react-dom share one react. Which version a package imports is decided by what the app
itself names where that fits, else by the package's own package.json.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from explorer.cdn import CdnFile, module_url, package_of
from explorer.npm import BUILDER, ESBUILD, NpmError, build
from explorer.packages import PackageStore
from instrument.cache import ResultCache
from instrument.semver import best, exact_version

_PLACEHOLDER = "explorer-bare:"
_NOTHING = "data:text/javascript,export default {}"
_FOR_BROWSERS = {
    "assert": "assert",
    "buffer": "buffer",
    "events": "events",
    "path": "path-browserify",
    "process": "process",
    "punycode": "punycode",
    "querystring": "querystring-es3",
    "stream": "stream-browserify",
    "string_decoder": "string_decoder",
    "url": "url",
    "util": "util",
}
"""Packages that stand in for modules of Node's own."""
_NODE_ONLY = frozenset(
    "async_hooks child_process cluster crypto dgram dns fs fs/promises http http2 https inspector module net os "
    "perf_hooks readline repl timers tls tty v8 vm worker_threads zlib".split()
)

_NAMING = frozenset(("alias", "deps", "external"))
"""Options that name packages: nothing to a module that does not reach these."""


@dataclass(frozen=True, slots=True)
class Module:
    """One module as the builder made it; its imports are placeholders still."""

    code: str
    exports: tuple[str, ...]
    imports: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModuleText:
    """The answer to one address."""

    text: str
    version: str
    imports: tuple[str, ...]
    """Addresses of the modules that it needs."""


class ModuleMaker:
    """Makes modules and keeps them. `pins`: package -> exact versions that the app itself names."""

    def __init__(self, store: PackageStore, pins: Mapping[str, Sequence[str]] | None = None) -> None:
        self.pins: Mapping[str, Sequence[str]] = pins or {}
        self._store = store
        self._cache = ResultCache(store.folder / "modules")
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._free = asyncio.Semaphore(2)
        self._program = hashlib.sha256(BUILDER.read_bytes()).hexdigest()

    async def text(self, file: CdnFile, url: str) -> ModuleText:
        """What the address answers. Raises NpmError where package or module cannot be had."""
        version = await self._version(file.package, file.version)
        file = replace(file, version=version)
        module = await self._module(file)
        home = await self._home(file)
        if url != home:
            return ModuleText(_passed_on(home, module), version, (home,))
        code, addresses = module.code, []
        for specifier, target in (await self._targets(file, module.imports)).items():
            address = target if isinstance(target, str) else await self._home(target)
            code = code.replace(json.dumps(_PLACEHOLDER + specifier), json.dumps(address))
            addresses.append(address)
        return ModuleText(code, version, tuple(item for item in addresses if item.startswith("https:")))

    async def _home(self, file: CdnFile) -> str:
        """The one address of a module: without options that change nothing in what it reaches."""
        options = dict(file.options)
        if not options.keys() & _NAMING:
            return module_url(file)
        reached = await self._reached(file)
        for key in _NAMING & options.keys():
            kept = [item for item in options.pop(key).split(",") if _name_in(item, key) in reached]
            if kept:
                options[key] = ",".join(kept)
        return module_url(replace(file, options=tuple(sorted(options.items()))))

    async def _reached(self, file: CdnFile) -> set[str]:
        """Names of the packages that a module imports, and of those that these import, and so on."""
        names: set[str] = set()
        seen: set[CdnFile] = set()
        layer = {file}
        while layer:
            seen |= layer
            found = await asyncio.gather(*(self._imports(item) for item in sorted(layer, key=module_url)))
            names |= {
                name for targets in found for specifier in targets for name in (package_of(specifier)[0], "*")
            }
            layer = {
                item for targets in found for item in targets.values() if isinstance(item, CdnFile)
            } - seen
        return names

    async def _imports(self, file: CdnFile) -> dict[str, CdnFile | str]:
        """What a module imports; nothing for one that cannot be had: whoever asks for it is told the reason."""
        try:
            return await self._targets(file, (await self._module(file)).imports)
        except NpmError:
            return {}

    async def _targets(self, file: CdnFile, specifiers: Sequence[str]) -> dict[str, CdnFile | str]:
        """Imports by specifier; what is not in the cache yet is fetched in one go."""
        places = {specifier: self._place(file, specifier) for specifier in specifiers}
        asked = [item for item in places.values() if isinstance(item, CdnFile)]
        await self._store.fetch_all(
            [(item.package, self._pinned(item.package, item.version)) for item in asked]
        )
        return {specifier: await self._settled(place) for specifier, place in places.items()}

    async def _settled(self, place: CdnFile | str) -> CdnFile | str:
        if isinstance(place, str):
            return place
        try:
            return replace(place, version=await self._version(place.package, place.version))
        except NpmError:
            return place  # whoever asks for it is told the reason

    async def _module(self, file: CdnFile) -> Module:
        options = dict(file.options)
        request = {
            "name": file.package,
            "path": file.path,
            "dev": "dev" in options,
            "conditions": [item for item in options.get("conditions", "").split(",") if item],
        }
        key = self._cache.key(self._program, ESBUILD, file.version, json.dumps(request, sort_keys=True))
        async with self._locks[key]:
            kept = self._cache.get(key)
            if kept is None:
                esbuild = await self._store.esbuild()
                root = self._store.around(file.package, file.version)
                async with self._free:
                    answer = await build({"esbuild": str(esbuild), "root": str(root.resolve()), **request})
                kept = json.dumps(answer).encode()
                self._cache.put(key, kept)
        found = json.loads(kept)
        return Module(found["code"], tuple(found["exports"]), tuple(found["imports"]))

    def _place(self, file: CdnFile, specifier: str) -> CdnFile | str:
        """What a module imports: another module, its version a range, or an address that is none of the CDN's."""
        options = dict(file.options)
        specifier = _renamed(specifier, options.get("alias", ""))
        package, path = package_of(specifier)
        if not package or _left_alone(specifier, package, options.get("external", "")):
            return specifier
        wanted = self._wanted(file, package, options.get("deps", ""))
        if wanted is None and specifier in _NODE_ONLY:
            return _NOTHING
        if wanted is None and specifier in _FOR_BROWSERS:
            package, path = _FOR_BROWSERS[specifier], ""
        if (wanted or "").startswith("npm:"):
            package, _, wanted = (wanted or "").removeprefix("npm:").rpartition("@")
        return replace(file, package=package, version=wanted or "", path=path)

    def _wanted(self, file: CdnFile, package: str, deps: str) -> str | None:
        """The range of a package that another one imports; None where it says nothing of it."""
        if package == file.package or (file.package, package) == ("react-dom", "react"):
            return file.version
        for item in deps.split(","):
            name, _, version = item.rpartition("@")
            if name == package:
                return version
        manifest = self._store.manifest(file.package, file.version)
        for kind in ("dependencies", "peerDependencies", "optionalDependencies"):
            listed = manifest.get(kind)
            if isinstance(listed, dict) and package in listed:
                wanted = str(listed[package])
                return "" if ":" in wanted and not wanted.startswith("npm:") else wanted
        return None

    async def _version(self, package: str, wanted: str) -> str:
        return await self._store.version(package, self._pinned(package, wanted))

    def _pinned(self, package: str, wanted: str) -> str:
        """The range, or what the app itself names where that lies in it."""
        if exact_version(wanted):
            return wanted
        return best(self.pins.get(package, ()), wanted or "*") or wanted


def _passed_on(home: str, module: Module) -> str:
    """A module that is another one under a second address."""
    where = json.dumps(home)
    default = f"export {{ default }} from {where};\n" if "default" in module.exports else ""
    return f"export * from {where};\n{default}"


def _renamed(specifier: str, alias: str) -> str:
    """esm.sh's ?alias=react:preact/compat,..."""
    for item in alias.split(","):
        name, _, other = item.partition(":")
        if name and (specifier == name or specifier.startswith(f"{name}/")):
            return other + specifier.removeprefix(name)
    return specifier


def _name_in(item: str, option: str) -> str:
    """The package that one item of an option speaks of."""
    if option == "deps":
        return item.rpartition("@")[0]
    name = item.partition(":")[0]
    return package_of(name)[0] or name


def _left_alone(specifier: str, package: str, external: str) -> bool:
    """esm.sh's ?external=react,react-dom: left to the page's import map."""
    named = external.split(",")
    return "*" in named or package in named or specifier in named
