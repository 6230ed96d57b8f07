"""The one reader of files that the program opens by itself: regular ones, bounded, never waiting."""

import errno
import os
import socket
from pathlib import Path

import pytest

from agent.files.regular import NotRegular, TooLarge, open_regular, open_to_append, read_regular


def test_a_file_is_read_through_links_up_to_the_limit(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    (tmp_path / "link").symlink_to("a")
    assert read_regular(tmp_path / "link", 5) == b"12345"
    with pytest.raises(TooLarge, match="larger than 0 KiB"):
        read_regular(tmp_path / "a", 4)


def test_what_grows_without_a_size_is_bounded_too() -> None:
    assert Path("/proc/self/maps").stat().st_size == 0
    with pytest.raises(TooLarge):
        read_regular(Path("/proc/self/maps"), 100)


def test_other_things_are_named_and_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    (tmp_path / "folder").mkdir()
    told = {"pipe": "a named pipe", "zero": "a device", "folder": "a folder"}
    for name, kind in told.items():
        for use in (lambda path: read_regular(path, 10), open_regular, open_to_append):
            with pytest.raises(NotRegular) as caught:
                use(tmp_path / name)
            assert caught.value.strerror == f"not a file but {kind}"


def test_a_socket_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's name must be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s")
        with pytest.raises(NotRegular, match="a socket"):
            read_regular(Path("s"), 10)


def test_a_writer_at_a_pipe_is_left_alone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    keep = os.open(tmp_path / "pipe", os.O_RDWR)
    os.write(keep, b"for somebody else")
    with pytest.raises(NotRegular):
        read_regular(tmp_path / "pipe", 100)
    assert os.read(keep, 100) == b"for somebody else"
    os.close(keep)


def test_what_is_missing_is_an_ordinary_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_regular(tmp_path / "none", 1)
    with pytest.raises(OSError) as caught:
        (tmp_path / "loop").symlink_to("loop")
        read_regular(tmp_path / "loop", 1)
    assert caught.value.errno == errno.ELOOP


def test_appending_makes_a_private_file(tmp_path: Path) -> None:
    for word in (b"one ", b"two"):
        handle = open_to_append(tmp_path / "log")
        os.write(handle, word)
        os.close(handle)
    assert (tmp_path / "log").read_bytes() == b"one two"
    assert (tmp_path / "log").stat().st_mode & 0o777 == 0o600
