"""Ways to go on with what is being typed."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from msgspec import Struct

MOST = 50


class Named(Protocol):
    """A command as lists show it."""

    @property
    def name(self) -> str: ...

    @property
    def help(self) -> str: ...


class Completion(Struct, frozen=True):
    """The text to put in place of what was typed, and a few words about it."""

    text: str
    hint: str = ""


def complete(text: str, commands: Sequence[Named], cwd: Path) -> tuple[Completion, ...]:
    """Slash commands for a line that begins with /, files of `cwd` for a last word that begins with @; else nothing."""
    if text.startswith("/") and " " not in text:
        typed = text[1:].lower()
        return tuple(Completion(f"/{c.name}", c.help) for c in commands if _fits(c.name, typed))
    head, at, tail = text.rpartition("@")
    if not at or " " in tail or (head and not head[-1].isspace()):
        return ()
    return tuple(Completion(f"{head}@{path}", "") for path in _paths(tail, cwd))


def _fits(name: str, typed: str) -> bool:
    """Whether the name begins so, or its last part does (`/page` finds `front:page`)."""
    return name.lower().startswith(typed) or name.lower().rpartition(":")[2].startswith(typed)


def _paths(tail: str, cwd: Path) -> list[str]:
    folder, _, stem = tail.rpartition("/")
    base = cwd / os.path.expanduser(folder)
    prefix = f"{folder}/" if folder else ("/" if tail.startswith("/") else "")
    try:
        with os.scandir(base if prefix != "/" else "/") as found:
            names = sorted(
                (entry.name + "/" if os.path.isdir(entry) else entry.name)
                for entry in found
                if entry.name.lower().startswith(stem.lower())
                and (stem.startswith(".") or not entry.name.startswith("."))
            )
    except (OSError, ValueError):  # a NUL is no part of a name
        return []
    return [prefix + name for name in names[:MOST]]
