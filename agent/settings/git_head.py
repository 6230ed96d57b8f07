"""Which branch a work tree is on, read from its HEAD: asking git would start a process for each record."""

import os
from pathlib import Path

from agent.files.regular import read_regular

HEAD_LIMIT = 4096  # bytes; a reference's name is shorter
BRANCHES = "ref: refs/heads/"


def git_branch(work_tree: Path) -> str:
    """The branch of the work tree at `work_tree`, also before its first commit; "" when HEAD is detached or there is no repository."""
    dot_git = work_tree / ".git"
    if os.path.isfile(dot_git):  # a worktree or a submodule: the file names the folder
        pointer = _line(dot_git)
        if not pointer.startswith("gitdir:"):
            return ""
        dot_git = work_tree / pointer.removeprefix("gitdir:").strip()
    head = _line(dot_git / "HEAD")
    return head.removeprefix(BRANCHES) if head.startswith(BRANCHES) else ""


def _line(file: Path) -> str:
    try:
        return read_regular(file, HEAD_LIMIT).decode("utf-8", "replace").strip()
    except (OSError, ValueError):  # ValueError: a NUL in the name
        return ""
