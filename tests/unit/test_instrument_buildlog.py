"""What the logs of real failed builds are taken for."""

from __future__ import annotations

import pytest

from instrument.buildlog import culprits, diagnose, reasons

NEXT_FONTS = """
> next build
▲ Next.js 16.4.3 (Turbopack)
  Creating an optimized production build ...
> Build error occurred
Error: Turbopack build failed with 2 errors:
[next]/internal/font/google/geist_a71539c9.module.css
Error: next/font: error:
Failed to fetch `Geist` from Google Fonts.
"""
CRA_MISSING = """
Creating an optimized production build...
Failed to compile.

Module not found: Error: Can't resolve './App' in '/work/src'
"""
VITE_MISSING = """
vite v8.4.0 building client environment for production...
✗ Build failed in 52ms
error during build:
[vite]: Rolldown failed to resolve import "left-pad" from "/work/src/main.ts".
Rollup failed to resolve import "left-pad" from "/work/src/main.ts".
"""


@pytest.mark.parametrize(
    ("log", "cause", "shown"),
    [
        (NEXT_FONTS, "fonts", "Failed to fetch `Geist` from Google Fonts."),
        (CRA_MISSING, "missing file", "Module not found: Error: Can't resolve './App' in '/work/src'"),
        (
            VITE_MISSING,
            "missing install",
            'Rollup failed to resolve import "left-pad" from "/work/src/main.ts".',
        ),
        ("sh: 1: vite: not found", "missing install", "sh: 1: vite: not found"),
        ("Error: Cannot find module 'vite'", "missing install", "Error: Cannot find module 'vite'"),
        (
            "src/a.ts(1,2): error TS2304: Cannot find name 'x'.",
            "types",
            "src/a.ts(1,2): error TS2304: Cannot find name 'x'.",
        ),
        (
            'Node.js v20.20.2 is not supported by Astro!\nPlease upgrade Node.js to a supported version: ">=22.12.0"',
            "node version",
            "Node.js v20.20.2 is not supported by Astro!",
        ),
        ('npm error Missing script: "build"', "missing script", 'npm error Missing script: "build"'),
        (
            "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
            "memory",
            "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
        ),
        (
            "Error: Missing required environment variable: API_URL",
            "environment variable",
            "Error: Missing required environment variable: API_URL",
        ),
        ("ENOSPC: no space left on device, write", "disk", "ENOSPC: no space left on device, write"),
        ("npm error getaddrinfo ENOTFOUND x", "network", "npm error getaddrinfo ENOTFOUND x"),
    ],
)
def test_known_causes(log: str, cause: str, shown: str) -> None:
    found = diagnose(log.splitlines())
    assert found.cause == cause
    assert found.hint.endswith(".")
    assert shown in found.lines


def test_of_an_unknown_failure_the_first_telling_lines_are_shown() -> None:
    lines = [
        *(f"step {number}" for number in range(30)),
        "Error: the shop is closed",
        "    at build.js:3",
        "bye",
    ]
    found = diagnose(lines)
    assert (found.cause, found.hint) == ("", "")
    assert found.lines == ("Error: the shop is closed", "bye")


def test_of_a_log_without_errors_the_end_is_shown() -> None:
    assert diagnose([f"step {number}" for number in range(30)]).lines == tuple(
        f"step {number}" for number in range(24, 30)
    )


def test_sources_that_errors_name() -> None:
    sources = ["src/App.tsx", "src/pages/App.tsx", "src/main.ts", "index.js"]
    named = ["./src/pages/App.tsx:3:5", "Type error in src/main.ts(4,1)", "/work/copy/src/other/index.jsx"]
    assert culprits(named, sources) == {"src/pages/App.tsx", "src/main.ts"}


@pytest.mark.parametrize(
    ("line", "needs", "hint"),
    [
        ("sh: 1: frobnicate: not found", {"vite"}, "`frobnicate` is no program of the project's dependencies"),
        ("sh: 1: vite: not found", {"vite"}, "`vite` is named in package.json, but not installed"),
        ('[vite]: Rollup failed to resolve import "left-pad" from "/a.js".', {"vite"}, "left-pad is not in package.json"),
        ("[UNRESOLVED_IMPORT] Could not resolve 'left-pad' in src/main.js", {"vite"}, "left-pad is not in package.json"),
        ("Error: Cannot find module '@acme/ui/button'", {"vite"}, "@acme/ui is not in package.json: add it"),
        ("Error: Cannot find module 'react-dom/client'", {"react-dom"}, "react-dom is named in package.json, but not found"),
        ("Module not found: Error: Can't resolve '@/cart' in '/src'", {"vite"}, "`@/cart` is neither a file nor a package"),
    ],
)  # fmt: skip
def test_the_advice_for_what_is_missing_fits(line: str, needs: set[str], hint: str) -> None:
    found = diagnose([line], needs=needs)
    assert found.cause == "missing install"
    assert found.hint.startswith(hint)


VITE_LOCKED = """
error when starting dev server:
Error: Another Vite dev server is running in this folder with pid 4711
    at file:///work/node_modules/vite/dist/node/chunks/dep.js:1:2
    at configureServer (file:///work/vite.config.js:7:11) {
  plugin: 'vite:command-lock',
  hook: 'configureServer'
}
"""
NODE_IN_USE = """
node:events:495
      throw er; // Unhandled 'error' event
      ^

Error: listen EADDRINUSE: address already in use 127.0.0.1:5322
    at Server.setupListenHandle [as _listen2] (node:net:1817:16)
Emitted 'error' event on Server instance at:
    at emitErrorNT (node:net:1796:8) {
  code: 'EADDRINUSE',
  errno: -98,
  port: 5322
}

Node.js v20.20.2
"""


@pytest.mark.parametrize(
    ("log", "line"),
    [
        (VITE_LOCKED, "Error: Another Vite dev server is running in this folder with pid 4711"),
        (NODE_IN_USE, "Error: listen EADDRINUSE: address already in use 127.0.0.1:5322"),
    ],
)
def test_why_a_server_ended_is_no_tail_of_an_object(log: str, line: str) -> None:
    found = reasons(log.split("\n"))
    assert line in found
    assert not any("hook:" in one or "errno:" in one or one == "}" for one in found)


def test_without_a_word_of_an_error_the_last_lines_count() -> None:
    assert reasons(["one", "two", "", "three", "no database"]) == ("two", "three", "no database")
