"""CLAUDE_ENV_FILE: what SessionStart hooks export for every later Bash command (reference 1.3)."""

import contextlib
import hashlib
import os
from pathlib import Path

from agent.files.private import make_private

VARIABLE = "CLAUDE_ENV_FILE"


def fresh_env_file(folder: Path, position: int, command: str) -> Path | None:
    """The file that the hook at `position` of the settings may write, emptied of what it said before; None when the disk refuses.

    Each hook has its own file, because hooks run side by side and some write with `>`.
    """
    file = folder / f"{position:03}-{hashlib.sha256(command.encode('utf-8', 'replace')).hexdigest()[:8]}.sh"
    try:
        make_private(folder)
        with contextlib.suppress(FileNotFoundError):
            file.unlink()
    except OSError:
        return None
    return file


def env_files(folder: Path) -> tuple[Path, ...]:
    """The files that hooks have written, in the order of the settings."""
    try:
        return tuple(sorted(path for path in folder.iterdir() if path.suffix == ".sh" and os.path.isfile(path)))
    except OSError:
        return ()
