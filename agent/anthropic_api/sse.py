"""Server-sent events: bytes in, the data of each event out."""

from collections.abc import AsyncIterator


async def event_data(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The `data` of every event, its lines joined; comments and other fields are passed over.

    An event that the end of the stream cut off is not yielded (HTML standard, server-sent events, "dispatch").
    """
    lines: list[bytes] = []
    async for line in _lines(chunks):
        if not line:
            if lines:
                yield b"\n".join(lines)
            lines = []
        elif line.startswith(b"data:"):
            lines.append(line[5:].removeprefix(b" "))


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    rest: list[bytes] = []
    async for chunk in chunks:
        first, *others = chunk.split(b"\n")
        rest.append(first)
        for other in others:
            yield b"".join(rest).removesuffix(b"\r")
            rest = [other]
