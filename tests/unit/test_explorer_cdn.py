"""Addresses of CDNs: which package, version, file and form each means."""

from __future__ import annotations

import pytest

from explorer.cdn import HOSTS, module_url, package_of, parse
from explorer.cdn_scan import mentions

FILES = {
    "https://unpkg.com/react@18/umd/react.development.js": (
        "file",
        "react",
        "18",
        "umd/react.development.js",
    ),
    "https://unpkg.com/vue@3": ("file", "vue", "3", ""),
    "https://unpkg.com/vue": ("file", "vue", "", ""),
    "https://unpkg.com/lucide@latest": ("file", "lucide", "", ""),
    "//unpkg.com/alpinejs": ("file", "alpinejs", "", ""),
    "http://www.unpkg.com/alpinejs@^3.0.0/x.js": ("file", "alpinejs", "^3.0.0", "x.js"),
    "https://unpkg.com/alpinejs@%5E3/x.js": ("file", "alpinejs", "^3", "x.js"),
    "https://unpkg.com/@babel/standalone@7.1.0/babel.min.js": (
        "file",
        "@babel/standalone",
        "7.1.0",
        "babel.min.js",
    ),
    "https://unpkg.com/lit@2?module": ("module", "lit", "2", ""),
    "https://unpkg.com/htm/preact/index.module.js?module": ("module", "htm", "", "preact/index.module.js"),
    "https://cdn.jsdelivr.net/npm/vue@3/dist/vue.js": ("file", "vue", "3", "dist/vue.js"),
    "https://cdn.jsdelivr.net/npm/@tailwindcss/browser@4": ("file", "@tailwindcss/browser", "4", ""),
    "https://cdn.jsdelivr.net/npm/react@18.2.0/+esm": ("module", "react", "18.2.0", ""),
    "https://cdn.jsdelivr.net/npm/three@0.1/a/B.js/+esm": ("module", "three", "0.1", "a/B.js"),
    "https://cdn.jsdelivr.net/gh/highlightjs/cdn-release@11.9.0/build/highlight.min.js": (
        "found",
        "@highlightjs/cdn-assets",
        "11.9.0",
        "highlight.min.js",
    ),
    "https://esm.run/nanoid@5": ("module", "nanoid", "5", ""),
    "https://cdn.skypack.dev/canvas-confetti@1": ("module", "canvas-confetti", "1", ""),
    "https://esm.sh/react-dom@18/client": ("module", "react-dom", "18", "client"),
    "https://esm.sh/stable/react@18.2.0/es2022/react.mjs": ("module", "react", "18.2.0", ""),
    "https://esm.sh/v135/react-dom@18.2.0/es2022/client.js": ("module", "react-dom", "18.2.0", "client"),
    "https://esm.sh/react-dom@18.2.0/es2022/client.development.mjs": (
        "module",
        "react-dom",
        "18.2.0",
        "client",
    ),
    "https://esm.sh/@mui/material@5/Button": ("module", "@mui/material", "5", "Button"),
    "https://esm.sh/swiper@11/swiper.css": ("file", "swiper", "11", "swiper.css"),
    "https://esm.sh/three@0.160.0/examples/jsm/": ("module", "three", "0.160.0", "examples/jsm"),
    "https://cdnjs.cloudflare.com/ajax/libs/three.js/r128/three.min.js": (
        "found",
        "three",
        "0.128",
        "three.min.js",
    ),
    "https://cdnjs.cloudflare.com/ajax/libs/lodash.js/4.17.21/lodash.min.js": (
        "found",
        "lodash",
        "4.17.21",
        "lodash.min.js",
    ),
    "https://cdnjs.cloudflare.com/ajax/libs/vue/3.3.4/vue.js": ("found", "vue", "3.3.4", "vue.js"),
    "https://cdnjs.cloudflare.com/ajax/libs/font-awesome/6.5.1/css/all.css": (
        "found",
        "@fortawesome/fontawesome-free",
        "6.5.1",
        "css/all.css",
    ),
    "https://cdnjs.cloudflare.com/ajax/libs/font-awesome/4.7.0/a.css": (
        "found",
        "font-awesome",
        "4.7.0",
        "a.css",
    ),
    "https://cdnjs.cloudflare.com/ajax/libs/toastr.js/latest/toastr.min.js": (
        "found",
        "toastr.js",
        "",
        "toastr.min.js",
    ),
    "https://ajax.googleapis.com/ajax/libs/jquery/3.6.0/jquery.min.js": (
        "found",
        "jquery",
        "3.6.0",
        "jquery.min.js",
    ),
    "https://code.jquery.com/jquery-3.7.1.slim.min.js": (
        "found",
        "jquery",
        "3.7.1",
        "dist/jquery.slim.min.js",
    ),
    "https://code.jquery.com/ui/1.13.2/themes/base/jquery-ui.css": (
        "found",
        "jquery-ui-dist",
        "1.13.2",
        "jquery-ui.css",
    ),
    "https://stackpath.bootstrapcdn.com/bootstrap/4.5.2/css/b.css": (
        "found",
        "bootstrap",
        "4.5.2",
        "css/b.css",
    ),
    "https://maxcdn.bootstrapcdn.com/font-awesome/4.7.0/css/f.css": (
        "found",
        "font-awesome",
        "4.7.0",
        "css/f.css",
    ),
    "https://d3js.org/d3.v7.min.js": ("found", "d3", "7", "dist/d3.min.js"),
    "https://cdn.plot.ly/plotly-2.27.0.min.js": ("found", "plotly.js-dist-min", "2.27.0", "plotly.min.js"),
    "https://cdn.tailwindcss.com": ("found", "tailwindcss-cdn", "", "tailwindcss.js"),
    "https://cdn.tailwindcss.com/3.4.1?plugins=forms": (
        "found",
        "tailwindcss-cdn",
        "",
        "tailwindcss-with-all-plugins.js",
    ),
}


@pytest.mark.parametrize("url", FILES)
def test_what_an_address_means(url: str) -> None:
    file = parse(url)
    assert file is not None
    assert (file.form, file.package, file.version, file.path) == FILES[url]


NOTHING = {
    "https://cdn.jsdelivr.net/gh/foo/bar@1/x.js": "repository foo/bar",
    "https://cdn.jsdelivr.net/wp/plugins/x.js": "jsdelivr's wp",
    "https://cdn.jsdelivr.net/combine/npm/a@1,gh/b/c@2/d.js": "repository b/c",
    "https://esm.sh/gh/a/b": "esm.sh's gh",
    "https://esm.sh/tsx": "esm.sh's tsx",
    "https://unpkg.com/": "no address of a package",
    "https://unpkg.com/../../etc/passwd": "no address of a package",
    "https://fonts.gstatic.com/s/inter/x.woff2": "font of Google's",
    "https://www.googletagmanager.com/gtag/js?id=G": "visitors",
    "https://region1.google-analytics.com/g/collect": "visitors",
    "https://code.jquery.com/qunit/qunit.js": "no address of a library",
}


@pytest.mark.parametrize("url", NOTHING)
def test_what_npm_does_not_have(url: str) -> None:
    file = parse(url)
    assert file is not None and file.form == "none" and NOTHING[url] in file.reason


@pytest.mark.parametrize(
    "url",
    [
        "https://api.example.com/x",
        "data:text/css,a{}",
        "http://127.0.0.1:80/unpkg.com/x",
        "https://notunpkg.com/x",
    ],
)
def test_other_hosts_are_no_cdns(url: str) -> None:
    assert parse(url) is None


def test_several_files_in_one() -> None:
    file = parse("https://cdn.jsdelivr.net/combine/npm/jquery@3,npm/bootstrap@5/dist/js/b.js")
    assert file is not None and file.form == "combined"
    assert [(part.package, part.version, part.path) for part in file.parts] == [
        ("jquery", "3", ""),
        ("bootstrap", "5", "dist/js/b.js"),
    ]


@pytest.mark.parametrize(
    ("url", "options"),
    [
        ("https://esm.sh/react@18?dev", {"dev": ""}),
        ("https://esm.sh/x@1?target=es2020&bundle&pin=v1", {}),
        ("https://esm.sh/react-dom@18&dev/client", {"dev": ""}),
        ("https://esm.sh/@a/b@1&external=react/c", {"external": "react"}),
        ("https://esm.sh/x@1?deps=react@18.2.0,y@1&alias=a:b", {"deps": "react@18.2.0,y@1", "alias": "a:b"}),
        ("https://esm.sh/*swr@2", {"external": "*"}),
    ],
)
def test_how_esm_sh_is_told_to_make_a_module(url: str, options: dict[str, str]) -> None:
    file = parse(url)
    assert file is not None and file.form == "module" and dict(file.options) == options


MODULES = [url for url, row in FILES.items() if row[0] == "module"]


@pytest.mark.parametrize(
    "url", [*MODULES, "https://esm.sh/*swr@2", "https://esm.sh/x@1?dev&deps=react@18.2.0,@a/b@1&alias=a:b"]
)
def test_the_address_of_a_module_means_the_same_module(url: str) -> None:
    file = parse(url)
    assert file is not None
    home = parse(module_url(file))
    assert home == file and module_url(home) == module_url(file)


@pytest.mark.parametrize(
    ("specifier", "found"),
    [
        ("react", ("react", "")),
        ("react-dom/client", ("react-dom", "client")),
        ("@a/b", ("@a/b", "")),
        ("@a/b/c/d.js", ("@a/b", "c/d.js")),
        ("./x", ("", "")),
        ("#internal", ("", "")),
    ],
)
def test_the_package_of_an_import(specifier: str, found: tuple[str, str]) -> None:
    assert package_of(specifier) == found


# --- finding them in an app


def test_addresses_in_pages_styles_and_scripts() -> None:
    page = """<script src="https://unpkg.com/vue@3"></script><link href='//cdn.jsdelivr.net/npm/a@1/a.css'>
    <link href="https://fonts.googleapis.com/css2?family=A&amp;family=B"><script src=http://cdn.tailwindcss.com></script>
    <script type="importmap">{"imports": {"three/addons/": "https://unpkg.com/three@0.1/examples/jsm/"}}</script>"""
    style = "@import url(https://unpkg.com/normalize.css@8/normalize.css);"
    script = (
        "import('https://esm.sh/react@18'); load(`https://unpkg.com/${name}`); // see https://unpkg.com/x."
    )
    assert mentions([page, style, script]).urls == (
        "https://unpkg.com/vue@3",
        "https://cdn.jsdelivr.net/npm/a@1/a.css",
        "https://fonts.googleapis.com/css2?family=A&family=B",
        "https://cdn.tailwindcss.com",
        "https://unpkg.com/three@0.1/examples/jsm/",
        "https://unpkg.com/normalize.css@8/normalize.css",
        "https://esm.sh/react@18",
        "https://unpkg.com/x",
    )


@pytest.mark.parametrize(
    ("text", "outside"),
    [
        ("<script src=app.js></script><a href=https://example.com>more</a>", False),
        ("<img class=x src='https://example.com/a.png'>", True),
        ("<script async src=//example.com/a.js></script>", True),
        ("const base = 'https://unpkg.com';", True),
        ("https://my-unpkg.com/x", False),
    ],
)
def test_whether_an_app_asks_other_hosts(text: str, outside: bool) -> None:
    assert mentions([text]).outside is outside


def test_all_hosts_are_found() -> None:
    for host in HOSTS:
        assert mentions([f'"https://{host}/x"']).outside
