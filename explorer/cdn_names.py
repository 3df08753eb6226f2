"""What the hosts of libraries call the packages that npm has under another name, and where files lie in those."""

from __future__ import annotations

import re

CDNJS = {
    "Chart.js": "chart.js",
    "FileSaver.js": "file-saver",
    "KaTeX": "katex",
    "PapaParse": "papaparse",
    "Sortable": "sortablejs",
    "Swiper": "swiper",
    "ace": "ace-builds",
    "angular.js": "angular",
    "angularjs": "angular",
    "babel-standalone": "@babel/standalone",
    "backbone.js": "backbone",
    "clipboard.js": "clipboard",
    "d3js": "d3",
    "dat-gui": "dat.gui",
    "foundation": "foundation-sites",
    "hammer.js": "hammerjs",
    "handlebars.js": "handlebars",
    "highlight.js": "@highlightjs/cdn-assets",
    "htmx": "htmx.org",
    "jqueryui": "jquery-ui-dist",
    "limonte-sweetalert2": "sweetalert2",
    "lodash.js": "lodash",
    "materialize": "materialize-css",
    "moment.js": "moment",
    "mustache.js": "mustache",
    "normalize": "normalize.css",
    "noUiSlider": "nouislider",
    "numeral.js": "numeral",
    "openlayers": "ol",
    "p5.js": "p5",
    "pdf.js": "pdfjs-dist",
    "plotly.js": "plotly.js-dist-min",
    "prism": "prismjs",
    "pure": "purecss",
    "require.js": "requirejs",
    "socket.io": "socket.io-client",
    "stats.js": "stats.js",
    "three.js": "three",
    "threejs": "three",
    "tinycolor": "tinycolor2",
    "tone": "tone",
    "tween.js": "@tweenjs/tween.js",
    "twitter-bootstrap": "bootstrap",
    "underscore.js": "underscore",
    "webfont": "webfontloader",
}
"""Names of cdnjs and of Google's hosted libraries that differ from npm's; all others are taken as they are."""

FIRST = {"ace-builds": ("src-min-noconflict",), "monaco-editor": ("", "min")}
"""Folders of a package where cdnjs takes its files from, where several hold the same name."""

FILES = {
    ("webfontloader", "webfont.js"): "webfontloader.js",
    ("knockout", "knockout-min.js"): "build/output/knockout-latest.js",
}
"""Files that have another name there: package and path -> path."""

_SINCE = re.compile(r"^v?(\d+)")


def npm_name(library: str, version: str) -> str:
    """The npm package of a library of cdnjs or Google; one package split in two by its major version is told apart."""
    if library == "font-awesome":
        major = _SINCE.match(version)
        return "@fortawesome/fontawesome-free" if major and int(major[1]) >= 5 else "font-awesome"
    return CDNJS.get(library, library)


def npm_version(package: str, version: str) -> str:
    """three.js and stats.js count their releases: r128 is npm's 0.128."""
    if package in ("three", "stats.js") and (release := re.fullmatch(r"r?(\d+)", version)):
        return f"0.{release[1]}"
    return version


REPOSITORIES = {"highlightjs/cdn-release": ("@highlightjs/cdn-assets", "build/")}
"""Repositories that jsdelivr's gh/ serves and npm has as they are: package, and the folder that is its root."""

VENDORS: tuple[tuple[str, re.Pattern[str], str, str], ...] = (
    (
        "code.jquery.com",
        re.compile(r"^jquery-(\d[\w.-]*?)((?:\.slim)?(?:\.min)?\.js)$"),
        "jquery",
        r"dist/jquery\2",
    ),
    (
        "code.jquery.com",
        re.compile(r"^jquery-migrate-(\d[\w.-]*?)((?:\.min)?\.js)$"),
        "jquery-migrate",
        r"dist/jquery-migrate\2",
    ),
    ("code.jquery.com", re.compile(r"^ui/(\d[\w.-]*)/(?:themes/[\w-]+/)?(.+)$"), "jquery-ui-dist", r"\2"),
    (
        "use.fontawesome.com",
        re.compile(r"^releases/v(\d[\w.-]*)/(.+)$"),
        "@fortawesome/fontawesome-free",
        r"\2",
    ),
    (
        "cdn.plot.ly",
        re.compile(r"^plotly-(\d[\w.-]*?)(?:\.min)?\.js$"),
        "plotly.js-dist-min",
        "plotly.min.js",
    ),
    ("d3js.org", re.compile(r"^d3\.v(\d+)((?:\.min)?\.js)$"), "d3", r"dist/d3\2"),
    ("cdn.quilljs.com", re.compile(r"^(\d[\w.-]*)/(.+)$"), "quill", r"dist/\2"),
    ("cdn.socket.io", re.compile(r"^(\d[\w.-]*)/(.+)$"), "socket.io-client", r"dist/\2"),
    ("aframe.io", re.compile(r"^releases/(\d[\w.-]*)/(.+)$"), "aframe", r"dist/\2"),
)
"""Hosts of one library: host, its paths (group 1 is the version), npm's package, and the file there."""

TRACKERS = (
    "google-analytics.com",
    "googletagmanager.com",
    "googleadservices.com",
    "googlesyndication.com",
    "doubleclick.net",
    "adsbygoogle.com",
    "hotjar.com",
    "clarity.ms",
    "connect.facebook.net",
    "segment.com",
    "segment.io",
    "mixpanel.com",
    "amplitude.com",
    "plausible.io",
    "usefathom.com",
    "umami.is",
    "matomo.cloud",
    "posthog.com",
    "cloudflareinsights.com",
    "sentry.io",
    "sentry-cdn.com",
    "newrelic.com",
    "nr-data.net",
    "intercom.io",
    "hs-scripts.com",
    "hs-analytics.net",
)
"""Hosts, subdomains included, that count visitors or show advertisements: an app works without them."""
