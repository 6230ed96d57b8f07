"""What one compaction of a long history costs beside the model's own time: wall, CPU, and how long the event loop stands still.

python tests/bench/bench_compact.py [TOKENS] [RUNS]      150,000 tokens and 5 runs unless said otherwise; nothing is asserted
"""

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncGenerator
from pathlib import Path

from msgspec import Struct

from agent.api import Flags, Options, Session, open_session
from agent.protocol.blocks import Text, ToolResult, ToolUse
from agent.protocol.events import CompactFinished, PromptFinished
from agent.protocol.messages import Message, Usage, user_message
from agent.protocol.model import Delta, Reply, Request
from agent.tools.read_state import stamp_of

ROUND = 3_150  # tokens of one call with its result
SUMMARY = "<analysis>read</analysis><summary>" + "1. Primary Request and Intent: to go on.\n" * 120 + "</summary>"


class Instant:
    """A summariser that has its answer ready."""

    async def stream(self, request: Request) -> AsyncGenerator[Delta | Reply, None]:
        """The same summary for every request."""
        yield Reply(
            blocks=(Text(text=SUMMARY),),
            stop_reason="end_turn",
            usage=Usage(input=1_000, output=1_000),
            model=request.model,
            message_id="msg",
        )

    async def learn_window(self, _model: str) -> None:
        """The window of the table stands."""

    async def close(self) -> None:
        """Nothing to release."""


class Run(Struct, frozen=True):
    """Seconds."""

    wall: float
    cpu: float
    stall: float


def fill(session: Session, project: Path, tokens: int) -> None:
    """A history of calls and results, with a few words of a person in between."""
    conversation = session._state.conversation
    line = "def function_{n}(value, path): return value.find(path)  # a line of a program\n"
    for number in range(tokens // ROUND):
        file = project / f"module_{number % 12}.py"
        content = "".join(line.format(n=100 * number + at) for at in range(95))
        file.write_text(content, encoding="utf-8")
        conversation.read_state.set(file, stamp_of(file.read_bytes(), file.stat()))
        if number % 5 == 0:
            conversation.transcript.append_message(user_message(f"request {number}: you must keep rule {number}"))
        call = ToolUse(id=f"t{number}", name="Read", input={"file_path": str(file)})
        conversation.transcript.append_message(Message("assistant", (Text(text="Let me see."), call)))
        result = ToolResult(tool_use_id=f"t{number}", content=content)
        conversation.transcript.append_message(Message("user", (result,)))
    conversation.transcript.append_message(Message("assistant", (Text(text="Done."),)))


async def ticking(gaps: list[float]) -> None:
    """Notes how late each tick of the event loop comes."""
    while True:
        before = time.perf_counter()
        await asyncio.sleep(0.001)
        gaps.append(time.perf_counter() - before - 0.001)


async def compact_once(folder: Path, tokens: int) -> tuple[Run, CompactFinished]:
    """A new session, its history, one /compact."""
    project = folder / "project"
    project.mkdir()
    env = {**os.environ, "HOME": str(folder), "ANTHROPIC_BASE_URL": "http://127.0.0.1:9", "ANTHROPIC_API_KEY": "none"}
    session = await open_session(Options(cwd=project, env=env, flags=Flags(), version="bench", interactive=True))
    session._state.builder.use_model(Instant())  # type: ignore[arg-type]  # a model that needs no loading
    session._state.rebuild()
    await session.start()
    fill(session, project, tokens)
    session.reading()
    gaps: list[float] = []
    ticker = asyncio.create_task(ticking(gaps))
    wall, cpu = time.perf_counter(), time.process_time()
    events = [event async for event in session.compact()]
    run = Run(time.perf_counter() - wall, time.process_time() - cpu, max(gaps))
    ticker.cancel()
    finished = next((event for event in events if isinstance(event, CompactFinished)), None)
    if finished is None:
        last = events[-1]
        raise SystemExit(last.result.error if isinstance(last, PromptFinished) else "no result")
    await session.close()
    return run, finished


async def main(tokens: int, runs: int) -> None:
    """Prints the medians."""
    done: list[Run] = []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            run, finished = await compact_once(Path(folder), tokens)
            done.append(run)
    receipt = finished.receipt
    print(
        f"{receipt.pre_tokens:,} -> {receipt.post_tokens:,} tokens, {receipt.messages_summarized} messages, {runs} runs"
    )
    for name in Run.__struct_fields__:
        values = [1_000 * getattr(run, name) for run in done]
        print(f"{name:6} median {statistics.median(values):7.0f} ms   worst {max(values):7.0f} ms")


if __name__ == "__main__":
    arguments = [int(text.replace(",", "")) for text in sys.argv[1:]]
    asyncio.run(main(*(arguments + [150_000, 5][len(arguments) :])))
