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
    """False where a name and the text speak for it, or a banner; such verdicts fall if no own code would be left."""


BUILT = "a built file without a source map: own and library code in it cannot be told apart"
NO_SIGN = "nothing says that it is library code"
"""Reasons of own files: the second says nothing that a reader would not expect."""

STANDS_IN = (
    "none of the project's own code reaches the browser, so the libraries that do are counted in its place"
)
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
_OPENING = 1500
"""Characters of a file in which a licence or the library's name is told."""
_COMMENT = re.compile(r"/\*[\s\S]*?(?:\*/|\Z)|(?:^[ \t]*//[^\n]*\n?)+", re.MULTILINE)
_LICENCE = re.compile(
    r"@licen[sc]e|@copyright|\blicen[sc]ed? (?:under|by|:)|\b(?:MIT|BSD|Apache|L?GPL|ISC|MPL)\b|/licen[sc]e\b"
    r"|\bcopyright\b|\(c\) ?\d{4}|©",
    re.IGNORECASE,
)
"""As in _LEGAL, but not the bare word: an app's own comments may be about licences."""
_REGISTERS = re.compile(r"\bdefine\.amd\b|\btypeof (?:define|exports)\b")
"""What universal module wrappers ask; a script that is also run by Node's tests asks for `module` only."""
_RUNTIME = re.compile(
    r"__webpack_require__|webpack(?:Chunk|Jsonp)|TURBOPACK|__turbopack|__vite|vite:preloadError|System\.register\b"
    r"|parcelRequire|commonjsHelpers|getDefaultExportFromCjs|__commonJS|//#region node_modules/"
)
_SHIPPED = re.compile(
    r"[.-](min|slim|full|pack|packed|umd|amd|cjs|esm|iife|prod|production|module)\.m?js$|\d+\.\d+",
    re.IGNORECASE,
)
_LISTS_OF_NEXT = re.compile(r"(?:^|/)_next/static/[^/]+/_(?:build|ssg|client|middleware)\w*Manifest\.js$")
_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")
_LONG_LINE = 200
_SAMPLE = 200_000
"""Characters that tell whether a text is minified."""
_CODE = re.compile(
    r"\)\{|=>|\);|&&|\|\||==|\breturn\b[ (!\[{\"'`]|\bfunction\b ?[(\w]|;[a-z]=|\b(?:im|ex)port\{"
)
"""Marks of code, as against data: lists of numbers and words have none."""


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
    if _LISTS_OF_NEXT.search(path):
        return Verdict("vendor", "a list that Next.js made")
    if package and _is_of(package, name):
        return Verdict("own", f"carries the name of the app's own package ({package})")
    suspicion = _suspicion(name)
    if suspicion and (sign := _sign_of_library(name, text, folders)):
        return Verdict("vendor", f"{suspicion} and {sign}", certain=False)
    if package and _stem(package).endswith(f"-{_stem(name)}"):
        return Verdict("own", f"carries the end of the name of the app's own package ({package})")
    return _by_text(name, text[:_HEAD], folders) or _own(text, suspicion)


def classify_page(path: str) -> Verdict:
    """The verdict on an html page, for its inline scripts and handlers."""
    if found := {part.lower() for part in PurePosixPath(path).parts[:-1]} & _VENDOR_FOLDERS:
        return Verdict("vendor", f"in a folder of libraries ({min(found)})")
    return Verdict("own", "inline scripts of a page of the app")


def _suspicion(name: str) -> str:
    """What a name alone says of a library, in words; own files bear such names too (`chart.js`)."""
    if _KNOWN.match(name):
        return f"{name} is the name of a known library"
    if _VERSIONED.search(name):
        return f"{name} carries a release number, as copies of libraries do"
    return f"{name} is the name of a bundler's chunk of libraries" if _CHUNK.match(name) else ""


def _sign_of_library(name: str, text: str, folders: Set[str]) -> str:
    """What in a text bears out the suspicion that its name raised; "" for nothing."""
    comments = "".join(_COMMENT.findall(text[:_OPENING]))
    if _LICENCE.search(comments):
        return "it begins with a licence"
    if "/*!" in comments and _VERSION.search(comments):
        return "it begins with a version in a banner"
    if _KNOWN.match(name) and _names_itself(name, comments):
        return "it begins with that library's release or address"
    if _REGISTERS.search(text):
        return "it is wrapped as a module for all loaders"
    if is_minified(text):
        return "it is minified"
    if _CHUNK.match(name) and _RUNTIME.search(text):
        return "it holds the runtime of a bundler"
    if _KNOWN.match(name) and _SHIPPED.search(name) and (found := folders & _LIBRARY_FOLDERS):
        return f"it is in a folder called {min(found)}"
    return ""


def _names_itself(name: str, comments: str) -> bool:
    """Whether comments tell a library's name with a release number after it, or within an address."""
    stem = re.split(r"[.-]?v?\d+\.\d", _SHIPPED.sub("", _stem(name)))[0]
    spelled = r"\b" + r"[\W_]?".join(re.sub(r"[^a-z\d]", "", stem)) + r"(?:[ ._-]?js)?\b"
    release = rf"{spelled}\W{{0,3}}(?:version|release|v)?\W{{0,2}}\d+\.\d"
    return bool(re.search(rf"{release}|https?://\S*{spelled}", comments, re.IGNORECASE))


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


def _own(text: str, suspicion: str) -> Verdict:
    if suspicion:
        return Verdict("own", f"{suspicion}, but nothing in its text bears that out")
    if len(text) > 20_000 and is_minified(text):
        return Verdict("own", BUILT)
    return Verdict("own", NO_SIGN)


def _is_of(package: str, name: str) -> bool:
    """Whether a file is the package itself or a part of it: `literallycanvas-core.js` of literallycanvas."""
    stem, own = _stem(name), _stem(package.rpartition("/")[2])
    return stem == own or stem.startswith((f"{own}-", f"{own}."))


def _stem(name: str) -> str:
    return re.sub(r"([.-](min|bundle|umd|esm|es|js|dist))*(\.m?js)?$", "", name.lower())


def is_minified(text: str) -> bool:
    """Whether most code is in long lines, as minifiers make them; a long line of data alone does not count."""
    long = short = 0
    for line in text[:_SAMPLE].split("\n"):
        if len(line) > _LONG_LINE:
            long += len(_CODE.findall(_STRING.sub("", line)))
        else:
            short += len(_CODE.findall(line))
    return long > short


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
