"""Carries events from a task to the one who reads them: one outbox per prompt, and a bounded one for what belongs to no prompt."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from typing import TypeAlias

from agent.protocol.events import Emit, Event

Work: TypeAlias = Callable[[Emit], Awaitable[None]]

BUFFER = 1024  # events; a slow face slows the engine down instead of filling memory
BACKGROUND = 256  # events kept for a face that does not read; the oldest go first


class Outbox:
    """The events of one task, in order, until it ends; `late` takes what is emitted afterwards (by what nobody waits for)."""

    def __init__(self, late: Callable[[Event], None] = lambda _event: None) -> None:
        self._queue: asyncio.Queue[Event | None] = asyncio.Queue(maxsize=BUFFER)
        self._late = late
        self._closed = False

    async def emit(self, event: Event) -> None:
        """Hands `event` to the reader, or to `late` when the reader has left."""
        if self._closed:
            self._late(event)
        else:
            await self._queue.put(event)

    async def stream(self, work: Work, started: Callable[["asyncio.Task[None]"], None]) -> AsyncGenerator[Event, None]:
        """Runs `work` as a task and yields what it emits; leaving early cancels the task and waits for its end."""
        task = asyncio.create_task(self._fill(work))
        started(task)
        try:
            while (event := await self._queue.get()) is not None:
                yield event
        finally:
            self._closed = True
            self._drain()
            if not task.done():
                task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _fill(self, work: Work) -> None:
        try:
            await work(self.emit)
        finally:
            if not self._closed:
                self._closed = True
                await self._queue.put(None)

    def _drain(self) -> None:
        while not self._queue.empty():
            self._queue.get_nowait()


class Background:
    """Events that belong to no prompt; readers come and go, the newest events wait for the first of them."""

    def __init__(self) -> None:
        self._events: deque[Event] = deque(maxlen=BACKGROUND)
        self._news = asyncio.Event()
        self._closed = False

    def put(self, event: Event) -> None:
        """Keeps `event` for the reader."""
        self._events.append(event)
        self._news.set()

    async def emit(self, event: Event) -> None:
        """The same as an Emit; never waits."""
        self.put(event)

    def close(self) -> None:
        """Ends every reader's stream once it has read what is there."""
        self._closed = True
        self._news.set()

    async def stream(self) -> AsyncGenerator[Event, None]:
        """Events as they come, until close()."""
        while True:
            while self._events:
                yield self._events.popleft()
            if self._closed:
                return
            self._news.clear()
            await self._news.wait()
