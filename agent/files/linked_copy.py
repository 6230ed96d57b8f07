"""A second folder with the same files, which cost no room where the disk can link them."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

from agent.files.private import make_private


def linked_copy(source: Path, target: Path) -> None:
    """Makes `target` a copy of the folder `source`, private to its owner; for files that are replaced and never changed in place.

    Best effort: what cannot be read or written is left out. Blocks.
    """
    if not os.path.isdir(source):
        return
    with suppress(OSError, shutil.Error):
        make_private(target.parent)
        shutil.copytree(source, target, copy_function=_link_or_copy, dirs_exist_ok=True)
        target.chmod(0o700)


def _link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
