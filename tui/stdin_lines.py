"""Lines from standard input while an event loop runs, read by a thread that nobody has to wait for."""

import asyncio
import os
import threading
from codecs import getincrementaldecoder
from contextlib import suppress

CHUNK = 65_536


class StdinLines:
    """Lines of the file descriptor `fd`, without their ends (LF or CRLF); None at its end.

    The reader is a daemon thread on the bare descriptor: a buffered reader would hold a lock that the interpreter waits for at exit.
    """

    def __init__(self, fd: int = 0) -> None:
        self._fd = fd
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._started = False

    async def next(self) -> str | None:
        """The next line, or None at the end (and ever after); undecodable bytes become U+FFFD."""
        if not self._started:
            self._started = True
            threading.Thread(target=self._read, name="stdin", daemon=True).start()
        line = await self._queue.get()
        if line is None:
            self._queue.put_nowait(None)
        return line

    def _read(self) -> None:
        decoder = getincrementaldecoder("utf-8")(errors="replace")
        rest = ""
        while chunk := self._chunk():
            *lines, rest = (rest + decoder.decode(chunk)).split("\n")
            for line in lines:
                self._put(line.removesuffix("\r"))
        rest += decoder.decode(b"", final=True)
        if rest:
            self._put(rest.removesuffix("\r"))
        self._put(None)

    def _chunk(self) -> bytes:
        try:
            return os.read(self._fd, CHUNK)
        except OSError:  # closed, or a terminal that hung up: the end of input
            return b""

    def _put(self, line: str | None) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody listens any more
            self._loop.call_soon_threadsafe(self._queue.put_nowait, line)
