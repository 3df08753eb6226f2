"""The part of an address that takes part in a state."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import parse_qsl, urlsplit

from graph.rules import mask_ids

_VIEW_KEYS = frozenset(
    "tab view mode section screen step panel route sort order filter theme dialog modal".split()
)


@lru_cache(maxsize=1024)
def route(url: str) -> str:
    """Path with ids masked, route in the fragment, names of the query and values of those that name a view.

    "/items/42?tab=log&q=x" -> "/items/#?q&tab=log"; "/index.html#/" -> "/".
    """
    parts = urlsplit(url)
    path = mask_ids(parts.path) or "/"
    if path.endswith("/index.html"):
        path = path.removesuffix("index.html")
    query = sorted(
        {_parameter(name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True)}
    )
    fragment = parts.fragment if parts.fragment.startswith(("/", "!")) else ""
    if fragment:
        head, _, _ = fragment.partition("?")
        fragment = f"#{mask_ids(head)}" if head.strip("/!") else ""
    return path + ("?" + "&".join(query) if query else "") + fragment


def _parameter(name: str, value: str) -> str:
    name = mask_ids(name)
    return f"{name}={mask_ids(value)}" if name.lower() in _VIEW_KEYS else name
