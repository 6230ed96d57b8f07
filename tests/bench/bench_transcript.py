"""Figures of the transcript: appends per second, time and memory to open a large session, time of a repair.

Run: python tests/bench/bench_transcript.py [megabytes]
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from agent.protocol.blocks import Text, ToolResult, ToolUse
from agent.protocol.clock import RandomIds, SystemClock
from agent.protocol.messages import Message, Usage, user_message
from agent.transcript.invariants import repair
from agent.transcript.transcript import Transcript
from agent.transcript.view import model_view, screen_view

RECORDS = 100_000
TURN = 50  # records from one prompt to the next


def new(path: Path, cwd: Path | None = None) -> Transcript:
    """An empty session."""
    return Transcript.create(
        path, session_id=path.stem, cwd=cwd or path.parent, version="bench", clock=SystemClock(), ids=RandomIds()
    )


def message(number: int, size: int) -> Message:
    """The `number`th message of a session of tool loops, about `size` bytes long on disk."""
    filler = f"line {number}: some output of a tool, or some words\n" * (size // 45)
    if number % TURN == 0:
        return user_message(f"prompt {number}")
    if number % 2:
        call = ToolUse(id=f"toolu_{number}", name="Bash", input={"command": f"echo {number}"})
        return Message(role="assistant", blocks=(Text(text=filler[: size // 2]), call))
    return Message(role="user", blocks=(ToolResult(tool_use_id=f"toolu_{number - 1}", content=filler),))


def fill(transcript: Transcript, records: int, size: int, *, compact: bool) -> None:
    """Appends `records` messages; with `compact`, a boundary 200 records before the end."""
    for number in range(records):
        if compact and number == records - 200:
            transcript.mark_boundary(
                trigger="auto", pre_tokens=1, post_tokens=1, summary=user_message("summary"), kept=(), attachments=()
            )
        said = message(number, size)
        model = "claude-sonnet-5-5" if said.role == "assistant" else ""
        transcript.append_message(said, usage=Usage(input=1), message_id=f"msg_{number}", model=model)


def resident() -> int:
    """Memory of this process, in MB."""
    return int(psutil.Process().memory_info().rss) // 1_000_000


def opened(path: Path) -> None:
    """Prints how long a session takes to a model view, and what the process then weighs (run in its own process)."""
    before = resident()
    start = time.perf_counter()
    transcript = Transcript.open(path, cwd=path.parent, version="bench", clock=SystemClock(), ids=RandomIds())
    view = model_view(transcript.entries(), transcript.leaf)
    seconds = time.perf_counter() - start
    peak = resident()
    print(
        f"  open + model view   {seconds:6.2f} s   {len(view):>7,} messages   {peak} MB resident (process alone: {before} MB)"
    )
    start = time.perf_counter()
    for _ in range(20):
        model_view(transcript.entries(), transcript.leaf)
    print(f"  model view again    {(time.perf_counter() - start) / 20 * 1000:6.2f} ms")
    messages = [entry.message for entry in view]
    start = time.perf_counter()
    repair(messages)
    print(f"  repair              {(time.perf_counter() - start) * 1000:6.2f} ms   {len(messages):,} messages")
    start = time.perf_counter()
    count = len(screen_view(transcript.entries(), transcript.leaf))
    peak = resident()
    print(f"  screen view         {time.perf_counter() - start:6.2f} s   {count:>7,} entries    {peak} MB resident")


def main() -> None:
    """Writes two large sessions and measures them."""
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    size = max(100, megabytes * 1_000_000 // RECORDS - 400)
    with tempfile.TemporaryDirectory() as folder:
        for name, compact in (("compacted", True), ("one long history", False)):
            path = Path(folder) / f"{name.replace(' ', '-')}.jsonl"
            transcript = new(path)
            start = time.perf_counter()
            fill(transcript, RECORDS, size, compact=compact)
            seconds = time.perf_counter() - start
            transcript.close()
            print(f"{name}: {os.path.getsize(path) / 1e6:.0f} MB, {RECORDS:,} records")
            print(f"  append              {RECORDS / seconds:6,.0f} a second (prompts, one in {TURN}, fsynced)")
            subprocess.run([sys.executable, __file__, "--open", str(path)], check=True)
            path.unlink()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--open"]:
        opened(Path(sys.argv[2]))
    else:
        main()
