"""What an address of a CDN asks for: which npm package, which version, which file of it, in which form. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlsplit

from explorer.cdn_names import REPOSITORIES, TRACKERS, VENDORS, npm_name, npm_version

Form = Literal["file", "found", "module", "combined", "fonts", "none"]
"""file: this very file of the package, its default file where the path is empty. found: the file of the package whose
path ends like this. module: an ES module made of it, with its bare imports pointing to the same CDN. combined: several
files, one after the other. fonts: a style sheet of Google Fonts. none: cannot be had from npm."""

_NAME = r"(?:@[a-z0-9~-][\w.~-]*/)?[A-Za-z0-9~-][\w.~-]*"
_PACKAGE = re.compile(rf"^({_NAME})(?:@([^/&?]*))?(?:/(.*))?$")
_VERSION = re.compile(r"^[\w.+^~<>=|*, -]*$")
_CARRIED = ("alias", "conditions", "deps", "dev", "external")
"""Queries of esm.sh that say how a module and what it imports is made; the rest changes its size only."""


@dataclass(frozen=True, slots=True)
class CdnFile:
    """An address of a CDN, understood."""

    host: str
    form: Form
    package: str = ""
    version: str = ""
    """Exact version, range or tag, as the address has it; "" for the latest."""
    path: str = ""
    """Below the package's root; of a module, what follows the package's name in an import."""
    options: tuple[tuple[str, str], ...] = ()
    """Of a module: esm.sh's queries that matter, sorted."""
    parts: tuple[CdnFile, ...] = ()
    """Of form "combined"."""
    reason: str = ""
    """Why nothing can be had, in words."""


def parse(url: str) -> CdnFile | None:
    """The address understood; None where its host serves no libraries."""
    parts = urlsplit(url if "//" in url else f"https://{url}")
    host = (parts.hostname or "").lower().removeprefix("www.")
    if parts.scheme not in ("http", "https", "") or not host:
        return None
    if reader := _READERS.get(host):
        return reader(host, parts)
    if any(host == vendor[0] for vendor in VENDORS):
        return _vendor(host, parts)
    if any(host == tracker or host.endswith(f".{tracker}") for tracker in TRACKERS):
        return _none(host, "counts visitors or shows advertisements")
    return None


def module_url(file: CdnFile) -> str:
    """The address of a module at its CDN."""
    name = f"{file.package}@{quote(file.version, safe='')}" if file.version else file.package
    below = f"/{file.path}" if file.path else ""
    if file.host == "unpkg.com":
        return f"https://unpkg.com/{name}{below}?module"
    if file.host == "cdn.skypack.dev":
        return f"https://cdn.skypack.dev/{name}{below}"
    if file.host != "esm.sh":
        return f"https://cdn.jsdelivr.net/npm/{name}{below}/+esm"
    query = "&".join(f"{key}={quote(value, safe='@/,:*')}" if value else key for key, value in file.options)
    return f"https://esm.sh/{name}{below}{f'?{query}' if query else ''}"


def file_url(package: str, version: str, path: str) -> str:
    """Where jsdelivr has this very file."""
    return f"https://cdn.jsdelivr.net/npm/{package}@{version}/{path}"


def package_of(specifier: str) -> tuple[str, str]:
    """Package and subpath of a bare import: "@a/b/c.js" is ("@a/b", "c.js")."""
    found = _PACKAGE.match(specifier)
    return (found[1], found[3] or "") if found and "@" not in specifier[1:] else ("", "")


def _none(host: str, reason: str) -> CdnFile:
    return CdnFile(host, "none", reason=reason)


def _of_package(host: str, text: str, form: Form = "file") -> CdnFile:
    """ "name@version/path" as most CDNs have it."""
    found = _PACKAGE.match(unquote(text).strip("/") if text.count("/") < 2 else unquote(text))
    if not found or not _VERSION.match(found[2] or ""):
        return _none(host, "is no address of a package")
    version = found[2] if found[2] not in (None, "latest") else ""
    return CdnFile(host, form, found[1], version, (found[3] or "").lstrip("/"))


def _unpkg(host: str, parts: SplitResult) -> CdnFile:
    path = parts.path.lstrip("/")
    if "module" in dict(parse_qsl(parts.query, keep_blank_values=True)):
        found = _of_package(host, path, "module")
        return replace(found, path=found.path.rstrip("/"))
    return _of_package(host, path)


def _jsdelivr(host: str, parts: SplitResult) -> CdnFile:
    kind, _, rest = parts.path.lstrip("/").partition("/")
    if kind == "npm":
        return _npm_path(host, rest)
    if kind == "gh":
        return _repository(host, unquote(rest))
    if kind == "combine":
        return _combined(host, rest)
    return _none(host, f"is jsdelivr's {kind or 'page'}, which npm does not have")


def _npm_path(host: str, rest: str) -> CdnFile:
    if rest.endswith("/+esm"):
        return _of_package(host, rest.removesuffix("/+esm"), "module")
    return _of_package(host, rest)


def _repository(host: str, rest: str) -> CdnFile:
    owner, name, *below = [*rest.split("/"), ""]
    repository, _, version = f"{owner}/{name}".partition("@")
    package, root = REPOSITORIES.get(repository, ("", ""))
    path = "/".join(below).rstrip("/")
    if not package or not path.startswith(root):
        return _none(host, f"is a file of the repository {repository}, which npm does not have")
    return CdnFile(host, "found", package, version.removeprefix("v"), path.removeprefix(root))


def _combined(host: str, rest: str) -> CdnFile:
    files = []
    for item in unquote(rest).split(","):
        kind, _, path = item.strip().partition("/")
        file = _npm_path(host, path) if kind == "npm" else _repository(host, path)
        if file.form == "none":
            return file
        files.append(file)
    return CdnFile(host, "combined", parts=tuple(files))


_ESM_BUILD = re.compile(r"^v\d+/|^stable/|^pin/")
_ESM_TARGET = re.compile(
    r"^(?:X-[\w-]+/)?(?:es20\d\d|esnext|deno|denonext|node)/(.+?)(?:\.development|\.bundle)*\.m?js$"
)


def _esm_sh(host: str, parts: SplitResult) -> CdnFile:
    path = _ESM_BUILD.sub("", unquote(parts.path).lstrip("/"))
    if re.match(r"^(gh|jsr|pr|pkg\.pr\.new)/|^(tsx|run|x|uno)$", path):
        return _none(host, f"is esm.sh's {path.split('/', 1)[0]}, which npm does not have")
    unbound, path = path.startswith("*"), path.removeprefix("*")
    path, queries = _queries_inside(path)
    found = _of_package(host, path, "module")
    if found.form == "none":
        return found
    given = {**queries, **dict(parse_qsl(parts.query, keep_blank_values=True))}
    below = _esm_below(found.package, found.path.rstrip("/"))
    if unbound:
        given["external"] = "*"  # all that it imports is left to the import map
    options = tuple(sorted((key, value) for key, value in given.items() if key in _CARRIED))
    file = replace(found, path=below, options=options)
    if "raw" in given or re.search(r"\.(css|json|wasm|svg|png|woff2?|map)$", below):
        return replace(file, form="file", options=())
    return file


def _queries_inside(path: str) -> tuple[str, dict[str, str]]:
    """esm.sh takes queries behind the version as well, for import maps: react-dom@18&dev/client."""
    match = re.match(r"^(@[^/]+/[^/&]+|[^/&]+)&([^/]*)(/.*)?$", path)
    if not match:
        return path, {}
    return match[1] + (match[3] or ""), dict(parse_qsl(match[2], keep_blank_values=True))


def _esm_below(package: str, path: str) -> str:
    """The subpath of an address that esm.sh itself writes: react-dom@18.3.1/es2022/client.mjs."""
    built = _ESM_TARGET.match(path)
    if not built:
        return path
    return "" if built[1] == package.rsplit("/", 1)[-1] else built[1]


def _skypack(host: str, parts: SplitResult) -> CdnFile:
    found = _of_package(host, parts.path.lstrip("/").removeprefix("pin/"), "module")
    return replace(found, path=found.path.rstrip("/"))


def _esm_run(host: str, parts: SplitResult) -> CdnFile:
    return replace(_of_package(host, parts.path.lstrip("/"), "module"), host="cdn.jsdelivr.net")


def _cdnjs(host: str, parts: SplitResult) -> CdnFile:
    found = re.match(r"^/ajax/libs/([^/]+)/([^/]+)/(.+)$", unquote(parts.path))
    if not found:
        return _none(host, "is no address of a library")
    package = npm_name(found[1], found[2])
    version = npm_version(package, found[2])
    return CdnFile(host, "found", package, "" if version == "latest" else version, found[3])


def _bootstrap(host: str, parts: SplitResult) -> CdnFile:
    found = re.match(r"^/(?:twitter-)?([\w-]+)/(\d[\w.-]*)/(.+)$", unquote(parts.path))
    if not found:
        return _none(host, "is no address of a library")
    return CdnFile(host, "found", npm_name(found[1], found[2]), found[2], found[3])


def _fonts(host: str, parts: SplitResult) -> CdnFile:
    if parts.path.startswith(("/css", "/icon")) and parts.query:
        return CdnFile(host, "fonts", options=tuple(parse_qsl(parts.query)))
    return _none(host, "is a font of Google's, which npm has under other names")


def _tailwind(host: str, parts: SplitResult) -> CdnFile:
    """Tailwind 3's Play CDN; npm has its releases up to 3.4.10 under another name."""
    plugins = "-with-all-plugins" if "plugins=" in parts.query else ""
    return CdnFile(host, "found", "tailwindcss-cdn", "", f"tailwindcss{plugins}.js")


def _vendor(host: str, parts: SplitResult) -> CdnFile:
    path = unquote(parts.path).lstrip("/")
    for name, pattern, package, target in VENDORS:
        match = pattern.match(path) if name == host else None
        if match:
            return CdnFile(host, "found", package, match[1] or "", match.expand(target))
    return _none(host, "is no address of a library that npm has")


_READERS: dict[str, Callable[[str, SplitResult], CdnFile]] = {
    "unpkg.com": _unpkg,
    "cdn.jsdelivr.net": _jsdelivr,
    "fastly.jsdelivr.net": _jsdelivr,
    "esm.sh": _esm_sh,
    "esm.run": _esm_run,
    "cdn.skypack.dev": _skypack,
    "cdnjs.cloudflare.com": _cdnjs,
    "ajax.googleapis.com": _cdnjs,
    "ajax.aspnetcdn.com": lambda host, _: _none(host, "is a host whose files npm has under other names"),
    "stackpath.bootstrapcdn.com": _bootstrap,
    "maxcdn.bootstrapcdn.com": _bootstrap,
    "netdna.bootstrapcdn.com": _bootstrap,
    "cdn.tailwindcss.com": _tailwind,
    "fonts.googleapis.com": _fonts,
    "fonts.gstatic.com": lambda host, _: _none(
        host, "is a font of Google's, which npm has under other names"
    ),
}

HOSTS = (*_READERS, *dict.fromkeys(vendor[0] for vendor in VENDORS))
"""Hosts whose addresses are understood, for finding them in texts."""
