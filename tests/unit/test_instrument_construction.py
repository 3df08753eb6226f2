"""Building projects by stand-ins for their tools: the order of the ways, what is kept apart, and failures in words."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from instrument import checks
from instrument.construction import BuildSettings, Built, built, results_of
from instrument.errors import AppError
from instrument.kinds.commands import followed, parts_of
from instrument.kinds.evidence import Way
from instrument.lockfile import Manager
from instrument.project import Project
from instrument.runner import Limits
from instrument.sourceroots import home_of
from tests.folders import digest

BUILD = """
import fs from 'node:fs';
fs.mkdirSync('dist', { recursive: true });
const names = fs.readdirSync('src').filter((name) => name.endsWith('.js'));
fs.writeFileSync('dist/app.js', names.map((name) => fs.readFileSync('src/' + name, 'utf8')).join('\\n'));
fs.writeFileSync('dist/index.html', '<!doctype html><script src="app.js"></script>');
fs.writeFileSync('dist/env.json', JSON.stringify(process.env));
fs.appendFileSync('node_modules/lib/index.js', '// changed');
fs.appendFileSync('package.json', ' ');
"""
"""What a bundler does to a project: reads its sources, writes a folder, and leaves traces."""


CHECK = """#!/usr/bin/env node
const fs = require('node:fs');
fs.appendFileSync('checked.txt', process.argv.slice(2).join(' ') + '\\n');
const text = fs.readFileSync('src/main.js', 'utf8');
if (!text.startsWith('// @ts-nocheck') && text.includes('wrong')) {
  console.error("src/main.js(1,5): error TS2322: Type 'string' is not assignable to type 'number'.");
  process.exit(2);
}
"""
"""A type checker that a comment silences, as counters bring one; it leaves a trace of each call."""


def make_project(
    folder: Path,
    *,
    build: str = BUILD,
    sources: Mapping[str, str] | None = None,
    scripts: Mapping[str, str] | None = None,
    more: Mapping[str, str] | None = None,
) -> Project:
    root = folder / "shop"
    scripts = scripts or {"build": "node build.config.mjs"}
    files = {
        "package.json": json.dumps(
            {"name": "shop", "scripts": scripts, "devDependencies": {"typescript": "5"}}
        ),
        "node_modules/.bin/tsc": CHECK,
        **(more or {}),
        "build.config.mjs": build,
        "node_modules/lib/index.js": "module.exports = 1;\n",
        **(sources or {"src/main.js": "document.title = 'Shop';\nfunction go() {\n  return 1;\n}\ngo();\n"}),
    }
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (root / "node_modules/.bin/tsc").chmod(0o755)
    return Project(
        kind="script",
        flavour="",
        root=root,
        workspace=root,
        manager=Manager("npm", "", "for the test", None),
        script="build",
        command=scripts["build"],
        outputs=("dist",),
        server="",
        base="",
        source_folders=("src",),
        public_folder="",
        way="source",
        reason="for the test",
        installed=True,
    )


class Builder:
    """Builds in a cache of its own and remembers what was said."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.said: list[str] = []

    def __call__(
        self, project: Project, settings: BuildSettings | None = None
    ) -> tuple[Built, dict[str, str]]:
        """What was built, and the texts of its folder."""
        settings = replace(settings or BuildSettings(), folder=self.folder)

        async def run() -> tuple[Built, dict[str, str]]:
            async with built(project, settings, say=self.said.append) as result:
                files = (path for path in result.folder.rglob("*") if path.is_file())
                return result, {
                    path.relative_to(result.folder).as_posix(): path.read_text() for path in files
                }

        return asyncio.run(run())


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Builder:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return Builder(tmp_path / "builds")


def test_counters_are_put_in_before_the_build_and_the_folder_stays_as_it_is(
    build: Builder, tmp_path: Path
) -> None:
    project = make_project(tmp_path)
    before = digest(project.root)
    result, files = build(project)
    assert digest(project.root) == before
    (unit,) = result.carried.units.values()
    assert unit.key == "src/main.js"
    assert unit.served.text == (project.root / "src/main.js").read_text()
    assert unit.served.statements.tolist() == [[1, 0, 1, 24], [3, 2, 3, 11], [5, 0, 5, 5]]
    assert next(iter(result.carried.units)) in files["app.js"]
    assert result.reason == "counters were put into the sources before they were built"
    assert result.log.read_text().startswith("$ npm run build")
    assert any(line == "building: node build.config.mjs" for line in build.said)


def test_the_build_sees_no_secret(build: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "very-secret")
    monkeypatch.setenv("SOME_VARIABLE", "very-secret")
    result, files = build(make_project(tmp_path))
    env = json.loads(files["env.json"])
    assert "very-secret" not in env.values()
    assert env["HOME"] == str(result.copy.home)
    assert env["CI"] == "true"


def test_a_source_that_breaks_the_build_is_built_as_it_is(build: Builder, tmp_path: Path) -> None:
    picky = (
        "if (fs.readFileSync('src/picky.js', 'utf8').includes('__cv'))"
        " { console.error('src/picky.js:1:2: error: unexpected name'); process.exit(1); }\n" + BUILD
    )
    sources = {"src/picky.js": "let a = 1;\n", "src/main.js": "let b = 2;\n"}
    result, files = build(make_project(tmp_path, build=picky, sources=sources))
    assert [unit.key for unit in result.carried.units.values()] == ["src/main.js"]
    assert [one.path for one in result.carried.failed] == ["src/picky.js"]
    assert "let a = 1;\n" in files["app.js"]


def test_a_build_that_takes_no_counters_is_made_without_them(build: Builder, tmp_path: Path) -> None:
    picky = (
        "if (fs.readFileSync('src/main.js', 'utf8').includes('__cv')) { console.error('no'); process.exit(1); }\n"
        + BUILD
    )
    project = make_project(tmp_path, build=picky)
    result, files = build(project)
    assert not result.carried.units
    assert files["app.js"] == (project.root / "src/main.js").read_text()
    assert (
        result.reason
        == "what was built is instrumented as it is served: the build failed with counters in the sources (no)"
    )


def test_sources_of_a_workspaces_member_are_named_below_the_workspace(build: Builder, tmp_path: Path) -> None:
    project = make_project(tmp_path / "repo/apps")
    (tmp_path / "repo/package.json").write_text('{"workspaces": ["apps/*"]}')
    result, _ = build(replace(project, workspace=tmp_path / "repo"))
    assert [unit.key for unit in result.carried.units.values()] == ["apps/shop/src/main.js"]
    assert home_of(project.root) == tmp_path / "repo"
    assert home_of(tmp_path / "repo") == tmp_path / "repo"


WRONG = {"src/main.js": "const n = 'wrong';\n"}
CHECKED_FIRST = {"build": "tsc --noEmit && node build.config.mjs"}
CHECKED_BY_ANOTHER = {"build": "npm run types && node build.config.mjs", "types": "tsc --noEmit"}
CHECKED_BEFORE = {"prebuild": "tsc --noEmit", "build": "node build.config.mjs"}


@pytest.mark.parametrize("scripts", [CHECKED_FIRST, CHECKED_BY_ANOTHER, CHECKED_BEFORE])
def test_counters_hide_no_wrong_type_from_the_builds_own_checker(
    build: Builder, tmp_path: Path, scripts: Mapping[str, str]
) -> None:
    with pytest.raises(AppError, match=r"(?s)error TS2322: Type 'string'.*The types are wrong") as caught:
        build(make_project(tmp_path, sources=WRONG, scripts=scripts))
    assert caught.value.exit_code == 3
    assert "checking the sources as they are: tsc --noEmit" in build.said


def test_a_checker_that_is_content_costs_one_call_and_leaves_nothing(build: Builder, tmp_path: Path) -> None:
    result, files = build(make_project(tmp_path, scripts=CHECKED_FIRST))
    assert result.carried.units
    assert "__cv" in files["app.js"]
    assert (
        result.copy.workspace / "checked.txt"
    ).read_text() == "--noEmit\n"  # of the build with counters alone
    assert sum(line.startswith("building: ") for line in build.said) == 1


def test_a_checker_that_needs_what_runs_before_it_is_judged_by_the_whole_build(
    build: Builder, tmp_path: Path
) -> None:
    scripts = {"build": "node make.config.mjs && tsc && node build.config.mjs"}
    more = {
        "make.config.mjs": "import fs from 'node:fs'; fs.writeFileSync('made', '');",
        "node_modules/.bin/tsc": "#!/usr/bin/env node\nif (!require('node:fs').existsSync('made')) process.exit(1);",
    }
    _, files = build(make_project(tmp_path, scripts=scripts, more=more))
    assert "__cv" in files["app.js"]
    assert "`tsc` fails; the whole build without counters decides" in build.said
    assert sum(line.startswith("building: ") for line in build.said) == 2


def test_a_bundler_that_checks_types_itself_is_asked_beforehand(build: Builder, tmp_path: Path) -> None:
    itself = (
        "import { execSync } from 'node:child_process';\n"
        "try { execSync('node_modules/.bin/tsc') } catch (error) { console.error(String(error.stderr)); process.exit(1); }\n"
    )
    project = make_project(tmp_path, build=itself + BUILD, sources=WRONG, more={"tsconfig.json": "{}"})
    with pytest.raises(AppError, match="error TS2322"):
        build(replace(project, kind="next"))
    assert "checking the sources as they are: tsc --noEmit -p tsconfig.json" in build.said


def test_checkers_of_a_build_script() -> None:
    def found(**scripts: str) -> list[str]:
        parts = [part for name in followed("build", scripts) for part in parts_of(scripts[name])]
        return [one for part in parts for one in checks._commands(part) if checks._checks(one)]

    assert found(build="tsc -b && vite build") == ["tsc -b"]
    assert found(
        build="run-p type-check build-only", **{"type-check": "vue-tsc --build", "build-only": "vite build"}
    ) == ["vue-tsc --build"]
    assert found(build='concurrently "npx eslint ." "vite build"') == ["npx eslint ."]
    assert found(
        build="NODE_ENV=production ./node_modules/.bin/tsc --noEmit; biome check . ; biome start"
    ) == [
        "NODE_ENV=production ./node_modules/.bin/tsc --noEmit",
        "biome check .",
    ]
    assert not found(
        build="tsc --watch & vite build --config tsc.config.js && node tsc-all.js && rm -rf ./eslint-cache"
    )


def builds_made(said: list[str]) -> int:
    return sum(line.startswith("building: ") for line in said)


def test_a_build_that_fails_for_the_user_too_is_made_twice_and_told_once(
    build: Builder, tmp_path: Path
) -> None:
    missing = "console.error('src/main.js: error: Could not resolve \"left-pad\"'); process.exit(1);"
    with pytest.raises(AppError, match=r"left-pad is not in package\.json: add it there") as caught:
        build(make_project(tmp_path, build=missing))
    assert builds_made(build.said) == 2
    assert sum("left-pad" in line for line in build.said) == 1
    assert str(caught.value).count("Could not resolve") == 1


@pytest.mark.parametrize("way", ["source", "served"])
def test_a_timeout_ends_at_once(build: Builder, tmp_path: Path, way: Way) -> None:
    project = replace(make_project(tmp_path, build="setInterval(() => {}, 1000);"), way=way)
    with pytest.raises(AppError, match="did not end within 1 seconds"):
        build(project, BuildSettings(limits=Limits(seconds=1)))
    assert builds_made(build.said) == 1


def test_sources_that_no_script_holds_are_told(build: Builder, tmp_path: Path) -> None:
    sources = {"src/main.js": "let b = 2;\n", "other/unused.js": "let c = 3;\n", "other/broken.js": "let (\n"}
    result, _ = build(make_project(tmp_path, sources=sources))
    assert [(one.path, one.reason.split(":")[0]) for one in result.carried.absent] == [
        ("other/unused.js", "in no script that the browser gets")
    ]
    assert [one.path for one in result.carried.failed] == ["other/broken.js"]


def test_a_failed_build_tells_the_lines_that_matter_and_where_the_log_is(
    build: Builder, tmp_path: Path
) -> None:
    failing = (
        "for (let i = 0; i < 50; i++) console.log('line', i);\n"
        "console.error(\"src/App.tsx(3,5): error TS2304: Cannot find name 'shop'.\"); process.exit(2);"
    )
    with pytest.raises(AppError) as caught:
        build(make_project(tmp_path, build=failing))
    message = str(caught.value)
    assert caught.value.exit_code == 3
    assert "could not be built by `node build.config.mjs` (it ended with code 2)" in message
    assert "error TS2304: Cannot find name 'shop'" in message
    assert "line 3" not in message
    assert "The types are wrong" in message
    log = Path(message.rpartition("The whole log is ")[2].rstrip("."))
    assert "line 49" in log.read_text()


def test_a_build_without_end_is_ended(build: Builder, tmp_path: Path) -> None:
    endless = "console.log('waiting'); setInterval(() => {}, 1000);"
    with pytest.raises(AppError, match=r"(?s)it did not end within 2 seconds.*waiting.*--build-timeout"):
        build(make_project(tmp_path, build=endless), BuildSettings(limits=Limits(seconds=2), counters=False))


def test_a_build_that_leaves_nothing_is_told(build: Builder, tmp_path: Path) -> None:
    with pytest.raises(AppError, match="ended well, but left no page in dist"):
        build(make_project(tmp_path, build="console.log('done');"))


def test_the_second_build_starts_from_the_users_own_sources(build: Builder, tmp_path: Path) -> None:
    project = make_project(tmp_path)
    first, _ = build(project)
    second, files = build(project, BuildSettings(counters=False))
    assert second.copy.place == first.copy.place
    assert "__cv" not in files["app.js"]
    assert "// changed" in (second.copy.workspace / "node_modules/lib/index.js").read_text()
    assert (second.copy.workspace / "node_modules/lib/index.js").read_text().count("// changed") == 1


def test_a_project_in_which_nothing_has_changed_is_not_built_again(build: Builder, tmp_path: Path) -> None:
    counting = BUILD + (
        "fs.writeFileSync('dist/when.txt', String(process.hrtime.bigint()));"
        "fs.writeFileSync('dist/package.json', '{\"type\": \"commonjs\"}');"
    )
    project = make_project(tmp_path, build=counting)
    first, files = build(project)
    again, same = build(project)
    assert same == files
    assert (again.reason, list(again.carried.units)) == (first.reason, list(first.carried.units))
    assert any(line.startswith("nothing has changed since the last build") for line in build.said)
    (again.folder / "index.html").unlink()
    damaged, _ = build(project)
    assert list(damaged.carried.units) == list(first.carried.units)
    _, anew = build(project, BuildSettings(again=False))
    assert anew["app.js"] == files["app.js"]
    assert anew["when.txt"] != files["when.txt"]
    (project.root / "src/main.js").write_text("document.title = 'Other';\n")
    _, changed = build(project)
    assert "Other" in changed["app.js"]
    _, plain = build(project, BuildSettings(counters=False))
    assert "__cv" not in plain["app.js"]


@pytest.mark.parametrize(
    ("server", "outputs", "kept"),
    [
        ("", ("docs/.vitepress/dist",), ("docs/.vitepress/dist",)),
        ("node .output/server/index.mjs", (".output/public",), (".output",)),
        ("astro preview", ("dist/client", "dist"), ("dist",)),
    ],
)
def test_of_a_server_all_that_was_built_is_kept(
    tmp_path: Path, server: str, outputs: tuple[str, ...], kept: tuple[str, ...]
) -> None:
    assert results_of(replace(make_project(tmp_path), server=server, outputs=outputs)) == kept


@pytest.mark.parametrize("said", ["url", "''"])
def test_fonts_that_cannot_be_fetched_get_stand_ins(build: Builder, tmp_path: Path, said: str) -> None:
    asking = (
        "const url = 'https://fonts.googleapis.com/css2?family=Geist+Mono:wght@100..900&display=swap';\n"
        "const file = process.env.NEXT_FONT_GOOGLE_MOCKED_RESPONSES;\n"
        "if (!file) { console.error('Failed to fetch `Geist Mono` from Google Fonts.' + SAID); process.exit(1); }\n"
        "const css = JSON.parse(fs.readFileSync(file, 'utf8'))[url];\n"
        "if (!css) { console.error('next/font error: Missing mocked response for URL: ' + url); process.exit(1); }\n"
        "if (!css.includes(\"font-family: 'Geist Mono'\")) process.exit(1);\n" + BUILD
    )
    result, _ = build(make_project(tmp_path, build=asking.replace("SAID", said)))
    assert result.carried.units
    assert any("local fonts take their place" in note for note in result.notes)


@pytest.mark.skipif(not Path("/proc/self/ns").is_dir(), reason="namespaces are Linux's")
def test_a_sandbox_keeps_the_build_in(build: Builder, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("secret")
    trying = (
        "import net from 'node:net';\n"
        "const tried = {};\n"
        f"for (const [name, run] of [['read', () => fs.readFileSync('{outside}', 'utf8')],"
        f" ['write', () => fs.writeFileSync('/etc/explorer-was-here', 'x')]])\n"
        "  try { run(); tried[name] = 'done'; } catch (error) { tried[name] = error.code; }\n"
        "await new Promise((end) => { const s = net.connect(80, '192.0.2.1');"
        " s.on('connect', end); s.on('error', (error) => { tried.net = error.code; end(); }); });\n"
        "await new Promise((end) => { const s = net.createServer().listen(0, '127.0.0.1', () =>"
        " net.connect(s.address().port, '127.0.0.1', () => { tried.loopback = 'done'; s.close(); end(); }).end()); });\n"
        + BUILD
        + "fs.writeFileSync('dist/tried.json', JSON.stringify(tried));"
    )
    result, files = build(make_project(tmp_path, build=trying), BuildSettings(sandbox=True))
    assert json.loads(files["tried.json"]) == {
        "read": "ENOENT",
        "write": "EROFS",
        "net": "ENETUNREACH",
        "loopback": "done",
    }
    assert result.protection.startswith(("namespaces: no network", "bubblewrap: no network"))
