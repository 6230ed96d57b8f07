"""Puts files back as they were: first it is said exactly which would change, then each is written whole or left as it is."""

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, TypeAlias

from msgspec import Struct

from agent.file_history.snapshots import SIZE_LIMIT, FileHistory, Saved
from agent.files.atomic import write_atomic
from agent.files.regular import read_regular
from agent.files.seen_from import seen_from
from agent.protocol.errors import FilesError

Action: TypeAlias = Literal["restore", "recreate", "remove"]


class Change(Struct, frozen=True):
    """What must happen to a file so that it is as it was in `saved`."""

    saved: Saved
    action: Action

    @property
    def path(self) -> Path:
        """The file."""
        return Path(self.saved.path)


class Outcome(Struct, frozen=True):
    """Which files were put back, and why others were not."""

    done: tuple[Change, ...]
    skipped: tuple[tuple[Path, str], ...]


def changes(history: FileHistory, states: Iterable[Saved]) -> tuple[Change, ...]:
    """What would have to change for every file to be as in `states`; files that are so already are left out."""
    return tuple(Change(saved, action) for saved in states if (action := _action(history, saved)) is not None)


def put_back(history: FileHistory, planned: Iterable[Change], rewound_from: str) -> Outcome:
    """Makes the `planned` changes; the states that they replace are kept, so that this can be taken back.

    Left alone is what is no plain file of one name any more: a link, a file with other hard links, a folder moved away. Blocks.
    """
    done: list[Change] = []
    skipped: list[tuple[Path, str]] = []
    for change in planned:
        try:
            _refuse_odd(change.path)
            history.keep_replaced(change.path, rewound_from)
            _apply(history, change)
            done.append(change)
        except FilesError as error:
            skipped.append((change.path, error.what))
        except OSError as error:
            skipped.append((change.path, str(error.strerror)))
    return Outcome(tuple(done), tuple(skipped))


def _action(history: FileHistory, saved: Saved) -> Action | None:
    path = Path(saved.path)
    try:
        found = path.lstat()
    except OSError:
        return None if saved.backup_file_name is None else "recreate"
    if saved.backup_file_name is None:
        return "remove"
    try:
        same = stat.S_ISREG(found.st_mode) and stat.S_IMODE(found.st_mode) == saved.mode
        return None if same and read_regular(path, SIZE_LIMIT) == history.content(saved) else "restore"
    except (OSError, FilesError):
        return "restore"


def _refuse_odd(path: Path) -> None:
    """Raises FilesError for what must not be written through or replaced."""
    if os.path.realpath(path) != str(path):
        raise FilesError("it is reached through a link now")
    if not os.path.lexists(path):
        return
    found = path.lstat()
    if not stat.S_ISREG(found.st_mode):
        raise FilesError("it is no plain file now")
    if found.st_nlink > 1:
        raise FilesError("it has other hard links")


def _apply(history: FileHistory, change: Change) -> None:
    data = history.content(change.saved)
    if data is None:
        change.path.unlink()
        return
    change.path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(change.path, data, mode=change.saved.mode)


def in_words(planned: Iterable[Change], root: Path) -> Iterator[str]:
    """A line for each change, paths below `root` told from there."""
    for change in planned:
        yield f"{change.action} {seen_from(change.path, root)}"
