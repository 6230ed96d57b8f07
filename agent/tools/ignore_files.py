"""Ignore files that are no files: rg would wait for a pipe for ever, and read a device without end."""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from agent.files.regular import kind_of

_NAMES = (".gitignore", ".ignore", ".rgignore", ".git/info/exclude")


def odd_above(folder: Path) -> str:
    """What rg would read at and above `folder` (absolute) before it begins, and what it is; "" when all are files."""
    return _first_odd((folder, *folder.parents))


def odd_below(folder: Path, enough: Callable[[], bool]) -> str:
    """The same of the folders below, until `enough`. Blocks: it walks the tree."""

    def below() -> Iterator[Path]:
        for place, _folders, _files in os.walk(folder):
            if enough():
                return
            yield Path(place)

    return _first_odd(below())


def _first_odd(folders: Iterator[Path] | tuple[Path, ...]) -> str:
    for folder in folders:
        for name in _NAMES:
            try:
                mode = (folder / name).stat().st_mode
            except OSError:
                continue
            if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):  # rg passes over a folder
                return f"{folder / name} is {kind_of(mode)} and not a file"
    return ""
