"""Small real files that an app is given wherever it asks for one; made at run time, the same bytes each time."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from pathlib import Path

_PDF = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
)
_SVG = (
    b'<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><rect width="64" height="64" fill="#28a"/>'
    b'<circle cx="32" cy="32" r="20" fill="#fc0"/></svg>\n'
)
_JSON = (
    b'{"name": "Sample", "version": 1, "items": [{"id": 1, "title": "First", "done": false},'
    b' {"id": 2, "title": "Second", "done": true}]}\n'
)


def _png(size: int = 32) -> bytes:
    """A square of two colours."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    row = b"\x00" + b"\x28\xa0\xd0" * (size // 2) + b"\xf0\xc0\x20" * (size - size // 2)
    header = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    pixels = zlib.compress(row * size, 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def samples() -> dict[str, bytes]:
    """File name -> contents of each sample."""
    return {
        "valid.json": _JSON,
        "broken.json": b'{"name": "Sample", "items": [1, 2,\n',
        "table.csv": b"id,title,amount\n1,First,10.50\n2,Second,7\n",
        "text.txt": b"First line\nSecond line\n",
        "picture.png": _png(),
        "drawing.svg": _SVG,
        "page.pdf": _PDF,
    }


def fitting(accept: str, *, nth: int = 0) -> str:
    """Name of the nth sample (round and round) that an `accept` attribute lets in; of all where none fits."""
    wanted = [part.strip().lower() for part in accept.split(",") if part.strip()]
    names = [name for name in samples() if any(_accepted(name, part) for part in wanted)] or list(samples())
    return names[nth % len(names)]


_TYPES = {
    "json": "application/json",
    "csv": "text/csv",
    "txt": "text/plain",
    "png": "image/png",
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
}


def _accepted(name: str, part: str) -> bool:
    suffix = name.rsplit(".", 1)[1]
    if part.startswith("."):
        return part[1:] == suffix
    return _TYPES[suffix] == part or (part.endswith("/*") and _TYPES[suffix].startswith(part[:-1]))


def write_samples(folder: Path, names: Sequence[str]) -> list[Path]:
    """Writes the named samples into a folder that is made if need be; KeyError for an unknown name."""
    contents = samples()
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name in names:
        path = folder / name
        if not path.is_file():
            path.write_bytes(contents[name])
        paths.append(path)
    return paths
