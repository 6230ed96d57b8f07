"""CLAUDE_ENV_FILE: what hooks left for later commands is sourced only where it is a file."""

import os
from pathlib import Path

from agent.hooks.env_file import env_files, fresh_env_file


def test_what_is_no_file_is_not_sourced(tmp_path: Path) -> None:
    kept = fresh_env_file(tmp_path, 1, "one")
    assert kept is not None
    kept.write_text("export A=1\n")
    os.mkfifo(tmp_path / "000-pipe.sh")
    (tmp_path / "002-zero.sh").symlink_to("/dev/zero")
    (tmp_path / "003-folder.sh").mkdir()
    assert env_files(tmp_path) == (kept,)
