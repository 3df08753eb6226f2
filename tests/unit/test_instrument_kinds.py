"""instrument.kinds: what builds a source tree, where its result is expected, and what settles a conflict."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from instrument.kinds.registry import KINDS
from instrument.project import find_project
from tests.projects import SOURCE_PAGE, Files, package, project_of, vite, write_project

ANGULAR = {
    "projects": {
        "shop": {
            "projectType": "application",
            "sourceRoot": "src",
            "architect": {"build": {"builder": "@angular/build:application", "options": {}}},
        }
    }
}
PAGE = '<script src="dist/app.js"></script>'
CRA_PAGE = {"public/index.html": "%PUBLIC_URL%", "src/index.js": ""}

# (what it is, files, kind, flavour, outputs, server)
TREES: list[tuple[str, Files, str, str, tuple[str, ...], str]] = [
    (
        "next server",
        {"package.json": package("next build", "next"), "app/page.tsx": ""},
        "next",
        "react",
        (".next",),
        "next start",
    ),
    (
        "next export",
        {
            "package.json": package("next build", "next"),
            "app/page.tsx": "",
            "next.config.ts": "export default { output: 'export' }",
        },
        "next",
        "react",
        ("out",),
        "",
    ),
    (
        "next export elsewhere",
        {
            "package.json": package("next build", "next"),
            "src/pages/index.js": "",
            "next.config.mjs": "export default { output: 'export', distDir: './web' }",
        },
        "next",
        "react",
        ("web", "out"),
        "",
    ),
    (
        "next export by variable",
        {
            "package.json": package("next build", "next"),
            "pages/index.js": "",
            "next.config.js": "const c = {}; c.output = 'export'; module.exports = c",
        },
        "next",
        "react",
        ("out",),
        "",
    ),
    (
        "next that no longer exports",
        {
            "package.json": package("next build", "next"),
            "pages/index.js": "",
            "next.config.js": "module.exports = { // output: 'export'\n}",
        },
        "next",
        "react",
        (".next",),
        "next start",
    ),
    (
        "next before 14",
        {"package.json": package("next build && next export", "next"), "pages/index.js": ""},
        "next",
        "react",
        ("out",),
        "",
    ),
    (
        "next behind a server of its own",
        {
            "package.json": {
                "scripts": {"build": "next build", "start": "node server.js"},
                "dependencies": {"next": "1"},
            },
            "pages/index.js": "",
            "server.js": "",
        },
        "next",
        "react",
        (".next",),
        "node server.js",
    ),
    (
        "next without a script",
        {"package.json": package("", "next"), "app/page.tsx": ""},
        "next",
        "react",
        (".next",),
        "next start",
    ),
    (
        "astro",
        {"package.json": package("astro check && astro build", "astro"), "src/pages/index.astro": ""},
        "astro",
        "vanilla",
        ("dist",),
        "",
    ),
    (
        "astro with islands",
        {
            "package.json": package("astro build", "astro", "@astrojs/react"),
            "astro.config.mjs": "export default defineConfig({ outDir: './public_html' })",
        },
        "astro",
        "react",
        ("public_html",),
        "",
    ),
    (
        "astro with islands of two kinds",
        {"package.json": package("astro build", "astro", "@astrojs/vue", "@astrojs/react")},
        "astro",
        "",
        ("dist",),
        "",
    ),
    (
        "astro on a server",
        {
            "package.json": package("astro build", "astro", "@astrojs/node"),
            "astro.config.ts": "export default defineConfig({ output: 'server', adapter: node() })",
        },
        "astro",
        "vanilla",
        ("dist/client", "dist"),
        "astro preview",
    ),
    (
        "astro with one page on demand",
        {
            "package.json": package("astro build", "astro"),
            "astro.config.mjs": "export default defineConfig({ adapter: node() })",
            "src/pages/now.astro": "---\nexport const prerender = false\n---",
        },
        "astro",
        "vanilla",
        ("dist/client", "dist"),
        "astro preview",
    ),
    (
        "astro with an adapter that no page uses",
        {
            "package.json": package("astro build", "astro"),
            "astro.config.mjs": "export default { adapter: node() }",
            "src/pages/index.astro": "",
        },
        "astro",
        "vanilla",
        ("dist",),
        "",
    ),
    (
        "sveltekit",
        {"package.json": package("vite build", dev=("@sveltejs/kit", "vite", "svelte")), "src/app.html": ""},
        "sveltekit",
        "svelte",
        (".svelte-kit/output/client",),
        "vite preview",
    ),
    (
        "sveltekit, static",
        {
            "package.json": package("vite build", dev=("@sveltejs/kit", "vite")),
            "src/routes/+page.svelte": "",
            "svelte.config.js": "import a from '@sveltejs/adapter-static'; export default "
            "{ kit: { adapter: a({ pages: 'site' }) } }",
        },
        "sveltekit",
        "svelte",
        ("site",),
        "",
    ),
    (
        "nuxt",
        {"package.json": package("nuxt build", "nuxt"), "app.vue": ""},
        "nuxt",
        "vue",
        (".output/public",),
        "node .output/server/index.mjs",
    ),
    (
        "nuxt, generated",
        {"package.json": package("nuxi generate", "nuxt"), "app.vue": ""},
        "nuxt",
        "vue",
        (".output/public", "dist"),
        "",
    ),
    (
        "angular",
        {"package.json": package("ng build", "@angular/core"), "angular.json": ANGULAR},
        "angular",
        "",
        ("dist/shop/browser", "dist/shop"),
        "",
    ),
    (
        "gatsby",
        {"package.json": package("gatsby build", "gatsby", "react"), "gatsby-config.ts": ""},
        "gatsby",
        "react",
        ("public",),
        "",
    ),
    (
        "create-react-app",
        {"package.json": package("react-scripts build", "react-scripts"), **CRA_PAGE},
        "create-react-app",
        "react",
        ("build",),
        "",
    ),
    (
        "create-react-app elsewhere",
        {"package.json": package("BUILD_PATH='./site' react-scripts build", "react-scripts"), **CRA_PAGE},
        "create-react-app",
        "react",
        ("site",),
        "",
    ),
    (
        "create-react-app elsewhere by .env",
        {
            "package.json": package("craco build", dev=("@craco/craco",)),
            ".env": "# BUILD_PATH=no\nBUILD_PATH=web # yes\n",
            **CRA_PAGE,
        },
        "create-react-app",
        "react",
        ("web",),
        "",
    ),
    (
        "vite react",
        {"package.json": vite("react"), "index.html": SOURCE_PAGE},
        "vite",
        "react",
        ("dist",),
        "",
    ),
    ("vite vue", {"package.json": vite("vue"), "index.html": SOURCE_PAGE}, "vite", "vue", ("dist",), ""),
    (
        "vite svelte",
        {"package.json": vite("svelte"), "index.html": SOURCE_PAGE},
        "vite",
        "svelte",
        ("dist",),
        "",
    ),
    (
        "vite solid",
        {"package.json": vite("solid-js"), "index.html": SOURCE_PAGE},
        "vite",
        "solid",
        ("dist",),
        "",
    ),
    (
        "vite preact",
        {"package.json": vite("preact"), "index.html": SOURCE_PAGE},
        "vite",
        "preact",
        ("dist",),
        "",
    ),
    ("vite lit", {"package.json": vite("lit"), "index.html": SOURCE_PAGE}, "vite", "lit", ("dist",), ""),
    ("vite vanilla", {"package.json": vite(), "index.html": SOURCE_PAGE}, "vite", "vanilla", ("dist",), ""),
    (
        "vite by its config's plugin",
        {
            "package.json": vite("react", "vue"),
            "index.html": SOURCE_PAGE,
            "vite.config.mts": "import vue from '@vitejs/plugin-vue'",
        },
        "vite",
        "vue",
        ("dist",),
        "",
    ),
    (
        "vite through other scripts",
        {
            "package.json": {
                "scripts": {
                    "build": 'run-p type-check "build-only {@}" --',
                    "build-only": "vite build",
                    "type-check": "vue-tsc",
                },
                "devDependencies": {"vite": "8", "vue": "3"},
            },
            "index.html": SOURCE_PAGE,
        },
        "vite",
        "vue",
        ("dist",),
        "",
    ),
    (
        "vite without a script",
        {"package.json": package("", dev=("vite",)), "index.html": SOURCE_PAGE},
        "vite",
        "vanilla",
        ("dist",),
        "",
    ),
    (
        "vite in a folder of its own",
        {
            "package.json": vite(),
            "client/index.html": SOURCE_PAGE,
            "vite.config.js": "export default { root: './client', build: { outDir: '../web' } }",
        },
        "vite",
        "vanilla",
        ("web",),
        "",
    ),
    (
        "vite beside a server, by resolved paths",
        {
            "package.json": package(
                "vite build && esbuild server/index.ts --bundle --outdir=dist",
                "react",
                dev=("vite", "esbuild"),
            ),
            "vite.config.ts": "export default { root: path.resolve(import.meta.dirname, 'client'), "
            "build: { outDir: path.resolve(import.meta.dirname, 'dist/public') } }",
            "client/index.html": SOURCE_PAGE,
        },
        "vite",
        "react",
        ("dist/public",),
        "",
    ),
    (
        "expo for the web",
        {
            "package.json": {
                "scripts": {"build-web": "expo export -p web"},
                "dependencies": {"expo": "1", "react": "1"},
            }
        },
        "script",
        "react",
        ("dist",),
        "",
    ),
    (
        "vite by options",
        {
            "package.json": package("vite build site --outDir=../out --mode staging", dev=("vite",)),
            "site/index.html": SOURCE_PAGE,
        },
        "vite",
        "vanilla",
        ("out",),
        "",
    ),
    (
        "vite with a computed output",
        {
            "package.json": vite(),
            "index.html": SOURCE_PAGE,
            "vite.config.ts": "export default { build: { outDir: resolve(__dirname, 'web', 'app') } }",
        },
        "vite",
        "vanilla",
        ("web/app",),
        "",
    ),
    (
        "parcel",
        {
            "package.json": package("parcel build src/index.html --dist-dir web", dev=("parcel",)),
            "src/index.html": SOURCE_PAGE,
        },
        "parcel",
        "vanilla",
        ("web",),
        "",
    ),
    (
        "webpack with a template",
        {
            "package.json": package(
                "webpack --mode=production", "react", dev=("webpack", "html-webpack-plugin")
            ),
            "webpack.config.js": "module.exports = { output: { path: path.resolve(__dirname, 'web') } }",
            "src/index.html": "<div>",
        },
        "webpack",
        "react",
        ("web",),
        "",
    ),
    (
        "webpack beside the page",
        {"package.json": package("webpack", dev=("webpack",)), "index.html": '<script src="dist/main.js">'},
        "webpack",
        "vanilla",
        (".", "dist"),
        "",
    ),
    (
        "vue cli",
        {
            "package.json": package("vue-cli-service build", "vue", dev=("@vue/cli-service",)),
            "vue.config.js": "module.exports = { outputDir: 'web' }",
            "public/index.html": "<%= BASE_URL %>",
        },
        "webpack",
        "vue",
        ("web",),
        "",
    ),
    (
        "esbuild",
        {
            "package.json": package("esbuild src/app.ts --bundle --outfile=dist/app.js", dev=("esbuild",)),
            "index.html": PAGE,
        },
        "esbuild",
        "vanilla",
        (".", "dist"),
        "",
    ),
    (
        "esbuild by a script",
        {
            "package.json": package("node build.mjs", "react", dev=("esbuild",)),
            "build.mjs": "import { build } from 'esbuild'; build({ outdir: 'public/js' })",
            "public/index.html": '<script src="js/app.js"></script>',
        },
        "esbuild",
        "react",
        ("public", "public/js"),
        "",
    ),
    (
        "rollup",
        {"package.json": package("rollup -c", dev=("rollup",)), "index.html": PAGE},
        "script",
        "vanilla",
        (".", "dist", "build", "out", "_site"),
        "",
    ),
    (
        "eleventy",
        {"package.json": package("npx @11ty/eleventy", dev=("@11ty/eleventy",))},
        "script",
        "vanilla",
        ("_site",),
        "",
    ),
    (
        "react router",
        {
            "package.json": package("react-router build", "react", dev=("vite", "@react-router/dev")),
            "vite.config.ts": "",
        },
        "script",
        "react",
        ("build/client",),
        "react-router-serve ./build/server/index.js",
    ),
]


@pytest.mark.parametrize(
    ("files", "kind", "flavour", "outputs", "server"),
    [tree[1:] for tree in TREES],
    ids=[tree[0] for tree in TREES],
)
def test_what_builds_a_tree_and_where_to(
    tmp_path: Path, files: Files, kind: str, flavour: str, outputs: tuple[str, ...], server: str
) -> None:
    project = project_of(tmp_path, files)
    assert (project.kind, project.flavour, project.outputs, project.server) == (
        kind,
        flavour,
        outputs,
        server,
    )
    assert project.root == project.workspace == tmp_path
    assert project.reason
    own = [one for one in project.evidence if one.kind == kind]
    assert own
    assert all((tmp_path / one.file).exists() for one in project.evidence)


@pytest.mark.parametrize(
    ("build", "more", "kind"),
    [
        ("esbuild src/app.ts --outfile=public/app.js", {}, "esbuild"),
        ("esbuild src/app.ts --bundle --outdir=public", {}, "esbuild"),
        (
            "node b.mjs",
            {"b.mjs": "import e from 'esbuild'; e.build({ entryPoints: ['src/app.ts'], outdir: 'public' })"},
            "esbuild",
        ),
        ("webpack --output-path public --output-filename app.js", {}, "webpack"),
        (
            "webpack",
            {"webpack.config.js": "({ output: { path: resolve('public'), filename: '[name].js' } })"},
            "webpack",
        ),
        ("rollup src/app.js --file public/app.js", {}, "script"),
        (
            "rollup -c",
            {"rollup.config.mjs": "export default { output: { file: './public/app.js' } }"},
            "script",
        ),
        ("browserify src/app.js > public/app.js", {}, "script"),
        ("browserify src/app.js -o public/app.js", {}, "script"),
    ],
)
@pytest.mark.parametrize("built", [False, True], ids=["before", "after"])
def test_a_script_built_into_the_folder_of_its_page(
    tmp_path: Path, build: str, more: Files, kind: str, built: bool
) -> None:
    result = {"public/app.js": ""} if built else {}
    page = {"public/index.html": '<script src="app.js"></script>', "public/app.css": ""}
    project = project_of(tmp_path, {"package.json": package(build), **page, **more, **result})
    assert (project.kind, project.outputs[0], project.proof) == (kind, "public", "app.js")
    assert project.built == (tmp_path / "public" if built else None)


def test_every_kind_has_a_tree() -> None:
    assert {kind.name for kind in KINDS} == {tree[2] for tree in TREES}


EJECTED = {**CRA_PAGE, "config/paths.js": "", "scripts/build.js": ""}
NEXT_FILES = {"app/page.tsx": "", "next.config.js": ""}

# (what, files, kind, a word of the reason)
CONFLICTS: list[tuple[str, Files, str, str]] = [
    (
        "next for a side page of a Vite app",
        {"package.json": vite("react", "next"), "index.html": SOURCE_PAGE},
        "vite",
        "settles it although dependencies name next",
    ),
    (
        "left over react-scripts",
        {"package.json": vite("react-scripts"), "index.html": SOURCE_PAGE, **CRA_PAGE},
        "vite",
        "settles it although dependencies name react-scripts",
    ),
    (
        "astro with a Vite config",
        {
            "package.json": package("astro build", "astro", "vite"),
            "vite.config.ts": "",
            "index.html": SOURCE_PAGE,
        },
        "astro",
        "`astro build`",
    ),
    (
        "no script: next goes before vite",
        {"package.json": package("", "next", "vite"), "index.html": SOURCE_PAGE, **NEXT_FILES},
        "next",
        "no script builds it, and dependencies name next",
    ),
    (
        "only in devDependencies",
        {"package.json": package("", dev=("next",)), **NEXT_FILES},
        "next",
        "devDependencies name next",
    ),
    (
        "webpack behind a framework",
        {"package.json": package("next build", "next", "webpack"), "webpack.config.js": "", **NEXT_FILES},
        "next",
        "`next build`",
    ),
    (
        "vitest is not vite",
        {"package.json": package("webpack", dev=("vitest", "webpack", "html-webpack-plugin"))},
        "webpack",
        "`webpack`",
    ),
    (
        "a storybook beside it",
        {
            "package.json": {
                "scripts": {"build-storybook": "storybook build", "build": "vite build"},
                "devDependencies": {"vite": "8", "storybook": "9"},
            },
            ".storybook/main.ts": "",
            "index.html": SOURCE_PAGE,
        },
        "vite",
        "the script `build` runs",
    ),
    (
        "docs beside it",
        {
            "package.json": {
                "scripts": {"docs:build": "vitepress build docs", "build:app": "vite build"},
                "devDependencies": {"vite": "8", "vitepress": "1"},
            },
            "index.html": SOURCE_PAGE,
        },
        "vite",
        "`build:app`",
    ),
    (
        "build only checks types",
        {
            "package.json": {
                "scripts": {"build": "tsc --noEmit", "bundle": "vite build"},
                "devDependencies": {"vite": "8"},
            },
            "index.html": SOURCE_PAGE,
        },
        "vite",
        "`bundle`",
    ),
    (
        "environment in front",
        {
            "package.json": package(
                "cross-env NODE_ENV=production node_modules/.bin/vite build", dev=("vite",)
            ),
            "index.html": SOURCE_PAGE,
        },
        "vite",
        "vite build",
    ),
    (
        "options in between",
        {"package.json": package("NODE_OPTIONS=--x next --turbo build", "next"), **NEXT_FILES},
        "next",
        "next",
    ),
    (
        "a build program of its own",
        {"package.json": package("node scripts/make.mjs", dev=("vite",)), "index.html": SOURCE_PAGE},
        "vite",
        "a program of the project's own",
    ),
    (
        "react-scripts ejected",
        {"package.json": package("node scripts/build.js", "react", "webpack"), **EJECTED},
        "create-react-app",
        "a program of the project's own",
    ),
]


@pytest.mark.parametrize(
    ("files", "kind", "word"),
    [conflict[1:] for conflict in CONFLICTS],
    ids=[conflict[0] for conflict in CONFLICTS],
)
def test_what_settles_a_conflict(tmp_path: Path, files: Files, kind: str, word: str) -> None:
    project = project_of(tmp_path, files)
    assert project.kind == kind
    assert word in project.reason


NO_APPS: list[tuple[str, Files]] = [
    (
        "a page that translates its JSX itself",
        {
            "package.json": package("rollup -c"),
            "index.html": "<script type='text/babel' src='app.jsx'></script>",
            "app.jsx": "",
        },
    ),
    (
        "a page that runs, with a linter",
        {"package.json": package("eslint .", dev=("eslint",)), "index.html": "<script src=a.js>", "a.js": ""},
    ),
    (
        "a page that runs, with a minifier",
        {"package.json": package("terser a.js -o a.min.js"), "index.html": "<p>"},
    ),
    (
        "a page with a library from elsewhere",
        {
            "package.json": package("webpack", dev=("webpack",)),
            "index.html": '<script src="https://cdn.test/a.js">',
        },
    ),
    (
        "a built site with its package.json",
        {
            "package.json": package("webpack", dev=("webpack",)),
            "index.html": '<script src="js/app.js">',
            "js/app.js": "",
        },
    ),
    (
        "a library of Vite",
        {"package.json": vite(), "vite.config.ts": "export default { build: { lib: { entry: 'a.ts' } } }"},
    ),
    ("a library of tsc", {"package.json": package("tsc", dev=("typescript",)), "src/index.ts": ""}),
    (
        "a library of rollup with tests",
        {"package.json": package("rollup -c", "react", dev=("rollup", "vite", "vitest"))},
    ),
    ("components for next", {"package.json": package("tsup", "next", "react"), "src/button.tsx": ""}),
    ("a server", {"package.json": package("", "express"), "server.js": ""}),
    ("a storybook alone", {"package.json": {"scripts": {"build-storybook": "storybook build"}}}),
    ("a plain site", {"index.html": "<p>", "tools/package.json": vite(), "tools/index.html": SOURCE_PAGE}),
    (
        "a result",
        {"index.html": '<script type="module" crossorigin src="/assets/index-D64VDMd1.js"></script>'},
    ),
    ("nothing", {"readme.txt": ""}),
]


@pytest.mark.parametrize("files", [case[1] for case in NO_APPS], ids=[case[0] for case in NO_APPS])
def test_what_needs_no_build_is_no_project(tmp_path: Path, files: Files) -> None:
    assert find_project(write_project(tmp_path, files)) is None


@pytest.mark.parametrize("ending", [".js", ".ts", ".mjs", ".cjs", ".mts", ".cts"])
def test_configs_of_any_ending_are_read(tmp_path: Path, ending: str) -> None:
    files = {
        "package.json": vite(),
        "index.html": SOURCE_PAGE,
        f"vite.config{ending}": "export default { base: '/x/', build: { outDir: 'web' } }",
    }
    project = project_of(tmp_path, files)
    assert (project.config, project.base, project.outputs) == (f"vite.config{ending}", "/x/", ("web",))
    assert {one.words for one in project.evidence if one.by == "config"} == {
        f"vite.config{ending} is there",
        f"vite.config{ending} says base is /x/",
        f"vite.config{ending} says build.outDir is web",
    }


@pytest.mark.parametrize(
    ("files", "base"),
    [
        ({"package.json": vite(), "index.html": SOURCE_PAGE, "vite.config.js": "({ base: './' })"}, "./"),
        (
            {
                "package.json": vite(),
                "index.html": SOURCE_PAGE,
                "vite.config.js": "({ base: p ? '/a/' : '/' })",
            },
            "",
        ),
        (
            {
                "package.json": vite(),
                "index.html": SOURCE_PAGE,
                "vite.config.js": "({ plugins: [pwa({ base: '/no/' })], server: { base: '/nor/' } })",
            },
            "",
        ),
        (
            {"package.json": package("vite build --base=/shop/", dev=("vite",)), "index.html": SOURCE_PAGE},
            "/shop/",
        ),
        (
            {
                "package.json": package("next build", "next"),
                "app/page.js": "",
                "next.config.js": "module.exports = { basePath: '/docs', images: {} }",
            },
            "/docs",
        ),
        (
            {
                "package.json": package(
                    "react-scripts build", "react-scripts", homepage="https://a.test/repo/"
                ),
                **CRA_PAGE,
            },
            "/repo",
        ),
        ({"package.json": package("react-scripts build", "react-scripts", homepage="."), **CRA_PAGE}, "."),
        (
            {
                "package.json": package("astro build", "astro"),
                "astro.config.mjs": "({ site: 'x', base: '/b' })",
            },
            "/b",
        ),
        (
            {
                "package.json": package("nuxt build", "nuxt"),
                "nuxt.config.ts": "({ app: { baseURL: '/n/' } })",
            },
            "/n/",
        ),
    ],
)
def test_the_base_path_is_read_where_it_is_written(tmp_path: Path, files: Files, base: str) -> None:
    assert project_of(tmp_path, files).base == base


@pytest.mark.parametrize(
    ("needs", "way"),
    [
        (("react",), "source"),
        (("solid-js",), "source"),
        (("vue",), "served"),
        (("svelte",), "served"),
        (("@builder.io/qwik",), "served"),
    ],
)
def test_compilers_of_components_are_counted_in_their_result(
    tmp_path: Path, needs: tuple[str, ...], way: str
) -> None:
    project = project_of(tmp_path, {"package.json": vite(*needs), "index.html": SOURCE_PAGE})
    assert project.way == way
    assert project.way_reason


def test_the_config_of_plain_svelte_is_no_sign_of_sveltekit(tmp_path: Path) -> None:
    files: Files = {"index.html": SOURCE_PAGE, "svelte.config.js": "export default {}", "vite.config.js": ""}
    packages = ("vite", "svelte", "@sveltejs/vite-plugin-svelte")
    plain = project_of(tmp_path / "plain", {**files, "package.json": package("vite build", dev=packages)})
    kit = project_of(
        tmp_path / "kit", {**files, "package.json": package("vite build", dev=(*packages, "@sveltejs/kit"))}
    )

    assert "sveltekit" not in {one.kind for one in plain.evidence}
    assert any(one.kind == "sveltekit" and one.file == "svelte.config.js" for one in kit.evidence)


def test_the_page_of_a_library_is_a_demonstration(tmp_path: Path) -> None:
    config = "export default { build: { lib: { entry: 'src/a.ts' } } }"
    project = project_of(
        tmp_path, {"package.json": vite(), "index.html": SOURCE_PAGE, "vite.config.ts": config}
    )
    assert project.library
    assert "demonstration" in project.reason


@pytest.mark.parametrize(
    ("options", "outputs", "server"),
    [
        ({"outputPath": "web"}, ("web/browser", "web"), ""),
        ({"outputPath": {"base": "web", "browser": ""}}, ("web",), ""),
        (
            {"ssr": {"entry": "src/server.ts"}},
            ("dist/shop/browser", "dist/shop"),
            "node dist/shop/server/server.mjs",
        ),
        ({"ssr": True, "outputMode": "static"}, ("dist/shop/browser", "dist/shop"), ""),
    ],
)
def test_angular_says_its_output_in_its_workspace_file(
    tmp_path: Path, options: dict[str, Any], outputs: tuple[str, ...], server: str
) -> None:
    build = {"builder": "@angular/build:application", "options": options}
    config = {
        "projects": {
            "lib": {"projectType": "library"},
            "shop": {**ANGULAR["projects"]["shop"], "architect": {"build": build}},
        }
    }
    project = project_of(
        tmp_path, {"package.json": package("ng build", "@angular/core"), "angular.json": config}
    )
    assert (project.outputs, project.server) == (outputs, server)


@pytest.mark.parametrize(
    ("command", "needs", "way"),
    [
        ("docusaurus build", ("@docusaurus/core", "react"), "source"),
        ("vitepress build", ("vitepress", "vue"), "served"),
    ],
)
def test_tools_of_their_own_take_counters_in_plain_sources_only(
    tmp_path: Path, command: str, needs: tuple[str, ...], way: str
) -> None:
    files = {"package.json": package(command, *needs), "src/index.js": "let a = 1;\n"}
    project = project_of(tmp_path, files)
    assert (project.kind, project.way) == ("script", way)


@pytest.mark.parametrize(
    "command",
    [
        "npm run compile",
        "yarn run compile",
        "pnpm -r build",
        "pnpm --filter web build",
        "npm run build --workspaces",
        "npm run build -w web",
        "npm --prefix ../web run build",
        "turbo run build",
        "npx nx build shop",
        "run-s codegen compile",
    ],
)
def test_a_build_script_that_calls_what_is_not_seen_is_never_passed_over(
    tmp_path: Path, command: str
) -> None:
    manifest: dict[str, Any] = {
        "scripts": {"build": command, "build:demo": "vite build --outDir demo"},
        "devDependencies": {"vite": "^8.0.0"},
    }
    project = project_of(tmp_path, {"package.json": manifest, "index.html": SOURCE_PAGE})
    assert (project.kind, project.script, project.command) == ("vite", "build", command)
    assert "which cannot be followed here" in project.reason


@pytest.mark.parametrize("command", ["tsc", "yarn rollup -c", "tsup"])
def test_a_build_script_that_makes_no_page_leaves_it_to_the_tool(tmp_path: Path, command: str) -> None:
    manifest: dict[str, Any] = {"scripts": {"build": command}, "devDependencies": {"vite": "^8.0.0"}}
    project = project_of(tmp_path, {"package.json": manifest, "index.html": SOURCE_PAGE})
    assert (project.script, project.command) == ("", "vite build")
    assert f"the script `build` (`{command}`) makes no page of it" in project.reason
