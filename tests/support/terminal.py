"""A real pseudo-terminal with a screen behind it: a test types, waits for content and reads what a person would see."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

import pyte


class Terminal:
    """A program on a terminal of `rows` x `columns`; as a context manager it is killed at the end if it still runs."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        rows: int = 30,
        columns: int = 100,
    ) -> None:
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self.raw = b""
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.modes_before = termios.tcgetattr(theirs)
        self._theirs = theirs  # kept open, so that the modes can be read after the end
        self.process = subprocess.Popen(
            argv,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=cwd,
            env={**os.environ, "TERM": "xterm-256color", **(env or {})},
            start_new_session=True,
            preexec_fn=_take_terminal,
        )

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._theirs)
        os.close(self._ours)

    def send(self, keys: str) -> None:
        """Type `keys`."""
        os.write(self._ours, keys.encode())

    def wait_for(self, text: str) -> None:
        """Wait until `text` stands on the screen; AssertionError with the screen when it does not come."""
        self.wait_until(lambda screen: text in screen, repr(text))

    def wait_until(self, done: Callable[[str], bool], what: str, timeout: float = 20.0) -> None:
        """Wait until the screen is as `done` wants it, which `what` says in words."""
        end = time.monotonic() + timeout
        while not done(self.text):
            assert time.monotonic() < end, f"{what} did not appear:\n{self.text}"
            self._read(0.1)

    def wait(self, timeout: float = 20.0) -> int:
        """Wait for the program's end, reading what it writes; its exit code."""
        end = time.monotonic() + timeout
        while self.process.poll() is None:
            assert time.monotonic() < end, f"still running:\n{self.text}"
            self._read(0.1)
        while self._read(0.0):
            pass
        return self.process.returncode

    @property
    def text(self) -> str:
        """The screen, without the blanks at the ends of lines."""
        return "\n".join(line.rstrip() for line in self._screen.display)

    @property
    def modes_after(self) -> list[object]:
        """The terminal's modes now."""
        return termios.tcgetattr(self._theirs)

    def _read(self, seconds: float) -> bool:
        if not select.select([self._ours], [], [], seconds)[0]:
            return False
        data = os.read(self._ours, 65_536)
        self.raw += data
        self._stream.feed(data)
        if b"\x1b[6n" in data:  # where is the cursor?
            cursor = self._screen.cursor
            self.send(f"\x1b[{cursor.y + 1};{cursor.x + 1}R")
        return True


def _take_terminal() -> None:
    """Make standard input the controlling terminal, so that Ctrl+C is a signal."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
