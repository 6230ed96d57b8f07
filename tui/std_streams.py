"""Standard output and standard error as they really are: closed, full, left by their reader, or of a narrow encoding."""

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper

from agent.protocol.errors import FilesError


def keep_numbers() -> None:
    """Take the numbers of standard streams that are closed, so that no other file gets them; reading and writing them still fails."""
    for fd in (0, 1, 2):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_WRONLY if fd == 0 else os.O_RDONLY)  # the lowest free number, which is this one


@contextmanager
def printing() -> Iterator[None]:
    """Around code that prints through `sys.stdout`: any character can be written, and what cannot is a plain failure.

    Raises FilesError when standard output is closed or its disk full, BrokenPipeError when the reader left; afterwards nothing
    more is written.
    """
    if sys.stdout is None:
        raise FilesError("standard output is closed.")
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        if error.filename is not None:  # about a file, so not about a stream
            raise
        _discard(1)
        if isinstance(error, BrokenPipeError):
            raise
        raise FilesError(f"standard output cannot be written ({error.strerror}).") from error


def write_stdout(data: bytes, fd: int = 1) -> None:
    """Write all of `data`; BrokenPipeError when the reader left, FilesError when it cannot be written.

    Not through `sys.stdout`: unbuffered (PYTHONUNBUFFERED) it writes only a part and does not say so.
    """
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(fd, rest) :]
        except BlockingIOError:
            select.select([], [fd], [])
        except BrokenPipeError:
            raise
        except OSError as error:
            raise FilesError(f"standard output cannot be written ({error.strerror}).") from error


def write_stderr(text: str) -> None:
    """Write `text` at once if standard error takes it: what cannot be told must not stop the work."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        _discard(2)


def _discard(fd: int) -> None:
    """Send nowhere what the buffer of `fd` still holds: the interpreter would fail on it at its exit."""
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, fd)
        os.close(nowhere)
