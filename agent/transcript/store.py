"""One session's file: one writer, whole records, and a tail that a crash cannot spoil."""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from agent.files.private import make_private
from agent.files.regular import open_regular
from agent.protocol.errors import SessionBusy, SessionNotFound, TranscriptError

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
SAFE = "Everything before it is on record."
CHUNK = 1 << 20
_WRITING = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK


class Store:
    """An append-only file of lines.

    Durability: every record is handed to the kernel in one write before `append` returns, so it survives the death of this process;
    with `sync` (prompts, boundaries, leaf moves) it is fsynced too and survives the death of the machine. A write that fails is cut
    off again; if even that fails, the next append starts with a newline, so that two records never fuse. The file and its folder are
    private (0600, 0700). The writer holds an flock on the file itself: it goes away with the process, and leaves no lock file.

    What others do to the file while it is open: deleted, or with another in its place, it is written again from the bytes that the
    open handle still reaches; cut short, `held` says how much is left. `news` has a line for the person about each.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.news: list[str] = []
        self._fd = -1
        self._size = 0
        self._torn = False

    def open(self, *, create: bool) -> None:
        """Takes the file for writing; raises SessionBusy, SessionNotFound or TranscriptError."""
        try:
            if create:
                make_private(self.path.parent)
            self._fd = os.open(self.path, _WRITING | (os.O_CREAT | os.O_EXCL if create else 0), 0o600)
            self._lock(self._fd)
            if create:
                _sync_folder(self.path.parent)
            self._size = os.fstat(self._fd).st_size
            self._torn = _ends_mid_line(self._fd)
        except SessionBusy:
            self.close()
            raise
        except OSError as error:
            self.close()
            raise (_not_made if create else _unusable)(self.path, error) from error

    def _lock(self, fd: int) -> None:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise SessionBusy(
                f"Another process is writing this session ({self.path.stem}).",
                safe="Nothing was changed.",
                do="Close it there, or continue in a copy with --fork-session.",
            ) from error
        except OSError as error:
            if error.errno not in (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP):
                raise
            # A file system without locks: better an unlocked session than none.

    def append(self, data: bytes, *, sync: bool = False) -> int:
        """Writes whole lines at the end and returns the offset of the first; on failure the file is as before.

        Raises TranscriptError; the same append may be tried again.
        """
        if self._fd < 0:
            self.open(create=True)
        try:
            start = self._end()
            lead = b"\n" if self._torn else b""
            try:
                _write_all(self._fd, lead + data)
                if sync:
                    os.fsync(self._fd)
            except OSError:
                self._cut_back(start)
                raise
        except OSError as error:
            raise _not_saved(self.path, error) from error
        self._torn = False
        self._size = start + len(lead) + len(data)
        return start + len(lead)

    def held(self) -> int | None:
        """How many bytes are left of a file that somebody has cut short since it was written, None when nobody has. Raises TranscriptError."""
        if self._fd < 0:
            return None
        before = self._size
        try:
            end = self._end()
        except OSError as error:
            raise _not_saved(self.path, error) from error
        return end if end < before else None

    def _end(self) -> int:
        """Where the next record goes."""
        status = os.fstat(self._fd)
        if status.st_nlink == 0:
            self._write_again()
        if status.st_size != self._size:
            self._size, self._torn = status.st_size, _ends_mid_line(self._fd)
        return status.st_size

    def _write_again(self) -> None:
        """A new file at the old place, with the same bytes; what stands there is set aside, because it may be somebody's work."""
        told = f"The record of this session was deleted while it ran; it is written again at {self.path}."
        try:
            make_private(self.path.parent)
            if os.path.lexists(self.path):
                aside = self.path.with_name(f"{self.path.name}.replaced")
                self.path.replace(aside)
                told = f"Another file took the place of this session's record: it is {aside} now, and the record is written again."
            self._fd = self._copied(self._fd)
            _sync_folder(self.path.parent)
        except OSError as error:
            raise _not_written_again(self.path, error) from error
        self.news.append(told)

    def _copied(self, old: int) -> int:
        """The handle of a new file with the bytes of `old`, which is closed then."""
        fd = os.open(self.path, _WRITING | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            self._lock(fd)
            offset = 0
            while data := os.pread(old, CHUNK, offset):
                _write_all(fd, data)
                offset += len(data)
            os.fsync(fd)
        except (OSError, SessionBusy):
            os.close(fd)
            self.path.unlink(missing_ok=True)
            raise
        os.close(old)
        return fd

    def _cut_back(self, size: int) -> None:
        try:
            os.ftruncate(self._fd, size)
        except OSError:
            self._torn = True

    def read(self, offset: int, length: int) -> bytes:
        """Bytes of the file; while it is open also of a file that was deleted meanwhile."""
        if self._fd < 0:
            return Reader(self.path).read(offset, length)
        try:
            return os.pread(self._fd, length, offset)
        except OSError as error:
            raise _unusable(self.path, error) from error

    def lines(self) -> Iterator[bytes]:
        """All lines from the beginning, each with its newline except perhaps the last."""
        return read_lines(self.path)

    def discard(self) -> None:
        """Removes the file, which nothing was written to: a copy that failed leaves no empty session."""
        if self._fd >= 0 and os.fstat(self._fd).st_size == 0:
            with suppress(OSError):
                self.path.unlink()
        self.close()

    def close(self) -> None:
        """Releases the lock."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


class Reader:
    """The same file, only read: no lock, nothing created."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self, offset: int, length: int) -> bytes:
        """Bytes of the file."""
        try:
            with open_regular(self.path, 0) as file:
                return os.pread(file.fileno(), length, offset)
        except OSError as error:
            raise _unusable(self.path, error) from error


def read_lines(path: Path) -> Iterator[bytes]:
    """All lines of a file, each with its newline except perhaps the last; raises SessionNotFound or TranscriptError."""
    try:
        with open_regular(path, CHUNK) as file:
            yield from file
    except OSError as error:
        raise _unusable(path, error) from error


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def _ends_mid_line(fd: int) -> bool:
    size = os.fstat(fd).st_size
    return size > 0 and os.pread(fd, 1, size - 1) != b"\n"


def _sync_folder(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _not_made(path: Path, error: OSError) -> TranscriptError:
    if isinstance(error, FileExistsError) and os.path.lexists(path):  # else a file stands in its folder's place
        return TranscriptError(
            f"A session is already recorded at {path}.", safe="It was left as it is.", do="Resume it instead."
        )
    return TranscriptError(
        f"The session file {path} cannot be made: {error.strerror}.",
        safe="Nothing was changed.",
        do="Set CCAGENT_HOME to a folder that can be written.",
    )


def _unusable(path: Path, error: OSError) -> TranscriptError:
    if isinstance(error, FileNotFoundError):
        return SessionNotFound(f"No conversation found at {path}.")
    return TranscriptError(f"The session file {path} cannot be used: {error.strerror}.", safe="Nothing was changed.")


def _not_saved(path: Path, error: OSError) -> TranscriptError:
    if error.errno in FULL:
        return TranscriptError("Not saved: the disk is full.", safe=SAFE, do="Free some space and try again.")
    return TranscriptError(
        f"Not saved: {path} cannot be written ({error.strerror}).", safe=SAFE, do="Check the file and try again."
    )


def _not_written_again(path: Path, error: OSError) -> TranscriptError:
    return TranscriptError(
        f"Not saved: {path} was deleted while the session ran and cannot be written again ({error.strerror}).",
        safe="What was said is still in memory.",
        do="Make room for the file there, or keep the conversation elsewhere: /export FILE.",
    )
