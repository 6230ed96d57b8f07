"""Figures of the rehearsal server: how long it takes to start, and how many requests a minute it serves.

Run: python tests/bench/bench_rehearsal.py
"""

import asyncio
import json
import subprocess
import sys
import time

from agent.rehearsal.script import Script, say
from agent.rehearsal.server import RehearsalThread

CLIENTS = 4
SECONDS = 5.0
STARTS = 5


def start_seconds() -> float:
    """From the command to a listening port, the best of a few."""
    best = float("inf")
    for _ in range(STARTS):
        begun = time.perf_counter()
        process = subprocess.Popen([sys.executable, "-m", "agent.rehearsal"], stdout=subprocess.PIPE)
        if process.stdout is not None:
            process.stdout.readline()
        best = min(best, time.perf_counter() - begun)
        process.terminate()
        process.communicate()
    return best


def request(turns: int) -> bytes:
    """A streamed request of so many exchanges, with its head."""
    messages = [{"role": role, "content": "word " * 100} for _ in range(turns) for role in ("user", "assistant")]
    messages.append({"role": "user", "content": "hi"})
    body = json.dumps({"model": "claude-sonnet-5-5", "max_tokens": 1000, "stream": True, "messages": messages}).encode()
    head = f"POST /v1/messages HTTP/1.1\r\nx-api-key: x\r\nanthropic-version: 2026-10-21\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body


async def ask_for(seconds: float, port: int, sent: bytes) -> int:
    """Requests that one connection gets answered in so many seconds."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    end = time.perf_counter() + seconds
    count = 0
    while time.perf_counter() < end:
        writer.write(sent)
        await reader.readuntil(b"\r\n0\r\n\r\n")
        count += 1
    writer.close()
    return count


def per_minute(turns: int) -> float:
    """Requests a minute, from a few clients at once."""

    async def all_clients(port: int) -> int:
        sent = request(turns)
        return sum(await asyncio.gather(*[ask_for(SECONDS, port, sent) for _ in range(CLIENTS)]))

    with RehearsalThread(Script([say("word " * 60).times(0)]), keep=10) as api:
        return asyncio.run(all_clients(int(api.url.rsplit(":", 1)[1]))) * 60 / SECONDS


if __name__ == "__main__":
    print(f"start: {start_seconds() * 1000:.0f} ms")
    for exchanges in (0, 20, 200):
        print(f"{exchanges} exchanges of history: {per_minute(exchanges):,.0f} requests a minute")
