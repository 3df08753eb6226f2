"""Tools whose sources and whose results are both told by signs of their own."""

from __future__ import annotations

from typing import Literal

Tool = Literal[
    "next",
    "astro",
    "sveltekit",
    "nuxt",
    "angular",
    "gatsby",
    "create-react-app",
    "vite",
    "parcel",
    "webpack",
]
