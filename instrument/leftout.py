"""What is not counted, and why: files that no browser would run, and code that no counter can be put into or read from."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import PurePosixPath

from instrument.mentions import existing, local_path
from instrument.probes import FailedScript

_TOOL_NAME = re.compile(
    r"^(gulpfile|gruntfile|karma|jakefile|rollup|webpack|vite|esbuild|babel|postcss|tailwind|jest|protractor|server|build)"
    r"([.-][\w.-]+)?\.m?js$|\.(config|conf)\.m?js$|^\.\w+rc\.js$",
    re.IGNORECASE,
)
_TEST_PATH = re.compile(
    r"(^|/)(tests?|specs?|__tests__|__mocks__|e2e|cypress|benchmarks?)/|\.(test|spec)\.m?js$", re.IGNORECASE
)
_NODE_ONLY = re.compile(
    r"\brequire\(\s*['\"](?:node:)?(?:fs|path|http|https|child_process|os|gulp[\w-]*|grunt[\w-]*|express|glob|rimraf|shelljs)['\"]\s*\)"
    r"|^import\s[^;]*['\"](?:node:\w+|fs|path|child_process)['\"]|module\.exports\s*=\s*function\s*\(\s*grunt",
    re.MULTILINE,
)
_COMMONJS = re.compile(
    r"\brequire\(\s*['\"][^'\"]+['\"]\s*\)|\bmodule\.exports\b|^exports\.\w+\s*=", re.MULTILINE
)
_OTHER_LOADERS = re.compile(
    r"\bdefine\s*\(|typeof (?:module|exports|define|require)\b|__webpack_require__|parcelRequire"
    r"|\(function\s*\(\s*(?:root|global|window)"
)
_HEAD = 20_000


def unrunnable(path: str, text: str) -> str:
    """Why a script that no page names is taken to be no part of the app; "" where nothing says so."""
    head = text[:_HEAD]
    if head.startswith("#!") or _TOOL_NAME.search(PurePosixPath(path).name) or _NODE_ONLY.search(head):
        return "a build or server script that no page names"
    if _TEST_PATH.search(path):
        return "a test that no page names"
    if _COMMONJS.search(head) and not _OTHER_LOADERS.search(head):
        return "a CommonJS module that no page names: browsers cannot run it"
    return ""


def twin(path: str, named: Collection[str], texts: Collection[str]) -> str:
    """Why a script that no page names is another form of one that a page does: `x.js` beside `x.min.js`."""
    plain = re.sub(r"[.-]min(\.m?js)$", r"\1", path, flags=re.IGNORECASE)
    for other in (plain, re.sub(r"(\.m?js)$", r".min\1", plain), re.sub(r"(\.m?js)$", r"-min\1", plain)):
        if other != path and other in named and other in texts:
            return f"another form of {other}, which is the one that pages load"
    return ""


_APART: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("addModule(", re.compile(r"\.addModule\(\s*(?:new URL\(\s*)?['\"`]([^'\"`]+)['\"`]"), "a worklet"),
)


def unreadable_contexts(texts: Mapping[str, str]) -> Iterator[FailedScript]:
    """Scripts that run where counters cannot be read: worklets and shared workers, named by a literal."""
    for path, text in texts.items():
        for word, pattern, place in _APART:
            for address in pattern.findall(text) if word in text else ():
                for base in (path, ""):
                    found = existing(local_path(address, base) or "", texts.__contains__)
                    if found:
                        reason = f"runs in {place} of {path}, from which no counter can be read"
                        yield FailedScript(found, reason)
                        break


_FROM_BLOB = (
    # Of the URL itself, or of a variable in a file that makes such URLs.
    r"\bnew\s+(?:\w+\.)?(?:Shared)?Worker\(\s*(?:(?:window\.)?(?:URL|webkitURL)\.createObjectURL"
    r"|(?!new\s+URL\b|URL\b)[\w$.]+\s*[,)](?=[\s\S]*createObjectURL))"
    r"|createObjectURL[\s\S]*\bnew\s+(?:\w+\.)?(?:Shared)?Worker\(\s*(?!new\s+URL\b)[\w$.]+\s*[,)]"
)
_RUN_TIME: tuple[tuple[str, re.Pattern[str], str], ...] = (
    (
        "Worker(",
        re.compile(_FROM_BLOB),
        "starts a worker from text: copies of the app's own functions in it are measured, other text is not",
    ),
    (
        "data:",
        re.compile(r"data:(?:text|application)/(?:x-)?javascript"),
        "runs code from a data: URL: copies of the app's own functions in it are measured, other text is not",
    ),
    (
        "sourceURL=webpack",
        re.compile(r"eval\((?:__webpack_require__\.ts\()?[\"']"),
        "keeps its modules in strings for eval, of which only the loader is measured: build it for production",
    ),
    (
        "eval",
        re.compile(
            r"eval(?<![\w.$]eval)\s*\)?\((?!\s*(?:['\"`](?:this|require|module)|\)))(?!(?:__webpack_require__|[\"']))"
        ),
        "runs code that it keeps as text (eval), which is not measured",
    ),
    (
        "Function(",
        re.compile(r"Function\((?<![\w.$]Function\()(?!\s*['\"`]return this)(?!\s*\))"),
        "makes functions of text (Function), which are not measured",
    ),
    (
        "createElement",
        re.compile(
            r"createElement\(\s*['\"`]script['\"`]\s*\)(?:(?!createElement)[\s\S]){0,300}?"
            r"(?:\.(?:text|textContent|innerHTML|innerText)\s*=(?!=)|createTextNode\()"
        ),
        "adds a script made of text: copies of the app's own functions in it are measured, other text is not",
    ),
    (
        "document.write",
        re.compile(r"document\.write(?:ln)?\([^;]{0,200}?<script(?![^>]{0,200}\bsrc\b)"),
        "writes a script whose text is made at run time, which is not measured",
    ),
    (
        "WebAssembly",
        re.compile(r"WebAssembly\.(?:instantiate|compile)"),
        "runs WebAssembly, in which there are no counters",
    ),
)


def made_at_run_time(path: str, text: str) -> Iterator[FailedScript]:
    """Code that a script makes or loads while it runs and that has no counters."""
    for word, pattern, reason in _RUN_TIME:
        if word in text and pattern.search(text):
            yield FailedScript(path, reason)


def test_page(path: str) -> bool:
    """Whether a page lies among tests."""
    return bool(_TEST_PATH.search(path))
