"""Bodies and bytes carried from one connection to another as they come. Opens nothing itself."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable

from explorer.httpwire import PIECE, BadMessage, Framing, pieces
from instrument.transit import SIZE_LIMIT

Pair = tuple[asyncio.StreamReader, asyncio.StreamWriter]
"""Both ends of one connection."""
_HELD_S = 1.0
"""How often it is looked whether the browser still waits for a stream that says nothing."""


async def bounded(reader: asyncio.StreamReader, framing: Framing) -> AsyncIterator[bytes]:
    """All pieces of a body that will be held in memory."""
    size = 0
    async for piece in pieces(reader, framing):
        size += len(piece)
        if size > 4 * SIZE_LIMIT:
            raise BadMessage("a script or page is too large")
        yield piece


async def pour(
    reader: asyncio.StreamReader,
    framing: Framing,
    writer: asyncio.StreamWriter,
    *,
    chunked: bool,
    held: Callable[[], bool] = lambda: True,
) -> None:
    """Carries a body as it comes, while the one who waits for it is there."""
    source = pieces(reader, framing)
    while (piece := await _next(source, held)) is not None:
        writer.write(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
        await writer.drain()
    if chunked:
        writer.write(b"0\r\n\r\n")
    await writer.drain()


async def _next(source: AsyncIterator[bytes], held: Callable[[], bool]) -> bytes | None:
    coming: asyncio.Future[bytes | None] = asyncio.ensure_future(anext(source, None))
    try:
        while not (await asyncio.wait({coming}, timeout=_HELD_S))[0]:
            if not held():
                raise BadMessage("nobody waits for the answer any more")
        return coming.result()
    finally:
        coming.cancel()


def hung_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    return writer.is_closing() or reader.at_eof()


async def both_ways(client: Pair, server: Pair) -> bool:
    """Carries bytes between two connections until one of them ends; False, for nothing can follow."""
    ways = [
        asyncio.ensure_future(_copied(client[0], server[1])),
        asyncio.ensure_future(_copied(server[0], client[1])),
    ]
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for way in ways:
            way.cancel()
        server[1].close()
    return False


async def _copied(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while piece := await reader.read(PIECE):
            writer.write(piece)
            await writer.drain()
