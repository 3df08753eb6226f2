"""instrument.configtext: settings out of config files that are code, by text alone."""

from __future__ import annotations

import pytest

from instrument.configtext import block, flag, loose_json, outside, string, without_comments


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("{ outDir: 'web' }", "web"),
        ('{ "outDir" : "web" }', "web"),
        ("{ outDir: `web`, }", "web"),
        ("{ outDir: path.resolve(__dirname, '../web') }", "../web"),
        ("{ outDir: join(import.meta.dirname, 'a', 'b') }", "a/b"),
        ("{ outDir: fileURLToPath(new URL('./web', import.meta.url)) }", "./web"),
        ("{ outDir: process.env.CI ? 'a' : 'b' }", ""),
        ("{ outDir: process.env.OUT || 'web' }", "web"),
        ("{ outDir: process.env['OUT'] ?? 'web' }", "web"),
        ("{ outDir: process.env.OUT ? process.env.OUT : 'web' }", "web"),
        ("{ outDir: process.env.NODE_ENV || 'web' }", ""),
        ("{ outDir: mode === 'production' ? '/web/' : '/' }", "/web/"),
        ("{ outDir: process.env.NODE_ENV == \"production\" ? 'web' : 'dev' }", "web"),
        ("{ outDir: command === 'build' ? 'web' : 'dev' }", "web"),
        ("{ outDir: command === 'serve' ? 'web' : 'dev' }", ""),
        ("{ outDir: a === 'production' ? 'web' : 'dev' }", ""),
        ("{ outDir: `${name}/web` }", ""),
        ("{ outDir }", ""),
        ("{ myoutDir: 'no', a: { b: 1 }, outDir: 'web' }", "web"),
        ("{ // outDir: 'no'\n outDir: 'web' /* outDir: 'no' */ }", "web"),
        ("{ url: 'http://a//b', outDir: 'web' }", "web"),
        ("", ""),
    ],
)
def test_a_string(code: str, value: str) -> None:
    assert string(without_comments(code), "outDir") == value


def test_a_block_and_what_is_outside_of_it() -> None:
    code = "export default defineConfig({ a: f({ base: '/no/' }), build: { x: [1, '}'], outDir: 'o' }, base: '/b/' })"
    assert block(code, "build") == " x: [1, '}'], outDir: 'o' "
    assert "outDir" not in outside(code, "build")
    assert (
        outside("{ a: 1, plugins: [f({ a: 2 })], b: g() }", "plugins", "b", "c")
        == "{ a: 1, plugins: 0, b: g() }"
    )
    assert block(code, "base") == ""


@pytest.mark.parametrize(
    ("command", "value"),
    [
        ("vite build --outDir web", "web"),
        ("vite build --outDir=web && cp a b", "web"),
        ("vite build --outDir='web'", "web"),
        ("vite build --no-outDir web", ""),
        ("vite build -o web;true", "web"),
        ("vite build", ""),
    ],
)
def test_an_option_of_a_command(command: str, value: str) -> None:
    assert flag(command, "--outDir", "-o") == value


def test_json_as_people_write_it() -> None:
    text = '\ufeff{ // a\n "a": "b // c, }", /* d */ "e": [1, 2,], }'
    assert loose_json(text) == {"a": "b // c, }", "e": [1, 2]}
    with pytest.raises(ValueError, match="line 1"):
        loose_json('{"a": }')
