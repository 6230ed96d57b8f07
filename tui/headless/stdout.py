"""Standard output, written whole whatever it is: a file, a slow pipe, a descriptor that a parent left non-blocking."""

import os
import select

from agent.protocol.errors import FilesError


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
