"""Files that a person names on the command line: a pipe of the shell's is welcome, an endless one is not."""

import errno
from pathlib import Path

SIZE_LIMIT = 256 * 1024 * 1024  # bytes


def read_given(path: Path) -> bytes:
    """All of `path`. Raises `OSError`, also for more than SIZE_LIMIT."""
    with path.open("rb") as file:
        data = file.read(SIZE_LIMIT + 1)
    if len(data) > SIZE_LIMIT:
        raise OSError(errno.EFBIG, f"larger than {SIZE_LIMIT >> 20} MiB", str(path))
    return data
