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


class Arrival:
    """A body on its way that is waited for, and streamed on where it takes too long or grows too large."""

    def __init__(self, reader: asyncio.StreamReader, framing: Framing) -> None:
        self._queue: asyncio.Queue[bytes | BaseException | None] = asyncio.Queue(maxsize=256)
        self._reading = asyncio.ensure_future(self._read(reader, framing))

    async def _read(self, reader: asyncio.StreamReader, framing: Framing) -> None:
        try:
            async for piece in pieces(reader, framing):
                await self._queue.put(piece)
            await self._queue.put(None)
        except (BadMessage, OSError) as error:
            await self._queue.put(error)

    async def whole(self, *, seconds: float, most: int) -> tuple[bytes, str]:
        """What came, and why there is more to come, in words: "" where that is all."""
        got: list[bytes] = []
        size, end = 0, asyncio.get_running_loop().time() + seconds
        while size <= most:
            try:
                async with asyncio.timeout_at(end):
                    piece = await self._next()
            except TimeoutError:
                return b"".join(got), f"it was still coming after {seconds:g} seconds"
            if piece is None:
                return b"".join(got), ""
            got.append(piece)
            size += len(piece)
        return b"".join(got), f"larger than {most >> 20} MB"

    async def rest(self) -> AsyncIterator[bytes]:
        """What comes after that."""
        while (piece := await self._next()) is not None:
            yield piece

    async def _next(self) -> bytes | None:
        piece = await self._queue.get()
        if isinstance(piece, BaseException):
            raise piece
        return piece

    def close(self) -> None:
        """Reads no more."""
        self._reading.cancel()


async def pour(
    reader: asyncio.StreamReader,
    framing: Framing,
    writer: asyncio.StreamWriter,
    *,
    chunked: bool,
    held: Callable[[], bool] = lambda: True,
) -> None:
    """Carries a body as it comes, while the one who waits for it is there."""
    await pour_pieces(pieces(reader, framing), writer, chunked=chunked, held=held)


async def pour_pieces(
    source: AsyncIterator[bytes],
    writer: asyncio.StreamWriter,
    *,
    chunked: bool,
    held: Callable[[], bool] = lambda: True,
) -> None:
    """The same with a body's pieces."""
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
