"""The terminal as the thread that draws sees it: whatever happens there, a picture is written whole or dropped."""

import os
import pty
import threading
import tty

import pytest

from tests.support.patience import PATIENCE
from tui.app.terminal_guard import DrawnTerminal


def test_a_terminal_that_must_not_block_gets_all_of_a_picture() -> None:
    """Another program may have made the shared terminal non-blocking: what it does not take at once is not lost."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    os.set_blocking(slave, False)
    picture = "█▓▒░" * 50_000
    got = bytearray()

    def read() -> None:
        while len(got) < len(picture.encode()):
            got.extend(os.read(master, 1_000))

    reader = threading.Thread(target=read)
    reader.start()
    try:
        screen = DrawnTerminal(slave)
        assert screen.write(picture) == len(picture)
        screen.flush()
        reader.join(timeout=PATIENCE)
        assert got.decode() == picture
    finally:
        os.close(slave)
        reader.join()
        os.close(master)


@pytest.mark.parametrize("kind", ["hung up", "full", "closed", "left"])
def test_a_picture_that_nobody_takes_is_dropped(kind: str) -> None:
    if kind == "full":
        fd = os.open("/dev/full", os.O_WRONLY)
    else:
        other, fd = pty.openpty() if kind == "hung up" else os.pipe()
        os.close(other)
        if kind == "closed":
            os.close(fd)
    screen = DrawnTerminal(fd)
    screen.write("picture")
    screen.flush()
    screen.write("another")
    screen.flush()
    if kind != "closed":
        os.close(fd)
