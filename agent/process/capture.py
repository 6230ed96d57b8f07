"""Output that may be endless, kept in bounded memory: its head, its tail, and the whole of it in a file when asked."""

import os
from pathlib import Path

SPILL_CAP = 64 * 1024 * 1024  # bytes of one spilled output (reference section 5)


class Capture:
    """Collects bytes: the first and last `max_bytes // 2` in memory; all of them (up to 64 MiB) in `spill` once they exceed `max_bytes`."""

    def __init__(self, max_bytes: int, spill: Path | None = None) -> None:
        self._max = max_bytes
        self._head = bytearray()
        self._tail = bytearray()
        self._spill = _Spill(spill) if spill is not None else None
        self.size = 0

    @property
    def truncated(self) -> bool:
        """Whether more came than memory keeps."""
        return self.size > self._max

    @property
    def spilled(self) -> int:
        """How many of the first bytes the spill file holds: all that came, unless that was more than 64 MiB or the disk refused."""
        return self._spill.written if self._spill is not None else 0

    def feed(self, data: bytes) -> None:
        """Take what came."""
        before = self.size
        self.size += len(data)
        if self.size <= self._max:
            self._head += data
            return
        if self._spill is not None:
            if before <= self._max:
                self._spill.write(bytes(self._head))
            self._spill.write(data)
        self._keep_ends(data)

    def _keep_ends(self, data: bytes) -> None:
        half = self._max // 2
        if not self._tail:
            self._head += data
            data = bytes(self._head[half:])
            del self._head[half:]
        self._tail += data
        if len(self._tail) > 4 * half:  # trimmed now and then, not at each piece
            del self._tail[:-half]

    def text(self) -> str:
        """Head and tail with a line between them that says how much is missing; undecodable bytes become U+FFFD."""
        if not self.truncated:
            return self._head.decode("utf-8", "replace")
        tail = self._tail[-(self._max // 2) :] if self._max > 1 else b""
        missing = self.size - len(self._head) - len(tail)
        middle = f"\n[... {missing:,} bytes left out ...]\n"
        return _trimmed(bytes(self._head)) + middle + bytes(tail).decode("utf-8", "replace").lstrip("\ufffd")

    def close(self) -> None:
        """Close the spill file."""
        if self._spill is not None:
            self._spill.close()


class _Spill:
    """A file of mode 0600 opened at the first write; a disk that refuses ends the spilling, not the process."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fd: int | None = None
        self._failed = False
        self.written = 0

    def write(self, data: bytes) -> None:
        room = SPILL_CAP - self.written
        if self._failed or room <= 0:
            return
        try:
            if self._fd is None:
                self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._fd = os.open(self._path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_CLOEXEC, 0o600)
            rest = memoryview(data)[:room]
            while rest:
                wrote = os.write(self._fd, rest)
                self.written += wrote
                rest = rest[wrote:]
        except OSError:
            self._failed = True

    def close(self) -> None:
        fd, self._fd = self._fd, None
        if fd is not None:
            os.close(fd)


def _trimmed(head: bytes) -> str:
    """`head` as text without the character that the cut went through."""
    return head.decode("utf-8", "replace").rstrip("\ufffd")
