"""`claudeMdExcludes`: globs on absolute paths."""

import fnmatch
from collections.abc import Sequence
from pathlib import Path


def is_excluded(path: Path, globs: Sequence[str]) -> bool:
    """Whether one of `globs` names `path`; `*` also crosses folders, so `**/legacy/**` means what it says."""
    text = str(path)
    return any(fnmatch.fnmatchcase(text, glob) for glob in globs)
