"""Writes a rule that a person wants remembered into one of the memory files."""

import os
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from agent.files.atomic import files_error, write_atomic
from agent.files.regular import read_regular
from agent.memory.memory_file import SIZE_LIMIT, Unreadable, read_text
from agent.protocol.errors import FilesError, UsageError
from agent.settings.paths import Places

Scope: TypeAlias = Literal["user", "project", "local"]
SCOPES: tuple[Scope, ...] = get_args(Scope)


def memory_path(places: Places, scope: Scope) -> Path:
    """Where rules of this scope are written: our home, the project's file that is read now, or the person's own file beside it.

    Raises UsageError when the project's file lies below `.claude`, where nothing is ever written.
    """
    root = places.project_root
    match scope:
        case "user":
            return places.ccagent_home / "CLAUDE.md"
        case "local":
            return root / "CLAUDE.local.md"
        case "project":
            names = ("CLAUDE.md", ".claude/CLAUDE.md", "AGENTS.md")
            name = next((name for name in names if os.path.lexists(root / name)), "CLAUDE.md")
            if name.startswith(".claude"):
                raise UsageError(
                    f"This project's memory is {root / name}, and ccagent writes nothing below .claude.",
                    do="Open it (/memory open project), or add to your own: /memory add local …",
                )
            return root / name


def add_rule(path: Path, rule: str) -> None:
    """Puts `rule` at the end of `path` as an item of a list; the file is made when it is missing. Raises FilesError, nothing changed then."""
    item = "- " + "\n  ".join(line.rstrip() for line in rule.strip().splitlines())
    try:
        text = read_text(path) or ""
    except Unreadable as error:
        raise FilesError(f"{path} cannot be added to: {error}.", safe="Nothing was changed.") from error
    end = "\r\n" if _ends_in_crlf(path) else "\n"
    lines = text.rstrip().splitlines()
    gap = [""] if lines and not lines[-1].lstrip().startswith(("- ", "* ")) else []
    new = [*lines, *gap, *item.splitlines(), ""]
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise files_error(f"Could not make {path.parent}", error) from error
    write_atomic(path, end.join(new).encode("utf-8", "replace"))


def _ends_in_crlf(path: Path) -> bool:
    try:
        return b"\r\n" in read_regular(path, SIZE_LIMIT)[:8192]
    except OSError:
        return False
