"""One output pipe of a child: read as it comes, masked, captured, and shown live."""

import asyncio
import codecs
import os
from collections.abc import Awaitable, Callable

from agent.process.capture import Capture
from agent.process.secrets import StreamMask
from agent.process.watchdog import Watchdog

_PIECE = 65_536  # bytes a read; a Linux pipe holds as many
_REST = 32  # pieces read at most after the end: an escaped child may write for ever
_BURST = 16_384  # characters of one live report
_REPORT_EVERY = 0.1  # seconds


class Live:
    """Passes new output on at most ten times a second, and of a burst only the end: it is for watching, not for keeping."""

    def __init__(self, report: Callable[[str], Awaitable[None]]) -> None:
        self._report = report
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._pending = ""
        self._wake = asyncio.Event()

    def feed(self, data: bytes) -> None:
        """Take what came."""
        self._pending = (self._pending + self._decoder.decode(data[-_BURST:]))[-_BURST:]
        self._wake.set()

    async def run(self) -> None:
        """Report until cancelled."""
        while True:
            await self._wake.wait()
            await self.flush()
            await asyncio.sleep(_REPORT_EVERY)

    async def flush(self) -> None:
        """Report what is pending, if anything."""
        self._wake.clear()
        text, self._pending = self._pending, ""
        if text:
            await self._report(text)


class OutputPipe:
    """Made before the child, whose end is `writer`; `ended` is done at EOF, `enough` once `limit` bytes came."""

    def __init__(self, capture: Capture, mask: StreamMask, live: Live | None, limit: int | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        self._reader, self.writer = os.pipe()
        os.set_blocking(self._reader, False)
        self._capture, self._mask, self._live, self._limit = capture, mask, live, limit
        self.ended: asyncio.Future[None] = self._loop.create_future()
        self.enough: asyncio.Future[int] = self._loop.create_future()

    def listen(self) -> None:
        """Give up our copy of the child's end and read what comes."""
        os.close(self.writer)
        self._loop.add_reader(self._reader, self._read)

    def abandon(self) -> None:
        """Close both ends: there is no child."""
        os.close(self.writer)
        os.close(self._reader)

    def finish(self, keep: Watchdog | None) -> None:
        """Read what is there and stop; writers that live on are drained by `keep`, or find the pipe closed."""
        self._loop.remove_reader(self._reader)
        for _ in range(_REST):
            if self.ended.done() or not self._read():
                break
        self._take(self._mask.flush())
        self._capture.close()
        if keep is not None and not self.ended.done():
            keep.drain(self._reader)
        else:
            os.close(self._reader)

    def _read(self) -> bool:
        """Read one piece; False when nothing is there."""
        try:
            data = os.read(self._reader, _PIECE)
        except BlockingIOError:
            return False
        if data:
            self._take(self._mask.feed(data))
            return True
        self._loop.remove_reader(self._reader)
        self.ended.set_result(None)
        return False

    def _take(self, data: bytes) -> None:
        if not data:
            return
        self._capture.feed(data)
        if self._live is not None:
            self._live.feed(data)
        if self._limit is not None and self._capture.size >= self._limit and not self.enough.done():
            self.enough.set_result(self._capture.size)
