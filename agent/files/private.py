"""Folders for nobody else's eyes."""

import os
from pathlib import Path


def make_private(folder: Path) -> None:
    """Makes `folder` and what is missing above it with mode 0700; raises OSError."""
    if not os.path.isdir(folder):
        make_private(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
