"""A settings file that changed is noticed by what it says, however soon after the last time."""

import os
from pathlib import Path

from agent.settings.watch import changed_files, take_stamps


def test_changed_come_and_gone_files_are_named(tmp_path: Path) -> None:
    same, new, gone, touched, here = (tmp_path / name for name in ("same", "new", "gone", "touched", "folder"))
    for file in (same, gone, touched):
        file.write_text("{}")
    here.mkdir()
    before = take_stamps((same, new, gone, touched, here))
    new.write_text("{}")
    gone.unlink()
    os.utime(touched, (1, 1))
    assert changed_files(before) == (new, gone)


def test_a_change_of_the_same_size_at_the_same_time_is_one(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text('{"a": 1}')
    before, moment = take_stamps((file,)), file.stat().st_mtime_ns
    file.write_text('{"a": 2}')
    os.utime(file, ns=(moment, moment))
    assert changed_files(before) == (file,)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert changed_files(take_stamps((tmp_path / "pipe",))) == ()
