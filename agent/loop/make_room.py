"""Before every send: read the meter, compact when it is due, refuse at the blocking limit."""

import msgspec

from agent.compact.auto_compact import auto_compact_if_needed, can_compact
from agent.compact.compact import compact
from agent.context.meter_text import meter_text
from agent.loop.deps import Deps
from agent.loop.tally import Tally
from agent.protocol.errors import CompactError, ContextLimitReached, ModelError, PromptTooLong
from agent.protocol.events import MeterChanged, Notice
from agent.protocol.meter import Level, Reading


async def make_room(deps: Deps, tally: Tally, coming: int = 0) -> None:
    """Leaves enough room for `coming` more tokens, or raises ContextLimitReached with nothing changed.

    One failed automatic compaction per prompt is enough: it is not tried again until the person speaks, unless the limit is reached.
    """
    reading = _with(deps.reading(), coming)
    await deps.emit(MeterChanged(reading))
    if not tally.auto_compact_failed or reading.level is Level.BLOCKING:
        reading = await _relieve(deps, tally, reading, coming)
    if reading.level is Level.BLOCKING and can_compact(deps.compact):
        disabled = bool(deps.parts.compact_disabled)
        raise ContextLimitReached(meter_text(reading, auto=reading.auto, compact_disabled=disabled))


async def react(deps: Deps, tally: Tally, error: PromptTooLong) -> None:
    """The API said too long in the middle of a run: one reactive compaction, or the error itself."""
    if not deps.parts.reactive_compact or not can_compact(deps.compact):
        raise error
    await deps.emit(Notice(level="warning", text="The API says the prompt is too long; compacting the conversation."))
    try:
        tally.compacted(await compact(deps.compact, trigger="auto", must_fit=True))
    except (CompactError, ModelError) as failure:
        cause = f"Prompt is too long · automatic compaction failed: {failure.what}"
        raise PromptTooLong(
            cause, used=error.used, limit=error.limit, safe="The conversation is unchanged."
        ) from failure


async def _relieve(deps: Deps, tally: Tally, reading: Reading, coming: int) -> Reading:
    failures = deps.conversation.breaker.consecutive_failures
    receipt = await auto_compact_if_needed(deps.compact, reading)
    tally.auto_compact_failed = deps.conversation.breaker.consecutive_failures > failures
    if tally.auto_compact_failed and deps.conversation.breaker.open:
        text = "Automatic compaction failed three times in a row and rests for this session · /compact tries again."
        await deps.emit(Notice(level="warning", text=text))
    if receipt is None:
        return reading
    tally.compacted(receipt)
    reading = _with(deps.reading(), coming)
    await deps.emit(MeterChanged(reading))
    return reading


def _with(reading: Reading, coming: int) -> Reading:
    if not coming or reading.used is None:
        return reading
    return msgspec.structs.replace(reading, used=reading.used + coming, estimated=True)
