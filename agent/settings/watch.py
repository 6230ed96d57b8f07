"""Which files the settings came from, and whether one of them has changed since: a few `stat` calls, no watcher."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

Stamp: TypeAlias = tuple[int, int, int]
Stamps: TypeAlias = dict[Path, Stamp | None]


def take_stamps(files: Sequence[Path]) -> Stamps:
    """What tells a changed file: mtime (ns), size (bytes) and inode; None when there is none or it cannot be looked at."""
    return {file: _stamp(file) for file in files}


def changed_files(before: Stamps) -> tuple[Path, ...]:
    """The files that are no longer as they were, came or went."""
    return tuple(file for file, stamp in before.items() if _stamp(file) != stamp)


def _stamp(file: Path) -> Stamp | None:
    try:
        status = file.stat()
    except (OSError, ValueError):
        return None
    return (status.st_mtime_ns, status.st_size, status.st_ino)
