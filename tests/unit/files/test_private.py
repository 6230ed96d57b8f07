"""Folders for nobody else's eyes: those above them too."""

import os
import stat
from pathlib import Path

import pytest

from agent.files.private import make_private


def mode(folder: Path) -> int:
    return stat.S_IMODE(folder.stat().st_mode)


def test_every_folder_that_is_missing_is_private_and_no_other_is_touched(tmp_path: Path) -> None:
    above = tmp_path / "above"
    above.mkdir(mode=0o755)
    before = os.umask(0)
    try:
        make_private(above / "a" / "b")
        make_private(above / "a" / "b")
    finally:
        os.umask(before)
    assert [mode(folder) for folder in (above, above / "a", above / "a" / "b")] == [0o755, 0o700, 0o700]


def test_a_file_in_a_folder_s_place_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        make_private(tmp_path / "file" / "below")
