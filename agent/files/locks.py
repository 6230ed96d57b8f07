"""A lock that the kernel frees when its holder dies, however it dies."""

import fcntl
import os
from pathlib import Path

from agent.files.atomic import files_error


class FileLock:
    """An exclusive lock on the file `path`, which is made when missing and never removed (a removed lock file locks nobody out)."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fd: int | None = None

    def acquire(self) -> bool:
        """Take the lock without waiting; True if we hold it (now or already). Raises FilesError when the file cannot be opened."""
        if self._fd is not None:
            return True
        try:
            fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise files_error(f"Could not open the lock {self._path}", error) from error
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            return False
        except OSError as error:
            os.close(fd)
            raise files_error(f"Could not lock {self._path}", error) from error
        self._fd = fd
        return True

    def release(self) -> None:
        """Give the lock back; nothing happens if we do not hold it."""
        fd, self._fd = self._fd, None
        if fd is not None:
            os.close(fd)  # the lock belongs to the open file and goes with it
