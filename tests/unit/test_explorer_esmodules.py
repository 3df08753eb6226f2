"""Modules of packages: one address for each, CommonJS turned into exports, imports led to the same CDN."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from explorer.cdn import parse
from explorer.esmodules import ModuleMaker, ModuleText
from explorer.npm import NpmError
from explorer.packages import PackageStore
from tests.registry import INSTALLED, Registry, running

CORE = """'use strict';
if (process.env.NODE_ENV === 'production') module.exports = require('./core.prod.js');
else module.exports = require('./core.dev.js');"""

UNIVERSAL = """(function (root, make) { typeof exports === 'object' ? module.exports = make() : (root.u = make()); })(
this, function () { function u() {} u.first = 1; u.later = () => 2; return u; });"""
COMPILED = """Object.defineProperty(exports, '__esModule', { value: true });
exports.default = function f() {}; exports.named = 4;"""


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Registry]:
    with (
        pytest.MonkeyPatch.context() as monkeypatch,
        running(tmp_path_factory.mktemp("registry"), monkeypatch) as found,
    ):
        # The bundler; that it is installed when it is not there, another test shows.
        link = PackageStore().folder / "tools" / "node_modules"
        link.parent.mkdir(parents=True)
        link.symlink_to(INSTALLED)
        _publish(found)
        yield found


def _publish(registry: Registry) -> None:
    modes = {f"core.{mode}.js": f"exports.mode = '{mode}'; exports.box = {{}};" for mode in ("prod", "dev")}
    for version in ("1.0.0", "1.1.0"):
        registry.publish("core", version, {"index.js": CORE, **modes})
    view = "const core = require('core'); exports.box = core.box; exports.mode = core.mode;"
    registry.publish(
        "view",
        "1.0.0",
        {"index.js": view, "client.js": "exports.view = require('./index.js');"},
        peerDependencies={"core": "^1.0.0"},
    )
    hooks = "import { box } from 'core'; import view from 'view'; export const same = box === view.box; export default view;"
    registry.publish(
        "hooks",
        "2.0.0",
        {"index.mjs": hooks},
        module="index.mjs",
        peerDependencies={"core": "^1", "view": "1"},
    )
    registry.publish(
        "alone", "1.0.0", {"index.js": "export default 1; export const two = 2;"}, module="index.js"
    )
    registry.publish("universal", "1.0.0", {"index.js": UNIVERSAL})
    literal = "var a = {b: 1}; module.exports = { Plain, Member: a.b, short() {}, last: 1 };"
    registry.publish("literal", "1.0.0", {"index.js": "var Plain = 3;" + literal})
    registry.publish("compiled", "1.0.0", {"index.js": COMPILED})
    builtin = "import fs from 'fs'; import { EventEmitter } from 'events'; export default [fs, EventEmitter];"
    registry.publish("server", "1.0.0", {"index.js": builtin}, module="index.js")
    registry.publish(
        "events",
        "3.3.0",
        {"events.js": "module.exports = class {}; module.exports.EventEmitter = module.exports;"},
        main="events.js",
    )
    chosen = {"exports": {".": {"browser": "./b.js", "default": "./n.js"}, "./sub": "./s.js"}}
    files = {"b.js": "browser", "n.js": "node", "s.js": "sub", "deep/file.js": "deep"}
    texts = {path: f"export default '{name}'" for path, name in files.items()}
    registry.publish("chooser", "1.0.0", texts, **chosen)


def text(url: str, **pins: list[str]) -> ModuleText:
    file = parse(url)
    assert file is not None
    return asyncio.run(ModuleMaker(PackageStore(), pins).text(file, url))


def evaluated(url: str, expression: str, tmp_path: Path) -> str:
    """What an expression of the module `m` is: the module and all that it imports run by Node, an address a file."""
    names: dict[str, str] = {}

    def write(address: str) -> None:
        if address in names:
            return
        names[address] = f"./m{len(names)}.mjs"
        made = text(address)
        for other in made.imports:
            write(other)
        code = made.text
        for other, file in names.items():
            code = code.replace(f'"{other}"', f'"{file}"')
        (tmp_path / names[address]).write_text(code)

    write(url)
    (tmp_path / "main.mjs").write_text(
        f"import * as m from '{names[url]}';\nconsole.log(String({expression}));"
    )
    node = shutil.which("node")
    assert node
    done = subprocess.run([node, "main.mjs"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_an_address_without_an_exact_version_passes_on_the_one_that_has_it(registry: Registry) -> None:
    made = text("https://esm.sh/alone@1")
    assert made.version == "1.0.0" and made.imports == ("https://esm.sh/alone@1.0.0",)
    assert 'export * from "https://esm.sh/alone@1.0.0"' in made.text and "export { default }" in made.text
    assert "two = 2" in text("https://esm.sh/alone@1.0.0").text


def test_commonjs_has_its_names_as_exports(registry: Registry, tmp_path: Path) -> None:
    assert evaluated("https://esm.sh/core@1.0.0", "[m.mode, m.default.mode, Object.keys(m)]", tmp_path) == (
        "prod,prod,box,default,mode,module.exports"
    )


def test_development_is_asked_for_and_passed_on(registry: Registry, tmp_path: Path) -> None:
    assert evaluated("https://esm.sh/view@1.0.0?dev", "m.mode", tmp_path) == "dev"


@pytest.mark.parametrize(
    "url",
    [
        "https://esm.sh/hooks@2.0.0",
        "https://cdn.jsdelivr.net/npm/hooks@2/+esm",
        "https://unpkg.com/hooks@2.0.0?module",
    ],
)
def test_all_that_import_a_package_share_it(registry: Registry, tmp_path: Path, url: str) -> None:
    assert evaluated(url, "m.same", tmp_path) == "true"


def test_a_subpath_shares_the_main_module(registry: Registry) -> None:
    assert text("https://esm.sh/view@1.0.0/client").imports == ("https://esm.sh/view@1.0.0",)


def test_what_the_app_names_is_taken_where_it_fits(registry: Registry) -> None:
    assert text("https://esm.sh/view@1.0.0").imports == ("https://esm.sh/core@1.1.0",)
    assert text("https://esm.sh/view@1.0.0", core=["1.0.0"]).imports == ("https://esm.sh/core@1.0.0",)
    assert (
        text("https://esm.sh/view@1.0.0?deps=core@1.0.0").imports[0].startswith("https://esm.sh/core@1.0.0")
    )


def test_an_option_that_changes_nothing_makes_no_second_module(registry: Registry) -> None:
    assert text("https://esm.sh/view@1.0.0?deps=core@1.0.0").imports == ("https://esm.sh/core@1.0.0",)
    assert text("https://esm.sh/alone@1.0.0?deps=core@1.0.0").imports == ("https://esm.sh/alone@1.0.0",)
    hooks = text("https://esm.sh/hooks@2.0.0?deps=core@1.0.0,alone@1.0.0")
    assert hooks.imports == ("https://esm.sh/hooks@2.0.0?deps=core@1.0.0",)


def test_imports_are_left_to_the_page(registry: Registry) -> None:
    assert 'from "core"' in text("https://esm.sh/hooks@2.0.0?external=core").text
    assert text("https://esm.sh/*hooks@2.0.0").imports == ("https://esm.sh/hooks@2.0.0?external=*",)
    assert text("https://esm.sh/hooks@2.0.0?external=*").imports == ()
    alias = text("https://esm.sh/hooks@2.0.0?alias=core:alone")
    assert "https://esm.sh/alone@1.0.0" in alias.imports


def test_exports_that_only_the_text_tells(registry: Registry, tmp_path: Path) -> None:
    assert (
        evaluated("https://esm.sh/universal@1.0.0", "[m.first, m.later(), typeof m.default]", tmp_path)
        == "1,2,function"
    )


def test_exports_of_an_object_literal(registry: Registry, tmp_path: Path) -> None:
    assert (
        evaluated("https://esm.sh/literal@1.0.0", "[m.Plain, m.Member, typeof m.short, m.last]", tmp_path)
        == "3,1,function,1"
    )


def test_compiled_modules_keep_their_default(registry: Registry, tmp_path: Path) -> None:
    assert evaluated("https://esm.sh/compiled@1.0.0", "[m.default.name, m.named]", tmp_path) == "f,4"


def test_modules_of_node_are_empty_or_stood_in_for(registry: Registry) -> None:
    made = text("https://esm.sh/server@1.0.0")
    assert made.imports == ("https://esm.sh/events@3.3.0",) and "data:text/javascript" in made.text


def test_the_browsers_version_is_chosen(registry: Registry, tmp_path: Path) -> None:
    assert "browser" in text("https://esm.sh/chooser@1.0.0").text
    assert "sub" in text("https://esm.sh/chooser@1.0.0/sub").text
    assert "deep" in text("https://esm.sh/chooser@1.0.0/deep/file.js").text


def test_what_is_not_there(registry: Registry) -> None:
    with pytest.raises(NpmError, match="Could not resolve"):
        text("https://esm.sh/alone@1.0.0/nothing")
    with pytest.raises(NpmError) as caught:
        text("https://esm.sh/unheard-of@1")
    assert caught.value.missing
