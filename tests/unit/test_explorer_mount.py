"""Under which path an app is served, by the addresses in its page."""

from __future__ import annotations

import pytest

from explorer.mount import mount_path


@pytest.mark.parametrize(
    ("html", "path"),
    [
        ('<script type="module" src="/assets/a.js"></script>', "/"),
        ('<script type="module" src="/repo/assets/a.js"></script>', "/repo/"),
        ('<link href="/me/repo/assets/a.css"><script src="https://cdn.example/x.js"></script>', "/me/repo/"),
        (
            '<astro-island uid="1" component-url="/docs/_astro/Counter.js" client="load"></astro-island>',
            "/docs/",
        ),
        ('<base href="/shop/"><p>no address</p>', "/shop/"),
        ("<p>no address</p>", "/"),
    ],
)
def test_addresses_tell_the_base_path(html: str, path: str) -> None:
    files = {"assets/a.js", "assets/a.css", "_astro/Counter.js", "index.html"}
    assert mount_path(html, "index.html", files.__contains__) == path
