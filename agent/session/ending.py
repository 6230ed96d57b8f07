"""However a prompt ends (answered, failed or interrupted), PromptFinished closes it and says what it came to."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from agent.loop.failure import failed
from agent.loop.tally import Tally
from agent.protocol.clock import Clock
from agent.protocol.errors import CcagentError
from agent.protocol.events import Emit, Interrupted, PromptFinished
from agent.protocol.results import RunResult, Subtype

Answering: TypeAlias = Callable[[Tally, Emit], Awaitable[RunResult]]


async def to_its_end(answering: Answering, clock: Clock, emit: Emit) -> None:
    """Does the work of one prompt and tells how it ended; an interrupt goes on to the caller."""
    tally = Tally(clock)
    emit = tally.noting(emit)
    try:
        result = await answering(tally, emit)
    except asyncio.CancelledError:
        await emit(Interrupted())
        result = tally.result(Subtype.DURING_EXECUTION, error="Interrupted.", terminal_reason=tally.aborted)
        await emit(PromptFinished(result))
        raise
    except CcagentError as error:
        result = await failed(error, tally, emit)
    await emit(PromptFinished(result))
