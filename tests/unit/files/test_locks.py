"""FileLock: one holder, freed by release and by death."""

import subprocess
import sys
from pathlib import Path

import pytest

from agent.files.locks import FileLock
from agent.protocol.errors import FilesError


def test_a_second_holder_is_refused_until_release(tmp_path: Path) -> None:
    first, second = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")
    assert first.acquire() and first.acquire()
    assert not second.acquire()
    first.release()
    first.release()
    assert second.acquire()
    second.release()


HOLD = """
import sys
from pathlib import Path
from agent.files.locks import FileLock
lock = FileLock(Path(sys.argv[1]))
print(lock.acquire(), flush=True)
sys.stdin.read()
"""


def test_a_killed_holder_frees_the_lock(tmp_path: Path) -> None:
    mine = FileLock(tmp_path / "lock")
    arguments = [sys.executable, "-c", HOLD, str(tmp_path / "lock")]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"True\n"
        assert not mine.acquire()
        child.kill()
    assert mine.acquire()
    mine.release()


def test_a_lock_that_cannot_be_opened_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FilesError, match="lock"):
        FileLock(tmp_path).acquire()
