"""instrument.exchange: which answers are scripts and pages, what an address tells, headers of what was changed."""

from __future__ import annotations

import pytest

from instrument.exchange import (
    Asked,
    asked_of,
    changed_headers,
    charset_of,
    is_whole_page,
    name_of,
    policies_of,
    role_of,
    tooling,
)

JS = "text/javascript; charset=utf-8"


@pytest.mark.parametrize(
    ("dest", "kind", "role"),
    [
        ("script", JS, "script"),
        ("script", "application/x-javascript", "script"),
        ("script", "", "script"),
        ("script", "text/plain", "script"),
        ("script", "application/json", ""),
        ("script", "text/html", ""),
        ("worker", JS, "script"),
        ("serviceworker", "application/ecmascript", "script"),
        ("document", "text/html; charset=utf-8", "page"),
        ("iframe", "TEXT/HTML", "page"),
        ("document", JS, ""),
        ("document", "application/xhtml+xml", ""),
        ("empty", JS, ""),
        ("empty", "text/html", ""),
        ("image", "image/svg+xml", ""),
        ("style", "text/css", ""),
        ("json", "application/json", ""),
    ],
)
def test_what_an_answer_is_for(dest: str, kind: str, role: str) -> None:
    assert role_of(Asked("http://a/x", dest), kind) == role


def test_a_browser_that_does_not_say_is_understood_by_types() -> None:
    assert role_of(Asked("http://a/x"), JS) == "script"
    assert role_of(Asked("http://a/", accept="text/html,*/*"), "text/html") == "page"
    assert role_of(Asked("http://a/part", accept="*/*"), "text/html") == ""


def test_plain_fetches_may_be_a_service_workers_or_for_a_compiler_in_the_page() -> None:
    fetch = Asked("http://a/x", "empty")
    assert role_of(fetch, JS, worker_seen=True) == "script"
    assert role_of(fetch, "text/html", worker_seen=True) == "page"
    assert role_of(fetch, "text/css", worker_seen=True) == ""
    assert role_of(fetch, "text/plain", transpiled=True) == "script"
    assert role_of(Asked("http://a/x", "empty", prefetch=True), JS) == "script"


def test_headers_tell_what_a_request_is_for() -> None:
    headers = [("Sec-Fetch-Dest", "script"), ("ACCEPT", "*/*"), ("Sec-Purpose", "prefetch;prerender")]
    assert asked_of("http://a/x", headers) == Asked("http://a/x", "script", "*/*", True)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("http://a", "index.html"),
        ("http://a/", "index.html"),
        ("http://a/docs/", "docs/index.html"),
        ("http://a/src/App.vue?vue&type=style#x", "src/App.vue"),
        ("http://a/src/a%20b.js?t=1", "src/a b.js"),
        ("http://a/about", "about"),
    ],
)
def test_an_address_has_one_name_whatever_its_query(url: str, name: str) -> None:
    assert name_of(url) == name


@pytest.mark.parametrize(
    "path",
    [
        "/@vite/client",
        "/@react-refresh",
        "/@id/__x00__plugin-vue:export-helper",
        "/node_modules/.vite/deps/react.js?v=1a2b",
        "/@fs/home/me/node_modules/x/index.js",
        "/src/index.css",
        "/src/index.css?direct",
        "/src/data.json?import",
        "/src/logo.svg?import",
        "/src/App.vue?vue&type=style&index=0&scoped=abc&lang.scss",
        "/src/App.svelte?svelte&type=style&lang.css",
        "/src/page.astro?astro&type=style&index=0&lang.css",
        "/src/text.txt?raw",
        "/src/a.ts?url",
        "/_next/static/chunks/node_modules_next_dist_client_1._.js",
        "/_next/static/chunks/%5Bturbopack%5D_browser_dev_hmr-client_1._.js",
        "/_next/static/chunks/framework-0a1b.js",
        "/_next/static/abc/_buildManifest.js",
        "/__nextjs_original-stack-frames",
        "/.svelte-kit/generated/client/app.js",
    ],
)
def test_tools_and_assets_are_told_by_their_address(path: str) -> None:
    assert tooling(f"http://localhost:5173{path}")


@pytest.mark.parametrize(
    "path",
    [
        "/src/App.tsx",
        "/src/App.tsx?t=1700000000000",
        "/src/App.vue",
        "/src/App.vue?vue&type=script&setup=true&lang.ts",
        "/src/worker.ts?worker_file&type=module",
        "/src/late.js?import",
        "/@fs/home/me/packages/ui/src/index.tsx",
        "/_next/static/chunks/app_page_tsx_1._.js",
        "/vite/app.js",
        "/static/js/main.0a1b2c3d.js",
    ],
)
def test_code_of_the_user_is_not(path: str) -> None:
    assert tooling(f"http://localhost:5173{path}") == ""


def test_headers_of_a_changed_body() -> None:
    headers = [
        ("Content-Type", JS),
        ("ETag", '"1"'),
        ("Content-Encoding", "gzip"),
        ("content-length", "5"),
        ("Content-Security-Policy", "a"),
        ("Set-Cookie", "x=1"),
        ("Set-Cookie", "y=2"),
        ("content-security-policy-report-only", "b"),
        ("Accept-Ranges", "bytes"),
    ]
    assert policies_of(headers) == ["a", "b"]
    assert changed_headers(headers, 9, ["A", "B"]) == [
        ("Content-Type", JS),
        ("ETag", '"1"'),
        ("Content-Security-Policy", "A"),
        ("Set-Cookie", "x=1"),
        ("Set-Cookie", "y=2"),
        ("content-security-policy-report-only", "B"),
        ("Content-Length", "9"),
    ]


def test_whole_pages_and_parts() -> None:
    assert is_whole_page(b"\xef\xbb\xbf  <!-- hi -->\n<!DOCTYPE html><p>")
    assert is_whole_page(b"<html lang=en>")
    assert not is_whole_page(b"<p>part</p>")
    assert not is_whole_page(b"<htmlx>")


def test_charsets() -> None:
    assert charset_of('text/html; Charset="ISO-8859-1"') == "ISO-8859-1"
    assert charset_of("text/html") == ""
