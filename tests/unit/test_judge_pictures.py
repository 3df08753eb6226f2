"""Blank and half-loaded pictures are dropped, and of the rest the most different ones chosen; on generated pictures."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image, ImageDraw

from judge.pictures import BLANK_EDGES, BLANK_FOREGROUND, EMPTY, MOST_PICTURES, choose, measure

SIZE = (1280, 720)


def encoded(picture: Image.Image) -> bytes:
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=80)
    return out.getvalue()


def blank(colour: str = "white") -> bytes:
    return encoded(Image.new("RGB", SIZE, colour))


def page(accent: str = "navy", *, rows: int = 12, ground: str = "white") -> bytes:
    picture = Image.new("RGB", SIZE, ground)
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, 0, 1280, 60), fill=accent)
    for row in range(rows):
        for word in range(14):
            draw.rectangle((60 + 80 * word, 100 + 45 * row, 110 + 80 * word, 114 + 45 * row), fill="black")
    return encoded(picture)


def one_line() -> bytes:
    picture = Image.new("RGB", SIZE, "white")
    ImageDraw.Draw(picture).text((10, 10), "It works! This is the default page of this site.", fill="black")
    return encoded(picture)


def gradient() -> bytes:
    row = np.linspace(0, 255, SIZE[0], dtype=np.uint8)
    return encoded(Image.fromarray(np.tile(row, (SIZE[1], 1))).convert("RGB"))


def spinner() -> bytes:
    picture = Image.new("RGB", SIZE, "white")
    draw = ImageDraw.Draw(picture)
    draw.ellipse((600, 320, 680, 400), outline="gray", width=9)
    draw.rectangle((0, 0, 1280, 10), fill="navy")
    return encoded(picture)


@pytest.mark.parametrize("colour", ["white", "black", "#123456"])
def test_blank_pages_of_any_colour_are_dropped(colour: str) -> None:
    found = choose([blank(colour), page()])
    assert found.chosen == (1,)
    assert found.dropped[0][0] == 0 and found.dropped[0][1].startswith("blank")


def test_colourful_picture_without_an_edge_is_blank() -> None:
    look = measure(gradient())
    assert look.foreground > BLANK_FOREGROUND and look.edges < BLANK_EDGES
    assert choose([gradient(), page()]).chosen == (1,)


def test_half_loaded_frame_is_known_by_the_others() -> None:
    frames = [page(), spinner(), page("green"), page("maroon")]
    found = choose(frames)
    assert 1 not in found.chosen and found.dropped[0][1].startswith("half-loaded")
    # Among pictures that are all as sparse it is the app's style.
    assert choose([spinner(), spinner()]).chosen == (0,)


def test_one_line_of_text_counts_only_where_there_is_nothing_else() -> None:
    look = measure(one_line())
    assert EMPTY < look.foreground < BLANK_FOREGROUND
    assert choose([one_line(), page()]).chosen == (1,)
    alone = choose([blank(), one_line()])
    assert alone.chosen == (1,) and "nearly blank" in alone.note


def test_nothing_to_see_chooses_nothing() -> None:
    found = choose([blank(), blank("black")])
    assert found.chosen == () and len(found.dropped) == 2
    assert choose([]).chosen == ()


def test_damaged_picture_is_told_and_left_out() -> None:
    found = choose([page(), b"\xff\xd8\xff\xd9"])
    assert found.chosen == (0,) and "damaged" in found.dropped[0][1]


def test_first_one_and_the_most_different_are_chosen() -> None:
    like = [page("navy", rows=12), page("navy", rows=11), page("navy", rows=10)]
    other = [page("orange", ground="black"), page("white", ground="gold")]
    found = choose([*like, *other], most=3)
    assert found.chosen == (0, 3, 4)
    assert found.spared == 2


def test_at_most_five_and_never_the_same_twice() -> None:
    grounds = ["white", "black", "gold", "pink", "teal", "gray", "lime", "blue"]
    assert len(choose([page(ground=ground) for ground in grounds]).chosen) == MOST_PICTURES
    assert choose([page()] * 4).chosen == (0,)


def test_same_pictures_give_the_same_choice() -> None:
    frames = [
        page(accent, rows=rows) for accent in ("navy", "green", "maroon", "teal") for rows in (3, 8, 12)
    ]
    assert choose(frames) == choose(frames)
