"""Removes old sessions: never one that somebody writes, and never anything but a session's own files."""

import os
import shutil
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from agent.protocol.errors import SessionBusy, TranscriptError
from agent.transcript.catalog import describe
from agent.transcript.store import Store


class Stale(Struct, frozen=True):
    """A session that was last written before the limit; `size` in bytes, with the files beside it; `busy` while a process holds it."""

    path: Path
    title: str
    mtime: datetime
    size: int
    busy: bool = False


def stale_sessions(folders: Iterable[Path], before: datetime) -> tuple[Stale, ...]:
    """The sessions in `folders` that nobody has written since `before`, oldest first; files without a message too."""
    found = [stale for folder in folders for path in folder.glob("*.jsonl") if (stale := _stale(path, before))]
    return tuple(sorted(found, key=lambda stale: (stale.mtime, stale.path)))


def remove_session(path: Path, before: datetime, beside: Iterable[Path] = ()) -> None:
    """Deletes the session's file and its own folders: the one of its name, and those `beside`.

    Raises SessionBusy when another process writes it, TranscriptError when it has been written since `before` or cannot be deleted.
    """
    store = Store(path)
    store.open(create=False)
    try:
        if _mtime(path) >= before:
            raise TranscriptError(f"{path.stem} has been written meanwhile.", safe="It was left as it is.")
        for folder in (path.with_suffix(""), *beside):
            _remove_folder(folder)  # before the file: what is left of a removal that failed is found again
        path.unlink()
    except OSError as error:
        raise TranscriptError(f"{path} cannot be removed ({error.strerror}).") from error
    finally:
        store.close()


def _stale(path: Path, before: datetime) -> Stale | None:
    """None also for what goes away while it is looked at: somebody else removes it."""
    if os.path.islink(path) or not os.path.isfile(path):
        return None
    try:
        mtime = _mtime(path)
        if mtime >= before:
            return None
        info = describe(path)
        title = (info.title or info.first_prompt) if info else ""
        size = path.stat().st_size + _size(path.with_suffix(""))
    except OSError:
        return None
    return Stale(path=path, title=title, mtime=mtime, size=size, busy=_busy(path))


def _busy(path: Path) -> bool:
    store = Store(path)
    try:
        store.open(create=False)
    except SessionBusy:
        return True
    except TranscriptError:
        return False
    store.close()
    return False


def _mtime(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)


def _size(folder: Path) -> int:
    """Bytes of the files below; nothing for what is no folder, or only points to one."""
    if os.path.islink(folder):
        return 0
    return sum((Path(place) / name).lstat().st_size for place, _folders, names in os.walk(folder) for name in names)


def _remove_folder(folder: Path) -> None:
    if os.path.islink(folder):
        folder.unlink()
    elif os.path.isdir(folder):
        shutil.rmtree(folder)
