"""The one process runner: ended with all its group, awaited by its exit and not by its output's end."""

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from msgspec import Struct

from agent.process.capture import Capture
from agent.process.child import Child, start_child
from agent.process.pipes import Live, OutputPipe
from agent.process.secrets import StreamMask
from agent.process.watchdog import Watchdog

DRAIN_GRACE = 0.2  # seconds for output that follows the exit (process substitutions)

Background: TypeAlias = Literal["kill", "keep"]

_watchdog = Watchdog()  # starts nothing before the first child


class Finished(Struct, frozen=True):
    """How a child ended: `exit_code` as a shell tells it (128 + signal), None when we ended it.

    `output_bytes` counts all it wrote; `spilled` is how many of them, from the first on, the spill file holds.
    """

    exit_code: int | None
    stdout: str
    stderr: str
    timed_out: bool
    truncated: bool
    duration_ms: int
    spilled: int = 0
    output_bytes: int = 0


async def run_process(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdin: bytes = b"",
    timeout: float,  # noqa: ASYNC109 - the child's time, not the caller's: it is ended and a result returned
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
    captures = [Capture(max_bytes, spill), Capture(max_bytes)]
    pipes = [OutputPipe(captures[0], StreamMask(secrets), live, enough)]
    if not merge:
        pipes.append(OutputPipe(captures[1], StreamMask(secrets), live))
    child = _start(argv, cwd, env, stdin, pipes)
    try:
        async with _reporting(live):
            timed_out = await _await_exit(child, pipes, timeout)
            exit_code = child.ended.result() if child.ended.done() else None
    finally:
        await _clean_up(child, pipes, background)
    return Finished(
        exit_code=exit_code,
        stdout=captures[0].text(),
        stderr=captures[1].text(),
        timed_out=timed_out,
        truncated=any(capture.truncated for capture in captures),
        duration_ms=int((loop.time() - started) * 1000),
        spilled=captures[0].spilled,
        output_bytes=sum(capture.size for capture in captures),
    )


def _start(argv: Sequence[str], cwd: Path, env: Mapping[str, str], stdin: bytes, pipes: Sequence[OutputPipe]) -> Child:
    """Start the child and listen to it; the pipes are closed when it cannot be started."""
    try:
        child = start_child(argv, cwd, env, stdin, pipes[0].writer, pipes[-1].writer, _watchdog)
    except BaseException:
        for pipe in pipes:
            pipe.abandon()
        raise
    for pipe in pipes:
        pipe.listen()
    return child


async def _await_exit(child: Child, pipes: Sequence[OutputPipe], seconds: float) -> bool:
    """Wait for the exit, for enough output or for the time to be up; True for the last."""
    watched = {child.ended, pipes[0].enough}
    done, _ = await asyncio.wait(watched, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    if child.ended.done():
        await asyncio.wait([pipe.ended for pipe in pipes], timeout=DRAIN_GRACE)
    return not done


async def _clean_up(child: Child, pipes: Sequence[OutputPipe], background: Background) -> None:
    """End what must end and close what is ours, also when we are cancelled meanwhile."""
    by_itself = child.ended.done()
    try:
        if not by_itself:
            await child.end()
        elif background == "kill":
            child.signal(signal.SIGKILL)
    finally:
        for pipe in pipes:
            pipe.finish(_watchdog if by_itself and background == "keep" else None)
        _watchdog.sweep()


@contextlib.asynccontextmanager
async def _reporting(live: Live | None) -> AsyncIterator[None]:
    """Report live output meanwhile, and its rest at the end; raises what `on_output` raised."""
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
        task.result()
