"""Pictures made small enough for the Messages API: 8000 px a side, 2000 with more than 20 pictures, 5 MB as base64. Pure."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from instrument.errors import UsageError

if TYPE_CHECKING:
    from PIL.Image import Image

LONGEST_SIDE = 8000
"""Pixels a side that the API takes."""
LONGEST_OF_MANY = 2000
"""The same with more than MANY pictures in a request."""
MANY = 20
MOST_BYTES = 5 * 1024 * 1024
"""Base64 bytes of one picture that the API takes."""
MOST_TOGETHER = 24 * 1024 * 1024
"""Base64 bytes of all pictures of a request: its limit is 32 MB, and the text needs some."""
_SHRINK = 0.75

_SIGNATURES = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF8", "image/gif"),
)


def media_type(data: bytes) -> str:
    """image/jpeg, image/png, image/gif or image/webp, by the first bytes. Raises UsageError for anything else."""
    for signature, found in _SIGNATURES:
        if data.startswith(signature):
            return found
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    raise UsageError("A picture is neither JPEG, PNG, GIF nor WebP: models cannot be shown it.")


def fitted(pictures: Sequence[bytes]) -> tuple[bytes, ...]:
    """The pictures of one request, those that the API would refuse made smaller; the others byte for byte."""
    side = LONGEST_OF_MANY if len(pictures) > MANY else LONGEST_SIDE
    share = min(MOST_BYTES, MOST_TOGETHER // max(1, len(pictures)))
    crowded = sum(map(base64_size, pictures)) > MOST_TOGETHER
    return tuple(_fit(data, side=side, most=share if crowded else MOST_BYTES) for data in pictures)


def base64_size(data: bytes) -> int:
    """Bytes that the data takes as base64."""
    return 4 * ((len(data) + 2) // 3)


def _fit(data: bytes, *, side: int, most: int) -> bytes:
    """JPEG of the picture, smaller until it fits; the data itself where it fits already."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(data)) as picture:
            if max(picture.size) <= side and base64_size(data) <= most:
                return data
            small = picture.convert("RGB")
    except (UnidentifiedImageError, OSError) as error:
        raise UsageError(f"A picture is damaged and cannot be shown to a model ({error}).") from error
    small.thumbnail((side, side))
    while base64_size(encoded := _jpeg(small)) > most:
        width, height = small.size
        small = small.resize((max(1, int(width * _SHRINK)), max(1, int(height * _SHRINK))))
    return encoded


def _jpeg(picture: Image) -> bytes:
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=80)
    return out.getvalue()
