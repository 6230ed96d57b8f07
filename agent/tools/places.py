"""Where a path that a model wrote points to, and how a person reads it."""

import os
from pathlib import Path


def absolute(text: str, cwd: Path) -> Path:
    """`text` from `cwd`, with `~`, `.` and `..` worked out by name; symlinks stay."""
    return Path(os.path.normpath(cwd / os.path.expanduser(text)))


def touched(path: Path) -> tuple[Path, ...]:
    """The path, and the file that its symlinks lead to when that is another: permissions look at both."""
    target = Path(os.path.realpath(path))
    return (path,) if target == path else (path, target)


def shown(path: Path, cwd: Path) -> str:
    """The path as a person says it: relative inside `cwd`, else whole."""
    try:
        return str(path.relative_to(cwd))
    except ValueError:
        return str(path)
