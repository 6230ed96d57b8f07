"""The one process runner: a child in its own session, ended with all its group, awaited by its exit and not by its output's end."""

import asyncio
import contextlib
import errno
import os
import signal
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Literal, TypeAlias

from msgspec import Struct

from agent.process.capture import Capture
from agent.process.pipes import Live, OutputPipe
from agent.process.secrets import StreamMask
from agent.process.watchdog import Watchdog, group_alive
from agent.protocol.errors import FilesError

TERM_GRACE = 0.5  # seconds between TERM and KILL
DRAIN_GRACE = 0.2  # seconds for output that follows the exit (process substitutions)
KILL_GRACE = 1.0  # seconds for the kernel to bury what was killed

Background: TypeAlias = Literal["kill", "keep"]

_watchdog = Watchdog()  # starts nothing before the first child


class Finished(Struct, frozen=True):
    """How a child ended: `exit_code` as a shell tells it (128 + signal), None when we ended it; `output_bytes` counts all it wrote."""

    exit_code: int | None
    stdout: str
    stderr: str
    timed_out: bool
    truncated: bool
    duration_ms: int
    spilled: bool = False
    output_bytes: int = 0


async def run_process(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdin: bytes = b"",
    timeout: float,  # noqa: ASYNC109 - not the caller's patience: the child is ended and a result returned
    merge: bool = False,
    max_bytes: int = 1_000_000,
    spill: Path | None = None,
    on_output: Callable[[str], Awaitable[None]] | None = None,
    secrets: Sequence[str] = (),
    background: Background = "kill",
    enough: int | None = None,
) -> Finished:
    """Run `argv` (program first, no shell) without a terminal and return how it ended.

    `stdin` is all it can read. `timeout` in seconds; then, and on cancellation, its process group gets TERM and after 0.5 s KILL. `merge` sends
    stderr into stdout. Of each stream the head and tail, `max_bytes` together, are kept; a longer stdout goes whole to `spill` (mode 0600, 64 MiB).
    `on_output` gets new text ten times a second at most. `secrets` are masked in all of it. What the child leaves running in its group is killed
    when it exits, or with `background="keep"` when this process ends; what has left the group (setsid) is out of reach. `enough` bytes of stdout
    end it early. Raises FilesError when the program or `cwd` is missing or cannot be used.
    """
    loop = asyncio.get_running_loop()
    started = loop.time()
    live = Live(on_output) if on_output is not None else None
    out_capture, err_capture = Capture(max_bytes, spill), Capture(max_bytes)
    out = OutputPipe(out_capture, StreamMask(secrets), live, enough)
    err = None if merge else OutputPipe(err_capture, StreamMask(secrets), live)
    pipes = [pipe for pipe in (out, err) if pipe is not None]
    process = await _spawn(argv, cwd, env, stdin, pipes)
    ended = asyncio.ensure_future(process.wait())
    try:
        async with _reporting(live):
            done, _ = await asyncio.wait({ended, out.enough}, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
            by_itself = ended.done()
            if by_itself:
                await asyncio.wait([pipe.ended for pipe in pipes], timeout=DRAIN_GRACE)
    finally:
        try:
            if not ended.done():
                await _end_group(process.pid)
                await asyncio.wait({ended}, timeout=KILL_GRACE)
            elif background == "kill":
                _signal(process.pid, signal.SIGKILL)
        finally:
            for pipe in pipes:
                pipe.finish(_watchdog if background == "keep" and ended.done() else None)
            _watchdog.sweep()
    return Finished(
        exit_code=_shell_code(process.returncode) if by_itself else None,
        stdout=out_capture.text(),
        stderr=err_capture.text(),
        timed_out=not done,
        truncated=out_capture.truncated or err_capture.truncated,
        duration_ms=int((loop.time() - started) * 1000),
        spilled=out_capture.spilled,
        output_bytes=out_capture.size + err_capture.size,
    )


async def _spawn(
    argv: Sequence[str], cwd: Path, env: Mapping[str, str], stdin: bytes, pipes: Sequence[OutputPipe]
) -> asyncio.subprocess.Process:
    """Start the child and listen to it; the pipes are closed when it cannot be started."""
    try:
        with _input(stdin) as readable, _plain_errors(argv, cwd):
            process = await asyncio.create_subprocess_exec(
                *argv,
                cwd=cwd,
                env=env,
                stdin=readable,
                stdout=pipes[0].writer,
                stderr=pipes[-1].writer,
                start_new_session=True,
            )
    except BaseException:
        for pipe in pipes:
            pipe.abandon()
        raise
    _watchdog.guard(process.pid)
    for pipe in pipes:
        pipe.listen()
    return process


@contextlib.contextmanager
def _input(data: bytes) -> Iterator[IO[bytes] | int]:
    """Something to read `data` from that ends by itself: a nameless file cannot deadlock as a pipe can."""
    if not data:
        yield asyncio.subprocess.DEVNULL
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
    if not cwd.is_dir():
        raise FilesError(f"The folder {cwd} does not exist.", do="Run the command in another folder.")
    try:
        yield
    except FileNotFoundError as error:
        raise FilesError(f"{argv[0]} was not found.", do="Install it, or check PATH.") from error
    except OSError as error:
        too_long = error.errno == errno.E2BIG
        do = "Put large content into a file instead." if too_long else ""
        raise FilesError(f"{argv[0]} could not be started: {error.strerror}.", do=do) from error
    except ValueError as error:  # a NUL byte in an argument or variable
        raise FilesError(f"{argv[0]} could not be started: {error}.") from error


@contextlib.asynccontextmanager
async def _reporting(live: Live | None) -> AsyncIterator[None]:
    """Report live output meanwhile, and its rest at the end."""
    if live is None:
        yield
        return
    task = asyncio.ensure_future(live.run())
    try:
        yield
        if not task.done():
            await live.flush()
    finally:
        task.cancel()
        await asyncio.wait({task})
    if not task.cancelled():
        task.result()  # raises what `on_output` raised


async def _end_group(group: int) -> None:
    """TERM, then KILL for whoever is left after the grace; a cancellation in between goes straight to KILL."""
    _signal(group, signal.SIGTERM)
    try:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + TERM_GRACE
        while group_alive(group) and loop.time() < deadline:  # noqa: ASYNC110 - the kernel tells no event for a group
            await asyncio.sleep(0.01)
    finally:
        _signal(group, signal.SIGKILL)


def _signal(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _shell_code(returncode: int | None) -> int | None:
    return returncode if returncode is None or returncode >= 0 else 128 - returncode
