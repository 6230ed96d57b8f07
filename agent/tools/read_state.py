"""Which files the model has seen, and in which state."""

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from agent.protocol.tools import FileStamp


class FileReadState:
    """Stamps by real path, so that a file read through a symlink is known by its other name too; satisfies ReadState."""

    def __init__(self) -> None:
        self._stamps: dict[Path, FileStamp] = {}  # oldest use first

    def get(self, path: Path) -> FileStamp | None:
        """The stamp of the last read or write, or None."""
        return self._stamps.get(_real(path))

    def set(self, path: Path, stamp: FileStamp) -> None:
        """Remember `stamp`; the path becomes the most recent one."""
        key = _real(path)
        self._stamps.pop(key, None)
        self._stamps[key] = stamp

    def forget(self, path: Path) -> None:
        """The model no longer knows this file."""
        self._stamps.pop(_real(path), None)

    def recent(self) -> tuple[Path, ...]:
        """Real paths, most recently read or written first."""
        return tuple(reversed(self._stamps))

    def snapshot(self) -> Mapping[Path, FileStamp]:
        """A copy to `restore` later."""
        return dict(self._stamps)

    def restore(self, snapshot: Mapping[Path, FileStamp]) -> None:
        """Know what was known at the snapshot, and nothing else."""
        self._stamps = dict(snapshot)


def stamp_of(data: bytes, found: os.stat_result, *, partial: bool = False) -> FileStamp:
    """The stamp of a file that held `data` when `found` was taken."""
    return FileStamp(
        sha256=hashlib.sha256(data).hexdigest(), mtime_ns=found.st_mtime_ns, size=len(data), partial=partial
    )


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
