"""Keeps the screen to ourselves: the app draws on stdout's terminal, and what anyone writes to stderr waits until it is over."""

import io
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO

from agent.protocol.errors import FilesError
from tui.std_streams import write_stdout

MOST = 20_000  # bytes of stderr shown afterwards: the last ones


class DrawnTerminal(io.TextIOBase):
    """The terminal `fd`: it gets all of a picture however slowly it reads; when its window is closed, pictures are dropped.

    Nothing it does may raise: the thread that draws would die, and the app wait for it.
    """

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._waiting: list[str] = []

    def fileno(self) -> int:
        return self._fd

    def isatty(self) -> bool:
        return os.isatty(self._fd)

    def write(self, text: str, /) -> int:
        self._waiting.append(text)
        return len(text)

    def flush(self) -> None:
        data = "".join(self._waiting).encode(errors="replace")
        self._waiting.clear()
        with suppress(BrokenPipeError, FilesError):
            write_stdout(data, self._fd)


@contextmanager
def quiet_stderr() -> Iterator[None]:
    """Textual's driver draws on `sys.__stderr__`: it is stdout's terminal in the block, so that `2>file` leaves the screen whole.

    File descriptor 2 goes to a temporary file when it is a terminal (libraries and children would write across the picture);
    its end is printed after the block.
    """
    drawn = sys.__stderr__
    screen = DrawnTerminal(sys.stdout.fileno())
    with _collected():
        sys.__stderr__ = screen  # type: ignore[misc, assignment]  # a constant to the type checker, and Textual's only door
        try:
            yield
        finally:
            screen.flush()
            sys.__stderr__ = drawn  # type: ignore[misc]  # as above


@contextmanager
def _collected() -> Iterator[None]:
    if not os.isatty(2):
        yield
        return
    real = os.dup(2)
    with _kept() as kept:
        os.dup2(kept.fileno(), 2)
        try:
            yield
        finally:
            with suppress(OSError, ValueError):
                sys.stderr.flush()
            os.dup2(real, 2)
            os.close(real)
            size = kept.seek(0, os.SEEK_END)
            kept.seek(max(0, size - MOST))
            _write_all(kept.read())


def _kept() -> IO[bytes]:
    """A file for what comes; where none can be made (no room, no folder) it is not kept, which is no reason not to start."""
    try:
        return tempfile.TemporaryFile()
    except OSError:
        return os.fdopen(os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC), "r+b")


def _write_all(data: bytes) -> None:
    with suppress(OSError):
        while data:
            data = data[os.write(2, data) :]
