"""A model that is still being loaded: the SDK takes seconds to import, the prompt must not wait for it."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from typing import Protocol, TypeVar

from agent.protocol.errors import CcagentError
from agent.protocol.model import Delta, LearntWindow, Model, Reply, Request, WindowProbe

T = TypeVar("T")
_DO = "ccagent doctor tells what is installed."


class ApiModel(Model, WindowProbe, Protocol):
    """A model that also knows how to ask for windows."""


class DeferredModel:
    """Loads the real model in a thread of its own; whoever needs it waits for it, and leaving early waits for nothing."""

    def __init__(self, load: Callable[[], ApiModel]) -> None:
        self._load = load
        self._loading: asyncio.Future[ApiModel] | None = None

    def begin(self) -> asyncio.Future[ApiModel]:
        """Starts loading, once. The thread is a daemon: a person who leaves at once does not wait for an import."""
        if self._loading is None:
            loop = asyncio.get_running_loop()
            self._loading = loop.create_future()
            threading.Thread(target=self._load_into, args=(loop, self._loading), name="load-sdk", daemon=True).start()
        return self._loading

    async def stream(self, request: Request) -> AsyncGenerator[Delta | Reply, None]:
        """See Model.stream."""
        model = await asyncio.shield(self.begin())
        async with aclosing(model.stream(request)) as items:
            async for item in items:
                yield item

    async def learn_window(self, model: str) -> LearntWindow | None:
        """See WindowProbe.learn_window."""
        return await (await asyncio.shield(self.begin())).learn_window(model)

    async def close(self) -> None:
        """Releases the real model, if it is there."""
        if self._loading is not None and self._loading.done() and self._loading.exception() is None:
            await self._loading.result().close()

    def _load_into(self, loop: asyncio.AbstractEventLoop, future: "asyncio.Future[ApiModel]") -> None:
        loaded: ApiModel | CcagentError = CcagentError("The SDK could not be loaded.", do=_DO)
        try:
            loaded = self._load()
        except CcagentError as error:
            loaded = error
        except ImportError as error:
            loaded = CcagentError(f"The SDK could not be loaded: {error}.", do=_DO)
        finally:  # also for what nobody thought of: a model that never comes would be waited for for ever
            if isinstance(loaded, CcagentError):
                _tell(loop, future.set_exception, loaded)
            else:
                _tell(loop, future.set_result, loaded)


def _tell(loop: asyncio.AbstractEventLoop, settle: Callable[[T], None], value: T) -> None:
    with suppress(RuntimeError):  # the loop has closed: nobody waits any more
        loop.call_soon_threadsafe(settle, value)
