"""write_atomic: old bytes or new bytes, through links, with the file's own mode."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from agent.files.atomic import write_atomic
from agent.protocol.errors import FilesError
from tests.support.disk import room_for


def test_creates_a_file_that_follows_the_umask(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        write_atomic(tmp_path / "a", b"new")
    finally:
        os.umask(old)
    assert (tmp_path / "a").read_bytes() == b"new"
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


@pytest.mark.parametrize("mode", [0o755, 0o600, 0o2775])
def test_keeps_the_mode_of_a_file_that_is_there(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "run.sh"
    file.write_bytes(b"old")
    file.chmod(mode)
    write_atomic(file, b"new")
    assert file.read_bytes() == b"new"
    assert stat.S_IMODE(file.stat().st_mode) == mode


def test_an_asked_mode_wins_over_the_umask(tmp_path: Path) -> None:
    write_atomic(tmp_path / "secret", b"x", mode=0o600)
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600


def test_writes_through_a_chain_of_symlinks(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "chain").symlink_to(tmp_path / "link")
    write_atomic(tmp_path / "chain", b"new")
    assert (tmp_path / "chain").is_symlink() and (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_a_loop_of_symlinks_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    with pytest.raises(FilesError, match="Could not write"):
        write_atomic(tmp_path / "one", b"new")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["one", "two"]


def test_a_folder_in_the_files_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    with pytest.raises(FilesError, match="Is a directory"):
        write_atomic(tmp_path / "d", b"new")


def test_a_fifo_is_refused_without_blocking(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "p")
    with pytest.raises(FilesError):
        write_atomic(tmp_path / "p", b"new")


def test_a_missing_folder_is_an_error_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(FilesError, match="No such file"):
        write_atomic(tmp_path / "no" / "a", b"new")


def test_a_write_that_fails_leaves_the_old_bytes_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    with room_for(1_000), pytest.raises(FilesError) as caught:
        write_atomic(tmp_path / "a", b"x" * 5_000)
    assert caught.value.safe
    assert (tmp_path / "a").read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


KILLED = """
import os, sys, threading
from pathlib import Path
from agent.files.atomic import write_atomic
print("go", flush=True)
while True:
    write_atomic(Path(sys.argv[1]), os.urandom(1) * 3_000_000)
"""


def test_killed_while_writing_leaves_a_whole_file(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"o" * 3_000_000)
    for _ in range(4):
        child = subprocess.Popen([sys.executable, "-c", KILLED, str(file)], stdout=subprocess.PIPE)
        with child:
            assert child.stdout is not None
            child.stdout.readline()
            child.kill()
        data = file.read_bytes()
        assert len(data) == 3_000_000 and len(set(data)) == 1
