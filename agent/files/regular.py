"""Files that the program opens by itself are read here: only regular ones, never waiting for a pipe, never without a bound."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class NotRegular(OSError):
    """What stands there is no regular file; `strerror` says so: "not a file but a named pipe"."""


class TooLarge(OSError):
    """The file holds more than may be read; `strerror` says how much may: "larger than 4 MiB"."""


def open_regular(path: Path, buffering: int = -1) -> BinaryIO:
    """The regular file at `path`, or where its links lead, open for reading with `open`'s buffering; raises NotRegular and OSError.

    Looked at before, because opening a pipe or a device already has effects; and when it is open, should one have taken its place.
    """
    _check(path.stat().st_mode)
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        check_regular(handle)
        return os.fdopen(handle, "rb", buffering)
    except BaseException:
        os.close(handle)
        raise


def read_regular(path: Path, limit: int) -> bytes:
    """All bytes of the regular file at `path`, at most `limit`; raises NotRegular, TooLarge and OSError."""
    with open_regular(path) as file:
        if os.fstat(file.fileno()).st_size <= limit:  # some have no size, such as those in /proc
            data = file.read(limit + 1)
            if len(data) <= limit:
                return data
    raise TooLarge(errno.EFBIG, f"larger than {_amount(limit)}")


def open_to_append(path: Path) -> int:
    """A handle at the end of the regular file at `path` (made with mode 0600), also for reading; raises NotRegular and OSError."""
    if os.path.exists(path):
        _check(path.stat().st_mode)
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC, 0o600)
    try:
        check_regular(handle)
    except OSError:
        os.close(handle)
        raise
    return handle


def check_regular(handle: int) -> None:
    """Raises NotRegular unless the open `handle` is a regular file."""
    _check(os.fstat(handle).st_mode)


def _check(mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise NotRegular(errno.EINVAL, f"not a file but {kind_of(mode)}")


def kind_of(mode: int) -> str:
    """What `st_mode` says is no regular file, with its article."""
    return _KINDS.get(stat.S_IFMT(mode), "something else")


def _amount(limit: int) -> str:
    return f"{limit >> 20} MiB" if limit >= 1 << 20 else f"{limit >> 10} KiB"
