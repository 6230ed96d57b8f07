"""Keeps the screen to ourselves: the app draws on stdout's terminal, and what anyone writes to stderr waits until it is over."""

import io
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress

MOST = 20_000  # bytes of stderr shown afterwards: the last ones


class _Screen(io.TextIOWrapper):
    """A terminal whose window may be closed: what it no longer takes is dropped, lest the thread that draws dies and the app waits for it."""

    def write(self, text: str, /) -> int:
        with suppress(OSError):
            return super().write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            super().flush()


@contextmanager
def quiet_stderr() -> Iterator[None]:
    """Textual's driver draws on `sys.__stderr__`: it is stdout's terminal in the block, so that `2>file` leaves the screen whole.

    File descriptor 2 goes to a temporary file when it is a terminal (libraries and children would write across the picture);
    its end is printed after the block.
    """
    drawn = sys.__stderr__
    screen = _Screen(os.fdopen(os.dup(sys.stdout.fileno()), "wb"), encoding="utf-8", errors="replace")
    with _collected():
        sys.__stderr__ = screen  # type: ignore[misc]  # a constant to the type checker, and Textual's only door
        try:
            yield
        finally:
            sys.__stderr__ = drawn  # type: ignore[misc]  # as above
            with suppress(OSError):  # a window that was closed takes nothing more
                screen.close()


@contextmanager
def _collected() -> Iterator[None]:
    if not os.isatty(2):
        yield
        return
    real = os.dup(2)
    with tempfile.TemporaryFile() as kept:
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


def _write_all(data: bytes) -> None:
    with suppress(OSError):
        while data:
            data = data[os.write(2, data) :]
