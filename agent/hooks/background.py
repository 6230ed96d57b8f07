"""Hooks that nobody waits for: they have no say, and they end with the session."""

import asyncio
from collections.abc import Coroutine

GRACE = 1.0  # seconds at the end for hooks that were only told something; `async` ones are ended at once


class Background:
    """Tasks that are held until they are done; one per `Hooks`."""

    def __init__(self) -> None:
        self._told: set[asyncio.Task[None]] = set()
        self._free: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[object, object, None], *, told: bool) -> None:
        """Runs `work` beside everything else."""
        tasks = self._told if told else self._free
        task = asyncio.get_running_loop().create_task(work)
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    async def close(self) -> None:
        """Gives the told ones a moment, then ends all."""
        if self._told:
            await asyncio.wait(self._told, timeout=GRACE)
        rest = (*self._told, *self._free)
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)
