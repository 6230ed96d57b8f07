"""Figures of the context engine over sixty tool turns: first request, billed tokens, cache share, time; and of one Reading.

python tests/bench/bench_context.py
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from agent.api import Flags, Options, Session, open_session
from agent.protocol.asks import Answer
from agent.protocol.events import Asked, Notice
from agent.rehearsal.script import Script, say
from agent.rehearsal.server import RehearsalThread
from tests.support.sixty_steps import TURNS, billed, steps, values_file

READINGS = 200


async def session_in(folder: Path, url: str) -> Session:
    """A session as `-p` has it, in a git repository."""
    project = folder / "project"
    subprocess.run(["git", "init", "-q", str(project)], check=True)  # noqa: ASYNC221  # nothing else runs yet
    own = {"HOME": str(folder), "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "key"}
    flags = Flags(skip_permissions=True)
    env = {**os.environ, **own}
    return await open_session(Options(cwd=project, env=env, flags=flags, version="0", interactive=False))


async def run(folder: Path) -> None:
    (folder / "project").mkdir()
    file = values_file(folder / "project")
    with RehearsalThread(Script([*steps(str(file)), say("done")])) as api:
        session = await session_in(folder, api.url)
        await session.start()
        wall, cpu, lines = time.perf_counter(), time.process_time(), []
        async for event in session.prompt("look through values.py step by step"):
            if isinstance(event, Asked):
                session.answer(event.id, Answer("once"))
            elif isinstance(event, Notice):
                lines.append(event.text)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        begun = time.perf_counter()
        for _ in range(READINGS):
            session.reading()
        reading = 1_000 * (time.perf_counter() - begun) / READINGS
        usages = [request.usage for request in api.requests]
        await session.close()
    prompts = [u["input_tokens"] + u["cache_read_input_tokens"] + u["cache_creation_input_tokens"] for u in usages]
    print(f"first request                 {prompts[0]:8,} tokens")
    print(f"last request                  {prompts[-1]:8,} tokens")
    print(f"billed over {TURNS} tool turns     {billed(usages):8,.0f} plain tokens of {sum(prompts):,} sent")
    print(
        f"read from the cache           {100 * sum(u['cache_read_input_tokens'] for u in usages) / sum(prompts):8.1f} %"
    )
    print(f"turns that wrote again        {sum('re-wrote' in line for line in lines):8}")
    print(f"wall, CPU (both sides)        {wall:8.2f} s, {cpu:.2f} s; {1_000 * wall / TURNS:.1f} ms a turn")
    print(f"one Reading                   {reading:8.3f} ms")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder)))


if __name__ == "__main__":
    sys.exit(main())
