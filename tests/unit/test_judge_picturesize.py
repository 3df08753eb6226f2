"""Pictures fit the API's limits, and are left alone where they do already."""

from __future__ import annotations

import io
from random import Random

import pytest
from PIL import Image

from instrument.errors import UsageError
from judge.picturesize import MOST_BYTES, MOST_TOGETHER, base64_size, fitted, media_type


def picture(width: int, height: int, kind: str = "PNG") -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height), (10, 200, 60)).save(out, kind)
    return out.getvalue()


def noise(side: int) -> bytes:
    out = io.BytesIO()
    Image.frombytes("RGB", (side, side), Random(0).randbytes(3 * side * side)).save(out, "PNG")
    return out.getvalue()


def size(data: bytes) -> tuple[int, int]:
    with Image.open(io.BytesIO(data)) as shown:
        return shown.size


def test_small_pictures_are_left_byte_for_byte() -> None:
    given = [picture(1280, 800, kind) for kind in ("PNG", "JPEG", "WEBP", "GIF")]
    assert fitted(given) == tuple(given)
    assert [media_type(data) for data in given] == ["image/png", "image/jpeg", "image/webp", "image/gif"]


def test_the_longest_side_is_8000_and_2000_with_more_than_twenty() -> None:
    tall = picture(30, 9000)
    assert size(fitted([tall])[0]) == (27, 8000)
    many = fitted([tall, *[picture(10, 10)] * 20])
    assert size(many[0])[1] == 2000
    assert many[1] == picture(10, 10)


def test_a_heavy_picture_is_made_lighter() -> None:
    heavy = noise(1500)
    assert base64_size(heavy) > MOST_BYTES
    light = fitted([heavy])[0]
    assert base64_size(light) <= MOST_BYTES
    assert media_type(light) == "image/jpeg"


def test_many_heavy_pictures_fit_into_one_request() -> None:
    one = noise(1100)
    assert base64_size(one) < MOST_BYTES
    assert sum(map(base64_size, fitted([one] * 12))) <= MOST_TOGETHER


def test_what_is_no_picture_is_refused_with_a_sentence() -> None:
    with pytest.raises(UsageError, match="neither JPEG"):
        media_type(b"<svg/>")
    with pytest.raises(UsageError, match="damaged"):
        fitted([b"\x89PNG\r\n\x1a\n but no more"])
