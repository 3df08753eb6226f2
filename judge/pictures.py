"""Which pictures speak for an app: blank and half-loaded ones out, of the rest the few that differ most. Deterministic.

WebCraftBench drops frames by foreground and edge density and picks at most five by farthest-point sampling; the
measures and thresholds are ours. They were set on 442 pictures of runs over real apps, of which the emptiest has 1.0 % of
foreground and of edges; an unstyled page with one line of text has 0.06 to 0.19 %, an empty one 0.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

MOST_PICTURES = 5
"""Pictures that a judge is shown (WebCraftBench)."""

BLANK_FOREGROUND = 0.002
"""Share of pixels that differ from the background, below which a picture is blank."""
BLANK_EDGES = 0.001
"""Share of pixels with an edge, below which a picture is blank, however colourful (a bare gradient)."""
EMPTY = 0.0003
"""Share of either below which there is nothing to be seen at all, not even one line of text."""
HALF_LOADED = 0.15
"""A picture is half-loaded where both of its measures are below this part of the run's medians."""
SAME = 0.004
"""Root mean square difference of thumbnails (0 to 1) below which two pictures show the same."""

_WIDTH = 320
"""Pixels that a picture is measured at: text is still an edge, JPEG's noise is not."""
_DIFFERS = 24
"""Levels (of 255) in any channel by which a pixel differs from the background."""
_EDGE = 32
"""Levels between neighbouring pixels that make an edge."""
_THUMB = (32, 20)
_COLOUR_STEP = 16
"""Levels that count as one colour when the background is looked for."""

Pixels = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Look:
    """What is measured of a picture."""

    foreground: float
    """Share of pixels that are not the background's colour, 0 to 1."""
    edges: float
    """Share of pixels where brightness jumps, 0 to 1."""
    thumb: Pixels
    """Small RGB picture, 20 x 32 x 3, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Positions of the pictures that were chosen, in order, and what became of the others."""

    chosen: tuple[int, ...]
    dropped: tuple[tuple[int, str], ...]
    """(position, why it cannot be judged): blank, half-loaded, damaged."""
    spared: int
    """Pictures that could be judged and were not needed."""
    note: str = ""
    """What the reader of the selection must know; "" for nothing."""


def measure(data: bytes) -> Look:
    """Foreground, edges and thumbnail of an encoded picture. Raises ValueError for a damaged one."""
    try:
        with Image.open(io.BytesIO(data)) as picture:
            rgb = picture.convert("RGB")
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError) as error:
        raise ValueError(f"the picture is damaged ({error})") from error
    height = max(1, round(rgb.height * _WIDTH / rgb.width))
    pixels = np.asarray(rgb.resize((_WIDTH, height), Image.Resampling.BOX), dtype=np.int16)
    thumb = np.asarray(rgb.resize(_THUMB, Image.Resampling.BOX), dtype=np.float64) / 255
    far = np.abs(pixels - _background(pixels)).max(axis=2) > _DIFFERS
    return Look(foreground=float(far.mean()), edges=_edge_share(pixels), thumb=thumb)


def _background(pixels: NDArray[np.int16]) -> NDArray[np.int16]:
    """The commonest colour, as the mean of the pixels that have it."""
    coarse = (pixels // _COLOUR_STEP).astype(np.int32)
    codes = (coarse[..., 0] << 8) | (coarse[..., 1] << 4) | coarse[..., 2]
    values, counts = np.unique(codes, return_counts=True)
    most = values[int(np.argmax(counts))]
    return np.asarray(pixels[codes == most].mean(axis=0), dtype=np.int16)


def _edge_share(pixels: NDArray[np.int16]) -> float:
    grey = pixels.astype(np.float64) @ np.array([0.299, 0.587, 0.114])
    across = np.abs(np.diff(grey, axis=1))[:-1, :] if grey.shape[0] > 1 else np.abs(np.diff(grey, axis=1))
    down = np.abs(np.diff(grey, axis=0))[:, :-1] if grey.shape[0] > 1 else np.zeros_like(across)
    return float((np.maximum(across, down) > _EDGE).mean())


def choose(pictures: Sequence[bytes], *, most: int = MOST_PICTURES) -> Selection:
    """At most `most` pictures that can be judged and differ most from each other.

    pictures: encoded, in the order of the run. The first one that can be judged is always chosen, for it is what a user
    sees first; then, again and again, the one that is farthest from all chosen ones (of equals the earlier), until
    there are enough or the rest shows nothing else.
    """
    looks: dict[int, Look] = {}
    dropped: list[tuple[int, str]] = []
    for number, data in enumerate(pictures):
        try:
            looks[number] = measure(data)
        except ValueError as error:
            dropped.append((number, str(error)))
    faults, note = _unusable(looks), ""
    if looks and len(faults) == len(looks):
        # A page that shows one line of text is a poor page, yet it is what the app looks like.
        faults = {number: why for number, why in faults.items() if _least(looks[number]) < EMPTY}
        if len(faults) < len(looks):
            note = "every picture is nearly blank; those that show anything at all were taken"
    dropped += faults.items()
    usable = {number: look for number, look in looks.items() if number not in faults}
    chosen = _farthest(usable, most)
    return Selection(tuple(sorted(chosen)), tuple(sorted(dropped)), len(usable) - len(chosen), note)


def _least(look: Look) -> float:
    return min(look.foreground, look.edges)


def _unusable(looks: dict[int, Look]) -> dict[int, str]:
    blank = {
        number: f"blank: {look.foreground:.2%} foreground, {look.edges:.2%} edges"
        for number, look in looks.items()
        if look.foreground < BLANK_FOREGROUND or look.edges < BLANK_EDGES
    }
    rest = [look for number, look in looks.items() if number not in blank]
    if len(rest) < 3:
        # Of two pictures neither can be called the usual one.
        return blank
    foreground = HALF_LOADED * float(np.median([look.foreground for look in rest]))
    edges = HALF_LOADED * float(np.median([look.edges for look in rest]))
    half = {
        number: f"half-loaded: {look.foreground:.2%} foreground, {look.edges:.2%} edges, far below the run's other pictures"
        for number, look in looks.items()
        if number not in blank and look.foreground < foreground and look.edges < edges
    }
    return {**blank, **half}


def _farthest(looks: dict[int, Look], most: int) -> list[int]:
    chosen: list[int] = []
    left: dict[int, float] = dict.fromkeys(looks, np.inf)
    while left and len(chosen) < most:
        # Of equals the earlier: max() keeps the first.
        best = max(left, key=lambda number: left[number])
        if chosen and left[best] < SAME:
            break
        chosen.append(best)
        del left[best]
        for number in left:
            left[number] = min(left[number], _distance(looks[number].thumb, looks[best].thumb))
    return chosen


def _distance(one: Pixels, other: Pixels) -> float:
    return float(np.sqrt(np.mean((one - other) ** 2)))
