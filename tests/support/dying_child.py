"""Sessions that the kernel kills in the middle of a write: `python dying_child.py PROJECT`, then a line `HOME LIMIT` for each on stdin.

A process that writes a file beyond its size limit gets SIGXFSZ after the part that fits; left at its default the signal kills at once,
like kill -9 but at a byte one can choose. Each session runs in a fork of its own and says on stdout what was acknowledged, then how it
ended.
"""

import asyncio
import os
import resource
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import anthropic  # noqa: F401  imported before the forks: it takes seconds

from agent.api import Flags, Options, Session, open_session
from agent.protocol.asks import Answer
from agent.protocol.events import Asked, AssistantDone, CompactFinished, Event, PromptAccepted, ToolResultsRecorded

STEPS = (
    "read it",
    "/rename Crash",
    "/pin keep to PEP 8",
    "/context drop 1",
    "second",
    "/compact",
    "third",
    "/compact undo",
    "/rewind 2",
    "fourth",
)
"""One of each write there is: prompts and what comes with them, answers, tool results, title, edits, boundary, leaves."""


def main() -> None:
    """Serve until stdin ends."""
    project = Path(sys.argv[1])
    for line in sys.stdin:
        home, limit = line.split()
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            asyncio.run(_session(project, home, int(limit)))
            os._exit(0)
        _pid, status = os.waitpid(child, 0)
        _say(f"ended {os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0}")


async def _session(project: Path, home: str, limit: int) -> None:
    session = await open_session(
        Options(cwd=project, env={**os.environ, "HOME": home}, version="0", interactive=True, flags=Flags())
    )
    if limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    for words in STEPS:
        async for event in told(session, words):
            if (uuid := recorded(event)) is not None:
                _say(f"ack {uuid}")
    await session.close()


async def told(session: Session, words: str) -> AsyncIterator[Event]:
    """The events of one step; every question is answered yes."""
    async for event in session.prompt(words):
        if isinstance(event, Asked):
            session.answer(event.id, Answer("once"))
        yield event


def recorded(event: Event) -> str | None:
    """The uuid of the record that this event says is on disk."""
    match event:
        case PromptAccepted(uuid=uuid) | AssistantDone(uuid=uuid) | ToolResultsRecorded(uuid=uuid):
            return uuid
        case CompactFinished(receipt=receipt):
            return receipt.boundary
        case _:
            return None


def _say(line: str) -> None:
    os.write(1, f"{line}\n".encode())


if __name__ == "__main__":
    main()
