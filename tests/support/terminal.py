"""A program in a terminal of its own: a pty whose output a real emulator (pyte) reads."""

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pyte

from tests.support.patience import PATIENCE

CARET = "d7d7d7"  # the colour that only the app's caret has as its background


class Terminal:
    """Starts `argv`; `wait_for` looks at the screen as a person would see it."""

    def __init__(
        self, argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], columns: int = 100, rows: int = 30
    ) -> None:
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self.output = bytearray()
        self.code: int | None = None
        self._master, self._slave = pty.openpty()
        self.resize(columns, rows)
        self.before = termios.tcgetattr(self._slave)
        self.pid = os.posix_spawn(
            "/bin/sh", _argv(argv, cwd), {**env, "TERM": "xterm-256color"}, setsid=True, file_actions=self._files()
        )

    def _files(self) -> list[tuple[int, ...]]:
        name = os.ttyname(self._slave)
        opened = (os.POSIX_SPAWN_OPEN, 0, name, os.O_RDWR, 0)
        return [opened, (os.POSIX_SPAWN_DUP2, 0, 1), (os.POSIX_SPAWN_DUP2, 0, 2), (os.POSIX_SPAWN_CLOSE, self._master)]

    # ---- keys

    def send(self, keys: str | bytes) -> None:
        """Type `keys`, reading meanwhile so that nobody blocks."""
        data = keys.encode() if isinstance(keys, str) else keys
        while data:
            _, writable, _ = select.select([], [self._master], [], 0.05)
            if writable:
                data = data[os.write(self._master, data[:512]) :]
            self.pump(0)

    def resize(self, columns: int, rows: int) -> None:
        """Change the size, as dragging a window does."""
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.screen.resize(rows, columns)

    # ---- what is seen

    @property
    def text(self) -> str:
        """The screen's rows."""
        return "\n".join(row.rstrip() for row in self.screen.display)

    def pump(self, seconds: float) -> None:
        """Read what comes within `seconds`."""
        end = time.monotonic() + seconds
        while True:
            readable, _, _ = select.select([self._master], [], [], max(0.0, end - time.monotonic()))
            if not readable:
                return
            try:
                data = os.read(self._master, 65_536)
            except OSError:
                return
            self.output += data
            with contextlib.suppress(TypeError):  # pyte does not know private device status queries
                self._stream.feed(data)

    @property
    def caret(self) -> bool:
        """Whether the app paints its caret: its prompt has the keys."""
        return any(cell.bg == CARET for row in self.screen.buffer.values() for cell in row.values())

    def wait_for(self, text: str) -> None:
        """Until `text` is on the screen."""
        self.wait(lambda: text in self.text, text)

    def wait(self, condition: Callable[[], bool], what: str) -> None:
        """Until `condition`; fails when it never comes."""
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, f"never came: {what}\n{self.text}"
            self.pump(0.02)

    def wait_until_quiet(self) -> None:
        """Until nothing has been written for half a second."""
        size = -1
        while size != len(self.output):
            size = len(self.output)
            self.pump(0.5)

    # ---- the end

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the program."""
        os.kill(self.pid, number)

    def hang_up(self) -> int:
        """Close the window; the exit code (128 + n for a signal)."""
        os.close(self._slave)
        os.close(self._master)
        self._master = self._slave = -1
        end = time.monotonic() + PATIENCE
        while not self.ended:
            assert time.monotonic() < end, "it never ended"
            time.sleep(0.02)
        assert self.code is not None
        return self.code

    @property
    def ended(self) -> bool:
        """Whether the program is over; its exit code is in `code` then (128 + n for a signal)."""
        if self.code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                code = os.waitstatus_to_exitcode(status)
                self.code = code if code >= 0 else 128 - code
        return self.code is not None

    def leave(self, first: str) -> int:
        """Ctrl+C twice, the second once `first` is told; the exit code. Where that took too long, the second was the first of another two."""
        while not self.ended:
            self.send("\x03")
            self.wait(lambda: self.ended or first in self.text, first)
            self.send("\x03")
            end = time.monotonic() + 30
            self.wait(lambda end=end: self.ended or time.monotonic() > end, "its end, or the time for it")
        return self.wait_exit()

    def wait_exit(self) -> int:
        """The exit code (128 + n for a signal); everything written is read."""
        self.wait(lambda: self.ended, "the end of the program")
        self.pump(0.1)
        assert self.code is not None
        return self.code

    @property
    def restored(self) -> bool:
        """Whether the terminal's settings are as before."""
        return termios.tcgetattr(self._slave) == self.before

    def close(self) -> None:
        """Kill what still runs."""
        if self.code is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.code = 137
        for descriptor in (self._master, self._slave):
            if descriptor >= 0:
                os.close(descriptor)


def _argv(argv: Sequence[str], cwd: Path) -> list[str]:
    """The shell only changes the folder and makes way for the program."""
    return ["/bin/sh", "-c", 'cd "$0" && exec "$@"', str(cwd), *argv]
