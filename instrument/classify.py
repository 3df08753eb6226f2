"""Own code or library code: the verdict on each file, with its reason in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from pathlib import PurePosixPath

from instrument.probes import FileClass


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a file was classed and why."""

    file_class: FileClass
    reason: str
    certain: bool = True
    """False where only a name or a banner speaks for it; such verdicts fall if no own code would be left."""


BUILT = "a built file without a source map: own and library code in it cannot be told apart"
NO_SIGN = "nothing says that it is library code"
"""Reasons of own files: the second says nothing that a reader would not expect."""

SOURCE_RULES: tuple[tuple[str, str], ...] = (
    (r"(^|[/\\])node_modules[/\\]", "under node_modules"),
    (r"(^|[/\\])(bower_components|jspm_packages|\.pnpm|\.yarn)[/\\]", "in a package folder"),
    (r"^\x00|^(vite|rolldown|rollup)[/\\:]|[/\\]\x00|commonjsHelpers", "runtime of the bundler"),
    (r"modulepreload-polyfill|preload-helper", "runtime of the bundler"),
    (r"webpack[/\\](bootstrap|runtime|buildin|universalModule|before-startup|startup)", "runtime of webpack"),
    (r"\(webpack\)|^webpack:\/\/[^/]*\/external ", "runtime of webpack"),
    (r"\[turbopack\]|\[next\]|[/\\]next[/\\]dist[/\\]", "runtime of Next.js"),
    (r"(^|[/\\])_virtual[/\\]", "runtime of the bundler"),
    (r"\(ignored\)|^external ", "a module that the bundler left out"),
    (
        r"\.(png|jpe?g|gif|svg|webp|avif|ico|css|s[ac]ss|less|styl|json5?|ya?ml|txt|md|woff2?|ttf|eot|otf"
        r"|mp[34]|webm|wav|ogg|wasm|glsl|vert|frag)([?#].*)?$",
        "no code: an asset that the bundler made a module of",
    ),
    (r"(^|[/\\])(core-js|regenerator-runtime|tslib|@babel[/\\]runtime)[/\\]", "helpers of the compiler"),
    (r"[/\\]svelte[/\\](src|internal)[/\\]|[/\\]@vue[/\\]|[/\\]react(-dom)?[/\\](cjs|umd)[/\\]", "a framework's own files"),
)  # fmt: skip
"""(pattern, reason): sources in a map that are library code. The patterns hold in Python and in JavaScript."""

_VENDOR_FOLDERS = frozenset(
    "node_modules bower_components jspm_packages vendor vendors third_party third-party thirdparty 3rdparty externals".split()
)
_LIBRARY_FOLDERS = frozenset("lib libs library libraries plugins plugin ext deps dependencies".split())

_LIBRARIES = (
    "ace|alpine(js)?|amcharts|anime|angular(js)?([.-](animate|aria|cookies|messages|resource|route|sanitize|touch|ui-router))?|"
    "axios|b?lodash|underscore|backbone([.-](localstorage|marionette))?|babel([.-](standalone|polyfill|core|runtime))?|"
    "bluebird|bootstrap([.-][\\w-]+)?|bulma|bootbox|cannon(-es)?|chart(js)?|chartist|chosen|ckeditor|clipboard|codemirror|"
    "classnames|coffee-script|core-js|cropper|crypto-js|cytoscape|d3([.-][\\w-]+)?|dat[.-]gui|datatables?|dataTables[\\w.]*|"
    "day(js)?|director|dojo|dom-?purify|dropzone|easeljs|echarts|ember([.-]\\w+)?|es5-shim|es6-shim|es6-promise|fabric|"
    "fastclick|fetch([.-]polyfill)?|firebase([.-]\\w+)?|flatpickr|flot|fontawesome([.-]\\w+)?|foundation|fullcalendar|gsap|"
    "hammer|handlebars([.-]runtime)?|highcharts|highlight|history|hogan|html2canvas|html5shiv|htmx|howler|icheck|immer|"
    "immutable|isotope|jasmine|jquery([.-][\\w-]+)*|js-cookie|jszip|katex|knockout|konva|leaflet|less|lit(-html)?|lozad|mapbox(-gl)?|"
    "markdown-it|marked|masonry|matter|mathjax|mdc|mithril|mocha|modernizr|moment([.-][\\w-]+)?|monaco|morris|mousetrap|"
    "mustache|nprogress|numeral|nunjucks|owl\\.carousel|p5|paper|parsley|pdf(\\.worker)?|petite-vue|phaser|pixi|plotly([.-]\\w+)?|"
    "polyfills?|polymer|popper|preact([.-]\\w+)?|prettier|prism|processing|prop-types|prototype|q|qrcode|quill|ramda|raphael|"
    "react([.-](dom|router|redux|is|addons|with-addons))*([.-](development|production))?|recharts|redux([.-]\\w+)?|require(js)?|"
    "responsive|r|rx(js)?|sammy|scriptaculous|select2|semantic|showdown|signature_pad|simplebar|sinon|slick|snap(\\.svg)?|"
    "socket\\.io|solid|sortable|spin|stats|string|summernote|svelte|svg(\\.js)?|sweetalert2?|swfobject|swiper|system(js)?|"
    "tether|three(\\.module|\\.core)?|tinymce|toastr|todomvc-(common|base)|tone|turn|tween(js|max|lite)?|typeahead([.-]\\w+)?|"
    "typescript(services)?|uikit|velocity|video|vis(-network)?|vue([.-](router|resource|x|global|runtime|esm|browser|prod))*|"
    "vuex|wavesurfer|web-?vitals|webcomponents([.-]\\w+)*|when|whatwg-fetch|xlsx|xterm|yui|zepto|zod|zone"
)
_KNOWN = re.compile(
    rf"^({_LIBRARIES})([.-]?v?\d+(\.\d+)*([.-]?(alpha|beta|rc)[.\d]*)?)?([.-](min|slim|full|pack|packed|all|bundle|umd|amd|cjs|esm|es|iife|global|prod|dev|debug|development|production|custom|core|common|module|standalone))*\.m?js$",
    re.IGNORECASE,
)
_CHUNK = re.compile(
    r"^(chunk-)?(vendors?|libs?|polyfills?|framework|runtime|webpack|webpack-runtime|main-app|turbopack|zone)([~.-].*)?\.m?js$",
    re.IGNORECASE,
)
_VERSIONED = re.compile(r"[.-]v?\d+\.\d+\.\d+([.-](min|prod|umd|esm|dev))*\.m?js$", re.IGNORECASE)
_BANNER = re.compile(
    r"^\s*(?:['\"]use strict['\"];?\s*)?(?:/\*[\s\S]{0,1500}?\*/|(?://[^\n]*\n\s*)+)",
)
_VERSION = re.compile(r"\bv?\d+\.\d+(\.\d+)?([.-](alpha|beta|rc)[.\d-]*)?\b", re.IGNORECASE)
_LEGAL = re.compile(r"@license|licen[sc]ed?\b|copyright|\(c\)|©", re.IGNORECASE)
_WRAPPER = re.compile(r"\btypeof exports\b|\bdefine\.amd\b|\btypeof module\b|\bmodule\.exports\b")
_HEAD = 4000
"""Characters of a file in which its banner and module wrapper stand."""


def classify(path: str, text: str, *, package: str = "", nomodule: bool = False) -> Verdict:
    """The verdict on a file that is served as it is (no source map names its parts).

    `package`: name in the app's own package.json; files of that name are its own code. `nomodule`: pages load
    it for browsers without modules only.
    """
    name = PurePosixPath(path).name
    folders = {part.lower() for part in PurePosixPath(path).parts[:-1]}
    if "_virtual" in folders:
        return Verdict("vendor", "runtime of the bundler")
    if nomodule:
        return Verdict("vendor", "loaded with nomodule only: a browser with modules never runs it")
    if found := folders & _VENDOR_FOLDERS:
        return Verdict("vendor", f"in a folder of libraries ({min(found)})")
    if package and _is_of(package, name):
        return Verdict("own", f"carries the name of the app's own package ({package})")
    if _KNOWN.match(name):
        return Verdict("vendor", f"{name} is the name of a known library", certain=False)
    if _VERSIONED.search(name):
        return Verdict("vendor", f"{name} carries a release number, as copies of libraries do", certain=False)
    if _CHUNK.match(name):
        return Verdict("vendor", f"{name} is the name of a bundler's chunk of libraries", certain=False)
    if package and _stem(package).endswith(f"-{_stem(name)}"):
        return Verdict("own", f"carries the end of the name of the app's own package ({package})")
    return _by_text(name, text[:_HEAD], folders) or _own(text)


def classify_page(path: str) -> Verdict:
    """The verdict on an html page, for its inline scripts and handlers."""
    if found := {part.lower() for part in PurePosixPath(path).parts[:-1]} & _VENDOR_FOLDERS:
        return Verdict("vendor", f"in a folder of libraries ({min(found)})")
    return Verdict("own", "inline scripts of a page of the app")


def _by_text(name: str, head: str, folders: Set[str]) -> Verdict | None:
    banner = _BANNER.match(head)
    versioned = bool(
        banner
        and _VERSION.search(banner[0])
        and (_LEGAL.search(banner[0]) or banner[0].lstrip().startswith("/*!"))
    )
    if versioned and (".min." in name or _WRAPPER.search(head)):
        return Verdict("vendor", "begins with a library's banner: name, version and licence", certain=False)
    if not folders & _LIBRARY_FOLDERS:
        return None
    if versioned or ".min." in name or _WRAPPER.search(head):
        folder = min(folders & _LIBRARY_FOLDERS)
        return Verdict("vendor", f"looks like a library and is in a folder called {folder}", certain=False)
    return None


def _own(text: str) -> Verdict:
    if is_minified(text) and len(text) > 20_000:
        return Verdict("own", BUILT)
    return Verdict("own", NO_SIGN)


def _is_of(package: str, name: str) -> bool:
    """Whether a file is the package itself or a part of it: `literallycanvas-core.js` of literallycanvas."""
    stem, own = _stem(name), _stem(package.rpartition("/")[2])
    return stem == own or stem.startswith((f"{own}-", f"{own}."))


def _stem(name: str) -> str:
    return re.sub(r"([.-](min|bundle|umd|esm|es|js|dist))*(\.m?js)?$", "", name.lower())


def is_minified(text: str) -> bool:
    """Long lines on the average, as minifiers make them."""
    return len(text) / (text.count("\n") + 1) > 200


def keep_some_own(verdicts: Mapping[str, Verdict], statements: Mapping[str, int]) -> dict[str, Verdict]:
    """The verdicts, changed where they would leave no own code at all: a library's own demo is about the library.

    First the uncertain verdicts fall, then, if that does not help, all of them.
    """
    found = dict(verdicts)
    waves: tuple[Callable[[Verdict], bool], ...] = (lambda verdict: not verdict.certain, lambda verdict: True)
    for falls in waves:
        if any(statements.get(path, 0) for path, verdict in found.items() if verdict.file_class == "own"):
            return found
        for path, verdict in found.items():
            if verdict.file_class == "vendor" and falls(verdict):
                reason = f"all code of this app looks like library code, so it is taken for the app itself ({verdict.reason})"
                found[path] = Verdict("own", reason)
    return found
