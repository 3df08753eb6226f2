"""instrument.encoding: decoded as browsers do, and always encodable into the same bytes."""

from __future__ import annotations

import pytest

from instrument.encoding import decode


@pytest.mark.parametrize(
    ("body", "charset", "text", "encoding"),
    [
        ("é".encode(), "", "é", "utf-8"),
        ("é".encode(), "iso-8859-1", "é", "utf-8"),
        (b"\xef\xbb\xbfx", "", "x", "utf-8"),
        ("é".encode("utf-16"), "", "é", "utf-16-le"),
        (b"\xe9", "", "é", "cp1252"),
        (b"\x93", "latin1", "“", "cp1252"),
        (b"<meta charset='windows-1251'>\xff", "", "<meta charset='windows-1251'>я", "windows-1251"),
        (b'<META http-equiv=x content="text/html; charset=koi8-r">\xff', "", None, "koi8-r"),
        (b"\xff", "koi8-r", "Ъ", "koi8-r"),
        (b"\xff", "no-such-charset", "ÿ", "cp1252"),
        (b"\x81\xff", "", "\x81ÿ", "latin-1"),
    ],
)
def test_decoding(body: bytes, charset: str, text: str | None, encoding: str) -> None:
    found = decode(body, charset=charset)
    assert found.encoding == encoding
    if text is not None:
        assert found.text == text
    assert found.encode(found.text) == body


@pytest.mark.parametrize(
    "body", [b"\xff\xfe\x00\xd8x\x00", b"\xef\xbb\xbf\xff", bytes(range(256)), b"\xff\xfex"]
)
def test_broken_bytes_come_back_as_they_were(body: bytes) -> None:
    found = decode(body)
    assert found.encode(found.text) == body
