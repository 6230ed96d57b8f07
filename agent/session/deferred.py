"""A model that is still being loaded: the SDK takes seconds to import, the prompt must not wait for it."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import Protocol

from agent.protocol.model import Delta, LearntWindow, Model, Reply, Request, WindowProbe


class ApiModel(Model, WindowProbe, Protocol):
    """A model that also knows how to ask for windows."""


class DeferredModel:
    """Loads the real model in a thread at the first `begin()` or use; whoever needs it waits for it."""

    def __init__(self, load: Callable[[], ApiModel]) -> None:
        self._load = load
        self._loading: asyncio.Task[ApiModel] | None = None

    def begin(self) -> None:
        """Starts loading in the background."""
        if self._loading is None:
            self._loading = asyncio.create_task(asyncio.to_thread(self._load))

    async def stream(self, request: Request) -> AsyncIterator[Delta | Reply]:
        """See Model.stream."""
        model = await self._ready()
        async with aclosing(_generator(model.stream(request))) as items:
            async for item in items:
                yield item

    async def learn_window(self, model: str) -> LearntWindow | None:
        """See WindowProbe.learn_window."""
        return await (await self._ready()).learn_window(model)

    async def close(self) -> None:
        """Releases the real model, if it was ever loaded."""
        if self._loading is None:
            return
        model = await asyncio.shield(self._loading)
        await model.close()

    async def _ready(self) -> ApiModel:
        self.begin()
        if self._loading is None:
            raise RuntimeError("begin() always sets the task")
        return await asyncio.shield(self._loading)


async def _generator(items: AsyncIterator[Delta | Reply]) -> AsyncGenerator[Delta | Reply, None]:
    async for item in items:
        yield item
