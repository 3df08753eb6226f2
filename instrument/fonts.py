"""Fonts that Next.js fetches from Google while it builds: where that fails, the build gets local ones in their place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

NOTE = "Google's fonts could not be fetched by the build, so local fonts take their place: texts may be wider or narrower"
_VARIABLE = "NEXT_FONT_GOOGLE_MOCKED_RESPONSES"
_ADDRESS = re.compile(r"https://fonts\.googleapis\.com/css2?\?[^\s'\"`)]+")
_FILE = "fonts.json"


def font_addresses(lines: Iterable[str]) -> frozenset[str]:
    """Stylesheets of Google Fonts that a log names."""
    return frozenset(found for line in lines for found in _ADDRESS.findall(line))


def answer_fonts(addresses: Iterable[str], folder: Path) -> dict[str, str]:
    """Writes what Next.js is to take for these stylesheets; the environment variable that names the file."""
    answers = {address: "\n".join(map(_face, _families(address))) for address in sorted(addresses)}
    place = folder / _FILE
    place.write_text(json.dumps(answers, indent=2), encoding="utf-8")
    return {_VARIABLE: str(place)}


def _families(address: str) -> list[str]:
    """Names of the families that a stylesheet's address asks for."""
    return [value.partition(":")[0] for value in parse_qs(urlsplit(address).query).get("family", [])]


def _face(family: str) -> str:
    name = "monospace" if "mono" in family.lower() or "code" in family.lower() else "sans-serif"
    return (
        f"@font-face {{ font-family: '{family}'; font-style: normal; font-weight: 100 900; font-display: swap; "
        f"src: local('{name}'); }}"
    )
