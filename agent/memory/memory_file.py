"""One memory file, and how it is read from disk."""

from pathlib import Path
from typing import Literal, TypeAlias

from msgspec import Struct

from agent.files.regular import read_regular

SIZE_LIMIT = 4 * 1024 * 1024  # bytes; reference 3.4

Kind: TypeAlias = Literal["Managed", "User", "Project", "Local"]  # the `memory_type` words of InstructionsLoaded hooks


class MemoryFile(Struct, frozen=True):
    """A file as it goes to the model: its path, whose it is, its text without comments, who imported it, and the files it is for."""

    path: Path
    kind: Kind
    text: str
    imported_by: Path | None = None
    globs: tuple[str, ...] = ()


class Memory(Struct, frozen=True):
    """All memory files, broad to specific, and one plain line for each that was left out."""

    files: tuple[MemoryFile, ...] = ()
    notices: tuple[str, ...] = ()


class Unreadable(Exception):
    """Why a file that is there cannot be used, in words that follow its path."""


def read_text(path: Path) -> str | None:
    """The text of `path` (bad bytes replaced), None when there is no such file; raises Unreadable."""
    try:
        data = read_regular(path, SIZE_LIMIT)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise Unreadable(error.strerror or str(error)) from error
    if b"\0" in data[:8192]:
        raise Unreadable("not a text")
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
