"""Which files the settings came from, and whether one of them has changed since: they are small, so they are read; no watcher."""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from agent.files.regular import open_regular

LOOKED_AT = 1_000_000  # bytes; of a longer file (a hook's program) its size and time tell the rest

Stamp: TypeAlias = tuple[bytes, int, int]
Stamps: TypeAlias = dict[Path, Stamp | None]


def take_stamps(files: Sequence[Path]) -> Stamps:
    """What tells a changed file: its content, however soon after the last change; None when there is none or it cannot be looked at."""
    return {file: _stamp(file) for file in files}


def changed_files(before: Stamps) -> tuple[Path, ...]:
    """The files that are no longer as they were, came or went."""
    return tuple(file for file, stamp in before.items() if _stamp(file) != stamp)


def _stamp(file: Path) -> Stamp | None:
    try:
        with open_regular(file) as content:
            status = os.fstat(content.fileno())
            digest = hashlib.sha256(content.read(LOOKED_AT)).digest()
    except (OSError, ValueError):
        return None
    return (digest, status.st_size, status.st_mtime_ns if status.st_size > LOOKED_AT else 0)
