"""Whether a project's sources write scripts into pages: if none does, inline scripts of the result are the build tool's."""

from __future__ import annotations

import os
import re
from pathlib import Path

from instrument.encoding import decode

_PAGES = re.compile(r"\.(?:html?|astro|svelte|ejs|hbs|njk|liquid|pug|mdx?)$", re.IGNORECASE)
_COMPONENTS = re.compile(r"\.[cm]?[jt]sx$|\.[cm]?js$|\.vue$", re.IGNORECASE)
_INLINE = re.compile(
    r"<script\b(?![^>]*\bsrc\s*=)(?![^>]*type\s*=\s*[\"']?(?:application/(?:ld\+)?json|importmap|speculationrules))[^>]*>\s*[^<\s]"
    r"|\son[a-z]{3,}\s*=\s*[\"'][^\"']",
    re.IGNORECASE,
)
_WRITTEN = re.compile(r"dangerouslySetInnerHTML|\bnext/script\b|<script\b|useHead\b|innerHTML\s*:")
_APART = frozenset(
    "node_modules coverage dist build out test tests e2e cypress __tests__ explorations".split()
)
_LARGEST = 1 << 20


def writes_inline(root: Path) -> bool:
    """Whether a page or component of the project holds inline scripts or handlers, or code that writes some."""
    for place, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in _APART and name[0] != "."]
        for name in files:
            wanted = _INLINE if _PAGES.search(name) else _WRITTEN if _COMPONENTS.search(name) else None
            if wanted is not None and wanted.search(_text(Path(place, name))):
                return True
    return False


def _text(path: Path) -> str:
    try:
        return decode(path.read_bytes()).text if path.stat().st_size < _LARGEST else ""
    except OSError:
        return ""
