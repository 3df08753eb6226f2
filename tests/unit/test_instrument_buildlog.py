"""What the logs of real failed builds are taken for."""

from __future__ import annotations

import pytest

from instrument.buildlog import culprits, diagnose

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
