"""Whether the terminal is still there: its window may be closed, its line cut."""

import asyncio
import os
import select
import signal
import threading
from collections.abc import Callable
from contextlib import suppress

HUNG_UP = 128 + signal.SIGHUP  # the exit code


class HangUp:
    """Watches the terminal on the file descriptor `fd`; what is no terminal never hangs up.

    SIGHUP alone does not do: only the session's leader is sure to get it, and writing may fail before it arrives.
    """

    def __init__(self, fd: int = 0) -> None:
        self._fd = fd
        self._is_terminal = os.isatty(fd)

    @property
    def happened(self) -> bool:
        """Whether nobody is there any more."""
        return self._is_terminal and bool(self._gone().poll(0))

    def watch(self, tell: Callable[[], object]) -> None:
        """Call `tell` in the running loop when it happens. The thread sleeps until then; nobody has to wait for it."""
        if self._is_terminal:
            loop = asyncio.get_running_loop()
            threading.Thread(target=self._wait, args=(loop, tell), name="hang-up", daemon=True).start()

    def _wait(self, loop: asyncio.AbstractEventLoop, tell: Callable[[], object]) -> None:
        self._gone().poll()
        with suppress(RuntimeError):  # the loop is closed: it is over anyway
            loop.call_soon_threadsafe(tell)

    def _gone(self) -> "select.poll":
        poll = select.poll()
        poll.register(self._fd, 0)  # no event asked for: only the hang-up, which is always told
        return poll
