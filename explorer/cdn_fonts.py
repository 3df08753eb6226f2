"""Google Fonts by npm's packages: the style sheets of @fontsource, material-icons and material-symbols. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_ICONS = {
    "material icons": ("material-icons", "iconfont/filled.css"),
    "material icons outlined": ("material-icons", "iconfont/outlined.css"),
    "material icons round": ("material-icons", "iconfont/round.css"),
    "material icons sharp": ("material-icons", "iconfont/sharp.css"),
    "material icons two tone": ("material-icons", "iconfont/two-tone.css"),
    "material symbols outlined": ("material-symbols", "outlined.css"),
    "material symbols rounded": ("material-symbols", "rounded.css"),
    "material symbols sharp": ("material-symbols", "sharp.css"),
}
_MOST_STYLES = 24


@dataclass(frozen=True, slots=True)
class FontSheet:
    """One family of a font style sheet: the package that has it, and its style sheets there."""

    family: str
    package: str
    paths: tuple[str, ...]


def sheets(options: Iterable[tuple[str, str]]) -> tuple[FontSheet, ...]:
    """What the query of a fonts.googleapis.com address names: css?family=A:400 and css2?family=A:wght@400."""
    named = [item for key, value in options if key == "family" for item in value.split("|") if item]
    return tuple(_sheet(item) for item in named)


def _sheet(item: str) -> FontSheet:
    family, _, styles = item.partition(":")
    family = family.replace("+", " ").strip()
    if icons := _ICONS.get(family.lower()):
        return FontSheet(family, icons[0], (icons[1],))
    slug = re.sub(r"[^a-z0-9]+", "-", family.lower()).strip("-")
    return FontSheet(family, f"@fontsource/{slug}", tuple(f"{name}.css" for name in _styles(styles)))


def _styles(text: str) -> list[str]:
    """File names of @fontsource: "400", "700-italic"."""
    axes, _, values = text.partition("@")
    if not values:
        return _old_styles(text)
    names = axes.split(",")
    found = []
    for row in values.split(";"):
        place = dict(zip(names, row.split(","), strict=False))
        italic = place.get("ital", "0") == "1"
        found += [f"{weight}{'-italic' if italic else ''}" for weight in _weights(place.get("wght", "400"))]
    return list(dict.fromkeys(found))[:_MOST_STYLES]


def _old_styles(text: str) -> list[str]:
    """css?family=Inter:400,700italic or 400i; nothing means 400."""
    found = []
    for item in filter(None, text.split(",")):
        weight = re.match(r"\d+", item)
        number = weight[0] if weight else "700" if "bold" in item or item == "b" else "400"
        found.append(number + ("-italic" if re.search(r"i(talic)?$", item) else ""))
    return list(dict.fromkeys(found))[:_MOST_STYLES] or ["400"]


def _weights(text: str) -> list[str]:
    """A weight, or the whole hundreds of a range: 100..900."""
    low, dots, high = text.partition("..")
    if not dots or not (low.isdigit() and high.isdigit()):
        return [low]
    return [str(weight) for weight in range(-(-int(low) // 100) * 100, int(high) + 1, 100)]
