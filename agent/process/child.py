"""A child process in its own session, and a future for its exit."""

import asyncio
import contextlib
import errno
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from agent.process.watchdog import Watchdog, group_alive
from agent.protocol.errors import FilesError

TERM_GRACE = 0.5  # seconds between TERM and KILL
KILL_GRACE = 1.0  # seconds for the kernel to bury what was killed
ORPHAN_GRACE = 0.3  # the same for grandchildren; short, because where process 1 buries nobody they never go


class Child:
    """A running child; `ended` is done at its exit with a shell's exit code (128 + signal), whoever still holds its pipes.

    asyncio's own subprocesses may wait for the pipes too (it changed between Python versions), and yield to the loop before we know the pid.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._loop = asyncio.get_running_loop()
        self._process = process
        self.group = process.pid
        self.ended: asyncio.Future[int] = self._loop.create_future()
        try:
            self._watch(os.pidfd_open(process.pid))
        except (AttributeError, OSError):  # not Linux, or an old kernel
            threading.Thread(target=self._wait, daemon=True).start()

    async def end(self) -> None:
        """TERM to the group, then KILL to whoever is left after the grace; a cancellation in between goes straight to KILL."""
        self.signal(signal.SIGTERM)
        try:
            await self._gone(TERM_GRACE)
        finally:
            self.signal(signal.SIGKILL)
        await self._gone(ORPHAN_GRACE)
        await asyncio.wait({self.ended}, timeout=KILL_GRACE)

    def signal(self, number: signal.Signals) -> None:
        """Send `number` to the whole group, if there is one left."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.group, number)

    async def _gone(self, seconds: float) -> None:
        """Until nobody of the group is left, or for so long."""
        deadline = self._loop.time() + seconds
        while group_alive(self.group) and self._loop.time() < deadline:  # noqa: ASYNC110 - a group has no event to wait for
            await asyncio.sleep(0.01)

    def _watch(self, pidfd: int) -> None:
        def exited() -> None:
            self._loop.remove_reader(pidfd)
            os.close(pidfd)
            self._settle(self._process.wait())

        self._loop.add_reader(pidfd, exited)

    def _wait(self) -> None:
        code = self._process.wait()
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits
            self._loop.call_soon_threadsafe(self._settle, code)

    def _settle(self, code: int) -> None:
        self.ended.set_result(code if code >= 0 else 128 - code)


def start_child(
    argv: Sequence[str], cwd: Path, env: Mapping[str, str], stdin: bytes, stdout: int, stderr: int, watchdog: Watchdog
) -> Child:
    """Start `argv` in a new session with `stdin` to read; raises FilesError when that cannot be."""
    watchdog.prepare()
    with _input(stdin) as readable, _plain_errors(argv, cwd):
        process = subprocess.Popen(
            argv, cwd=cwd, env=env, stdin=readable, stdout=stdout, stderr=stderr, start_new_session=True
        )
        watchdog.guard(process.pid)
    return Child(process)


@contextlib.contextmanager
def _input(data: bytes) -> Iterator[IO[bytes] | int]:
    """Something to read `data` from that ends by itself: a nameless file cannot deadlock as a pipe can."""
    if not data:
        yield subprocess.DEVNULL
        return
    try:
        in_memory = os.fdopen(os.memfd_create("stdin"), "w+b") if hasattr(os, "memfd_create") else None
        file = in_memory or tempfile.TemporaryFile()  # noqa: SIM115 - closed below
        file.write(data)
        file.seek(0)
    except OSError as error:
        raise FilesError(f"Could not hand input to the command: {error.strerror}.") from error
    with file:
        yield file


@contextlib.contextmanager
def _plain_errors(argv: Sequence[str], cwd: Path) -> Iterator[None]:
    """Turn what the system says when a program cannot be started into a FilesError."""
    if not os.path.isdir(cwd):
        raise FilesError(f"The folder {cwd} does not exist.", do="Run the command in another folder.")
    try:
        yield
    except FileNotFoundError as error:
        raise FilesError(f"{argv[0]} was not found.", do="Install it, or check PATH.") from error
    except OSError as error:
        do = "Put large content into a file instead." if error.errno == errno.E2BIG else ""
        raise FilesError(f"{argv[0]} could not be started: {error.strerror}.", do=do) from error
    except ValueError as error:  # a NUL byte in an argument or variable
        raise FilesError(f"{argv[0]} could not be started: {error}.") from error
